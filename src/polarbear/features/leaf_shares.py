"""The share of first places of each algorithm on the instances of a leaf, which borrows from the other instances.

A leaf has few instances, and those of other leaves are not quite irrelevant. Its own clusters have weight one each; the
others together weigh as much as m clusters. The m is chosen that best predicts which algorithm comes first on a cluster that
is left out: if the same algorithms come first in all leaves, all clusters count fully; if others do, m is small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.features.scores import Scores

_PSEUDO = 1.0  # clusters on which all algorithms come first equally often, as in `BayesianBootstrap`
_DRAWS = 1000


def choose_borrowing(scores: Scores, leaves: Sequence[Indices]) -> float:
    """Return m, the weight in clusters of all instances outside a leaf, by leave-one-cluster-out prediction.

    The score is the mean logarithm of the predicted probability of the algorithm that comes first. Infinity stands for the
    number of other clusters.
    """
    if len(leaves) < 2:
        return 0.0
    number = len(np.unique(scores.clusters))
    candidates = [0.0, *(2.0**k for k in range(int(np.log2(number)) + 1)), np.inf]
    totals = [sum(_prediction(scores, leaf, m) for leaf in leaves) for m in candidates]
    return candidates[int(np.argmax(totals))]


def _prediction(scores: Scores, leaf: Indices, borrowed: float) -> float:
    """Return the log score of the predictions of a leaf's instances, each from the clusters other than its own."""
    own = np.zeros(len(scores.clusters), dtype=bool)
    own[leaf] = True
    _, codes = np.unique(scores.clusters, return_inverse=True)
    shape = (int(codes.max()) + 1, *scores.first.shape[1:])
    inside, outside = np.zeros(shape), np.zeros(shape)
    scaled = scores.first * (shape[0] / scores.first.sum(axis=(0, 2))[:, None])  # a cluster weighs one in each range
    np.add.at(inside, codes[own], scaled[own])
    np.add.at(outside, codes[~own], scaled[~own])
    other = outside.sum(axis=0) - outside
    size = other.sum(axis=2, keepdims=True)
    other *= np.minimum(borrowed / np.maximum(size, 1e-12), 1.0)
    expected = inside.sum(axis=0) - inside + other + _PSEUDO / shape[2]
    log_share = np.log(expected / expected.sum(axis=2, keepdims=True))
    return float((inside * log_share).sum())


def leaf_weights(scores: Scores, leaf: Indices, borrowed: float) -> Array:
    """Return the factor of each instance's weight in a leaf: one inside, and below one outside, shape (instance,)."""
    factors = np.ones(len(scores.clusters))
    factors[leaf] = 0.0
    outside = float((scores.weights.max(axis=1) * factors).sum())
    factors *= min(borrowed / outside, 1.0) if outside > 0 else 0.0
    factors[leaf] = 1.0
    return factors


def expected_shares(scores: Scores, factors: Array) -> Array:
    """Return the expected share of first places of each algorithm at each budget, shape (time, algorithm).

    At a budget at which none of the weighted instances was observed, it is the share on all instances.
    """
    weights = np.where(_unobserved(scores, factors), scores.weights, scores.weights * factors[:, None])
    sums = np.einsum("pt,pta->ta", weights, scores.at_times) + _PSEUDO / len(scores.names)
    shares: Array = sums / (weights.sum(axis=0) + _PSEUDO)[:, None]
    return shares


def drawn_shares(scores: Scores, factors: Array, *, rng: np.random.Generator) -> Array:
    """Draw shares of first places by the Bayesian bootstrap over clusters, shape (draw, time, algorithm).

    The gamma variable of a cluster has the cluster's factor as its shape, so that its mean is the factor. Budgets at which
    none of the weighted instances was observed are as in `expected_shares`.
    """
    _, codes = np.unique(scores.clusters, return_inverse=True)
    drawn = np.zeros((_DRAWS, len(factors)))
    for factor in np.unique(factors[factors > 0]):
        rows = factors == factor
        drawn[:, rows] = rng.standard_gamma(factor, (_DRAWS, int(codes.max()) + 1))[:, codes[rows]]
    pseudo = rng.standard_gamma(_PSEUDO / len(scores.names), (_DRAWS, 1, len(scores.names)))
    flat = (scores.weights[..., None] * scores.at_times).reshape(len(factors), -1)
    sums = (drawn @ flat).reshape(_DRAWS, *scores.at_times.shape[1:]) + pseudo
    shares: Array = sums / ((drawn @ scores.weights)[..., None] + pseudo.sum(axis=2, keepdims=True))
    unobserved = _unobserved(scores, factors)
    if unobserved.any():
        shares[:, unobserved] = drawn_shares(scores, np.ones_like(factors), rng=rng)[:, unobserved]
    return shares


def _unobserved(scores: Scores, factors: Array) -> Mask:
    """Return the budgets at which instances were observed, but none of the weighted ones, shape (time,)."""
    weighted, every = scores.weights[factors > 0] > 0, scores.weights > 0
    unobserved: Mask = np.any(every, axis=0) & ~np.any(weighted, axis=0)
    return unobserved
