"""Weighted quantiles of values that may be censored, for many vectors of weights at once.

The estimator is that of Kaplan and Meier (1958) with weights: S(x) is the product over the observed values v <= x of
1 - w / (the weight of all values that are not smaller). Without censoring it is the weighted empirical distribution. With
random weights on the instances it is the Bayesian bootstrap for censored data (Lo, 1993).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.arrays import Array, Mask

    Floats = NDArray[np.floating[Any]]

_ROUNDING = 1e-9  # of sums of weights that are equal in exact arithmetic


def weighted_quantile(
    values: Array,
    weights: Floats,
    share: float,
    *,
    censored: Mask | None = None,
    below: Floats | None = None,
    above: Floats | None = None,
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
    none = np.zeros(weights.shape[1], dtype=weights.dtype)
    low, high = none if below is None else below, none if above is None else above
    up_to = np.cumsum(drawn, axis=0)
    up_to += low
    total = up_to[-1] + high
    if known.all():
        missed = up_to < share * total * (1 - _ROUNDING)
        exact = up_to
        limit = share * total
    else:
        exact = -_survival(drawn, up_to, low, total, known)
        limit = np.full_like(total, share - 1)
        missed = exact < limit - _ROUNDING
    first = np.count_nonzero(missed, axis=0)  # both are monotone: the position of the first value that is not missed
    inside = np.minimum(first, len(values) - 1)
    result = np.where(first < len(values), ordered[inside], np.inf)
    result[low > share * total] = -np.inf
    at_first = exact[inside, np.arange(len(first))]
    for draw in np.flatnonzero(np.isfinite(result) & (abs(at_first - limit) <= _ROUNDING * total)):
        after = first[draw] + 1
        later = after + np.flatnonzero(known[after:] & (drawn[after:, draw] > 0))
        if later.size and np.isfinite(ordered[later[0]]):
            result[draw] = (result[draw] + ordered[later[0]]) / 2
    return np.where(total > 0, result, np.nan)


def _survival(drawn: Floats, up_to: Floats, low: Floats, total: Floats, known: Mask) -> Floats:
    """Return S after each of the ordered values, by Kaplan and Meier: the product of 1 - w / (weight at risk)."""
    with np.errstate(invalid="ignore", divide="ignore"):
        at_risk = total - up_to + drawn
        steps = np.where(known[:, None] & (drawn > 0), drawn / at_risk, 0.0)
        survival: Floats = (1 - low / total) * np.cumprod(1 - np.minimum(steps, 1.0), axis=0)
    return survival


def central_interval(draws: Floats, level: float) -> tuple[float, float]:
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
