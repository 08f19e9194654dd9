"""Quality curves: median and quartiles over instances of the best value so far, in original units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.magnitude.collection import collect_runs
from polarbear.magnitude.quantiles import central_interval, check_level, weighted_quantile
from polarbear.table import as_frame, as_html
from polarbear.wording import format_number, with_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import FrameLibrary
    from polarbear.magnitude.collection import RunCollection, Source
    from polarbear.observe import Grid
    from polarbear.table import Table

_ENOUGH = 0.5  # share of an algorithm's instances whose values must be known: below it the median may be any value
_MOST = 4  # algorithms that a sentence lists


@dataclass(frozen=True, eq=False)
class QualityCurves:
    """Median and quartiles over instances of the best value so far; arrays of shape (budget, algorithm).

    They are NaN where no value is known. They are also NaN where fewer than half of the instances on which the algorithm ran
    have a known value, unless the runs were cut off by a plan, as in a race. They are infinite where most instances have no
    solution yet.

    Attributes
    ----------
    names, all_names
        The algorithms of the arrays, and all algorithms, whose order determines the colours.
    grid
        The budgets.
    median, lower, upper
        The median over instances, and the ends of its interval, if requested; infinite where the instances do not bound it.
    low_quartile, high_quartile
        A quarter of the instances have values below the first, and a quarter above the second.
    known
        The number of instances with a known value.
    level
        The level of the interval.
    maximise
        Whether higher values are better.
    unit
        The unit of budgets; may be empty.
    """

    names: tuple[str, ...]
    all_names: tuple[str, ...]
    grid: Grid
    median: Array
    lower: Array
    upper: Array
    low_quartile: Array
    high_quartile: Array
    known: Indices
    level: float
    maximise: bool
    unit: str

    def __repr__(self) -> str:
        return f"QualityCurves({len(self.names)} algorithms, {self.grid})"

    @property
    def sentence(self) -> str:
        """The medians at the last budget, the best first."""
        last = self.median[-1]
        known = [column for column in np.argsort(-last if self.maximise else last) if np.isfinite(last[column])]
        where = with_unit(float(self.grid.budgets[-1]), self.unit)
        if not known:
            return f"At {where} no algorithm has a median value: too few values are known."
        parts = [f"{self.names[k]} {format_number(last[k])}{self._interval(-1, k)}" for k in known[:_MOST]]
        more = f", and {len(known) - _MOST} more" if len(known) > _MOST else ""
        return f"Median value at {where}, the best first: {', '.join(parts)}{more}."

    def _interval(self, budget: int, column: int) -> str:
        ends = self.lower[budget, column], self.upper[budget, column]
        return f" ({' to '.join(map(format_number, ends))})" if np.isfinite(ends).all() else ""

    def to_table(self) -> Table:
        """Return one row per budget and algorithm."""
        table: Table = {
            "algorithm_name": list(self.names) * len(self.grid),
            "budget": np.repeat(self.grid.budgets, len(self.names)),
        }
        for name in ("median", "lower", "upper", "low_quartile", "high_quartile"):
            table[name] = getattr(self, name).ravel()
        return {**table, "level": np.full(self.median.size, self.level), "instances": self.known.ravel()}

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        table: Table = {"algorithm_name": list(self.names)}
        for t in sorted({0, len(self.grid) // 2, len(self.grid) - 1}):
            name = f"median value at {format_number(float(self.grid.budgets[t]))}"
            table[name] = [f"{format_number(self.median[t, k])}{self._interval(t, k)}" for k in range(len(self.names))]
        return as_html(table, title=self.sentence)


def quality_curves(
    source: Source,
    *,
    among: Sequence[str] | None = None,
    level: float = 0.95,
    intervals: bool = True,
    **reading: Any,
) -> QualityCurves:
    """Return median and quartiles over instances of the best value so far, per algorithm and budget.

    Values have their original units, so they only mean something if the instances are on a common scale. Each algorithm is
    summarised over the instances on which it ran.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    among
        The algorithms; all by default.
    level
        The level of the intervals of the median, from the Bayesian bootstrap over instances or clusters.
    intervals
        Whether to compute these intervals, which take most of the time; without them `lower` and `upper` are NaN.
    **reading
        The `posterior`, the `grid` and the rules of comparison; see `collect_runs`.

    Examples
    --------
    >>> import polarbear as pb
    >>> runs = [pb.Trajectory(name, i, [1], [i * scale], end=9) for name, scale in (("a", 1), ("b", 2)) for i in range(9)]
    >>> print(pb.quality_curves(runs, grid=[1, 9]).sentence)
    Median value at 9, the best first: a 4 (1 to 7), b 8 (2 to 14).
    """
    collection, level = collect_runs(source, **reading), check_level(level)
    names = collection.names if among is None else tuple(among)
    columns = [collection.index(name) for name in names]
    curves = quartile_curves(collection, names)
    lower, upper = (
        median_intervals(collection, names, level=level) if intervals else np.full((2, *curves["median"].shape), np.nan)
    )
    return QualityCurves(
        names=names,
        all_names=collection.names,
        grid=collection.grid,
        **curves,
        lower=lower,
        upper=upper,
        known=np.count_nonzero(~np.isnan(collection.table.values[:, :, columns]), axis=0),
        level=level,
        maximise=collection.maximise,
        unit=collection.unit,
    )


def quartile_curves(collection: RunCollection, names: Sequence[str]) -> dict[str, Array]:
    """Return the lower quartile, the median and the upper quartile of algorithms, each of shape (budget, algorithm)."""
    shares = {"low_quartile": 0.25, "median": 0.5, "high_quartile": 0.75}
    curves = {name: np.full((len(collection.grid), len(names)), np.nan) for name in shares}
    for place, name in enumerate(names):
        for budget, values, known in _over_time(collection, name):
            for quantity, share in shares.items():
                expected = collection.weights.expected[known, None]
                curves[quantity][budget, place] = weighted_quantile(values[known], expected, share)[0]
    return curves


def median_intervals(
    collection: RunCollection,
    names: Sequence[str],
    *,
    level: float = 0.95,
    budgets: Indices | None = None,
    step: int = 1,
) -> Array:
    """Return both ends of the interval of each median, shape (end, budget, algorithm); see `quality_curves`.

    Parameters
    ----------
    collection, names, level
        The runs, the algorithms, and the level.
    budgets
        The positions of the budgets in the grid; all by default. The other budgets are NaN.
    step
        Use every `step`-th draw of the weights only, since the duration is proportional to the number of draws.
    """
    ends = np.full((2, len(collection.grid), len(names)), np.nan)
    weights, wanted = collection.weights, range(len(collection.grid)) if budgets is None else budgets
    draws, below, above = (each[..., ::step] for each in (weights.draws, weights.below, weights.above))
    for place, name in enumerate(names):
        for budget, values, known in _over_time(collection, name):
            if budget in wanted:
                drawn = weighted_quantile(values[known], draws[known], 0.5, below=below, above=above)
                ends[:, budget, place] = central_interval(drawn, level)
    return ends


def _over_time(collection: RunCollection, name: str) -> Iterator[tuple[int, Array, Mask]]:
    """Yield each budget at which enough values of an algorithm are known, with its values and which of them are known."""
    due, column = _expected_to_be_known(collection, name), collection.index(name)
    for budget in range(len(collection.grid)):
        values = collection.table.values[:, budget, column]
        known = _known_if_enough(values, due, collection.weights.expected)
        if known.any():
            yield budget, values, known


def _expected_to_be_known(collection: RunCollection, name: str) -> Mask:
    """Return on which instances an algorithm ran whose values should be known; none, if runs were cut off by a plan."""
    if collection.ends_planned:
        return np.zeros(len(collection.instances), dtype=bool)
    return np.array([(name, instance) in collection.runs for instance in collection.instances])


def _known_if_enough(values: Array, due: Mask, expected: Array) -> Mask:
    """Return which values are known; none, if they weigh less than half of the instances that are due."""
    known = ~np.isnan(values) & (expected > 0)
    if expected[known].sum() < _ENOUGH * expected[due].sum():
        return np.zeros_like(known)
    return known
