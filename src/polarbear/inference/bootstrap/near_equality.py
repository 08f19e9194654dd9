"""Near-equality: how far apart algorithms lie, learnt from all pairs, and by how much each pair is shrunk.

A bootstrap has no opinion on how large differences are, so that among near-equal algorithms it takes noise for a difference.
On the scale δ = arcsin √w − π/4 of a pair's win rate w, with mean m(t) and deviation s(t) of its draws, the prior is a
mixture: with probability 1 − ψ the two are nearly equal, δ ~ N(0, τ²), and with probability ψ they are not, and nothing is
shrunk (adaptive shrinkage, Stephens 2017, with a component that leaves large differences alone). τ and ψ are common to all
pairs, unknown, and integrated over a lattice, so that few algorithms give little confidence in near-equality.

The density of a pair is averaged over times, since times are correlated, and the n (n − 1) / 2 pairs count as n − 1, since
they are differences of n algorithms.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.outcome_draws import OutcomeDraws

    Array = NDArray[np.float64]

_NEAR = np.geomspace(0.015, 0.2, 8)  # τ: win rates within 1.5 to 20 points of one half
_APART = 0.4  # deviation of δ among algorithms that differ: win rates from one tenth to nine tenths
_SHARES = np.array([0.05, 0.25, 0.5, 0.75, 0.95])  # ψ, equally likely
_ENOUGH_DRAWS = 500  # for means and deviations


def draw_spreads(draws: OutcomeDraws, *, rng: np.random.Generator) -> NDArray[np.float16]:
    """τ of each pair and draw, shape (pair, draw); infinity where the pair is not nearly equal in that draw."""
    mean, deviation = _moments(draws)
    near = np.stack([_log_density(mean, deviation, tau) for tau in _NEAR])  # (τ, pair)
    apart = _log_density(mean, deviation, _APART)
    pairs = np.logaddexp(np.log1p(-_SHARES)[:, None, None] + near, (np.log(_SHARES)[:, None] + apart)[:, None])
    evidence = 2 / draws.algorithms * pairs.sum(axis=2)  # (ψ, τ)
    probability = np.exp(evidence - evidence.max())
    chosen = rng.choice(probability.size, draws.weights.shape[1], p=(probability / probability.sum()).ravel())
    share, tau = np.unravel_index(chosen, probability.shape)
    odds = np.log1p(-_SHARES)[share] + near[tau].T - (np.log(_SHARES)[share] + apart[:, None])  # (pair, draw)
    is_near = rng.random(odds.shape) < 1 / (1 + np.exp(-odds))
    return np.where(is_near, _NEAR[tau], np.inf).astype(np.float16)


def _moments(draws: OutcomeDraws) -> tuple[Array, Array]:
    """Mean and deviation of δ over draws, shape (pair, time)."""
    some = draws.thinned(np.arange(min(_ENOUGH_DRAWS, draws.weights.shape[1])))
    pairs = zip(*np.triu_indices(draws.algorithms, 1), strict=True)
    angles = [np.arcsin(np.sqrt(some.unshrunk(int(a), int(b)))) - np.pi / 4 for a, b in pairs]
    mean, deviation = (np.array([function(each, axis=1) for each in angles]) for function in (np.mean, np.std))
    return mean.astype(np.float64), np.maximum(deviation.astype(np.float64), 1e-6)


def _log_density(mean: Array, deviation: Array, tau: float) -> Array:
    """Log-density of each pair's mean, N(0, τ² + s²), averaged over times."""
    variance = tau**2 + deviation**2
    density: Array = (-0.5 * np.log(variance) - 0.5 * mean**2 / variance).mean(axis=1)
    return density
