"""Relations between algorithms under the posterior (the paper's "Confidence-Based Relations").

All are shares of posterior draws. In every matrix the row is compared with the column, and the diagonal is zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]


def dominance(posterior: Posterior) -> Array:
    """P(θ_A(t) > θ_B(t)) for row A and column B, shape (time, algorithm, algorithm).

    Off the diagonal, P(A beats B) + P(B beats A) = 1.
    """
    return _pairwise(posterior, np.greater)


def win_probability(posterior: Posterior) -> Array:
    """Expected probability that the row beats the column on a new instance, E[θ_A / (θ_A + θ_B)], by time."""
    return _pairwise(posterior, _wins)


def equivalence(posterior: Posterior, *, rope: float = 0.05) -> Array:
    """P(|θ_A / (θ_A + θ_B) − ½| ≤ rope), shape (time, algorithm, algorithm).

    Parameters
    ----------
    posterior
        The belief.
    rope
        ε, half the width of the region of practical equivalence of the pairwise win probability around one half.
    """
    if not 0 <= rope < 0.5:
        raise ValueError(f"rope must lie in [0, 0.5), got {rope!r}")
    ratio = (0.5 + rope) / (
        0.5 - rope
    )  # |θ_A / (θ_A + θ_B) − ½| ≤ ε says that neither exceeds the other by this factor
    return _pairwise(posterior, lambda row, column: (row <= ratio * column) & (column <= ratio * row))


def anytime_dominance(posterior: Posterior) -> Array:
    """P(θ_A(t) > θ_B(t) at every t), shape (algorithm, algorithm); needs a temporal prior."""
    posterior.require_joint("anytime dominance")
    ratings, n = _by_algorithm(posterior), len(posterior.names)
    return np.array([[(ratings[a] > ratings[b]).all(axis=0).mean() for b in range(n)] for a in range(n)])


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
    ratings, n = _by_algorithm(posterior), len(posterior.names)
    beaten = [np.any([(ratings[b] > ratings[a]).all(axis=0) for b in range(n)], axis=0) for a in range(n)]
    inside: Array = 1 - np.mean(beaten, axis=1)
    return inside


def _wins(row: Array, column: Array) -> Array:
    """Win probabilities θ_A / (θ_A + θ_B); one half where both ratings are zero to rounding, and nothing is known."""
    total = row + column
    return np.divide(row, total, out=np.full_like(total, 0.5), where=total > 0)


def _by_algorithm(posterior: Posterior) -> Array:
    """The draws of each algorithm side by side, shape (algorithm, time, draw)."""
    return np.ascontiguousarray(posterior.ratings.transpose(2, 1, 0))


def _pairwise(posterior: Posterior, compare: Callable[[Array, Array], NDArray[np.generic]]) -> Array:
    """Average a comparison of the row's draws (time, draw) with the column's over the draws; pair by pair to save memory."""
    ratings = _by_algorithm(posterior)
    n, times, draws = ratings.shape
    result = np.zeros((times, n, n))
    for a in range(n):
        for b in range(n):
            if a != b:
                compared = compare(ratings[a], ratings[b])
                # Counting what is true in one row is ten times faster than adding up truth values along an axis.
                counted = compared.dtype == np.bool_
                result[:, a, b] = [np.count_nonzero(row) for row in compared] if counted else compared.sum(axis=1)
    result /= draws
    return result
