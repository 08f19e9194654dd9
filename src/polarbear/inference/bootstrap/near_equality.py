"""Near-equality: how far apart algorithms lie, learnt from all pairs, and by how much each pair is shrunk.

A bootstrap has no opinion on how large differences are, so that among near-equal algorithms it takes noise for a difference.
On the scale δ = arcsin √w − π/4 of a pair's win rate w, with mean m(t) and deviation s(t) of its draws, the prior is a
mixture: with probability 1 − ψ the two are nearly equal, δ ~ N(0, τ²), and with probability ψ they are not, and nothing is
shrunk (adaptive shrinkage, Stephens 2017, with a component that leaves large differences alone). τ and ψ are common to all
pairs, unknown, and integrated over a lattice, so that few algorithms give little confidence in near-equality.

The density of a pair is averaged over times, since times are correlated, and the n (n − 1) / 2 pairs count as n − 1, since
they are differences of n algorithms.

Ratings have their own near-equality, since a specialist can come first often and still win half of its comparisons. A pair
is judged by the share of the first algorithm among the first places of the two, which under Plackett-Luce is its win rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from polarbear.posterior.outcome_draws import OutcomeDraws

    Array = NDArray[np.float64]
    Array32 = NDArray[np.float32]

_NEAR = np.geomspace(0.015, 0.2, 8)  # τ: win rates within 1.5 to 20 points of one half
_APART = 0.4  # deviation of δ among algorithms that differ: win rates from one tenth to nine tenths
_SHARES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])  # ψ, equally likely
_ENOUGH_DRAWS = 500  # for means and deviations
_ODDS_OF_ALL_TIMES = 50.0  # for near-equality at a time, in a draw in which a pair is nearly equal
_LEAST_SHARE = np.float32(0.1)  # of a rating that is left, so that it stays positive; reached in few draws
_AT_A_TIME = 500  # draws, so that their matrices of pairs stay small


def draw_spreads(draws: OutcomeDraws, *, rng: np.random.Generator) -> NDArray[np.float16]:
    """τ of each pair's win rate and draw, shape (pair, draw); infinity where the pair is not nearly equal in that draw."""
    some = draws.thinned(np.arange(min(_ENOUGH_DRAWS, draws.weights.shape[1])))
    pairs = zip(*np.triu_indices(draws.algorithms, 1), strict=True)
    mean, deviation = _moments(some.unshrunk(int(a), int(b)) for a, b in pairs)
    near, tau = _draw_near(mean, deviation, draws.algorithms, draws.weights.shape[1], rng=rng)
    return np.where(near, tau, np.inf).astype(np.float16)


def shrink_ratings(ratings: Array32, *, rng: np.random.Generator) -> Array32:
    """Shrink ratings (time, algorithm, draw) towards the mean of the algorithms that are nearly equal in the same draw.

    As with win rates, location shrinks by c = τ² / (τ² + s²) and deviations by √c. Two algorithms can be near-equal at most
    times and far apart at one, where one of them hardly ever comes first; there nothing is shrunk.
    """
    _, algorithms, draws = ratings.shape
    first, second = np.triu_indices(algorithms, 1)
    some = ratings[..., :_ENOUGH_DRAWS].swapaxes(0, 1)
    mean_share, deviation = _moments(_share(some[a], some[b]) for a, b in zip(first, second, strict=True))
    near, tau = _draw_near(mean_share, deviation, algorithms, draws, rng=rng)
    likely = _neighbours(near, algorithms)
    here = _near_now(mean_share, deviation, tau, likely)
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
    """The first algorithm's share of the first places of the two; one half if there are none."""
    total = first + second
    share: Array32 = np.divide(first, total, out=np.full_like(total, 0.5), where=total > 0)
    return share


def _neighbours(near: NDArray[np.bool_], algorithms: int) -> Array:
    """How near each other algorithm (column) is to each one (row), in shares of how often the two are nearly equal."""
    likely = np.zeros((algorithms, algorithms))
    first, second = np.triu_indices(algorithms, 1)
    # The small number serves an algorithm that is never near another one, and is not shrunk anyway.
    likely[first, second] = likely[second, first] = near.mean(axis=1) + 1e-9
    shares: Array = likely / likely.sum(axis=1, keepdims=True)
    return shares


def _near_now(mean: Array, deviation: Array, tau: Array, likely: Array) -> Array32:
    """The probability that an algorithm and its neighbours are nearly equal at each time, shape (time, algorithm).

    The pair is known to be nearly equal over all times. This is taken back where the density of a single time speaks
    against it, with the root mean square of τ.
    """
    variance = deviation**2 + np.array([np.mean(tau**2), _APART**2])[:, None, None]
    near, apart = -0.5 * np.log(variance) - 0.5 * mean**2 / variance  # (pair, time)
    algorithms = len(likely)
    first, second = np.triu_indices(algorithms, 1)
    probability = np.zeros((algorithms, algorithms, mean.shape[1]))
    probability[first, second] = probability[second, first] = expit(near - apart + np.log(_ODDS_OF_ALL_TIMES))
    now: Array32 = np.einsum("ab,abt->ta", likely, probability).astype(np.float32)
    return now


def _noise(ratings: Array32, likely: Array) -> Array32:
    """s² of each algorithm's differences from its neighbours, shape (time, algorithm), on the scale of τ.

    τ is the deviation of a share of two algorithms; for the difference of two ratings of about r it becomes 4 r τ. Ratings
    have the shape (algorithm, time, draw).
    """
    mean = ratings.mean(axis=2)
    level = 0.5 * (mean + likely @ mean)
    variance = np.array([own @ (rating - ratings).var(axis=2) for own, rating in zip(likely, ratings, strict=True)])
    noise: Array32 = (variance / np.maximum(4 * level, 1e-12) ** 2).T.astype(np.float32)
    return noise


def _draw_near(
    mean: Array, deviation: Array, algorithms: int, draws: int, *, rng: np.random.Generator
) -> tuple[NDArray[np.bool_], Array]:
    """Whether each pair is nearly equal in each draw, shape (pair, draw), and τ of each draw."""
    near = np.stack([_log_density(mean, deviation, tau) for tau in _NEAR])  # (τ, pair)
    apart = _log_density(mean, deviation, _APART)
    pairs = np.logaddexp(np.log1p(-_SHARES)[:, None, None] + near, (np.log(_SHARES)[:, None] + apart)[:, None])
    evidence = 2 / algorithms * pairs.sum(axis=2)  # (ψ, τ)
    probability = np.exp(evidence - evidence.max())
    chosen = rng.choice(probability.size, draws, p=(probability / probability.sum()).ravel())
    share, tau = np.unravel_index(chosen, probability.shape)
    odds = np.log1p(-_SHARES)[share] + near[tau].T - (np.log(_SHARES)[share] + apart[:, None])  # (pair, draw)
    return rng.random(odds.shape) < expit(odds), _NEAR[tau]


def _moments(rates: Iterable[Array32]) -> tuple[Array, Array]:
    """Mean and deviation of δ over draws, shape (pair, time), from the win rates (time, draw) of each pair."""
    angles = (np.arcsin(np.sqrt(each)) - np.pi / 4 for each in rates)
    moments = np.array([(each.mean(axis=1), each.std(axis=1)) for each in angles], dtype=np.float64)
    return moments[:, 0], np.maximum(moments[:, 1], 1e-6)


def _log_density(mean: Array, deviation: Array, tau: float) -> Array:
    """Log-density of each pair's mean, N(0, τ² + s²), averaged over times."""
    variance = tau**2 + deviation**2
    density: Array = (-0.5 * np.log(variance) - 0.5 * mean**2 / variance).mean(axis=1)
    return density
