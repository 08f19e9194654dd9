"""Elimination (the paper's "Design Choices"): who is confidently beaten at every time, by whom, and who is left."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from polarbear.relations import anytime_dominance, dominance

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from polarbear.posterior import Posterior

Elimination = Literal["joint", "pointwise"]


@dataclass(frozen=True)
class Dominated:
    """One algorithm that another one confidently dominates.

    Attributes
    ----------
    name, by
        The loser, and the algorithm that beats it.
    probability
        That `by` beats it at every time ("joint"), or at the time where this is least certain ("pointwise").
    """

    name: str
    by: str
    probability: float


def threats(
    posterior: Posterior, *, elimination: Elimination, beats: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """The probability that counts when the row would eliminate the column, shape (algorithm, algorithm).

    `beats` is `dominance(posterior)`, where it is there already.
    """
    if elimination not in get_args(Elimination):
        raise ValueError(f"elimination must be 'joint' or 'pointwise', got {elimination!r}")
    if elimination == "joint":
        # Who never beats another at one of the times does not do so at all times.
        return anytime_dominance(posterior, where=True if beats is None else beats.min(axis=0) > 0)
    everywhere: NDArray[np.float64] = (dominance(posterior) if beats is None else beats).min(axis=0)
    return everywhere


def dominated(
    posterior: Posterior,
    *,
    confidence: float = 0.99,
    elimination: Elimination = "joint",
    among: Collection[str] | None = None,
) -> tuple[Dominated, ...]:
    """The algorithms that another one confidently dominates, the most certain first.

    An algorithm is eliminated only by one that is itself not eliminated at that moment, so that at least one is left.

    Parameters
    ----------
    posterior
        The belief.
    confidence
        α, the probability from which dominance counts as decided.
    elimination
        "joint": beaten at all times at once with that probability, which needs a temporal prior. "pointwise": beaten by
        one other algorithm at each time with that probability.
    among
        Only these algorithms may be eliminated or eliminate; all by default.

    Returns
    -------
    tuple of Dominated
    """
    if not 0.5 < confidence <= 1:
        raise ValueError(f"confidence must lie in (0.5, 1], got {confidence!r}")
    threat = threats(posterior, elimination=elimination)
    return successively(posterior, threat, confidence=confidence, among=posterior.names if among is None else among)


def successively(
    posterior: Posterior, threat: NDArray[np.float64], *, confidence: float, among: Collection[str]
) -> tuple[Dominated, ...]:
    """Eliminate one after the other, given what counts against each (`threats`)."""
    names = posterior.names
    inside = np.array([name in among for name in names])
    strength = posterior.ratings.mean(axis=(0, 1))
    found = []
    while inside.any():
        considered = np.where(inside[:, None] & inside, threat, 0.0)
        largest = considered.max(axis=0)
        loser = max(np.flatnonzero(inside), key=lambda a: (largest[a], -strength[a]))
        if largest[loser] < confidence:
            break
        inside[loser] = False
        found.append(Dominated(names[loser], names[int(considered[:, loser].argmax())], float(largest[loser])))
    return tuple(found)


def pareto_set(
    posterior: Posterior, *, confidence: float = 0.99, elimination: Elimination = "joint"
) -> tuple[str, ...]:
    """The algorithms that no other one confidently dominates, in the posterior's order; see `dominated`."""
    out = {each.name for each in dominated(posterior, confidence=confidence, elimination=elimination)}
    return tuple(name for name in posterior.names if name not in out)
