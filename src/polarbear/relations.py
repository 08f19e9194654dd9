"""Relations between algorithms under the posterior (the paper's "Confidence-Based Relations").

All are shares of posterior draws. In every matrix the row is compared with the column, and the diagonal is zero.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]

Elimination = Literal["joint", "pointwise"]


def dominance(posterior: Posterior) -> Array:
    """P(θ_A(t) > θ_B(t)) for row A and column B, shape (time, algorithm, algorithm).

    Off the diagonal, P(A beats B) + P(B beats A) = 1.
    """
    return _pairwise(posterior, lambda row, others: (row > others).mean(axis=0))


def win_probability(posterior: Posterior) -> Array:
    """Expected probability that the row beats the column on a new instance, E[θ_A / (θ_A + θ_B)], by time."""
    return _pairwise(posterior, lambda row, others: _wins(row, others).mean(axis=0))


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
    return _pairwise(posterior, lambda row, others: (np.abs(_wins(row, others) - 0.5) <= rope).mean(axis=0))


def anytime_dominance(posterior: Posterior) -> Array:
    """P(θ_A(t) > θ_B(t) at every t), shape (algorithm, algorithm); needs a temporal prior."""
    posterior.require_joint("anytime dominance")
    probability: Array = _everywhere(posterior).mean(axis=0)
    return probability


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
    dominated: Array = _everywhere(posterior).any(axis=1).mean(axis=0)
    return 1 - dominated


def pareto_set(
    posterior: Posterior, *, confidence: float = 0.99, elimination: Elimination = "joint"
) -> tuple[str, ...]:
    """The algorithms that no other one confidently dominates.

    The most certainly dominated one goes first, and an algorithm is eliminated only by one that is still in the set.

    Parameters
    ----------
    posterior
        The belief.
    confidence
        α, the probability from which dominance counts as decided.
    elimination
        "joint": beaten at all times at once with that probability, which needs a temporal prior. "pointwise": beaten by
        one other algorithm at each time with that probability.

    Returns
    -------
    tuple of str
        Names, in the posterior's order.
    """
    if not 0.5 < confidence <= 1:
        raise ValueError(f"confidence must lie in (0.5, 1], got {confidence!r}")
    if elimination not in get_args(Elimination):
        raise ValueError(f"elimination must be 'joint' or 'pointwise', got {elimination!r}")
    # Pointwise, what counts is the time at which the row is least certain to beat the column.
    beats = anytime_dominance(posterior) if elimination == "joint" else dominance(posterior).min(axis=0)
    inside = np.ones(len(posterior.names), dtype=bool)
    strength = posterior.ratings.mean(axis=(0, 1))
    while True:
        threat = np.where(inside[:, None] & inside, beats, 0.0).max(axis=0)
        loser = max(np.flatnonzero(inside), key=lambda a: (threat[a], -strength[a]))
        if threat[loser] < confidence:
            break
        inside[loser] = False
    return tuple(name for name, here in zip(posterior.names, inside, strict=True) if here)


def _wins(row: Array, others: Array) -> Array:
    """Win probabilities θ_A / (θ_A + θ_B); one half where both ratings are zero to rounding, and nothing is known."""
    total = row + others
    return np.divide(row, total, out=np.full_like(total, 0.5), where=total > 0)


def _everywhere(posterior: Posterior) -> NDArray[np.bool_]:
    """Whether the row beats the column at every time, by draw; shape (draw, algorithm, algorithm)."""
    ratings = posterior.ratings
    return np.stack([(row[..., None] > ratings).all(axis=1) for row in np.moveaxis(ratings, -1, 0)], axis=1)


def _pairwise(posterior: Posterior, compare: Callable[[Array, Array], Array]) -> Array:
    """Compare each algorithm's draws (draw, time, 1) with everybody's; one row at a time bounds the memory."""
    ratings = posterior.ratings
    result = np.stack([compare(ratings[..., [a]], ratings) for a in range(len(posterior.names))], axis=1)
    diagonal = np.arange(len(posterior.names))
    result[:, diagonal, diagonal] = 0.0
    return result
