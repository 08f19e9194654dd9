"""The share of instances on which one algorithm's value is better than another's by more than a tolerance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.magnitude.collection import collect_runs
from polarbear.magnitude.quantiles import central_interval, check_level
from polarbear.table import as_frame, as_html
from polarbear.wording import format_number, with_unit

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import FrameLibrary
    from polarbear.magnitude.collection import RunCollection, Source
    from polarbear.magnitude.instance_weights import InstanceWeights
    from polarbear.observe import Grid
    from polarbear.table import Table


@dataclass(frozen=True, eq=False)
class GapShares:
    """Shares of instances on which the gap between two algorithms exceeds a tolerance; arrays of shape (budget,).

    Attributes
    ----------
    first, second, all_names
        The pair, and all algorithms, whose order determines the colours.
    grid, at
        The budgets, and the one to which `sentence` refers.
    tolerance, relative
        The tolerance, in the units of the values, and whether it is a share of the second algorithm's value instead.
    better, better_lower, better_upper
        The share of instances on which the first is better by more than the tolerance, and its interval.
    worse, worse_lower, worse_upper
        The share of instances on which it is worse by more than that.
    instances
        The number of instances on which both values are known; the shares are NaN where it is zero.
    level
        The level of the intervals.
    unit
        The unit of budgets; may be empty.
    """

    first: str
    second: str
    all_names: tuple[str, ...]
    grid: Grid
    at: float
    tolerance: float
    relative: bool
    better: Array
    better_lower: Array
    better_upper: Array
    worse: Array
    worse_lower: Array
    worse_upper: Array
    instances: Indices
    level: float
    unit: str

    def __repr__(self) -> str:
        return f"GapShares({self.sentence!r})"

    @property
    def sentence(self) -> str:
        """The shares and their intervals at the budget `at`, in words."""
        place = int(np.argmin(np.abs(self.grid.budgets - self.at)))
        where = f"At {with_unit(self.at, self.unit)}"
        if not self.instances[place]:
            return f"{where} no instance has values of both {self.first} and {self.second}."
        better, worse = self._share("better", place, " of instances"), self._share("worse", place)
        same = " by more than that" if self.tolerance else ""
        return f"{where} {self.first} is better than {self.second} by {self.amount} on {better}, and worse{same} on {worse}."

    @property
    def amount(self) -> str:
        """The gaps that count, in words; see `describe_tolerance`."""
        return describe_tolerance(self.tolerance, relative=self.relative)

    def _share(self, name: str, place: int, of: str = "") -> str:
        share, low, high = (100 * getattr(self, f"{name}{end}")[place] for end in ("", "_lower", "_upper"))
        return f"{share:.0f} %{of} ({low:.0f} to {high:.0f} %)"

    def to_table(self) -> Table:
        """Return one row per budget."""
        table: Table = {
            "algorithm_name": [self.first] * len(self.grid),
            "against": [self.second] * len(self.grid),
            "budget": self.grid.budgets,
        }
        for name in ("better", "worse"):
            for end in ("", "_lower", "_upper"):
                table[name + end] = getattr(self, name + end)
        for name in ("tolerance", "relative", "level"):
            table[name] = np.full(len(self.grid), getattr(self, name))
        return {**table, "instances": self.instances}

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        shares = [name + end for name in ("better", "worse") for end in ("", "_lower", "_upper")]
        table = {name: self.to_table()[name] for name in ("budget", *shares, "instances")}
        return as_html(table, title=self.sentence)


def gap_exceeds(
    source: Source,
    first: str,
    second: str,
    tolerance: float = 0.0,
    *,
    relative: bool = False,
    at: float | None = None,
    level: float = 0.95,
    **reading: Any,
) -> GapShares:
    """Return the share of instances on which one algorithm is better than another by more than a tolerance.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    first, second
        The pair.
    tolerance
        The smallest gap that matters to you, in the units of the values. By default every difference counts, even one that
        is a tie in the rankings.
    relative
        Whether the tolerance is a share of the absolute value of the second algorithm, such as 0.1 for ten per cent.
    at
        The budget to which the sentence refers; the last one by default.
    level
        The level of the intervals, from the Bayesian bootstrap over instances or clusters with Jeffreys' prior.
    **reading
        The `posterior`, the `grid` and the rules of comparison; see `collect_runs`.

    Examples
    --------
    >>> import polarbear as pb
    >>> runs = [pb.Trajectory("a", i, [1], [0.0], end=9) for i in range(20)]
    >>> runs += [pb.Trajectory("b", i, [1], [0.1 * i - 0.05], end=9) for i in range(20)]
    >>> print(pb.gap_exceeds(runs, "a", "b", 1, grid=[1, 9]).sentence)
    At 9 a is better than b by more than 1 on 45 % of instances (25 to 65 %), and worse by more than that on 0 % (0 to 11 %).
    """
    collection, level = collect_runs(source, **reading), check_level(level)
    at = collection.check_budget(at)
    grid = collection.grid_with(at)
    return measure_gaps(collection, first, second, tolerance, grid, at=at, relative=relative, level=level)


def measure_gaps(
    collection: RunCollection,
    first: str,
    second: str,
    tolerance: float,
    grid: Grid,
    *,
    at: float,
    relative: bool = False,
    level: float = 0.95,
) -> GapShares:
    """Return the shares at the budgets of any grid, of which `at` is one; see `gap_exceeds`."""
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise ValueError(f"expected a finite tolerance, not negative, got {tolerance!r}")
    columns = [collection.index(name) for name in (first, second)]
    if first == second:
        raise ValueError(f"expected two different algorithms, got {first!r} twice")
    values = np.stack([collection.values_at(budget)[:, columns] for budget in grid.budgets], axis=1)
    gaps = gaps_between(values[..., 0], values[..., 1], maximise=collection.maximise)
    # Without a solution of the second there is no value to take a share of; any solution of the first then exceeds it.
    size = np.where(np.isfinite(values[..., 1]), np.abs(values[..., 1]), 0.0)
    limit = tolerance * size if relative else np.full_like(gaps, tolerance)
    known = ~np.isnan(values).any(axis=2) & (collection.weights.expected > 0)[:, None]
    shares = {
        **_shares("better", gaps > limit, known, collection.weights, level),
        **_shares("worse", -gaps > limit, known, collection.weights, level),
    }
    return GapShares(
        first=first,
        second=second,
        all_names=collection.names,
        grid=grid,
        at=at,
        tolerance=float(tolerance),
        relative=relative,
        **shares,
        instances=np.count_nonzero(known, axis=0),
        level=level,
        unit=collection.unit,
    )


def describe_tolerance(tolerance: float, *, relative: bool = False) -> str:
    """Return the gaps that exceed a tolerance, in words that follow "better by".

    Examples
    --------
    >>> describe_tolerance(0.5), describe_tolerance(0.5, relative=True), describe_tolerance(0)
    ('more than 0.5', 'more than 50 %', 'any amount')
    """
    if not tolerance:
        return "any amount"
    return f"more than {format_number(100 * tolerance)} %" if relative else f"more than {format_number(tolerance)}"


def gaps_between(first: Array, second: Array, *, maximise: bool) -> Array:
    """Return by how much the first values are better than the second; 0 where neither has a solution."""
    with np.errstate(invalid="ignore"):
        gaps = first - second if maximise else second - first
    return np.where(np.isinf(first) & np.isinf(second), 0.0, gaps)


def _shares(name: str, exceeds: Mask, known: Mask, weights: InstanceWeights, level: float) -> dict[str, Array]:
    """Return the share of instances in `exceeds` at each budget, and the ends of its interval."""
    share, lower, upper = (np.full(known.shape[1], np.nan) for _ in range(3))
    budgets = np.flatnonzero(known.any(axis=0))
    rows, inside = known[:, budgets], (known & exceeds)[:, budgets]
    share[budgets] = (weights.expected @ inside) / (weights.expected @ rows)
    # One product with the draws for all budgets: to add up the rows of each budget alone takes several times as long.
    inner, whole = (each.T.astype(np.float32) @ weights.draws + weights.above for each in (inside, rows))
    for budget, drawn in zip(budgets, inner / (whole + weights.below), strict=True):
        low, high = central_interval(drawn, level)
        # Jeffreys' interval is extended to 0 where no instance exceeds the tolerance, and to 1 where all do.
        lower[budget], upper[budget] = min(low, share[budget]), max(high, share[budget])
    return {name: share, f"{name}_lower": lower, f"{name}_upper": upper}
