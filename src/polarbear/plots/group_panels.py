"""Small multiples: one figure with a panel for all runs and one for each group of them, such as each function.

The figures with panels are marked in the registry. All panels share colours, and lists of names lie beside them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.decision_bands import DecisionBands, area_handles, draw_decision_map
from polarbear.plots.end_labels import legend_line
from polarbear.plots.lettering import short_names, show_literally
from polarbear.plots.palette import assign_looks
from polarbear.plots.preference_values import PreferenceValues, draw_values
from polarbear.plots.rating_curves import RatingCurves, draw_ratings
from polarbear.selection.observed_budgets import NotObservedError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from polarbear.literals import Axis
    from polarbear.plots.registry import FigureName
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import Preference

Drawing = RatingCurves | DecisionBands | PreferenceValues


def group_data(
    name: FigureName,
    posteriors: Mapping[str, Posterior],
    *,
    among: Sequence[str] | None = None,
    preference: Preference | None = None,
) -> dict[str, Drawing | str]:
    """Return the data of each panel, or a sentence that the group has none.

    Parameters
    ----------
    name
        "ratings", "decision-map" or "values".
    posteriors
        The posterior of each group; the first one has all algorithms, whose order determines the colours.
    among
        The algorithms to show; all by default. A panel leaves out those that its group does not have.
    preference
        The preference over budgets of the figure "values".
    """
    steps: dict[str, Callable[[Posterior, Sequence[str]], Drawing]] = {
        "ratings": lambda posterior, names: RatingCurves.of(posterior, among=names),
        "decision-map": lambda posterior, names: DecisionBands.of(posterior, among=names),
        "values": lambda posterior, names: PreferenceValues.of(posterior, preference, among=names),
    }
    if name not in steps:
        raise ValueError(f"expected a figure with panels ({', '.join(steps)}), got {name!r}; draw one figure per group")
    all_names = next(iter(posteriors.values())).names
    stacked: tuple[str, ...] = ()
    panels: dict[str, Drawing | str] = {}
    for group, posterior in posteriors.items():
        names = [each for each in among or posterior.names if each in posterior.names]
        try:
            data = steps[name](posterior, names) if names else "no runs of these algorithms"
        except NotObservedError:
            data = "not observed at these budgets"
        if isinstance(data, DecisionBands):
            data = replace(data, stacked=stacked)
            stacked = stacked or tuple(data.names[k] for k in data.stacking_order)
        panels[group] = data if isinstance(data, str) else replace(data, all_names=all_names)
    return panels


def draw_panels(
    axes: Sequence[Axes], panels: Mapping[str, Drawing | str], *, axis: Axis | None = None, unit: str = "budget"
) -> None:
    """Draw one panel per group, on as many axes as there are groups; a group without data has its sentence instead."""
    highest = max(
        (float(np.nanmax(data.upper)) for data in panels.values() if isinstance(data, RatingCurves)), default=1.0
    )
    for ax, (group, data) in zip(axes, panels.items(), strict=True):
        show_literally(ax.set_title(group, fontsize=8))
        if isinstance(data, str):
            ax.set_axis_off()
            ax.text(0.5, 0.5, data, transform=ax.transAxes, ha="center", va="center", color="#555555")
        elif isinstance(data, RatingCurves):
            draw_ratings(ax, data, axis=axis, unit=unit, labelled=False)
            ax.set_ylim(0, 1.03 * highest)
        elif isinstance(data, DecisionBands):
            draw_decision_map(ax, data, axis=axis, unit=unit, labelled=False)
        else:
            draw_values(ax, data)


def shared_list(panels: Mapping[str, Drawing | str]) -> dict[str, Artist]:
    """Return the entries of the list beside all panels: lines or areas by name; none where panels write names themselves."""
    drawn = [data for data in panels.values() if not isinstance(data, str)]
    bands = [data for data in drawn if isinstance(data, DecisionBands)]
    if bands:
        return dict(area_handles(bands))
    curves = [data for data in drawn if isinstance(data, RatingCurves)]
    if not curves:
        return {}
    looks, short = assign_looks(curves[0].all_names), short_names(curves[0].all_names)
    shown = {name for data in curves for name in data.names}
    return {short[name]: legend_line(look) for name, look in looks.items() if name in shown}
