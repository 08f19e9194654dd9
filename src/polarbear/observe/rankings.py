"""Rankings: the order of the algorithms on each instance at each time.

`rank_values` turns values into ranks, and `Rankings` holds ranks with names, grid, weights and clusters. A ranking may have
ties, missing algorithms (`ABSENT`), and a tail of unknown order (`UNRANKED`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Number
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from polarbear.observe.clusters import Clusters, as_clusters
from polarbear.observe.grid import Grid, as_grid
from polarbear.observe.names import check_names
from polarbear.observe.read_only import as_read_only

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from polarbear.arrays import Array, Mask, Ranks

ABSENT: Final = -1
"""Rank of an algorithm that was not observed: it is in no choice set."""

UNRANKED: Final = np.iinfo(np.int16).max
"""Rank of an algorithm known only to be worse than every ranked one: it is in every choice set and never chosen."""


@dataclass(frozen=True, eq=False)
class Rankings:
    """One ranking of the algorithms per instance and time.

    A ranking pi with weight w multiplies the likelihood by (prod_k theta_{pi_k} / sum_{j >= k} theta_{pi_j})^w. If
    only the top m positions are known, the product has m factors, and the other algorithms have the rank `UNRANKED`.

    Parameters
    ----------
    ranks
        Shape (instance, time, algorithm). Ranks are dense: 0 is best, equal ranks are ties, no rank is skipped.
        `ABSENT` (-1) marks an algorithm that was not observed. `UNRANKED` marks one that is worse than every ranked
        one, in an unknown order.
    names
        The algorithms' names; None gives "A", "B", ...
    grid
        The times.
    weights
        Shape (instance,) or (instance, time); 1 by default.
    clusters
        The cluster of each instance, as labels or `Clusters`; by default all instances are independent.

    Examples
    --------
    >>> Rankings([[[0, 1, 1, ABSENT]]], names=["cma", "de", "rs", "pso"], grid=[100])
    Rankings(1 instances, 1 times, 4 algorithms)
    """

    ranks: Ranks
    names: tuple[str, ...]
    grid: Grid
    weights: Array
    clusters: Clusters | None

    def __init__(
        self,
        ranks: ArrayLike,
        names: Iterable[str] | None,
        grid: Grid | ArrayLike,
        weights: ArrayLike | None = None,
        clusters: Clusters | Iterable[Hashable] | None = None,
    ) -> None:
        times, given = as_grid(grid), np.asarray(ranks)
        checked_names = check_names(names, check_shape(given.shape, times))
        object.__setattr__(self, "ranks", as_read_only(_checked_ranks(given), np.int16))
        object.__setattr__(self, "names", checked_names)
        object.__setattr__(self, "grid", times)
        object.__setattr__(self, "weights", check_weights(weights, given.shape[0], len(times)))
        object.__setattr__(self, "clusters", as_clusters(clusters, given.shape[0]))

    def __repr__(self) -> str:
        instances, times, algorithms = self.ranks.shape
        return f"Rankings({instances} instances, {times} times, {algorithms} algorithms)"

    @property
    def weight_of_each(self) -> Array:
        """The weight of each ranking, shape (instance, time)."""
        return np.broadcast_to(self.weights.reshape(len(self.ranks), -1), self.ranks.shape[:2])


def check_shape(shape: tuple[int, ...], grid: Grid) -> int:
    """Return the number of algorithms after checking the shape (instance, time, algorithm) against the grid."""
    if len(shape) != 3:
        raise ValueError(
            f"expected three axes (instance, time, algorithm), got shape {shape}; "
            "for a single instance write values[None]"
        )
    if shape[0] == 0:
        raise ValueError(f"expected at least one instance, got shape {shape}; nothing was observed")
    if shape[1] != len(grid):
        raise ValueError(
            f"expected {len(grid)} times, one for each time of the grid, got {shape[1]} in shape {shape}; "
            "the axes are (instance, time, algorithm)"
        )
    if shape[2] >= UNRANKED:
        raise ValueError(f"expected fewer than {UNRANKED} algorithms, got {shape[2]}")
    return shape[2]


def check_weights(weights: ArrayLike | None, instances: int, times: int) -> Array:
    """Return read-only weights, checked, of shape (instance,) or (instance, time); None gives 1 per instance."""
    if weights is None:
        return as_read_only(np.ones(instances), np.float64)
    result: Array = as_read_only(weights, np.float64)
    if result.shape not in ((instances,), (instances, times)):
        raise ValueError(
            f"expected weights of shape ({instances},), one for each instance, or ({instances}, {times}), one for each "
            f"instance and time, got {result.shape}"
        )
    valid = np.isfinite(result) & (result >= 0)
    if not valid.all():
        raise ValueError(f"expected finite weights, not negative, got {result[~valid][0]:g}; use 0 to leave data out")
    if not result.any():
        raise ValueError("expected at least one positive weight, got only zeros; nothing would be observed")
    return result


def _checked_ranks(given: NDArray[Any]) -> Ranks:
    if given.dtype.kind not in "iu":
        raise ValueError(f"expected whole numbers as ranks, got {given.dtype}; rank_values(values) makes ranks")
    valid = (given >= ABSENT) & (given <= UNRANKED)
    if not valid.all():
        raise ValueError(f"expected ranks from 0, ABSENT ({ABSENT}) or UNRANKED ({UNRANKED}), got {given[~valid][0]}")
    ranks: Ranks = given.astype(np.int16, copy=False)
    last = np.where(ranks == UNRANKED, ABSENT, ranks).max(axis=-1)
    # Dense ranks: if some algorithm has rank k, every rank below k is taken.
    for rank in range(min(int(last.max()), ranks.shape[-1])):
        gap = (last > rank) & ~(ranks == rank).any(axis=-1)
        if gap.any():
            instance, time = np.argwhere(gap)[0]
            raise ValueError(
                f"expected dense ranks 0, 1, 2, ... with ties sharing one, got {ranks[instance, time].tolist()} for "
                f"instance {instance} at position {time} of the grid; begin at 0 and leave no rank out"
            )
    return ranks


def rank_values(
    values: ArrayLike,
    *,
    absolute_tolerance: float = 0.0,
    relative_tolerance: float = 0.0,
    maximise: bool = False,
) -> Ranks:
    """Return dense ranks of values along the last axis: 0 is best (lowest), and equal values share a rank.

    Without a tolerance only exactly equal values are ties. With one, a value y is tied with the best value b of a
    group if y - b <= absolute + relative * abs(b). The distance is measured from the best of the group, so that a chain
    of small steps does not become one large tie.

    Parameters
    ----------
    values
        Real numbers, with algorithms on the last axis. NaN (or None) means not observed. +inf is worst and tied with
        every other +inf; -inf is an error. Integers are compared as integers, however large.
    absolute_tolerance, relative_tolerance
        The tolerances of the formula above; finite and not negative.
    maximise
        Whether higher values are better. The rules above then apply to the negated values.

    Returns
    -------
    NDArray of int16
        Ranks in the shape of `values`; -1 (`ABSENT`) where a value was not observed.

    Examples
    --------
    >>> rank_values([3.0, 1.0, np.inf, 1.0, np.nan]).tolist()
    [1, 0, 2, 0, -1]
    >>> rank_values([0.0, 0.9, 1.8], absolute_tolerance=1).tolist()
    [0, 0, 1]
    """
    for name, tolerance in (("absolute", absolute_tolerance), ("relative", relative_tolerance)):
        if not (math.isfinite(tolerance) and tolerance >= 0):
            raise ValueError(f"expected a finite {name}_tolerance, not negative, got {tolerance}")
    losses, absent = _as_losses(real_array(values), maximise)
    if losses.ndim == 0:
        raise ValueError("expected values with algorithms on the last axis, got a single number")
    ranks = np.full(losses.shape, ABSENT, dtype=np.int16)
    if not losses.size:
        return ranks
    try:
        if losses.dtype.kind in "fO" and (losses == -math.inf).any():
            where = tuple(int(i) for i in np.argwhere(losses == -math.inf)[0])
            raise ValueError(
                f"expected no {'+inf' if maximise else '-inf'}, better than any solution, got it at index {where}; "
                "give the value found, or NaN if nothing was observed"
            )
        order = np.argsort(losses, axis=-1, kind="stable")
        ascending = np.take_along_axis(losses, order, axis=-1)
        if absolute_tolerance or relative_tolerance:
            steps = _steps(ascending, absolute_tolerance, relative_tolerance)
        else:
            steps = ascending[..., 1:] != ascending[..., :-1]
    except (TypeError, OverflowError) as error:
        raise ValueError(f"expected values that can be compared with one another, got {error}; use floats") from error
    ascending_ranks = np.zeros(losses.shape, dtype=np.int16)
    np.cumsum(steps, axis=-1, out=ascending_ranks[..., 1:])
    np.put_along_axis(ranks, order, ascending_ranks, axis=-1)
    ranks[absent] = ABSENT
    return ranks


def real_array(values: ArrayLike) -> NDArray[Any]:
    """Return real numbers as an array of their own type; Python integers that a float would round stay objects."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "f" and not hasattr(values, "__array__"):
            # NumPy converts [2**63 + 1, nan] and [2**63 + 1, 2] to floats, which rounds them.
            objects = np.array(values, dtype=object)
            if any(isinstance(value, int) and abs(value) > 2**53 for value in objects.flat):
                array = objects
    except ValueError as error:
        raise ValueError(
            f"expected a rectangular array of values, use NaN for what was not observed: {error}"
        ) from error
    if array.dtype.kind == "O":
        for value in array.flat:
            if not (value is None or (isinstance(value, Number) and not isinstance(value, complex))):
                raise ValueError(f"expected real numbers, got {value!r}")
    elif array.dtype.kind not in "fiub":
        raise ValueError(f"expected real numbers, got {array.dtype}; convert them first")
    return array


def _as_losses(values: NDArray[Any], maximise: bool) -> tuple[NDArray[Any], Mask]:
    """Return losses (lower is better, missing values sort last) and the mask of missing values."""
    kind = values.dtype.kind
    if kind == "f":
        return (-values if maximise else values), np.isnan(values)
    if kind == "O":
        absent = np.array([value is None or value != value for value in values.flat], dtype=bool).reshape(values.shape)
        losses = np.where(absent, -math.inf if maximise else math.inf, values)
        return (-losses if maximise else losses), absent
    integers = values.astype(np.uint8) if kind == "b" else values
    if maximise and integers.size:
        fits = integers.max() <= np.iinfo(np.int64).max and integers.min() > np.iinfo(np.int64).min
        integers = -integers.astype(np.int64 if fits else object)
    return integers, np.zeros(values.shape, dtype=bool)


def _steps(ascending: NDArray[Any], absolute: float, relative: float) -> Mask:
    """Return the mask of positions, from the second on, at which a new group of tied values begins."""
    kind, shape = ascending.dtype.kind, ascending.shape
    ascending = ascending.reshape(-1, shape[-1])
    steps = np.zeros(ascending.shape, dtype=bool)
    if kind == "f":
        ascending = ascending.astype(np.result_type(ascending.dtype, np.float64), copy=False)
    best = ascending[:, 0]
    for position in range(1, shape[-1]):
        value = ascending[:, position]
        # inf - inf and overflowing differences are not ties by tolerance; equality is checked separately.
        with np.errstate(over="ignore", invalid="ignore"):
            if kind in "iu":
                # value >= best, so the difference is exact in unsigned arithmetic modulo 2^64.
                distance = (value.astype(np.uint64) - best.astype(np.uint64)).astype(np.float64)
                size = abs(best.astype(np.float64))
            else:
                distance, size = value - best, abs(best)
            near = (distance <= (absolute + relative * size if relative else absolute)) & (value < math.inf)
        tied = (near | (value == best)).astype(bool)
        steps[:, position] = ~tied
        best = np.where(tied, best, value)
    return steps.reshape(shape)[..., 1:]
