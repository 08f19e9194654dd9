"""Shrink the differences of near-equal algorithms by an amount learnt from all pairs.

The Bayesian bootstrap has no prior on the size of differences, so among near-equal algorithms it mistakes noise for
differences. Shrinkage supplies such a prior on the scale δ = arcsin √w − π/4 of a pair's win rate w, whose draws have mean
m(t) and standard deviation s(t). The prior is a mixture (adaptive shrinkage, Stephens 2017, with a component that leaves
large differences unchanged). With probability 1 − ψ the two algorithms are nearly equal, δ ~ N(0, τ²). With probability ψ
they are not, and nothing is shrunk. τ and ψ are unknown, common to all pairs, and integrated over a lattice, so that few
algorithms give little confidence in near-equality.

The log-density of a pair is averaged over times, since times are correlated. The n (n − 1) / 2 pairs have an effective
number of n − 1, since they are differences of n algorithms.

Ratings have a separate near-equality, since a specialist can come first often and still win half of its comparisons. For
ratings, w is the first algorithm's share of the first places of the two; under Plackett-Luce this is its win rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from polarbear.arrays import Array, Array32, Mask
    from polarbear.posterior.outcome_draws import OutcomeDraws


_NEAR = np.geomspace(0.015, 0.2, 8)  # τ: win rates within 1.5 to 20 points of one half
_APART = 0.4  # standard deviation of δ among algorithms that differ: one of them gives win rates from 0.14 to 0.86
_SHARES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])  # ψ, with equal prior probabilities
_ENOUGH_DRAWS = 500  # draws from which means and standard deviations are computed
_ODDS_OF_ALL_TIMES = 50.0  # prior odds of near-equality at one time, for a pair that is nearly equal over all times
_LEAST_SHARE = np.float32(0.1)  # smallest fraction of a rating that shrinkage leaves: it stays positive; rarely reached
_AT_A_TIME = 500  # draws processed together, so that their matrices of pairs stay small


def draw_shrinkage_scales(draws: OutcomeDraws, *, rng: np.random.Generator) -> NDArray[np.float16]:
    """Draw τ for the win rate of each pair, shape (pair, draw); infinity where the pair is not nearly equal in a draw."""
    some = draws.thin(np.arange(min(_ENOUGH_DRAWS, draws.weights.shape[1])))
    pairs = zip(*np.triu_indices(draws.algorithms, 1), strict=True)
    mean, deviation = _moments(some.unshrunk_win_rates(int(a), int(b)) for a, b in pairs)
    near, tau = _draw_near(mean, deviation, draws.algorithms, draws.weights.shape[1], rng=rng)
    return np.where(near, tau, np.inf).astype(np.float16)


def shrink_ratings(ratings: Array32, *, rng: np.random.Generator) -> Array32:
    """Shrink ratings (time, algorithm, draw) towards the mean of the algorithms that are nearly equal in the same draw.

    As with win rates, the location shrinks by c = τ² / (τ² + s²) and the deviations from it by √c. Two algorithms can be
    near-equal at most times and far apart at one, where one of them hardly ever comes first; there nothing is shrunk.
    """
    _, algorithms, draws = ratings.shape
    first, second = np.triu_indices(algorithms, 1)
    some = ratings[..., :_ENOUGH_DRAWS].swapaxes(0, 1)
    mean_share, deviation = _moments(_share(some[a], some[b]) for a, b in zip(first, second, strict=True))
    near, tau = _draw_near(mean_share, deviation, algorithms, draws, rng=rng)
    likely = _neighbour_weights(near, algorithms)
    here = _near_probability(mean_share, deviation, tau, likely)
    mean, ratio = ratings.mean(axis=2), _noise(some, likely)
    result = np.empty_like(ratings)
    for start in range(0, draws, _AT_A_TIME):
        now = slice(start, start + _AT_A_TIME)
        groups = np.zeros((len(tau[now]), algorithms, algorithms), dtype=np.float32)
        groups[:, first, second] = groups[:, second, first] = near[:, now].T
        groups += np.eye(algorithms, dtype=np.float32)
        groups /= groups.sum(axis=1, keepdims=True)
        drawn = ratings[..., now].transpose(2, 0, 1)
        kept = 1 / (1 + ratio / np.square(tau[now, None, None], dtype=np.float32))  # c, shape (draw, time, algorithm)
        kept = 1 - here * (1 - kept)
        centre, centre_of_mean = drawn @ groups, mean @ groups
        location, deviation = mean - centre_of_mean, (drawn - mean) - (centre - centre_of_mean)
        result[..., now] = (centre + kept * location + np.sqrt(kept) * deviation).transpose(1, 2, 0)
    np.maximum(result, _LEAST_SHARE * ratings, out=result)
    result /= result.sum(axis=1, keepdims=True)
    return result


def _share(first: Array32, second: Array32) -> Array32:
    """Return the first algorithm's share of the first places of the two; one half if there are none."""
    total = first + second
    share: Array32 = np.divide(first, total, out=np.full_like(total, 0.5), where=total > 0)
    return share


def _neighbour_weights(near: Mask, algorithms: int) -> Array:
    """Return the weight of each algorithm (column) as a neighbour of another (row).

    Weights are proportional to the share of draws in which the two are nearly equal; rows sum to one.
    """
    likely = np.zeros((algorithms, algorithms))
    first, second = np.triu_indices(algorithms, 1)
    # 1e-9 avoids division by zero for an algorithm that is never near another one; it is not shrunk anyway.
    likely[first, second] = likely[second, first] = near.mean(axis=1) + 1e-9
    shares: Array = likely / likely.sum(axis=1, keepdims=True)
    return shares


def _near_probability(mean: Array, deviation: Array, tau: Array, likely: Array) -> Array32:
    """Return the probability that an algorithm and its neighbours are nearly equal at each time, (time, algorithm).

    A pair that is nearly equal over all times has prior odds of 50 (`_ODDS_OF_ALL_TIMES`) of near-equality at each one. The
    densities at that time, with the root mean square of τ, update these odds.
    """
    variance = deviation**2 + np.array([np.mean(tau**2), _APART**2])[:, None, None]
    near, apart = -0.5 * np.log(variance) - 0.5 * mean**2 / variance  # (pair, time)
    algorithms = len(likely)
    first, second = np.triu_indices(algorithms, 1)
    probability = np.zeros((algorithms, algorithms, mean.shape[1]))
    probability[first, second] = probability[second, first] = _logistic(near - apart + np.log(_ODDS_OF_ALL_TIMES))
    now: Array32 = np.einsum("ab,abt->ta", likely, probability).astype(np.float32)
    return now


def _noise(ratings: Array32, likely: Array) -> Array32:
    """Return s² of each algorithm's differences from its neighbours, shape (time, algorithm), on the scale of τ.

    τ is the standard deviation of one algorithm's share of two; for the difference of two ratings of about r it becomes
    4 r τ. Ratings have the shape (algorithm, time, draw).
    """
    mean = ratings.mean(axis=2)
    level = 0.5 * (mean + likely @ mean)
    variance = np.array([own @ (rating - ratings).var(axis=2) for own, rating in zip(likely, ratings, strict=True)])
    noise: Array32 = (variance / np.maximum(4 * level, 1e-12) ** 2).T.astype(np.float32)
    return noise


def _draw_near(
    mean: Array, deviation: Array, algorithms: int, draws: int, *, rng: np.random.Generator
) -> tuple[Mask, Array]:
    """Draw whether each pair is nearly equal, shape (pair, draw), and τ, shape (draw,)."""
    near = np.stack([_log_density(mean, deviation, tau) for tau in _NEAR])  # (τ, pair)
    apart = _log_density(mean, deviation, _APART)
    pairs = np.logaddexp(np.log1p(-_SHARES)[:, None, None] + near, (np.log(_SHARES)[:, None] + apart)[:, None])
    evidence = 2 / algorithms * pairs.sum(axis=2)  # (ψ, τ)
    probability = np.exp(evidence - evidence.max())
    chosen = rng.choice(probability.size, draws, p=(probability / probability.sum()).ravel())
    share, tau = np.unravel_index(chosen, probability.shape)
    odds = np.log1p(-_SHARES)[share] + near[tau].T - (np.log(_SHARES)[share] + apart[:, None])  # (pair, draw)
    return rng.random(odds.shape) < _logistic(odds), _NEAR[tau]


def _moments(rates: Iterable[Array32]) -> tuple[Array, Array]:
    """Return mean and standard deviation of δ over draws, each (pair, time), from win rates (time, draw) per pair."""
    angles = (np.arcsin(np.sqrt(each)) - np.pi / 4 for each in rates)
    moments = np.array([(each.mean(axis=1), each.std(axis=1)) for each in angles], dtype=np.float64)
    return moments[:, 0], np.maximum(moments[:, 1], 1e-6)


def _log_density(mean: Array, deviation: Array, tau: float) -> Array:
    """Return the log-density of each pair's mean under N(0, τ² + s²), averaged over times, up to a constant."""
    variance = tau**2 + deviation**2
    density: Array = (-0.5 * np.log(variance) - 0.5 * mean**2 / variance).mean(axis=1)
    return density


def _logistic(log_odds: Array) -> Array:
    """Return the probabilities of logarithmic odds; the function of SciPy would take longer to import than to use."""
    with np.errstate(over="ignore"):  # infinite odds against give probability 0
        probabilities: Array = 1 / (1 + np.exp(-log_odds))
    return probabilities
