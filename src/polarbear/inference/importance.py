"""Importance weights: smoothed or truncated, what they are worth, and equally weighted draws from them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import brentq

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

# Vehtari et al. (2024), "Pareto smoothed importance sampling": above this shape the weights cannot be trusted.
LARGEST_PARETO_K = 0.7
# The paper asks for 400 effective draws; of our 4000 by default that is a tenth.
SMALLEST_EFFECTIVE_SHARE = 0.1
# Weights none of which exceeds this multiple of their mean are bounded: there is no tail to smooth, and k is taken as zero.
_BOUNDED = 3.0


@dataclass(frozen=True, eq=False)
class Importance:
    """Smoothed, normalised weights of one set of draws.

    Attributes
    ----------
    weights
        They sum to one.
    pareto_k
        Shape of the generalised Pareto distribution fitted to the largest ones.
    effective_share
        Effective number of draws, 1 / Σ w², as a share of all draws.
    """

    weights: Array
    pareto_k: float
    effective_share: float

    @property
    def good(self) -> bool:
        """Whether the weighted draws can stand for the posterior."""
        return self.pareto_k < LARGEST_PARETO_K and self.effective_share >= SMALLEST_EFFECTIVE_SHARE


def pareto_smoothed(log_weights: Array) -> Importance:
    """Smooth raw log-weights by Pareto smoothing (arviz-stats)."""
    relative = log_weights - log_weights.max()
    weights = np.exp(relative)
    if weights.sum() * _BOUNDED >= len(weights):
        return _importance(weights, 0.0)
    with np.errstate(all="ignore"):  # a hopeless tail divides by zero; its k is then not a number
        smoothed, k = _smoothed(relative, tail=1.0)
        if not k < LARGEST_PARETO_K:
            # Weights that pile up just above the threshold, as they do where the weight has a local maximum, look like a
            # heavy tail; the upper half of the tail tells the two apart.
            again = _smoothed(relative, tail=0.5)
            smoothed, k = again if not again[1] >= k else (smoothed, k)
    if not (np.isfinite(k) and np.all(np.isfinite(smoothed))):
        smoothed, k = relative, np.inf
    return _importance(np.exp(smoothed - np.max(smoothed)), float(k))


def _importance(weights: Array, pareto_k: float) -> Importance:
    weights /= weights.sum()
    return Importance(weights, pareto_k, 1 / float((weights @ weights) * len(weights)))


def _smoothed(log_weights: Array, *, tail: float) -> tuple[Array, float]:
    """Log-weights up to a constant, with this share of the usual tail smoothed, and the tail's shape.

    Of S weights the tail is the largest 3 √S, or a fifth if that is less. Only the largest 15 √S are given to be smoothed, a
    fifth of which it is: the others would be sorted and added up for nothing.
    """
    from arviz_stats.base import array_stats

    draws = len(log_weights)
    part = min(draws, math.ceil(15 * math.sqrt(draws)))
    top = np.argpartition(log_weights, draws - part)[draws - part :]
    top = top[np.argsort(log_weights[top])]
    if log_weights[top[-(part // 5)]] == log_weights[top[-1]]:  # the largest are all the same: nothing to smooth
        return log_weights, 0.0
    # Written for leave-one-out, where the weights are inverse likelihoods, it takes the negative of log-weights. It has
    # √(r_eff) times fewer in the tail if draws depend on each other, and divides all weights by their sum.
    smoothed, k = array_stats.psislw(-log_weights[top], r_eff=part / draws / tail**2)
    untouched = part // 2  # well below the tail
    result = log_weights.copy()
    result[top] = smoothed - (smoothed[untouched] - log_weights[top[untouched]])
    return result, float(k)


def tempered(log_weights: Array) -> Array:
    """w^β, normalised, with the largest β ≤ 1 that leaves a tenth of the draws effective.

    Weights that cannot be trusted would leave a draw or two; so the draws keep some of the proposal's spread, and lean
    towards the posterior.

    Examples
    --------
    >>> tempered(np.log([1.0, 1.0, 2.0])).tolist()
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
    return at(1.0 if surplus(1.0) >= 0 else brentq(surplus, 0.0, 1.0, xtol=1e-9))


def truncated(log_weights: Array, *, share: float) -> Array:
    """Weights, normalised, of which the largest share is cut down to the smallest among them.

    Ionides (2008) cuts at √S times the mean. Here at least this share of the S draws is effective, whatever the weights:
    with w the largest, Σ w_i² ≤ w Σ w_i, and Σ w_i is at least w S times the share.

    Examples
    --------
    >>> truncated(np.log([1.0, 1.0, 2.0, 1e6]), share=0.5).round(3).tolist()
    [0.167, 0.167, 0.333, 0.333]
    """
    smallest = np.sort(log_weights)[-math.ceil(share * len(log_weights))]
    weights: Array = np.exp(np.minimum(log_weights - smallest, 0.0))
    weights /= weights.sum()
    return weights


def systematic_counts(weights: Array, draws: int, *, rng: np.random.Generator) -> NDArray[np.intp]:
    """How often to take each item so that the expected share is its weight: as even as whole numbers allow.

    Examples
    --------
    >>> systematic_counts(np.array([0.5, 0.25, 0.25]), 8, rng=np.random.default_rng(0)).tolist()
    [4, 2, 2]
    """
    edges = np.cumsum(weights)
    taken = np.ceil(edges * (draws / edges[-1]) - rng.random()).astype(np.intp)
    taken[-1] = draws  # whatever the rounding
    counts: NDArray[np.intp] = np.diff(taken, prepend=0)
    return counts


def in_order(weights: Array, draws: int, *, rng: np.random.Generator) -> NDArray[np.intp]:
    """Indices of equally weighted draws, in increasing order."""
    return np.repeat(np.arange(len(weights)), systematic_counts(weights, draws, rng=rng))


def resample(weights: Array, draws: int, *, rng: np.random.Generator) -> NDArray[np.intp]:
    """Indices of equally weighted draws, in random order."""
    return rng.permutation(in_order(weights, draws, rng=rng))
