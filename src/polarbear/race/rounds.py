"""The record of a race: the runs and decisions of each round, as plain values that can be stored and compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from polarbear.posterior.elimination import Drop

Kind = Literal["fresh", "catch-up", "rerun", "review"]


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
    dropped
        The drops of this round.
    returned
        The algorithms that earlier rounds dropped and that are candidates again: no candidate probably beats them at
        every budget any more.
    threat
        For every algorithm the largest probability with which a candidate dominates it.
    open
        The undecided pairs, each with the positions in the grid of its undecided budgets.
    decided_share
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
    dropped: tuple[Drop, ...]
    threat: tuple[tuple[str, float], ...]
    open: tuple[tuple[str, str, tuple[int, ...]], ...]
    decided_share: float
    next_size: int
    left: tuple[tuple[str, str, tuple[int, ...]], ...] = ()
    returned: tuple[str, ...] = ()
