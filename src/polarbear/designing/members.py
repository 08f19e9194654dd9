"""Compare the members of a Pareto set with each other: the mean win rate of each against the others, over time.

A decision map chooses by the win rate against the strongest rival instead, so that the two may differ. First places are no
criterion for a design: near copies share them, and one of many good configurations comes first less often than a single odd
one.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.observe import Grid
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import RaceOutcome


@dataclass(frozen=True, eq=False)
class Members:
    """The members of a Pareto set, compared with each other.

    Attributes
    ----------
    grid, names
        The budgets, and the members.
    win_rate
        The expected mean win rate of each member against the others, shape (budget, member).
    probability_best
        The probability that no other member has a higher mean win rate, shape (budget, member). Members that were not
        observed at a budget have probability zero.
    """

    grid: Grid
    names: tuple[str, ...]
    win_rate: Array
    probability_best: Array

    @property
    def best(self) -> list[str]:
        """The member with the highest expected win rate at each budget."""
        return [self.names[place] for place in self.win_rate.argmax(axis=1)]


def compare_members(result: RaceOutcome) -> Members:
    """Return the comparison of the candidates of a race that have run on at least one batch of instances.

    A limit may stop a race while newcomers have run on fewer. A single win would then make one of them the best choice, so
    these count only if there is no other candidate.
    """
    posterior: Posterior = result.posterior
    ran = [name for name in result.kept if name in posterior.names]
    counts = Counter(name for name, _ in result.state.observations.runs)
    enough = min(result.state.settings.batch.first, result.instances)
    names = tuple(name for name in ran if counts[name] >= enough) or tuple(ran)
    columns = [posterior.names.index(name) for name in names]
    totals = np.zeros((len(names), len(posterior.grid), posterior.draws))  # (member, budget, draw)
    for i, a in enumerate(columns):
        for j, b in enumerate(columns[:i]):
            rates = posterior.win_rates(a, b)
            totals[i] += rates
            totals[j] += 1 - rates
    rates = totals / max(len(names) - 1, 1) if len(names) > 1 else totals + 1.0
    rates[~posterior.observed[:, columns].T] = -1.0  # never the best
    highest = rates == rates.max(axis=0)
    shares = (highest / highest.sum(axis=0)).mean(axis=2).T  # draws with several best members count in part for each
    return Members(posterior.grid, names, rates.mean(axis=2).T, shares)
