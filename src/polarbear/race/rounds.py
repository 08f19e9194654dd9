"""The record of a race: the runs and decisions of each round, as plain values that can be stored and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["fresh", "catch-up", "rerun", "review"]


@dataclass(frozen=True)
class Eliminated:
    """The record of one drop.

    Attributes
    ----------
    name, by
        The dropped algorithm, and the candidate that beats it.
    probability
        The probability that `by` beats `name`: at all budgets at once ("joint"), or at the least certain budget
        ("pointwise").
    round
        The number of the round that decided it.
    instances, cost
        The number of instances that the race had used by then, and the cost of all its runs, in the race's unit of
        budgets.
    error_bound
        Model-free upper bound on the probability that this drop is wrong, see `pb.evidence`. It holds for all
        drops of the race at once. None in race files of versions that do not compute it.
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
    """The record of one round.

    Attributes
    ----------
    number
        The number of the round, from 1.
    kind
        "fresh": candidates ran on new instances. "catch-up": an algorithm that joined later ran on known instances.
        "rerun": failed runs were made again. "review": nothing ran, and the existing data were analysed again.
    instances
        The indices of the instances of this round.
    budgets
        The algorithms that ran, each with its budget.
    cost
        The cost of the round's runs, in the race's unit of budgets.
    reliable, message
        Whether the posterior is reliable, and the message of its diagnostics. If it is not, the round decided nothing.
    eliminated
        The drops of this round.
    returned
        The algorithms that earlier rounds dropped and that are candidates again: no candidate probably beats them at
        every budget any more.
    threat
        For every algorithm the largest probability with which a candidate dominates it.
    open
        The undecided pairs, each with the positions in the grid of its undecided budgets.
    resolved_share
        The share of all (budget, pair) that are decided, including pairs with dropped algorithms.
    next_size
        The number of instances of the next round.
    left
        The pairs in `open` that are left undecided, see `Settings.patience`, each with the positions of these budgets.
    """

    number: int
    kind: Kind
    instances: tuple[int, ...]
    budgets: tuple[tuple[str, float], ...]
    cost: float
    reliable: bool
    message: str
    eliminated: tuple[Eliminated, ...]
    threat: tuple[tuple[str, float], ...]
    open: tuple[tuple[str, str, tuple[int, ...]], ...]
    resolved_share: float
    next_size: int
    left: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    returned: tuple[str, ...] = ()
