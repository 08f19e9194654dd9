"""Weighted quantiles of values that may be censored, for many vectors of weights at once.

The estimator is that of Kaplan and Meier (1958) with weights: S(x) is the product over the observed values v <= x of
1 - w / (the weight of all values that are not smaller). Without censoring it is the weighted empirical distribution. With
random weights on the instances it is the Bayesian bootstrap for censored data (Lo, 1993).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices, Mask

_ROUNDING = 1e-9  # of sums of weights that are equal in exact arithmetic


def weighted_quantile(
    values: Array,
    weights: Array,
    share: float,
    *,
    censored: Mask | None = None,
    below: Array | None = None,
    above: Array | None = None,
) -> Array:
    """Return the quantile of values under each vector of weights.

    Parameters
    ----------
    values
        Shape (value,); may be infinite.
    weights
        Shape (value, draw).
    share
        The share of the weight that lies below the quantile. Where a value ends exactly there, the result is the mean of it
        and the next one, as for the median of an even number of values.
    censored
        Which values are only lower bounds of the true ones; none by default.
    below, above
        Shape (draw,): weight at minus and plus infinity; none by default.

    Returns
    -------
    NDArray
        Shape (draw,): plus infinity where censoring leaves the quantile undetermined, NaN without any weight.

    Examples
    --------
    >>> weighted_quantile(np.array([3.0, 1.0, 2.0, 9.0]), np.ones((4, 1)), 0.5).tolist()
    [2.5]
    >>> weighted_quantile(np.array([1.0, 2.0, 5.0]), np.ones((3, 1)), 0.5, censored=np.array([False, True, False])).tolist()
    [5.0]
    """
    if not len(values):
        return np.full(weights.shape[1], np.nan)
    known = np.ones(len(values), dtype=bool) if censored is None else ~censored
    order = np.lexsort((~known, values))  # at equal values, the censored ones are the larger
    ordered, known, drawn = values[order], known[order], weights[order]
    none = np.zeros(weights.shape[1])
    low, high = none if below is None else below, none if above is None else above
    up_to = np.cumsum(drawn, axis=0) + low
    total = up_to[-1] + high
    with np.errstate(invalid="ignore", divide="ignore"):
        if known.all():
            survival = 1 - up_to / total
        else:
            at_risk = total - (up_to - drawn)
            steps = np.where(known[:, None] & (drawn > 0), drawn / at_risk, 0.0)
            survival = (1 - low / total) * np.cumprod(1 - np.minimum(steps, 1.0), axis=0)
        at_lowest = low / total > share
    reached = (survival <= 1 - share + _ROUNDING) & known[:, None]
    first = reached.argmax(axis=0)
    result = np.where(reached.any(axis=0), ordered[first], np.inf)
    result = np.where(at_lowest, -np.inf, result)
    _average_exact_hits(result, ordered, known, drawn, survival, first, share)
    return np.where(total > 0, result, np.nan)


def _average_exact_hits(
    result: Array, ordered: Array, known: Mask, drawn: Array, survival: Array, first: Indices, share: float
) -> None:
    """Replace quantiles at which a value ends exactly at `share` by the mean of it and the next observed value."""
    at_first = survival[first, np.arange(len(first))]
    for draw in np.flatnonzero(np.isfinite(result) & (abs(at_first - (1 - share)) <= _ROUNDING)):
        after = first[draw] + 1
        later = after + np.flatnonzero(known[after:] & (drawn[after:, draw] > 0))
        if later.size and np.isfinite(ordered[later[0]]):
            result[draw] = (result[draw] + ordered[later[0]]) / 2


def central_interval(draws: Array, level: float) -> tuple[float, float]:
    """Return the central interval of draws, which may be infinite: two of the draws, without interpolation."""
    ascending, tail = np.sort(draws), (1 - level) / 2
    last = len(ascending) - 1
    low, high = int(np.floor(tail * last)), int(np.ceil((1 - tail) * last))
    return float(ascending[low]), float(ascending[high])


def check_level(level: float) -> float:
    """Return the level of an interval after checking that it lies between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"expected a level between 0 and 1, got {level!r}")
    return level
