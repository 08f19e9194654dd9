"""The empirical attainment function: how often each target was reached by each time.

On a grid of times and targets it is a mean of comparisons. moocore computes the exact surfaces of the same function; its
difference of two of them is scaled for equal numbers of runs only, and needs time quadratic in their number.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

Bounds = tuple[float, float]

BOUNDS: Bounds = (1e-8, 1e2)
"""Precisions between which values usually count (López-Ibáñez, Vermetten, Dreo and Doerr, 2024)."""


def attained(values: ArrayLike, bounds: Bounds = BOUNDS) -> Array:
    """The share of the way from the upper bound to the lower one that a value has gone, on a logarithmic scale.

    (log u − log clip(y, l, u)) / (log u − log l); NaN stays NaN.

    Examples
    --------
    >>> attained([1e3, 1e2, 1e-3, 1e-8, 0.0]).tolist()
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    lower, upper = checked_bounds(bounds)
    clipped = np.clip(np.asarray(values, dtype=np.float64), lower, upper)
    return (math.log10(upper) - np.log10(clipped)) / (math.log10(upper) - math.log10(lower))


def log_targets(count: int = 101, bounds: Bounds = BOUNDS) -> Array:
    """Targets from the upper bound to the lower, evenly spaced on a logarithmic scale."""
    lower, upper = checked_bounds(bounds)
    return np.geomspace(upper, lower, count)


def eaf(values: ArrayLike, targets: ArrayLike) -> Array:
    """The share of instances on which each algorithm had reached each target by each time.

    Parameters
    ----------
    values
        Best so far, (instance, time, algorithm). Instances on which an algorithm was not observed do not count for it.
    targets
        Values to be reached, in any order.

    Returns
    -------
    NDArray
        (time, target, algorithm), NaN where nothing was observed.

    Examples
    --------
    >>> values = [[[8.0], [2.0]], [[5.0], [5.0]]]  # two instances, two times, one algorithm
    >>> eaf(values, [6.0, 3.0])[..., 0].tolist()
    [[0.5, 0.0], [1.0, 0.5]]
    """
    best, wanted = as_values(values), np.asarray(targets, dtype=np.float64)
    seen = (~np.isnan(best)).sum(axis=0)  # (time, algorithm)
    share = np.empty((best.shape[1], wanted.size, best.shape[2]))
    for position, target in enumerate(wanted):  # one target after the other keeps memory small
        reached = (best <= target).sum(axis=0)
        share[:, position] = np.divide(reached, seen, out=np.full(seen.shape, np.nan), where=seen > 0)
    return share


def eaf_difference(values: ArrayLike, first: int, second: int, targets: ArrayLike) -> Array:
    """The EAF of one algorithm minus that of another, (time, target); above zero where the first is better.

    Examples
    --------
    >>> values = [[[8.0, 4.0], [2.0, 4.0]]]  # one instance, two times, two algorithms
    >>> eaf_difference(values, 0, 1, [5.0, 3.0]).tolist()
    [[-1.0, 0.0], [0.0, 1.0]]
    """
    pair = as_values(values)[:, :, [first, second]]
    surfaces = eaf(pair, targets)
    return surfaces[..., 0] - surfaces[..., 1]


def eaf_contour(values: ArrayLike, share: float = 0.5) -> Array:
    """The target that a share of the runs had reached by each time, (time, algorithm).

    min {z : EAF(t, z) >= share}, an order statistic of the values at t: the median contour by default.

    Examples
    --------
    >>> values = [[[3.0]], [[1.0]], [[2.0]]]
    >>> eaf_contour(values).item(), eaf_contour(values, 1.0).item()
    (2.0, 3.0)
    """
    if not 0 < share <= 1:
        raise ValueError(f"expected a share of the runs above 0 and at most 1, got {share!r}")
    return np.nanquantile(as_values(values), share, axis=0, method="inverted_cdf")


def as_values(values: ArrayLike) -> Array:
    """Values as an array (instance, time, algorithm), checked."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 3 or not array.shape[0]:
        raise ValueError(f"expected values of shape (instance, time, algorithm), got {array.shape}")
    return array


def checked_bounds(bounds: Bounds) -> Bounds:
    """Bounds that a logarithmic scale can have."""
    lower, upper = (float(bound) for bound in bounds)
    if not 0 < lower < upper < math.inf:
        raise ValueError(f"expected bounds 0 < lower < upper, such as {BOUNDS}, got ({lower:g}, {upper:g})")
    return lower, upper
