"""Relations between algorithms under the posterior (the paper's "Confidence-Based Relations").

All are shares of posterior draws. In every matrix the row is compared with the column, and the diagonal is zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]


def dominance(posterior: Posterior, *, where: ArrayLike = True) -> Array:
    """P(θ_A(t) > θ_B(t)) for row A and column B, shape (time, algorithm, algorithm).

    Off the diagonal, P(A beats B) + P(B beats A) = 1.

    Parameters
    ----------
    posterior
        The belief.
    where
        Which of them are wanted, as NumPy has it: anything that broadcasts to the result's shape. The others are zero.
    """
    return _shares(posterior, where, lambda row, column: np.count_nonzero(row > column))


def win_probability(posterior: Posterior) -> Array:
    """Expected probability that the row beats the column on a new instance, E[θ_A / (θ_A + θ_B)], by time."""
    return _shares(posterior, True, lambda row, column: _wins(row, column).sum())


def equivalence(posterior: Posterior, *, rope: float = 0.05, where: ArrayLike = True) -> Array:
    """P(|θ_A / (θ_A + θ_B) − ½| ≤ rope), shape (time, algorithm, algorithm).

    Parameters
    ----------
    posterior
        The belief.
    rope
        ε, half the width of the region of practical equivalence of the pairwise win probability around one half.
    where
        Which of them are wanted, see `dominance`.
    """
    if not 0 <= rope < 0.5:
        raise ValueError(f"rope must lie in [0, 0.5), got {rope!r}")
    # |θ_A / (θ_A + θ_B) − ½| ≤ ε says that neither exceeds the other by this factor.
    ratio = (0.5 + rope) / (0.5 - rope)
    return _shares(
        posterior, where, lambda row, column: np.count_nonzero((row <= ratio * column) & (column <= ratio * row))
    )


def anytime_dominance(posterior: Posterior, *, where: ArrayLike = True) -> Array:
    """P(θ_A(t) > θ_B(t) at every t), shape (algorithm, algorithm); needs a temporal prior. `where`: see `dominance`."""
    posterior.require_joint("anytime dominance")
    ratings, n = _by_time(posterior), len(posterior.names)
    result = np.zeros((n, n))
    for a, b in np.argwhere(np.broadcast_to(where, result.shape)):
        result[a, b] = np.count_nonzero((ratings[:, a] > ratings[:, b]).all(axis=0))
    result /= len(posterior.ratings)
    return result


def crossing(posterior: Posterior) -> Array:
    """P(neither beats the other at every t), shape (algorithm, algorithm); needs a temporal prior."""
    posterior.require_joint("crossing")
    dominated = anytime_dominance(posterior)
    result = 1 - (dominated + dominated.T)
    np.fill_diagonal(result, 0.0)
    return np.clip(result, 0.0, 1.0)


def pareto_probability(posterior: Posterior) -> Array:
    """P(no other algorithm beats it at every t), for each algorithm; needs a temporal prior."""
    posterior.require_joint("membership in the Pareto set")
    ratings, n = _by_time(posterior), len(posterior.names)
    beaten = [np.any([(ratings[:, b] > ratings[:, a]).all(axis=0) for b in range(n)], axis=0) for a in range(n)]
    inside: Array = 1 - np.mean(beaten, axis=1)
    return inside


def _wins(row: Array, column: Array) -> Array:
    """Win probabilities θ_A / (θ_A + θ_B); one half where both ratings are zero to rounding, and nothing is known."""
    total = row + column
    return np.divide(row, total, out=np.full_like(total, 0.5), where=total > 0)


def _by_time(posterior: Posterior) -> Array:
    """The draws side by side, shape (time, algorithm, draw)."""
    return np.ascontiguousarray(posterior.ratings.transpose(1, 2, 0))


def _shares(posterior: Posterior, where: ArrayLike, count: Callable[[Array, Array], Any]) -> Array:
    """What a count over the row's and the column's draws at a time says, as a share of the draws; off the diagonal.

    One cell after the other: its draws stay in cache, and counting what is true in one row is ten times faster than adding
    up truth values along an axis.
    """
    ratings = _by_time(posterior)
    times, n, draws = ratings.shape
    result = np.zeros((times, n, n))
    for t, a, b in np.argwhere(np.broadcast_to(where, result.shape) & ~np.eye(n, dtype=bool)):
        result[t, a, b] = count(ratings[t, a], ratings[t, b])
    result /= draws
    return result
