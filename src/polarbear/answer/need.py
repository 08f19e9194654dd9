"""How much sooner one algorithm reaches the quality of another: the ratio of the budgets that both need.

On each instance the algorithm with the better value at budget b has reached the value of the worse one at some smaller
budget. That budget, divided by b, is how much of the budget the better one needs; if the run of the worse one ended earlier,
divided by its end. If both values tie, the ratio is that of the first budgets at which they reached them. Budgets are those
of the runs, not of the grid. The median over instances is reported, with an interval by resampling instances or clusters.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.defaults import TAILS
from polarbear.magnitude.quantiles import weighted_quantile

if TYPE_CHECKING:
    from polarbear.magnitude.collection import RunCollection
    from polarbear.observe import Trajectory

_ALIKE = 3.0  # largest ratio of what two algorithms need about the same of


@dataclass(frozen=True)
class Need:
    """What an algorithm needs of the budget of another for the same quality.

    Attributes
    ----------
    better, worse
        `better` needs `ratio` times the budget of `worse`.
    budget
        The budget at which their qualities are compared.
    ratio, lower, upper
        The median over instances, and its 95 % interval.
    instances
        The number of instances on which at least one of the two has a value.
    """

    better: str
    worse: str
    budget: float
    ratio: float
    lower: float
    upper: float
    instances: int

    @property
    def is_about_the_same(self) -> bool:
        """Whether either may need more than the other, but not more than three times as much."""
        return self.ratio == 1 or (self._may_be_equal and self.lower >= 1 / _ALIKE and self.upper <= _ALIKE)

    @property
    def is_unknown(self) -> bool:
        """Whether either may need more than three times as much as the other."""
        return self._may_be_equal and not self.is_about_the_same

    @property
    def _may_be_equal(self) -> bool:
        return self.lower <= 1 <= self.upper


def budget_need(runs: RunCollection, one: str, other: str, budget: float) -> Need | None:
    """Return what the better of two algorithms needs of the budget of the worse one; None without an instance for both.

    Examples
    --------
    >>> from polarbear.magnitude.collection import collect_runs
    >>> from polarbear.observe import Trajectory
    >>> fast = [Trajectory("fast", i, [10, 50], [5.0, 2.0], end=100) for i in range(20)]
    >>> slow = [Trajectory("slow", i, [10, 100], [5.0, 2.0], end=100) for i in range(20)]
    >>> need = budget_need(collect_runs([*fast, *slow]), "slow", "fast", 100)
    >>> need.better, need.worse, need.ratio
    ('fast', 'slow', 0.5)
    """
    sign = -1.0 if runs.maximise else 1.0
    losses = sign * runs.values_at(budget)[:, [runs.index(one), runs.index(other)]]
    logs = np.full(len(runs.instances), np.nan)
    for row in np.flatnonzero(~np.isnan(losses).any(axis=1) & np.isfinite(losses).any(axis=1)):
        first, second = (runs.runs[name, runs.instances[row]] for name in (one, other))
        logs[row] = _log_ratio(first, second, *losses[row].tolist(), budget=budget, rules=runs)
    rows = ~np.isnan(logs) & (runs.weights.expected > 0)
    if not rows.any():
        return None
    weights = runs.weights
    median = float(weighted_quantile(logs[rows], weights.expected[rows, None], 0.5)[0])
    if median > 0:  # the other one needs less
        one, other, median, logs = other, one, -median, -logs
    drawn = weighted_quantile(logs[rows], weights.draws[rows], 0.5, below=weights.below, above=weights.above)
    ratio, lower, upper = np.exp([median, *np.quantile(drawn, TAILS, method="nearest")]).tolist()
    return Need(one, other, budget, ratio, lower, upper, int(rows.sum()))


def _log_ratio(
    one: Trajectory, other: Trajectory, mine: float, theirs: float, *, budget: float, rules: RunCollection
) -> float:
    """Return the logarithm of what the first of two runs needs of the budget of the second, from their losses there."""
    slack = rules.absolute_tolerance + rules.relative_tolerance * abs(min(mine, theirs))
    if abs(mine - theirs) <= slack:
        goal = max(mine, theirs, min(mine, theirs) + slack)
        return float(np.log(_first_budget(one, goal) / _first_budget(other, goal)))
    if mine < theirs:
        return float(np.log(_first_budget(one, theirs) / _positive(min(budget, other.end))))
    return float(np.log(_positive(min(budget, one.end)) / _first_budget(other, mine)))


def _first_budget(run: Trajectory, goal: float) -> float:
    """Return the first budget at which a run has a loss of at most `goal`; its first value reaches an infinite goal."""
    losses = -run.values if run.maximise else run.values  # decreasing
    place = int(np.searchsorted(-losses, -goal, side="left"))
    return _positive(float(run.budgets[min(place, len(run.budgets) - 1)]))


def _positive(budget: float) -> float:
    """Return a budget whose logarithm is finite; a run may begin, and even end, at budget zero."""
    return max(budget, float(np.finfo(float).tiny))
