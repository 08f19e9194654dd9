"""Figure of the decision map: the probability of being best at each budget, and the changes of leader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.plots.end_labels import add_legend_outside
from polarbear.plots.lettering import budget_axis, format_tick, short_names, show_literally
from polarbear.plots.palette import assign_looks
from polarbear.plots.style import lay_out
from polarbear.selection import decision_map
from polarbear.wording import percent

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from matplotlib.axes import Axes
    from matplotlib.patches import Patch
    from matplotlib.text import Text

    from polarbear.arrays import Array
    from polarbear.literals import Axis
    from polarbear.observe import Grid
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection import DecisionMap, LeaderChange
    from polarbear.selection.ranges import BudgetRange


_SMALLEST_NAMED = 0.02  # algorithms whose P(best) stays below this at all budgets share one area
_OTHERS = f"others, below {percent(_SMALLEST_NAMED)}"
_LEVEL = 0.022  # distance between rows of intervals, as a share of the height of the axes


@dataclass(frozen=True, eq=False)
class DecisionBands:
    """P(best) over budgets: the probability that each candidate is the best choice; see `decision_map`.

    Attributes
    ----------
    grid
        The budgets.
    names, all_names
        The candidates, and all algorithms.
    probability_best
        P(best), shape (budget, candidate); rows sum to one, or are zero where no candidate was observed.
    edge_budgets, edges
        The budgets and P(best), shape (budget, candidate), between which the areas are drawn. They are those of the grid,
        and a step beside each budget at which a candidate is not observed any more or not yet. NaN where none was observed.
    ranges, leader_changes
        The ranges of budgets with one answer, and the changes of leader with their uncertainty.
    stacked
        Candidates in their order from bottom to top, so that panels can be compared; by default `stacking_order` decides.
    """

    grid: Grid
    names: tuple[str, ...]
    all_names: tuple[str, ...]
    probability_best: Array
    edge_budgets: Array
    edges: Array
    ranges: tuple[BudgetRange, ...]
    leader_changes: tuple[LeaderChange, ...]
    stacked: tuple[str, ...] = ()

    @property
    def stacking_order(self) -> list[int]:
        """The columns of the candidates from bottom to top: leaders in order of budget, then the others by mean P(best)."""
        leaders = (each.leader for each in self.ranges if each.leader is not None)
        given = (name for name in self.stacked if name in self.names)
        lead = list(dict.fromkeys(self.names.index(name) for name in (*given, *leaders)))
        others = [k for k in range(len(self.names)) if k not in lead]
        return lead + sorted(others, key=lambda k: -self.probability_best[:, k].mean())

    @classmethod
    def of(cls, posterior: Posterior, *, among: Sequence[str] | None = None) -> Self:
        """Return the bands of a posterior, among the candidates of `decision_map` or others."""
        leaders = decision_map(posterior, among=among)
        edge_budgets, edges = _stepped_edges(leaders)
        return cls(
            grid=leaders.grid,
            names=leaders.names,
            all_names=posterior.names,
            probability_best=leaders.probability_best,
            edge_budgets=edge_budgets,
            edges=edges,
            ranges=leaders.ranges,
            leader_changes=leaders.leader_changes,
        )


def _stepped_edges(leaders: DecisionMap) -> tuple[Array, Array]:
    """Return `edge_budgets` and `edges` of the bands."""
    grid, observed = leaders.grid.budgets, leaders.observed
    heights = np.where(observed.any(axis=1, keepdims=True), leaders.probability_best, np.nan)
    budgets, rows = [grid[0]], [heights[0]]
    for k in range(1, len(grid)):
        if (observed[k] != observed[k - 1]).any():
            lost = (observed[k - 1] & ~observed[k]).any()
            budgets.append(grid[k - 1] if lost else grid[k])
            rows.append(heights[k] if lost else heights[k - 1])
        budgets.append(grid[k])
        rows.append(heights[k])
    return np.array(budgets), np.array(rows)


def draw_decision_map(
    ax: Axes, data: DecisionBands, *, axis: Axis | None = None, unit: str = "budget", labelled: bool = True
) -> None:
    """Draw P(best) of the candidates over budgets as stacked areas that sum to one.

    A name is written inside its area if it fits, otherwise in a list. Lines mark the changes of leader, with 95 %
    intervals. Budgets at which no candidate was observed are empty.

    Parameters
    ----------
    ax
        The axes to draw on.
    data
        The bands.
    axis
        "linear" or "log"; the axis of the grid by default.
    unit
        The label of the budget axis.
    labelled
        Whether to write names, and intervals of the changes of leader; see `area_handles` for a list of your own.
    """
    from matplotlib.patches import Patch
    from matplotlib.ticker import PercentFormatter

    budget_axis(ax, data.grid, axis=axis, unit=unit, subdivided=labelled)
    ax.set_ylim(0, 1)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    ax.set_ylabel("probability of being the best choice")
    ax.grid(visible=False)
    areas = _areas(data)
    for area in areas:
        if len(data.grid) == 1:
            ax.bar(data.grid.budgets, area.top - area.low, bottom=area.low, width=0.1 * data.grid.budgets, **area.style)
        else:
            ax.fill_between(data.edge_budgets, area.low, area.top, **area.style)
    if not labelled:
        for each in data.leader_changes:
            ax.axvline(each.budget, color="white", linewidth=1.0, linestyle=(0, (3, 2)))
        return
    _mark_leader_changes(ax, data)
    figure = ax.get_figure(root=True)
    assert figure is not None
    listed: list[_Area] = [area for area in areas if area.name is None]
    while True:  # a list narrows the axes, and then other names may no longer fit
        if listed:
            in_order = sorted(listed, key=lambda area: _position(data, area.name))
            add_legend_outside(ax, [Patch(**area.style) for area in in_order], [area.text for area in in_order])
        lay_out(figure)
        labels = {id(area): _write_inside(ax, data.edge_budgets, area) for area in areas if area not in listed}
        unplaced = [area for area in areas if area not in listed and labels[id(area)] is None]
        if not unplaced:
            return
        for label in labels.values():
            if label is not None:
                label.remove()
        listed = [area for area in areas if area in listed or area in unplaced]


def area_handles(panels: Sequence[DecisionBands]) -> dict[str, Patch]:
    """Return the entries of a list for several unlabelled decision maps: each text with a patch in the style of its area."""
    from matplotlib.patches import Patch

    areas = {area.text if area.name else _OTHERS: area for data in panels for area in _areas(data)}
    order = sorted(areas, key=lambda text: _position(panels[0], areas[text].name))
    return {text: Patch(**areas[text].style) for text in order}


def _position(data: DecisionBands, name: str | None) -> int:
    """Return the position of an area in a list: that of the algorithm among all; the area of the others is last."""
    return len(data.all_names) if name is None else data.all_names.index(name)


@dataclass(frozen=True, eq=False)
class _Area:
    name: str | None
    text: str
    low: Array
    top: Array
    style: dict[str, Any]


def _areas(data: DecisionBands) -> list[_Area]:
    """Return the areas from bottom to top; algorithms that are hardly ever best share one area."""
    look, short = assign_looks(data.all_names), short_names(data.all_names)
    named = [k for k in data.stacking_order if data.probability_best[:, k].max() >= _SMALLEST_NAMED]
    rest = [k for k in range(len(data.names)) if k not in named]
    areas, low = [], 0.0 * data.edges[:, 0]  # NaN where no candidate was observed
    for k in named:
        name = data.names[k]
        style = {"facecolor": look[name].colour, "hatch": look[name].texture, "edgecolor": "white", "linewidth": 0.6}
        top = low + data.edges[:, k]
        areas.append(_Area(name, short[name], low, top, style))
        low = top
    if rest:
        text = f"{len(rest)} other{'s' * (len(rest) > 1)}, below {percent(_SMALLEST_NAMED)}"
        areas.append(
            _Area(None, text, low, 1.0 + 0.0 * data.edges[:, 0], {"facecolor": "#C8C8C8", "edgecolor": "white"})
        )
    return areas


def _write_inside(ax: Axes, budgets: Array, area: _Area) -> Text | None:
    """Write a name near the middle of the highest part of its area; return None if it fits nowhere."""
    from matplotlib.patheffects import withStroke

    label = show_literally(ax.text(0, 0, area.text, color="white", ha="center", va="center", fontweight="bold"))
    label.set_path_effects([withStroke(linewidth=3, foreground=area.style["facecolor"])])
    box = label.get_window_extent()
    x, below = ax.transData.transform(np.column_stack([budgets, area.low])).T
    _, above = ax.transData.transform(np.column_stack([budgets, area.top])).T
    half, enough = box.width / 2 + box.height / 2, 1.6 * box.height
    places = []
    for centre in np.linspace(x[0] + half, x[-1] - half, 60) if x[-1] - x[0] > 2 * half else ():
        along = np.linspace(centre - half, centre + half, 20)
        floor, ceiling = np.interp(along, x, below).max(), np.interp(along, x, above).min()
        if ceiling - floor > enough:
            places.append((min(ceiling - floor, 3 * enough), centre, (floor + ceiling) / 2))
    if not places:
        label.remove()
        return None
    highest = [place for place in places if place[0] >= max(places)[0] - 1]
    _, *place = highest[len(highest) // 2]
    label.set_position(tuple(ax.transData.inverted().transform(place)))
    return label


def _mark_leader_changes(ax: Axes, data: DecisionBands) -> None:
    """Draw a line at each change of leader, and its interval above the axes in the colour of the new leader.

    Overlapping intervals are stacked. A budget whose text would overlap another one is omitted.
    """
    look, above = assign_looks(data.all_names), ax.get_xaxis_transform()
    changes = sorted(data.leader_changes, key=lambda change: change.budget)
    levels: list[float] = []  # end of the last interval of each level
    for each in changes:
        ax.axvline(each.budget, color="white", linewidth=1.0, linestyle=(0, (3, 2)))
        level = next((k for k, end in enumerate(levels) if end < each.lower), len(levels))
        levels[level : level + 1] = [each.upper]
        height = 1.015 + _LEVEL * level
        bar: dict[str, Any] = {"color": look[each.after].colour, "transform": above, "clip_on": False}
        ax.plot([each.lower, each.upper], [height] * 2, linewidth=1.6, solid_capstyle="butt", **bar)
        ax.plot([each.budget], [height], marker="|", markersize=4, **bar)
    free_from = -np.inf
    for each in changes:
        doubt = "" if each.certain else ", if at all"
        text = ax.annotate(
            f"{format_tick(float(f'{each.budget:.3g}'))}{doubt}",
            (each.budget, 1.015 + _LEVEL * (len(levels) - 1)),
            (0, 3),
            xycoords=above,
            textcoords="offset points",
            ha="center",
            fontsize=7,
        )
        box = text.get_window_extent()
        if box.x0 < free_from:
            text.remove()
        else:
            free_from = box.x1 + 4
