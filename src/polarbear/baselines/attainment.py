"""The empirical attainment function (EAF): the share of runs that have reached each target by each budget.

On a grid of budgets and targets, the EAF is a mean of comparisons. The package moocore computes its exact surfaces;
moocore's difference of two surfaces is scaled for equal numbers of runs only, and takes time quadratic in the number of
runs.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from polarbear.arrays import Array


Bounds = tuple[float, float]

BOUNDS: Bounds = (1e-8, 1e2)
"""The smallest and largest precision that usually count (López-Ibáñez, Vermetten, Dreo and Doerr, 2024)."""


def attained_share(values: ArrayLike, bounds: Bounds = BOUNDS) -> Array:
    """Return the share of the logarithmic distance from the upper to the lower bound that each value has covered.

    (log u − log clip(y, l, u)) / (log u − log l); NaN stays NaN.

    Examples
    --------
    >>> attained_share([1e3, 1e2, 1e-3, 1e-8, 0.0]).tolist()
    [0.0, 0.0, 0.5, 1.0, 1.0]
    """
    lower, upper = check_bounds(bounds)
    clipped = np.clip(np.asarray(values, dtype=np.float64), lower, upper)
    return (math.log10(upper) - np.log10(clipped)) / (math.log10(upper) - math.log10(lower))


def log_targets(count: int = 101, bounds: Bounds = BOUNDS) -> Array:
    """Return targets from the upper to the lower bound, evenly spaced on a logarithmic scale."""
    lower, upper = check_bounds(bounds)
    return np.geomspace(upper, lower, count)


def eaf(values: ArrayLike, targets: ArrayLike) -> Array:
    """Return the share of instances on which each algorithm has reached each target by each budget.

    Parameters
    ----------
    values
        Best values so far, (instance, budget, algorithm). The share of an algorithm ignores instances on which it was not
        observed.
    targets
        The values to reach, in any order.

    Returns
    -------
    NDArray
        (budget, target, algorithm), with NaN where nothing was observed.

    Examples
    --------
    >>> values = [[[8.0], [2.0]], [[5.0], [5.0]]]  # two instances, two budgets, one algorithm
    >>> eaf(values, [6.0, 3.0])[..., 0].tolist()
    [[0.5, 0.0], [1.0, 0.5]]
    """
    best, levels = as_values(values), np.asarray(targets, dtype=np.float64)
    observed = (~np.isnan(best)).sum(axis=0)  # (budget, algorithm)
    share = np.empty((best.shape[1], levels.size, best.shape[2]))
    for position, target in enumerate(levels):  # one target at a budget, to save memory
        reached = (best <= target).sum(axis=0)
        share[:, position] = np.divide(reached, observed, out=np.full(observed.shape, np.nan), where=observed > 0)
    return share


def eaf_difference(values: ArrayLike, first: int, second: int, targets: ArrayLike) -> Array:
    """Return the EAF of one algorithm minus the EAF of another, (budget, target): positive where the first is better.

    Examples
    --------
    >>> values = [[[8.0, 4.0], [2.0, 4.0]]]  # one instance, two budgets, two algorithms
    >>> eaf_difference(values, 0, 1, [5.0, 3.0]).tolist()
    [[-1.0, 0.0], [0.0, 1.0]]
    """
    pair = as_values(values)[:, :, [first, second]]
    surfaces = eaf(pair, targets)
    return surfaces[..., 0] - surfaces[..., 1]


def eaf_contour(values: ArrayLike, share: float = 0.5) -> Array:
    """Return the target that a share of the runs has reached by each budget, (budget, algorithm).

    min {z : EAF(t, z) >= share}, an order statistic of the values at t; by default the median contour.

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
    """Return values as an array (instance, budget, algorithm), after checking its shape."""
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 3 or not array.shape[0]:
        raise ValueError(f"expected values of shape (instance, budget, algorithm), got {array.shape}")
    return array


def check_bounds(bounds: Bounds) -> Bounds:
    """Return bounds as floats, after checking that they suit a logarithmic scale."""
    lower, upper = (float(bound) for bound in bounds)
    if not 0 < lower < upper < math.inf:
        raise ValueError(f"expected bounds 0 < lower < upper, such as {BOUNDS}, got ({lower:g}, {upper:g})")
    return lower, upper
