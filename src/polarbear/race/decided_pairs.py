"""Resolution (the paper's "Design Choices"): determine at which budgets each pair of algorithms is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.relations import dominance, equivalence

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Mask
    from polarbear.literals import Until
    from polarbear.posterior.posterior import Posterior


def decided_pairs(
    posterior: Posterior,
    *,
    until: Until,
    confidence: float,
    margin: float,
    beats: Array | None = None,
    pairs: ArrayLike = True,
) -> Mask:
    """Return C(t, {A, B}), whether each pair is decided at t, shape (budget, algorithm, algorithm).

    The result is symmetric with a true diagonal. With "every-budget" a pair is decided at t if one beats the other or both
    are equivalent at t. With "pairs" and "set" a pair is also decided at every t if A beats or equals B at some budget, B
    beats or equals A at some budget, and at least one of the two relations is "beats".

    Parameters
    ----------
    posterior
        The posterior.
    until, confidence, margin
        See `Settings`.
    beats
        `dominance(posterior)`, if it has been computed already.
    pairs
        The pairs that matter, shape (algorithm, algorithm); equivalence of the others is not computed.
    """
    better = (dominance(posterior) if beats is None else beats) >= confidence
    decided = better | better.transpose(0, 2, 1)
    # Beating takes precedence if both hold, which is possible within the margin.
    undecided = np.triu(np.logical_and(pairs, ~decided))  # equivalence is symmetric: the upper triangle is enough
    once = equivalence(posterior, margin=margin, where=undecided, at_least=confidence) >= confidence
    equal = once | once.transpose(0, 2, 1)
    decided = decided | equal
    if until != "every-budget":
        once_better, once_equal = better.any(axis=0), equal.any(axis=0)
        crossing = (once_better & once_better.T) | ((once_better | once_better.T) & once_equal)
        decided |= crossing
    diagonal = np.arange(len(posterior.names))
    decided[:, diagonal, diagonal] = True
    return decided
