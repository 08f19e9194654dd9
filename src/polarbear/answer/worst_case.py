"""How much a fixed choice can lose: the budget at which a kept rival may win most, and the smallest set that avoids it.

Let q_ra(t) be the 0.8 quantile, under the posterior, of the win rate of rival r over algorithm a at budget t. The exposure
of a at t is max_r q_ra(t). The worst case of a set S is max_t min_{a in S} of these exposures: at each budget, the set uses
its best member. The quantile is 0.8, since the true worst case would exceed an expected win rate half of the time.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Indices
    from polarbear.posterior.posterior import Posterior

_QUANTILE = 0.8
_MOST_SETS = 100_000  # that are all tried: those of four of 40 algorithms
_LARGEST_SEARCHED = 4  # algorithms up to which all sets are tried; larger ones grow one algorithm at a time


@dataclass(frozen=True)
class WorstCase:
    """The budget at which a fixed choice can lose most.

    Attributes
    ----------
    names
        The algorithm, or the set of algorithms of which the best for the budget is used.
    budget, rival
        Where a rival may win most, and which rival: against the best member there.
    wins
        The share of instances on which it may win there: the 0.8 quantile of its win rate, ties counted as half.
    suffices
        Whether the set meets the tolerance that was asked for; see `simplest_set`.
    """

    names: tuple[str, ...]
    budget: float
    rival: str
    wins: float
    suffices: bool = True


@dataclass(frozen=True, eq=False)
class Exposures:
    """The exposure of each kept algorithm at each budget, and the rival that causes it, shape (budget, algorithm)."""

    names: tuple[str, ...]
    budgets: Array
    wins: Array
    rival: Indices

    def of(self, columns: Sequence[int]) -> WorstCase:
        """Return the worst case of a set of algorithms."""
        inside = self.wins[:, list(columns)]
        best = inside.argmin(axis=1)
        place = int(inside.min(axis=1).argmax())
        member = columns[int(best[place])]
        return WorstCase(
            names=tuple(self.names[column] for column in columns),
            budget=float(self.budgets[place]),
            rival=self.names[int(self.rival[place, member])],
            wins=float(inside[place].min()),
        )

    def best_set(self, size: int) -> WorstCase:
        """Return the worst case of the set of this size whose worst case is least.

        If there are too many sets to try them all, one algorithm is added to the best smaller set.
        """
        if comb(len(self.names), size) <= _MOST_SETS:
            sets = np.array(list(combinations(range(len(self.names)), size)))
        else:
            smaller = [self.names.index(name) for name in self.best_set(size - 1).names]
            sets = np.array([sorted([*smaller, column]) for column in range(len(self.names)) if column not in smaller])
        worst = self.wins[:, sets].min(axis=2).max(axis=0)
        return self.of([int(column) for column in sets[int(worst.argmin())]])


def exposures(posterior: Posterior, names: Sequence[str]) -> Exposures:
    """Return by how much rivals among the kept algorithms may beat each of them at each budget.

    A pair that was not compared at a budget exposes neither of its algorithms there.
    """
    columns = [posterior.names.index(name) for name in names]
    wins = np.full((len(posterior.grid), len(columns), len(columns)), 0.5)  # (budget, algorithm, rival)
    for a, b in combinations(range(len(columns)), 2):
        rates = posterior.win_rates(columns[a], columns[b])
        low, high = np.quantile(rates, [1 - _QUANTILE, _QUANTILE], axis=1)
        compared = posterior.observed_pairs[:, columns[a], columns[b]]
        wins[:, b, a], wins[:, a, b] = np.where(compared, high, 0.5), np.where(compared, 1 - low, 0.5)
    rival = wins.argmax(axis=2)
    return Exposures(tuple(names), posterior.grid.budgets, wins.max(axis=2), rival)


def simplest_set(found: Exposures, single: str, *, tolerance: float) -> WorstCase:
    """Return the smallest set against which no kept rival wins on more than 50 % + tolerance of instances at any budget.

    It is the algorithm `single` alone, marked as not sufficient, if no set is shown to suffice.
    """
    covers = found.wins <= 0.5 + tolerance  # (budget, algorithm)
    if not covers.any(axis=1).all():
        alone = found.of([found.names.index(single)])
        return WorstCase(alone.names, alone.budget, alone.rival, alone.wins, suffices=False)
    if covers[:, found.names.index(single)].all():
        return found.of([found.names.index(single)])
    for size in range(1, min(_LARGEST_SEARCHED, len(found.names)) + 1):
        best = found.best_set(size)
        if best.wins <= 0.5 + tolerance:
            return best
    chosen: list[int] = []
    while not covers[:, chosen].any(axis=1).all():
        missing = ~covers[:, chosen].any(axis=1)
        chosen.append(int(covers[missing].sum(axis=0).argmax()))
    return found.of(sorted(chosen))
