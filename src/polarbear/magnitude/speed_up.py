"""Speed-up: the share of a rival's budget that an algorithm needs for the same quality.

For an instance and a budget t of the rival B, let q be the value that B has reached by t. The budget ratio is T_A(q) / t,
where T_A(q) is the first budget at which A's value is at least as good as q. Only the order of values matters. Without ties
the ratio is at most 1 exactly where A is at least as good as B at t: a median ratio below 1 means that A beats B at t.

- Ties. If both values are equal at t (within the tolerance of the ranking), both algorithms had reached the same quality
  before, and t says nothing about which was faster. The ratio is then T_A(q) / T_B(q), and 1 if both had q from the start.
- Without a solution. If neither has a solution at t, nothing was reached, and the instance does not count. If only A has
  one, its first solution counts as the budget at which it was at least as good.
- Censoring. If A has not reached q when its run was cut off at u, the ratio is known to exceed u / t. If A finished or
  failed without reaching q, the ratio is infinite.

Trajectories are step functions; nothing is interpolated. The median over instances is that of Kaplan and Meier, which uses
censored ratios as far as they are known.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.magnitude.collection import collect_runs
from polarbear.magnitude.quantiles import central_interval, check_level, weighted_quantile
from polarbear.table import as_frame, as_html
from polarbear.wording import format_number, with_noun, with_unit

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import FrameLibrary
    from polarbear.magnitude.collection import RunCollection, Source
    from polarbear.observe import Grid, Trajectory
    from polarbear.table import Table

_LEAST_BOUND = 0.01  # share of a budget below which a lower bound without an upper one says nothing


@dataclass(frozen=True, eq=False)
class SpeedUp:
    """The share of the second algorithm's budget that the first one needs for the same quality; arrays of shape (budget,).

    Attributes
    ----------
    first, second, all_names
        The pair, and all algorithms, whose order determines the colours.
    grid
        The budgets of the second algorithm.
    at
        The budget to which `sentence` refers.
    ratio, lower, upper
        Median over instances of the budget ratio, and its interval. Infinite where the first algorithm does not reach the
        quality on most instances; NaN where no instance compares the two.
    longest
        The largest ratio that the runs show. Where the ratio is infinite since runs were cut off, it is known to be larger
        than this. Infinite where the first algorithm's runs ended by themselves on most instances without reaching the
        quality.
    instances, censored
        The number of instances that count, and of those on which only a lower bound is known.
    level
        The level of the interval.
    unit
        The unit of budgets; may be empty.
    checkpoints
        The number of budgets at which the runs of the first algorithm are recorded, if these are few; otherwise 0.
    """

    first: str
    second: str
    all_names: tuple[str, ...]
    grid: Grid
    at: float
    ratio: Array
    lower: Array
    upper: Array
    longest: Array
    instances: Indices
    censored: Indices
    level: float
    unit: str
    checkpoints: int = 0

    def __repr__(self) -> str:
        return f"SpeedUp({self.sentence!r})"

    @property
    def place(self) -> int:
        """The position of the budget `at` in the grid."""
        return int(np.argmin(np.abs(self.grid.budgets - self.at)))

    @property
    def sentence(self) -> str:
        """The ratio and its interval at the budget `at`, in words."""
        place, budget = self.place, with_unit(self.at, self.unit)
        ratio = float(self.ratio[place])
        if math.isnan(ratio):
            return f"No instance shows how fast {self.first} and {self.second} are at {budget}."
        based = f"based on {with_noun(int(self.instances[place]), 'instance')}"
        if math.isinf(ratio) and math.isinf(self.longest[place]):
            return f"{self.first} does not reach the quality of {self.second} at {budget} on most instances, {based}."
        interval = "" if self.interval(place) == self.amount(place) else f" ({self.interval(place)})"
        return (
            f"{self.first} needs {self.share(place)} {self.second}'s budget of {budget} for the same "
            f"quality{interval}, {based}."
            + (f" {checkpoint_sentence(self.first, self.checkpoints)}" if self.checkpoints else "")
        )

    def share(self, place: int) -> str:
        """Return the ratio at a position of the grid as a phrase, such as "0.4 of", "all of" or "more than 3.2 times"."""
        ratio, longest = float(self.ratio[place]), float(self.longest[place])
        if math.isinf(ratio) and math.isclose(longest, 1.0):
            return "more than"
        if self.amount(place) == "1":
            return "all of"
        return f"{self.amount(place)} of" if ratio < 1 else f"{self.amount(place)} times"

    def amount(self, place: int) -> str:
        """Return the ratio at a position of the grid in words, such as "0.4", "more than 3.2" or "never"."""
        ratio, longest = float(self.ratio[place]), float(self.longest[place])
        if math.isinf(ratio):
            return f"more than {format_number(longest)}" if longest < math.inf else "never"
        return format_number(ratio)

    def interval(self, place: int) -> str:
        """Return the interval at a position of the grid in words, such as "0.3 to 0.6" or "0.8 or more".

        It is a single number if both ends are the same after rounding, as they may be when runs are recorded at few budgets.
        """
        low, high = float(self.lower[place]), float(self.upper[place])
        if math.isinf(low):
            return (
                f"more than {format_number(float(self.longest[place]))}" if self.longest[place] < math.inf else "never"
            )
        if high < math.inf:
            ends = dict.fromkeys(format_number(end) for end in (low, high))
            return " to ".join(ends)
        return f"{format_number(low)} or more" if low >= _LEAST_BOUND else "too uncertain for an interval"

    def to_table(self) -> Table:
        """Return one row per budget of the second algorithm."""
        return {
            "algorithm_name": [self.first] * len(self.grid),
            "against": [self.second] * len(self.grid),
            "budget": self.grid.budgets,
            "ratio": self.ratio,
            "lower": self.lower,
            "upper": self.upper,
            "longest": self.longest,
            "level": np.full(len(self.grid), self.level),
            "instances": self.instances,
            "censored": self.censored,
        }

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        table = {name: self.to_table()[name] for name in ("budget", "ratio", "lower", "upper", "instances")}
        return as_html(table, title=self.sentence)


def speed_up(
    source: Source, first: str, second: str, *, at: float | None = None, level: float = 0.95, **reading: Any
) -> SpeedUp:
    """Return the share of the second algorithm's budget that the first one needs for the same quality.

    It needs no optimum and no scale of values: only the order of values on each instance, and budgets.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    first, second
        The algorithm whose budget is measured, and the rival whose quality is the target.
    at
        The rival's budget to which the sentence refers; the last one by default.
    level
        The level of the intervals, from the Bayesian bootstrap over instances or clusters.
    **reading
        The `posterior`, the `grid` and the rules of comparison; see `collect_runs`.

    Examples
    --------
    >>> import polarbear as pb
    >>> fast = [pb.Trajectory("fast", i, [10, 20 + i, 90], [5.0, 2.0, 1.0], end=100) for i in range(20)]
    >>> slow = [pb.Trajectory("slow", i, [10, 80], [5.0, 2.0], end=100) for i in range(20)]
    >>> print(pb.speed_up([*fast, *slow], "fast", "slow", grid=[10, 50, 100]).sentence)
    fast needs 0.295 of slow's budget of 100 for the same quality (0.25 to 0.34), based on 20 instances.
    """
    collection, level = collect_runs(source, **reading), check_level(level)
    at = collection.check_budget(at)
    return measure_speed_up(collection, first, second, collection.grid_with(at), at=at, level=level)


def measure_speed_up(
    collection: RunCollection, first: str, second: str, grid: Grid, *, at: float, level: float = 0.95
) -> SpeedUp:
    """Return the speed-up at the budgets of any grid, of which `at` is one; see `speed_up`."""
    for name in (first, second):
        collection.index(name)
    if first == second:
        raise ValueError(f"expected two different algorithms, got {first!r} twice")
    ratios, censored = budget_ratios(collection, first, second, grid.budgets)
    return SpeedUp(
        first=first,
        second=second,
        all_names=collection.names,
        grid=grid,
        at=at,
        **_medians(ratios, censored, collection, level),
        level=level,
        unit=collection.unit,
        checkpoints=collection.checkpoints(first),
    )


def checkpoint_sentence(name: str, checkpoints: int) -> str:
    """Return the note that few recorded budgets make speed-ups coarse."""
    return f"The runs of {name} are recorded at {checkpoints} budgets only; speed-ups can only be read off at these."


def _medians(ratios: Array, censored: Mask, collection: RunCollection, level: float) -> dict[str, Any]:
    """Return the median ratio at each budget with its interval, computed on logarithms."""
    weights, counts = collection.weights, ~np.isnan(ratios) & (collection.weights.expected > 0)[:, None]
    median, lower, upper, longest = (np.full(ratios.shape[1], np.nan) for _ in range(4))
    with np.errstate(divide="ignore"):
        logs = np.log(ratios)
    for budget in np.flatnonzero(counts.any(axis=0)):
        rows = counts[:, budget]
        values, limits = logs[rows, budget], censored[rows, budget]
        median[budget] = np.exp(weighted_quantile(values, weights.expected[rows, None], 0.5, censored=limits)[0])
        drawn = weighted_quantile(
            values, weights.draws[rows], 0.5, censored=limits, below=weights.below, above=weights.above
        )
        lower[budget], upper[budget] = np.exp(central_interval(drawn, level))
        never = np.isinf(values) & (values > 0)
        expected = weights.expected[rows]
        if 2 * expected[never].sum() < expected.sum():
            longest[budget] = np.exp(values[~never].max())
        else:
            longest[budget] = np.inf
    return {
        "ratio": median,
        "lower": lower,
        "upper": upper,
        "longest": longest,
        "instances": np.count_nonzero(counts, axis=0),
        "censored": np.count_nonzero(counts & censored, axis=0),
    }


def budget_ratios(collection: RunCollection, first: str, second: str, budgets: Array) -> tuple[Array, Mask]:
    """Return the budget ratio of each instance and budget, and whether it is only a lower bound, shape (instance, budget).

    The ratio is NaN where the instance says nothing: a run is missing, the second algorithm's value is not known, or neither
    has a solution.
    """
    shape = len(collection.instances), len(budgets)
    ratios, censored = np.full(shape, np.nan), np.zeros(shape, dtype=bool)
    for row, instance in enumerate(collection.instances):
        one, other = (collection.runs.get((name, instance)) for name in (first, second))
        if one is not None and other is not None:
            ratios[row], censored[row] = _ratios(one, other, budgets, collection)
    return ratios, censored


def _ratios(one: Trajectory, other: Trajectory, budgets: Array, rules: RunCollection) -> tuple[Array, Mask]:
    """Return the budget ratios of two runs at each budget, and whether they are only lower bounds."""
    sign = -1.0 if one.maximise else 1.0
    mine, target = (sign * run.at(budgets, failure=rules.failure) for run in (one, other))

    def relax(losses: Array) -> Array:
        return losses + rules.absolute_tolerance + rules.relative_tolerance * np.abs(losses)

    with np.errstate(invalid="ignore", divide="ignore"):
        best = np.minimum(mine, target)
        tied = np.isfinite(mine) & np.isfinite(target) & (np.maximum(mine, target) <= relax(best))
        goal = np.where(tied, relax(best), np.where(np.isfinite(target), relax(target), np.finfo(float).max))
        reached = _first_budgets(one, goal)
        duration = np.where(tied, _first_budgets(other, goal), budgets)
        horizon = _known_to(one, rules)
        ratios = np.where(tied & (reached == duration), 1.0, reached / duration)  # 0 / 0: both from the start
        censored = np.isinf(reached) & np.isfinite(horizon)
        ratios = np.where(censored, horizon / budgets, ratios)
    # Without a solution of the rival, an algorithm that has none either has reached nothing.
    nothing = np.isinf(target) & np.isinf(reached)
    unknown = np.isnan(target) | nothing | (budgets <= 0)
    return np.where(unknown, np.nan, ratios), censored & ~unknown


def _first_budgets(run: Trajectory, goals: Array) -> Array:
    """Return the first budget at which a run's loss is at most each goal; infinity where it never is."""
    losses = -run.values if run.maximise else run.values  # decreasing
    budgets = np.append(run.budgets, np.inf)
    first: Array = budgets[np.searchsorted(-losses, -goals, side="left")]
    return np.where(first < run.end, first, np.inf) if run.failed else first


def _known_to(run: Trajectory, rules: RunCollection) -> float:
    """Return the budget until which a run shows whether it reaches a goal; a failed run that ranks last never does."""
    return math.inf if run.failed and rules.failure != "missing" else run.known_to
