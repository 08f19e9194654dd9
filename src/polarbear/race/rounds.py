"""The record of a race: what each round ran and decided, in plain values that can be stored and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["fresh", "catch-up", "review"]


@dataclass(frozen=True)
class Eliminated:
    """One elimination.

    Attributes
    ----------
    name, by
        The loser, and the candidate that beats it.
    probability
        That it does: at all times at once, or at the least certain time under pointwise elimination.
    round
        Number of the round that decided it.
    instances, cost
        How many instances the race had used by then, and what all its runs together had cost, in the race's unit of time.
    error_bound
        Upper bound on the probability that this elimination is wrong, whatever the model, see `pb.evidence`. It
        holds for all eliminations of the race at once. None in race files written before it was computed.
    """

    name: str
    by: str
    probability: float
    round: int
    instances: int
    cost: float
    error_bound: float | None = None


@dataclass(frozen=True)
class Round:
    """One round.

    Attributes
    ----------
    number
        From 1.
    kind
        "fresh": new instances. "catch-up": an added algorithm ran on known instances. "review": nothing was run, what was
        known was judged again.
    instances
        Indices of the instances of this round.
    until
        Who ran, and until when.
    cost
        What the round's runs cost, in the race's unit of time.
    reliable, message
        Whether the posterior could be trusted, and what its diagnostics say. If not, nothing was decided.
    eliminated
        Who went out.
    threat
        For every algorithm the largest probability with which a candidate dominates it.
    open
        The pairs that are not decided, with the positions of the grid's times at which they are not.
    resolved_share
        Share of all (time, pair) that are decided, eliminated algorithms' pairs among them.
    next_size
        How many instances the next round takes.
    """

    number: int
    kind: Kind
    instances: tuple[int, ...]
    until: tuple[tuple[str, float], ...]
    cost: float
    reliable: bool
    message: str
    eliminated: tuple[Eliminated, ...]
    threat: tuple[tuple[str, float], ...]
    open: tuple[tuple[str, str, tuple[int, ...]], ...]
    resolved_share: float
    next_size: int
