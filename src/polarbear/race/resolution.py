"""Resolution (the paper's "Design Choices"): at which times each pair of algorithms is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.relations import dominance, equivalence

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polarbear.posterior.posterior import Posterior
    from polarbear.race.settings import Resolution


def resolved_pairs(
    posterior: Posterior,
    *,
    resolution: Resolution,
    confidence: float,
    rope: float,
    beats: NDArray[np.float64] | None = None,
    pairs: ArrayLike = True,
) -> NDArray[np.bool_]:
    """C(t, {A, B}) under one posterior, shape (time, algorithm, algorithm), symmetric with a true diagonal.

    Strict: one dominates at t, or both are equivalent at t. Crossing and membership: also at every t, if A dominates or
    equals B somewhere, B dominates or equals A somewhere, and at least one of the two is dominance.

    Parameters
    ----------
    posterior
        The belief.
    resolution, confidence, rope
        See `Settings`.
    beats
        `dominance(posterior)`, where it is there already.
    pairs
        Which pairs matter, shape (algorithm, algorithm); the others are not looked at for equivalence.
    """
    better = (dominance(posterior) if beats is None else beats) >= confidence
    decided = better | better.transpose(0, 2, 1)
    # Dominance takes precedence where a pair is both, as it can be within the region of equivalence.
    once = (
        equivalence(posterior, rope=rope, where=np.triu(np.logical_and(pairs, ~decided))) >= confidence
    )  # it is symmetric
    equal = once | once.transpose(0, 2, 1)
    resolved = decided | equal
    if resolution != "strict":
        once_better, once_equal = better.any(axis=0), equal.any(axis=0)
        crossing = (once_better & once_better.T) | ((once_better | once_better.T) & once_equal)
        resolved |= crossing
    diagonal = np.arange(len(posterior.names))
    resolved[:, diagonal, diagonal] = True
    return resolved
