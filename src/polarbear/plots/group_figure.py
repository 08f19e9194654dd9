"""The figure with one panel per group of runs, on a page of fitting size; `group_panels` draws the panels."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.plots.end_labels import columns_below
from polarbear.plots.group_panels import draw_panels, group_data, shared_list
from polarbear.plots.lettering import short_names, show_literally
from polarbear.plots.page_sizes import LETTER_INCHES, LINE_INCHES, PANEL_INCHES, height_of_rows, panels_across
from polarbear.plots.style import WIDTH_INCHES, empty_figure, lay_out, styled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.figure import Figure

    from polarbear.literals import Axis
    from polarbear.plots.registry import FigureName
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import Preference


def by_group(
    name: FigureName,
    posteriors: Mapping[str, Posterior],
    *,
    among: Sequence[str] | None = None,
    preference: Preference | None = None,
    axis: Axis | None = None,
    unit: str = "budget",
    width: float | None = None,
) -> Figure:
    """Draw one figure with a panel for each of several posteriors, such as that of all runs and that of each function.

    Parameters
    ----------
    name
        "ratings", "decision-map" or "values": the figures with `FIGURES[name].panels`.
    posteriors
        The posterior of each panel, by its title. The first has all algorithms, whose order determines the colours.
    among
        The algorithms to show; all by default. A panel leaves out those that its group does not have.
    preference
        The preference over budgets of the figure "values".
    axis, unit, width
        See `ratings`.

    Examples
    --------
    >>> import polarbear as pb
    >>> values = {"smooth": [[[1.0, 2.0], [3.0, 1.0]]] * 5, "rough": [[[2.0, 1.0], [1.0, 3.0]]] * 5}
    >>> groups = {
    ...     name: pb.fit(pb.Choices.from_values(each, grid=[10, 100], names=["cma", "rs"]), draws=200)
    ...     for name, each in values.items()
    ... }
    >>> len(pb.plots.by_group("decision-map", groups).axes)
    2
    """
    panels = group_data(name, posteriors, among=among, preference=preference)
    with styled():
        names = next(iter(posteriors.values())).names if among is None else tuple(among)
        handles = shared_list(panels)
        columns = columns_below(width or WIDTH_INCHES, list(handles)) if handles else None
        each = height_of_rows(len(names), 0.7, 0.3) if name == "values" else 1.9
        if name == "values":  # each panel has a list of names and a column of probabilities
            longest = max(map(len, short_names(names).values()))
            across = 2 if (width or WIDTH_INCHES) / 2 - LETTER_INCHES * longest - 0.6 >= PANEL_INCHES else 1
        else:
            across = panels_across(width, list(handles) if columns is None else [])
        down = -(-len(panels) // across)
        across = -(-len(panels) // down)
        listed = LINE_INCHES * len(handles) / (columns or 1)
        figure = empty_figure(width, 0.4 + (max(each * down, listed) if columns is None else each * down + listed))
        shared = name != "values"
        places = figure.subplots(down, across, sharex=shared, sharey=shared, squeeze=False).ravel().tolist()
        used, spare = places[: len(panels)], places[len(panels) :]
        draw_panels(used, panels, axis=axis, unit=unit)
        drawn = [ax for ax in used if ax.axison]
        below = drawn[0].get_xlabel() if drawn else ""
        figure.supylabel(drawn[0].get_ylabel() if drawn else "", fontsize="medium")
        if columns is None:
            figure.supxlabel(below, fontsize="medium")
        for ax in drawn:
            ax.set(xlabel="", ylabel="")
            if shared:
                ax.label_outer()
        for ax in used[-across:]:  # no panel lies below these
            ax.tick_params(labelbottom=True)
            if columns is not None:  # a common label would lie on the list
                ax.set_xlabel(below)
        for ax in spare:
            ax.remove()
        if handles:
            legend = figure.legend(
                list(handles.values()),
                list(handles),
                loc="outside right upper" if columns is None else "outside lower left",
                ncols=columns or 1,
            )
            for text in legend.get_texts():
                show_literally(text)
        return lay_out(figure)
