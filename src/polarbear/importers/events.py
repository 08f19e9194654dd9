"""The improvements of one run, collected row by row.

Rows of numbers or text come in; the budgets and values of improvements go out. Memory grows with the improvements, not
with the rows.
"""

from __future__ import annotations

import math
from array import array
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from polarbear.defaults import is_sentinel
from polarbear.importers.reasons import Reason, UnreadableError
from polarbear.observe.archive import Archive
from polarbear.observe.read_only import as_read_only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array

SOLVED = 1e-8
"""COCO's target precision: a distance to the optimum at which a problem counts as solved."""

_INFINITE = (math.inf, -math.inf)
_SUSPICIOUS = 5e19  # smaller values are no sentinels of "no solution"


class Events:
    """The improvements of one run, from rows that usually come in order of their budgets.

    Parameters
    ----------
    maximise
        Whether higher values are better; None keeps the improvements in both directions.

    Examples
    --------
    >>> events = Events(maximise=False)
    >>> for budget, value in [(1, 5.0), (2, 7.0), (3, 2.0), (4, 6.0)]:
    ...     events.add(budget, value)
    >>> events.budgets.tolist(), events.values.tolist(), events.last
    ([1.0, 3.0], [5.0, 2.0], 4)
    """

    __slots__ = (
        *("_before", "highest", "last", "lowest", "maximise", "objectives", "one_run", "points", "repeats", "rows"),
        *("starts", "budgets", "values"),
    )

    def __init__(self, maximise: bool | None) -> None:
        self.maximise = maximise
        self.budgets = array("d")
        self.values = array("d")
        self.last = -math.inf  # the largest budget at which the run is known to have been running
        self.lowest, self.highest = math.inf, -math.inf
        self.starts: list[int] = []  # positions where budgets go back; `in_order` sorts these parts
        self.one_run = False  # whether the user declared that all rows belong to one run
        self.rows = self.repeats = 0  # rows counted by `count_row`, and those at the same budget as the row before
        self.objectives, self.points = (
            1,
            array("d"),
        )  # with several objectives: the budget and the objectives of each row
        self._before = -math.inf

    def count_row(self, budget: float) -> None:
        """Count a row that will be added; only tables need the counts, and most data are no tables."""
        self.rows += 1
        self.repeats += budget == self._before

    def goes_back(self, budget: float) -> bool:
        """Return whether a row at this budget would not come after the last one."""
        return budget <= self._before

    def add(self, budget: float, value: float) -> None:
        """Add one row; NaN means no value, but still shows that the run lasted until then.

        So do the values that solvers report without a solution, such as 1e20: they improve on nothing, whatever their sign.
        """
        if not -_SUSPICIOUS < value < _SUSPICIOUS and is_sentinel(value):
            value = math.nan
        if budget < self._before:
            # A row from an earlier budget may be an improvement at its own budget, so the comparison starts again.
            self.starts.append(len(self.budgets))
            self.lowest, self.highest = math.inf, -math.inf
        self._before = budget
        if budget > self.last:
            self.last = budget
        if value < self.lowest:
            self.lowest = value
            if not self.maximise:
                self.budgets.append(budget)
                self.values.append(value)
                if value > self.highest:
                    self.highest = value
                return
        if value > self.highest:
            self.highest = value
            if self.maximise is not False:
                self.budgets.append(budget)
                self.values.append(value)

    def best(self, *, maximise: bool) -> float:
        """Return the best value; the infinitely bad one if there is none."""
        return max(self.values, default=-math.inf) if maximise else min(self.values, default=math.inf)

    def has_solved(self, precision: float) -> bool:
        """Return whether a run whose values are distances to the optimum has reached this precision."""
        return abs(self.best(maximise=False)) <= precision  # rounding can make it slightly negative

    def archive(self, *, maximise: bool) -> Archive | None:
        """Return the archive of a run with several objectives; None if it has only one."""
        if self.objectives == 1:
            return None
        rows = np.array(self.points).reshape(-1, 1 + self.objectives)
        return Archive.of(rows[:, 0], -rows[:, 1:] if maximise else rows[:, 1:])

    def in_order(self) -> tuple[Array, Array, int]:
        """Return budgets and values in the order of budgets, and the number of duplicate rows.

        Raises
        ------
        UnreadableError
            If the rows belong to several runs: budgets start again, with other values.
        """
        budgets, values = as_read_only(self.budgets, np.float64), as_read_only(self.values, np.float64)
        if not self.starts:
            return budgets, values, 0
        order = np.lexsort((values, budgets))
        budgets, values = budgets[order], values[order]
        again = budgets[1:] == budgets[:-1]
        differs = again & (values[1:] != values[:-1])
        if not self.one_run and (differs.any() or self._begins_again(budgets[0])):
            raise UnreadableError(Reason.SEVERAL_RUNS)
        return budgets, values, int((again & ~differs).sum())

    def parts(self) -> list[tuple[array[float], array[float]]]:
        """Return the parts of budgets and values between the places where budgets go back."""
        bounds = pairwise([0, *self.starts, len(self.budgets)])
        return [(self.budgets[start:end], self.values[start:end]) for start, end in bounds if end > start]

    def _begins_again(self, first: float) -> bool:
        """Return whether two parts begin at the first budget and then differ: two runs from the same start."""
        starting = [each for each in self.parts() if each[0][0] == first]
        return any(part != starting[0] for part in starting[1:])


def take_text(events: Events, budget: str, value: str, further: Sequence[str] = ()) -> Reason | None:
    """Add a row of text to a run, and return what is wrong with it.

    Parameters
    ----------
    events
        The run.
    budget, value
        The two cells of the row.
    further
        The cells of further objectives.

    Returns
    -------
    Reason or None

    Examples
    --------
    >>> take_text(Events(maximise=False), "10", "3.5")
    >>> take_text(Events(maximise=False), "10", "-inf").sentence()
    'rows with an infinitely good value'
    """
    try:
        numbers = float(budget), float(value), [float(each) for each in further] if further else ()
    except ValueError:
        return Reason.NON_NUMERIC_LINE
    return take_numbers(events, *numbers)


def take_numbers(events: Events, budget: float, value: float, further: Sequence[float] = ()) -> Reason | None:
    """Add a row of numbers to a run, and return what is wrong with it, as `take_text` does.

    With further objectives, a row without one of them has no value.
    """
    if further:
        value = next((each for each in (value, *further) if each != each or each in _INFINITE), value)
    if not 0 <= budget < math.inf:
        return Reason.BAD_BUDGET
    if value in _INFINITE and (events.maximise is None or (value > 0) == events.maximise):
        return Reason.INFINITELY_GOOD
    events.add(budget, value)
    if further:
        events.objectives = 1 + len(further)
        if math.isfinite(value):
            events.points.extend((budget, value, *further))
    return Reason.NO_VALUE if value != value else None


def has_reached(events: Events, final: float | None, rounding: float, *, maximise: bool) -> bool:
    """Return whether the rows contain the final value of the index, which is rounded by at most `rounding`.

    Examples
    --------
    >>> events = Events(maximise=False)
    >>> events.add(10, 0.00204)
    >>> [has_reached(events, final, 5e-5, maximise=False) for final in (2.0e-3, 1.9e-3)]
    [True, False]
    """
    if final is None or math.isnan(final):
        return True
    slack = 1.2 * rounding + 1e-8  # the rows are rounded, too
    best = events.best(maximise=maximise)
    return best >= final - slack if maximise else best <= final + slack
