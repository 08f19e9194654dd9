"""Figure of the tree: the groups of instances that features separate, and the choice at each budget in each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polarbear.features.dependence import find_dependence
from polarbear.features.training_set import make_training_set
from polarbear.features.tree_rows import tree_rows
from polarbear.plots.lettering import budget_axis, short_names, show_literally
from polarbear.plots.palette import assign_looks

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes

    from polarbear.features.reading import FeatureSource
    from polarbear.features.table import FeatureTable
    from polarbear.features.tree_rows import TreeRow
    from polarbear.literals import Axis
    from polarbear.magnitude.collection import Source
    from polarbear.observe import Grid

_INDENT = 0.16  # inches per question
_MARGIN = 0.2  # inches beside the name of a group
_BAND = 0.3  # height of a band, in rows
_INK, _SOFT = "#1d2429", "#55606a"
_LETTER = 0.07  # inches per letter of a condition
_ROUNDING = 1e-6  # letters, so that a name has exactly the room that it needs


@dataclass(frozen=True, eq=False)
class ProblemTree:
    """The tree of splits.

    Attributes
    ----------
    rows
        The groups, each below the one that it is part of; one row if no feature matters.
    grid
        The budgets.
    all_names
        All algorithms, whose order determines the colours.
    unit
        The unit of budgets; may be empty.
    """

    rows: tuple[TreeRow, ...]
    grid: Grid
    all_names: tuple[str, ...]
    unit: str

    @classmethod
    def of(
        cls,
        source: Source,
        features: FeatureSource | Sequence[FeatureTable] | None = None,
        *,
        among: Sequence[str] | None = None,
        **reading: Any,
    ) -> Self:
        """Return the tree of runs and features; see `explain` for the parameters."""
        training = make_training_set(source, features, preference=None, among=among, **reading)
        rows = tree_rows(find_dependence(training))
        return cls(rows, training.runs.grid, training.runs.names, training.runs.unit)

    @property
    def label_inches(self) -> float:
        """The width that the names of the groups need."""
        return max(_INDENT * row.depth + _MARGIN + _LETTER * len(_label(row)) for row in self.rows)

    @property
    def chosen(self) -> tuple[str, ...]:
        """The algorithms that are chosen in some group, in the order of the race."""
        names = {each.name for row in self.rows for each in row.ranges}
        return tuple(name for name in self.all_names if name in names)


def draw_tree(
    tree: Axes,
    bands: Axes,
    data: ProblemTree,
    *,
    room: float | None = None,
    axis: Axis | None = None,
    unit: str | None = None,
) -> None:
    """Draw the branches and the names of the groups on one pair of axes, and their choices beside them on another.

    Parameters
    ----------
    tree, bands
        The axes to draw on, side by side with the same height.
    data
        The tree.
    room
        The width of the first axes in inches, to which names are shortened; by default what they need.
    axis
        "linear" or "log"; the axis of the grid by default.
    unit
        The label of the budget axis; the unit of the runs by default.
    """
    _draw_branches(tree, data, data.label_inches if room is None else room)
    _draw_bands(bands, data)
    budget_axis(bands, data.grid, axis=axis, unit=(data.unit or "budget") if unit is None else unit)
    bands.grid(visible=False)
    bands.set_yticks([])
    bands.spines["left"].set_visible(False)
    if len(data.rows) == 1:
        bands.set_title("no feature matters: one choice for all instances", fontsize=8, loc="left")
    for ax in (tree, bands):
        ax.set_ylim(len(data.rows) - 0.35, -0.65)


def _draw_branches(ax: Axes, data: ProblemTree, room: float) -> None:
    """Draw a dot and a name per group, and a line to the group that it is part of; one unit is an inch."""
    ax.set_axis_off()
    ax.set_xlim(0, room)
    for number, row in enumerate(data.rows):
        at = 0.06 + _INDENT * row.depth
        if row.parent is not None:
            ax.plot([at - _INDENT, at - _INDENT, at], [row.parent, number, number], color=_SOFT, linewidth=1, zorder=1)
        face = _SOFT if row.feature else "white"
        ax.plot([at], [number], marker="o", markersize=5, color=_SOFT, markerfacecolor=face, zorder=2, clip_on=False)
        letters = int((room - _INDENT * row.depth - _MARGIN) / _LETTER + _ROUNDING)
        show_literally(ax.text(at + 0.1, number, _label(row, letters), va="center", color=_INK, fontsize=8))


def _draw_bands(ax: Axes, data: ProblemTree) -> None:
    """Draw the choice of each group at each budget as a band in the colour of the algorithm, with its name above it."""
    look, short = assign_looks(data.all_names), short_names(data.all_names)
    first, last = float(data.grid.budgets[0]), float(data.grid.budgets[-1])
    for number, row in enumerate(data.rows):
        for each in row.ranges:
            start, stop = (each.start, each.stop) if first < last else (0.9 * first, 1.1 * first)
            style: dict[str, Any] = {
                "facecolor": look[each.name].colour,
                "hatch": look[each.name].texture,
                "edgecolor": "white",
            }
            ax.broken_barh([(start, stop - start)], (number - _BAND / 2, _BAND), **style)
            name = ax.text(start, number - _BAND / 2 - 0.06, short[each.name], fontsize=7, color=_SOFT, va="bottom")
            show_literally(name)


def _label(row: TreeRow, letters: int | None = None) -> str:
    """Return the last condition of a group, its size and a note on it, shortened to so many letters, the note first."""
    size = f" ({row.instances:,})"
    condition = " ".join("".join(c if c.isprintable() else "�" for c in row.condition).split())
    noted = condition + (f" ({row.instances:,}, {row.note})" if row.note else size)
    if letters is None or len(noted) <= letters:
        return noted
    if len(condition) + len(size) > letters:
        condition = condition[: max(1, letters - len(size) - 1)].rstrip() + "…"
    return condition + size


def drop_names_without_room(ax: Axes) -> None:
    """Remove the name of each band that would reach into the next name or beyond the axes; call it after the layout."""
    right = ax.get_window_extent().x1
    names = sorted(ax.texts, key=lambda text: (text.get_position()[1], text.get_position()[0]))
    for place, text in enumerate(names):
        box = text.get_window_extent()
        following = names[place + 1] if place + 1 < len(names) else None
        same_row = following is not None and following.get_position()[1] == text.get_position()[1]
        limit = following.get_window_extent().x0 - 2 if following is not None and same_row else right
        if box.x1 > limit:
            text.remove()
