"""The empirical cumulative distribution function (ECDF) of the targets reached, over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polarbear.baselines.attainment import BOUNDS, Bounds, as_values, attained_share

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from polarbear.arrays import Array


class Band(NamedTuple):
    """A mean and its interval, each (budget, algorithm)."""

    mean: Array
    lower: Array
    upper: Array


def ecdf(values: ArrayLike, bounds: Bounds = BOUNDS) -> Array:
    """Return the mean attained share at each budget, (budget, algorithm).

    This is the ECDF over infinitely many targets, evenly spaced between the bounds on a logarithmic scale, or the EAF
    integrated over its targets.

    Examples
    --------
    >>> ecdf([[[1e2], [1e-3]], [[1e-3], [1e-8]]])[:, 0].tolist()
    [0.25, 0.75]
    """
    means: Array = np.nanmean(attained_share(as_values(values), bounds), axis=0)
    return means


def ecdf_band(
    values: ArrayLike,
    bounds: Bounds = BOUNDS,
    *,
    level: float = 0.95,
    resamples: int = 1000,
    rng: np.random.Generator,
) -> Band:
    """Return the ECDF with the percentile bootstrap interval of its mean, from instances resampled with replacement."""
    shares = attained_share(as_values(values), bounds)
    if np.isnan(shares).any():
        raise ValueError("expected every algorithm on every instance at every budget, got values that are NaN")
    instances = len(shares)
    # How often each instance is drawn, one row per resample: all means are then one matrix product.
    budgets_drawn = rng.multinomial(instances, np.full(instances, 1 / instances), size=resamples)
    means = (budgets_drawn / instances @ shares.reshape(instances, -1)).reshape(resamples, *shares.shape[1:])
    lower, upper = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    return Band(shares.mean(axis=0), lower, upper)
