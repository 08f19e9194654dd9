"""Ranges of budgets with the same choice, from scores that are known at the budgets of a grid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe import Grid

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array
    from polarbear.features.scores import Scores


@dataclass(frozen=True)
class BudgetRange:
    """A range of budgets with the same choice.

    Attributes
    ----------
    start, stop
        The first budget, and the one at which the next range begins; the last budget for the last range.
    name
        The algorithm.
    share
        Its expected win rate against its strongest rival, averaged over the range.
    """

    start: float
    stop: float
    name: str
    share: float


def ranges_of(grid: Grid, scores: Array, shares: Array, names: Sequence[str]) -> tuple[BudgetRange, ...]:
    """Return where each algorithm has the highest score, linear between budgets of the grid on its axis.

    Parameters
    ----------
    grid
        The budgets.
    scores, shares
        Shape (budget, algorithm): what is compared, and the win rates to report.
    names
        The algorithms.

    Examples
    --------
    >>> from polarbear.observe import log_grid
    >>> curves = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> for each in ranges_of(log_grid(1, 100, 2), curves, curves, "ab"):
    ...     print(each)
    BudgetRange(start=1.0, stop=10.0, name='a', share=0.75)
    BudgetRange(start=10.0, stop=100.0, name='b', share=0.75)
    """
    axis = np.log(grid.budgets) if grid.axis == "log" else grid.budgets
    starts: list[tuple[float, int]] = []
    for place in range(max(len(axis) - 1, 1)):
        for position, best in _leaders(scores[place], scores[min(place + 1, len(axis) - 1)]):
            if not starts or starts[-1][1] != best:
                step = axis[min(place + 1, len(axis) - 1)] - axis[place]
                starts.append((float(axis[place] + position * step), best))
    ends = [start for start, _ in starts[1:]] + [float(axis[-1])]
    result = []
    for number, ((start, best), end) in enumerate(zip(starts, ends, strict=True)):
        inside = np.union1d([start, end], axis[(axis > start) & (axis < end)])
        curve = np.interp(inside, axis, shares[:, best])
        mean = float(np.trapezoid(curve, inside) / (end - start)) if end > start else float(curve[0])
        first = float(grid.budgets[0]) if number == 0 else _on_axis(grid, start)
        last = float(grid.budgets[-1]) if number == len(starts) - 1 else _on_axis(grid, end)
        result.append(BudgetRange(first, last, names[best], round(mean, 4)))
    return tuple(result)


def observed_ranges(scores: Scores, choice_scores: Array, shares: Array) -> tuple[BudgetRange, ...]:
    """Return `ranges_of` of the budgets at which something was observed."""
    here = scores.observed
    grid = Grid(scores.grid.budgets[here], scores.grid.axis)
    return ranges_of(grid, choice_scores[here], shares[here], scores.names)


def range_at(ranges: Sequence[BudgetRange], budget: float) -> BudgetRange:
    """Return the range of a budget: the one that begins there, or the last one before."""
    return next(each for each in reversed(ranges) if budget >= each.start or each is ranges[0])


def _leaders(left: Array, right: Array) -> list[tuple[float, int]]:
    """Return the highest of several lines from `left` to `right`: where each begins to lead, from 0 to 1, and its number."""
    slopes = right - left
    position, best = 0.0, int(np.lexsort((slopes, left))[-1])
    leaders = [(position, best)]
    while True:
        steeper = np.flatnonzero(slopes > slopes[best])
        if not steeper.size:
            return leaders
        crossings = (left[best] - left[steeper]) / (slopes[steeper] - slopes[best])
        # Of lines that cross at the same place, the steepest leads afterwards.
        order = np.lexsort((-slopes[steeper], crossings))
        position, best = float(crossings[order[0]]), int(steeper[order[0]])
        if position >= 1:
            return leaders
        leaders.append((position, best))


def _on_axis(grid: Grid, position: float) -> float:
    """Return a budget from its position on the axis, with six significant digits."""
    return float(f"{np.exp(position) if grid.axis == 'log' else position:.6g}")
