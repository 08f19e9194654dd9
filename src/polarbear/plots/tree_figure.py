"""The complete figure of the tree, on a page of fitting size; `problem_tree` draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from polarbear.plots.lettering import short_names, show_literally
from polarbear.plots.page_sizes import LETTER_INCHES, LINE_INCHES
from polarbear.plots.palette import assign_looks
from polarbear.plots.problem_tree import ProblemTree, draw_tree, drop_names_without_room
from polarbear.plots.style import WIDTH_INCHES, empty_figure, lay_out, styled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure

    from polarbear.features.reading import FeatureSource
    from polarbear.features.table import FeatureTable
    from polarbear.literals import Axis
    from polarbear.magnitude.collection import Source

_ROW_INCHES = 0.42
_WIDEST = 0.45  # share of the figure for the names of the groups


def tree(
    source: Source,
    features: FeatureSource | Sequence[FeatureTable] | None = None,
    *,
    among: Sequence[str] | None = None,
    axis: Axis | None = None,
    unit: str | None = None,
    width: float | None = None,
    **reading: Any,
) -> Figure:
    """Draw the groups of instances that features separate as a tree, with the choice at each budget in each group.

    The first row shows the choice for all instances. It is the only one if no feature matters.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    features
        A table of features, as for `explain`.
    among
        The candidates; by default as for `explain`.
    axis
        "linear" or "log"; the axis of the grid by default.
    unit
        The label of the budget axis; the unit of the runs by default.
    width
        The width of the figure in inches.
    **reading
        The `grid` and the rules of comparison; see `collect_runs`.
    """
    return draw_tree_figure(ProblemTree.of(source, features, among=among, **reading), axis=axis, unit=unit, width=width)


def draw_tree_figure(data: ProblemTree, *, axis: Axis | None, unit: str | None, width: float | None) -> Figure:
    """Return the figure of a tree; see `tree`."""
    with styled():
        from matplotlib.patches import Patch

        across = WIDTH_INCHES if width is None else width
        room = min(data.label_inches, _WIDEST * across)
        short, looks = short_names(data.all_names), assign_looks(data.all_names)
        labels = [short[name] for name in data.chosen]
        columns = max(1, int((across - 0.3) // (LETTER_INCHES * max(map(len, labels)) + 0.5)))
        listed = LINE_INCHES * (2 + len(labels) // columns)
        figure = empty_figure(width, 0.5 + _ROW_INCHES * max(2, len(data.rows)) + listed)
        places = figure.add_gridspec(1, 2, width_ratios=[room, across - room])
        bands, names = (figure.add_subplot(places[0, column]) for column in (1, 0))
        draw_tree(names, bands, data, room=room, axis=axis, unit=unit)
        handles = [
            Patch(facecolor=looks[name].colour, hatch=looks[name].texture, edgecolor="white") for name in data.chosen
        ]
        legend = figure.legend(handles, labels, loc="outside lower left", ncols=columns)
        for text in legend.get_texts():
            show_literally(text)
        lay_out(figure)
        drop_names_without_room(bands)
        return lay_out(figure)
