"""The Plackett-Luce score of each instance at each budget.

The score of a ranking is the gradient of its log-likelihood in the utilities, s = W − Σ_S C_S p_S. Over instances it has
mean zero at the true utilities and, under Plackett-Luce, its covariance equals the curvature of the likelihood.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import derivatives
from polarbear.observe.rankings import ABSENT, UNRANKED, Rankings

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.observe import Choices


_FURTHEST = 700.0  # largest distance of a utility from the best; e⁻⁷⁰⁰ is just above underflow
MOST_INSTANCES = 400  # correlations of scores are then accurate to a few hundredths; more instances only take time


def scores_by_instance(utilities: Array, rankings: Rankings) -> Array:
    """Return the scores in the utilities, weighted by the weights of the rankings, shape (instance, budget, algorithm).

    A tie of k algorithms with total mass g, above algorithms with total mass M, counts as k choices from the masses that
    remain on average, M + g (1 − j/k) for j = 0, …, k − 1 (Efron, 1977). This is close to the average over all orders, at
    the cost of a single one.

    Parameters
    ----------
    utilities
        μ, shape (budget, algorithm).
    rankings
        The observed rankings.

    Examples
    --------
    >>> from polarbear.observe import Rankings
    >>> rankings = Rankings([[[0, 1, 2]], [[0, 0, 1]]], names=None, grid=[1.0])
    >>> scores_by_instance(np.log([[2.0, 1.0, 1.0]]), rankings).round(2).tolist()
    [[[0.5, 0.25, -0.75]], [[0.1, 0.55, -0.65]]]
    """
    ranks = rankings.ranks
    order = np.argsort(np.where(ranks == ABSENT, UNRANKED + 1, ranks.astype(np.int32)), axis=2, kind="stable")
    ranks = np.take_along_axis(ranks, order, axis=2)
    masses = np.exp(np.maximum(utilities - utilities.max(axis=1, keepdims=True), -_FURTHEST))
    mass = np.where(ranks == ABSENT, 0.0, np.take_along_axis(np.broadcast_to(masses, ranks.shape), order, axis=2))

    # Positions run from best to worst; a group is a sequence of equal ranks, from `first` to `last`.
    position = np.arange(ranks.shape[2])
    starts = np.concatenate([np.ones_like(ranks[..., :1], dtype=bool), ranks[..., 1:] != ranks[..., :-1]], axis=2)
    first = np.maximum.accumulate(np.where(starts, position, 0), axis=2)
    ends = np.concatenate([starts[..., 1:], np.ones_like(starts[..., :1])], axis=2)
    last = np.minimum.accumulate(np.where(ends, position, len(position))[..., ::-1], axis=2)[..., ::-1]
    size = last - first + 1

    left = np.cumsum(mass[..., ::-1], axis=2)[..., ::-1]  # total mass of this and all later positions
    beyond = np.concatenate([left, np.zeros_like(left[..., :1])], axis=2)
    worse = np.take_along_axis(beyond, last + 1, axis=2)
    share = 1 - (position - first) / size
    present = (ranks != ABSENT).sum(axis=2, keepdims=True)
    chosen = (ranks != ABSENT) & (ranks != UNRANKED) & (position < present - 1)  # the last position is not a choice
    from_set = worse + (np.take_along_axis(left, first, axis=2) - worse) * share
    inverse = np.divide(1, from_set, out=np.zeros_like(from_set), where=chosen)

    before = np.concatenate([np.zeros_like(left[..., :1]), np.cumsum(inverse, axis=2)], axis=2)
    inside = np.concatenate([np.zeros_like(left[..., :1]), np.cumsum(inverse * share, axis=2)], axis=2)
    wins = np.concatenate([np.zeros_like(left[..., :1]), np.cumsum(chosen, axis=2)], axis=2)

    def over_group(sums: Array) -> Array:
        group: Array = np.take_along_axis(sums, last + 1, axis=2) - np.take_along_axis(sums, first, axis=2)
        return group

    expected = mass * (np.take_along_axis(before, first, axis=2) + over_group(inside))
    scores = np.empty_like(mass)
    np.put_along_axis(scores, order, over_group(wins) / size - expected, axis=2)
    scores[rankings.ranks == ABSENT] = 0.0
    scores *= rankings.weight_of_each[..., None]
    return scores


def thin_instances(rankings: Rankings) -> Rankings:
    """Return the rankings, thinned to `MOST_INSTANCES` evenly spaced instances if there are more."""
    instances = len(rankings.ranks)
    if instances <= MOST_INSTANCES:
        return rankings
    chosen = np.linspace(0, instances - 1, MOST_INSTANCES).astype(np.intp)
    return Rankings(rankings.ranks[chosen], rankings.names, rankings.grid, rankings.weights[chosen])


def standard_scores(utilities: Array, choices: Choices) -> tuple[Array, Array]:
    """Return the standardised scores z_i(t) = A(t)^−½ s_i(t) in the contrasts, and the curvature A(t) of all instances.

    Scores have the shape (budget, latent function, instance). Under Plackett-Luce, at the true utilities, the expectation of
    Σ_i z_i(t) z_i(t)ᵀ over all instances is the identity.

    Parameters
    ----------
    utilities
        The fitted μ, shape (budget, algorithm).
    choices
        The observed choices, with the rankings of each instance; scores use at most `MOST_INSTANCES` of them.
    """
    assert choices.rankings is not None
    contrasts = helmert(utilities.shape[1])
    curvature = contrasts.T @ derivatives(utilities, choices)[2] @ contrasts
    scores = scores_by_instance(utilities, thin_instances(choices.rankings)) @ contrasts
    return np.einsum("tab,itb->tai", _inverse_root(curvature), scores), curvature


def _inverse_root(matrices: Array) -> Array:
    """Return A^−½ of each symmetric matrix, zero in directions without information."""
    values, vectors = np.linalg.eigh(matrices)
    known = values > 1e-9 * values.max()
    inverse = np.where(known, 1 / np.sqrt(np.where(known, values, 1.0)), 0.0)
    root: Array = (vectors * inverse[:, None, :]) @ vectors.transpose(0, 2, 1)
    return root
