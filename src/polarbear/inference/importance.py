"""Importance weights: smoothing, tempering, truncation and resampling.

In: the log-weights of draws from a proposal. Out: normalised weights with their Pareto k and effective sample size, and the
indices of equally weighted draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices


# Above this shape the weights are unreliable: Vehtari et al. (2024), "Pareto smoothed importance sampling".
LARGEST_PARETO_K = 0.7
# The paper requires 400 effective draws: a tenth of the 4000 that `fit` draws by default.
SMALLEST_EFFECTIVE_SHARE = 0.1
# Weights that never exceed this multiple of their mean count as bounded: there is no tail to smooth, and k is set to zero.
_BOUNDED = 3.0
# Effective share above which uncorrected draws are reliable: their importance weights must be nearly equal.
_NEARLY_ALL = 0.8


@dataclass(frozen=True, eq=False)
class Importance:
    """Smoothed, normalised importance weights of one set of draws.

    Attributes
    ----------
    weights
        Weights that sum to one.
    pareto_k
        Shape of the generalised Pareto distribution fitted to the largest weights.
    effective_share
        Effective number of draws, 1 / Σ w², as a share of all draws.
    """

    weights: Array
    pareto_k: float
    effective_share: float

    @property
    def good(self) -> bool:
        """Whether Pareto k and the effective share are good enough for the weighted draws to represent the posterior."""
        return self.pareto_k < LARGEST_PARETO_K and self.effective_share >= SMALLEST_EFFECTIVE_SHARE

    @property
    def nearly_equal(self) -> bool:
        """Whether the weights are so nearly equal that even the unweighted draws represent the posterior."""
        return self.pareto_k < LARGEST_PARETO_K and self.effective_share > _NEARLY_ALL


def pareto_smooth(log_weights: Array) -> Importance:
    """Return Pareto-smoothed, normalised weights of raw log-weights (computed by arviz-stats)."""
    relative = log_weights - log_weights.max()
    weights = np.exp(relative)
    if weights.sum() * _BOUNDED >= len(weights):
        return _importance(weights, 0.0)
    with np.errstate(all="ignore"):  # a degenerate tail divides by zero, and its k is then NaN
        smoothed, k = _smooth_tail(relative, tail=1.0)
        if not k < LARGEST_PARETO_K:
            # Many weights just above the tail's threshold, as near a local maximum of the weight function, look like a
            # heavy tail. The upper half of the tail distinguishes the two.
            again = _smooth_tail(relative, tail=0.5)
            smoothed, k = again if not again[1] >= k else (smoothed, k)
    if not (np.isfinite(k) and np.all(np.isfinite(smoothed))):
        smoothed, k = relative, np.inf
    return _importance(np.exp(smoothed - np.max(smoothed)), float(k))


def _importance(weights: Array, pareto_k: float) -> Importance:
    weights /= weights.sum()
    return Importance(weights, pareto_k, 1 / float((weights @ weights) * len(weights)))


def _smooth_tail(log_weights: Array, *, tail: float) -> tuple[Array, float]:
    """Return log-weights up to a constant, with the share `tail` of the usual tail smoothed, and the tail's shape k.

    The usual tail of S weights is the largest 3 √S, or a fifth of all if that is less. Only the largest 15 √S, of which the
    tail is a fifth, are passed to the smoother, which saves sorting and summing the others.
    """
    from arviz_stats.base import array_stats

    draws = len(log_weights)
    part = min(draws, math.ceil(15 * math.sqrt(draws)))
    top = np.argpartition(log_weights, draws - part)[draws - part :]
    top = top[np.argsort(log_weights[top])]
    if log_weights[top[-(part // 5)]] == log_weights[top[-1]]:  # the largest are all equal: nothing to smooth
        return log_weights, 0.0
    # psislw is written for leave-one-out, where weights are inverse likelihoods, and takes negative log-weights. Its tail
    # length is proportional to 1 / √r_eff, which sets the length here, and it divides all weights by their sum.
    try:
        smoothed, k = array_stats.psislw(-log_weights[top], r_eff=part / draws / tail**2)
    except ValueError:  # arviz-stats 1.0 and later refuse a tail of equal values, to which no shape can be fitted
        return log_weights, math.nan
    untouched = part // 2  # an index well below the tail, which fixes the constant
    result = log_weights.copy()
    result[top] = smoothed - (smoothed[untouched] - log_weights[top[untouched]])
    return result, float(k)


def temper_weights(log_weights: Array) -> Array:
    """Return w^β, normalised, with the largest β ≤ 1 that leaves a tenth of the draws effective.

    Unreliable weights would concentrate on one or two draws. Tempered draws keep some of the proposal's spread and shift
    towards the posterior.

    Examples
    --------
    >>> temper_weights(np.log([1.0, 1.0, 2.0])).tolist()
    [0.25, 0.25, 0.5]
    """
    relative = log_weights - log_weights.max()

    def at(power: float) -> Array:
        weights: Array = np.exp(power * relative)
        weights /= weights.sum()
        return weights

    def surplus(power: float) -> float:
        return 1 / float(at(power) @ at(power)) - SMALLEST_EFFECTIVE_SHARE * len(relative)

    # The effective number falls as the power rises.
    from scipy.optimize import brentq

    return at(1.0 if surplus(1.0) >= 0 else brentq(surplus, 0.0, 1.0, xtol=1e-9))


def truncate_weights(log_weights: Array, *, share: float) -> Array:
    """Return normalised weights with the largest ones, a fraction `share`, truncated to the smallest of them.

    Ionides (2008) truncates at √S times the mean. Truncating a share guarantees that at least this share of the S draws is
    effective, whatever the weights: with w the largest truncated weight, Σ w_i² ≤ w Σ w_i and Σ w_i ≥ w S · share.

    Examples
    --------
    >>> truncate_weights(np.log([1.0, 1.0, 2.0, 1e6]), share=0.5).round(3).tolist()
    [0.167, 0.167, 0.333, 0.333]
    """
    smallest = np.sort(log_weights)[-math.ceil(share * len(log_weights))]
    weights: Array = np.exp(np.minimum(log_weights - smallest, 0.0))
    weights /= weights.sum()
    return weights


def systematic_counts(weights: Array, draws: int, *, rng: np.random.Generator) -> Indices:
    """Return how often systematic resampling takes each item.

    The expected number is proportional to the weight, and each count differs from it by less than one.

    Examples
    --------
    >>> systematic_counts(np.array([0.5, 0.25, 0.25]), 8, rng=np.random.default_rng(0)).tolist()
    [4, 2, 2]
    """
    edges = np.cumsum(weights)
    taken = np.ceil(edges * (draws / edges[-1]) - rng.random()).astype(np.intp)
    taken[-1] = draws  # guards against rounding
    counts: Indices = np.diff(taken, prepend=0)
    return counts


def resample_in_order(weights: Array, draws: int, *, rng: np.random.Generator) -> Indices:
    """Return the indices of equally weighted draws, in increasing order."""
    return np.repeat(np.arange(len(weights)), systematic_counts(weights, draws, rng=rng))


def resample(weights: Array, draws: int, *, rng: np.random.Generator) -> Indices:
    """Return the indices of equally weighted draws, in random order."""
    return rng.permutation(resample_in_order(weights, draws, rng=rng))
