"""The score of each instance at each time: how its ranking pulls at the utilities, and how these pulls go together.

The score of one ranking is the gradient of its log-likelihood, s = W − Σ_S C_S p_S. Over instances it has mean zero at the
true utilities, and, under Plackett-Luce, a covariance that is the likelihood's curvature. The likelihood takes scores of one
run at different times to be independent; whether they are shows in their correlation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

from polarbear.models.helmert import helmert
from polarbear.observe.ranking import ABSENT, UNRANKED, Rankings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

MOST_INSTANCES = 400  # their correlation is then known to some hundredths, and reading more would only take time

# Of how many independent contrasts the stationary correlation is worth when the measured one is weighed against it. With
# eight instances of four algorithms, which have 24, a fifth of the result is as measured; with a hundred, three quarters.
_WORTH = 100.0
_DECAYS = 12  # lengths in the dictionary of exponentials


def scores_by_instance(utilities: Array, rankings: Rankings) -> Array:
    """Scores in the utilities, shape (instance, time, algorithm), each times the weight of its ranking.

    A tie of k algorithms of mass g, with worse ones of mass M, counts as k choices from what is then left on average, masses
    M + g (1 − j/k) for j = 0, …, k − 1 (Efron, 1977): close to the average over all orders, at the cost of a single one.

    Parameters
    ----------
    utilities
        μ, shape (time, algorithm).
    rankings
        What was seen.

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
    masses = np.exp(utilities - utilities.max(axis=1, keepdims=True))
    mass = np.where(ranks == ABSENT, 0.0, np.take_along_axis(np.broadcast_to(masses, ranks.shape), order, axis=2))

    # Positions from the best to the worst; a group is a run of equal ranks, from `first` to `last`.
    position = np.arange(ranks.shape[2])
    starts = np.concatenate([np.ones_like(ranks[..., :1], dtype=bool), ranks[..., 1:] != ranks[..., :-1]], axis=2)
    first = np.maximum.accumulate(np.where(starts, position, 0), axis=2)
    ends = np.concatenate([starts[..., 1:], np.ones_like(starts[..., :1])], axis=2)
    last = np.minimum.accumulate(np.where(ends, position, len(position))[..., ::-1], axis=2)[..., ::-1]
    size = last - first + 1

    left = np.cumsum(mass[..., ::-1], axis=2)[..., ::-1]  # mass of this position and all after it
    beyond = np.concatenate([left, np.zeros_like(left[..., :1])], axis=2)
    worse = np.take_along_axis(beyond, last + 1, axis=2)
    share = 1 - (position - first) / size
    present = (ranks != ABSENT).sum(axis=2, keepdims=True)
    chosen = (ranks != ABSENT) & (ranks != UNRANKED) & (position < present - 1)  # the last of all is no choice
    from_set = worse + (np.take_along_axis(left, first, axis=2) - worse) * share
    # A mass that underflows is that of algorithms which are as good as certain to come last.
    inverse = np.where(chosen, 1 / np.maximum(from_set, np.finfo(np.float64).tiny), 0.0)

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


def score_correlation(utilities: Array, curvature: Array, rankings: Rankings) -> Array:
    """R, shape (time, time): how the standardised scores of one instance go together over time.

    With z_i(t) = A(t)^−½ s_i(t) in the n − 1 contrasts, C(t, t') = Σ_i z_i(t)·z_i(t'), scaled to a unit diagonal. An
    instance that was not observed at both times adds nothing. Few instances make C noisy: it is drawn towards a correlation
    that depends on the distance on the grid alone, a sum of falling exponentials fitted to its diagonals.

    Parameters
    ----------
    utilities
        The fitted μ, shape (time, algorithm).
    curvature
        A of all rankings there, in the contrasts, shape (time, latent function, latent function).
    rankings
        What was seen; at most `MOST_INSTANCES` of the instances, evenly spread, are looked at.
    """
    instances = len(rankings.ranks)
    if instances > MOST_INSTANCES:
        chosen = np.linspace(0, instances - 1, MOST_INSTANCES).astype(np.intp)
        rankings = Rankings(rankings.ranks[chosen], rankings.names, rankings.grid, rankings.weights[chosen])
    scores = scores_by_instance(utilities, rankings) @ helmert(utilities.shape[1])
    standard = np.einsum("tab,itb->tia", _inverse_root(curvature), scores).reshape(len(curvature), -1)
    together = standard @ standard.T
    seen = np.diag(together) > 1e-12 * np.diag(together).max()
    scale = np.where(seen, np.sqrt(np.where(seen, np.diag(together), 1.0)), np.inf)
    measured = together / np.outer(scale, scale)
    measured[np.diag_indices_from(measured)] = 1.0  # also where all were tied or nobody was seen

    contrasts = len(rankings.ranks) * (utilities.shape[1] - 1)
    share = contrasts / (contrasts + _WORTH)
    correlation: Array = share * measured + (1 - share) * _stationary(measured)
    return correlation


def effective_times(correlation: Array, curvature: Array) -> float:
    """How many independent times the rankings of one run are worth: T / λ, with λ = aᵀ R a / aᵀ a and a_t = (tr A(t))^½.

    Examples
    --------
    >>> alike, apart, information = np.ones((5, 5)), np.eye(5), np.ones((5, 1, 1))
    >>> round(effective_times(alike, information)), round(effective_times(apart, information))
    (1, 5)
    """
    root = np.sqrt(np.trace(curvature, axis1=1, axis2=2))
    inflation = float(root @ correlation @ root / (root @ root))
    return min(float(len(root)), max(1.0, len(root) / max(inflation, 1e-9)))


def independent_times(correlation: Array) -> float:
    """As how many independent times the largest of the deviations at all times is to be judged: (Σ √λ)² / Σ λ.

    With λ the eigenvalues of R (Galwey, 2009). Bonferroni's threshold over so many is exceeded about as often as it says.
    What a mean over all times is worth, `effective_times`, is far less.

    Examples
    --------
    >>> round(independent_times(np.ones((5, 5)))), round(independent_times(np.eye(5)))
    (1, 5)
    """
    values = np.maximum(np.linalg.eigvalsh(correlation), 0.0)
    return float(np.sqrt(values).sum() ** 2 / values.sum())


def _stationary(correlation: Array) -> Array:
    """Σ_k c_k exp(−d / ℓ_k) of the distance d on the grid, c ≥ 0, with what is left to one at d = 0."""
    times = len(correlation)
    distance = np.arange(1, times)
    mean = np.array([np.diagonal(correlation, d).mean() for d in distance])
    decays = np.append(
        np.exp(-distance[:, None] / np.geomspace(0.5, 4 * times, _DECAYS)), np.ones((times - 1, 1)), axis=1
    )
    pairs = np.sqrt(times - distance)[:, None]
    coefficients, _ = nnls(decays * pairs, mean * pairs[:, 0], maxiter=100 * decays.shape[1])
    fitted = np.append(1.0, decays @ coefficients / max(1.0, coefficients.sum()))
    return fitted[np.abs(np.subtract.outer(np.arange(times), np.arange(times)))]


def _inverse_root(matrices: Array) -> Array:
    """A^−½ of each symmetric matrix; zero in directions about which nothing was seen."""
    values, vectors = np.linalg.eigh(matrices)
    known = values > 1e-9 * values.max()
    inverse = np.where(known, 1 / np.sqrt(np.where(known, values, 1.0)), 0.0)
    root: Array = (vectors * inverse[:, None, :]) @ vectors.transpose(0, 2, 1)
    return root
