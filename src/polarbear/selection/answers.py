"""The answer at each budget of the grid: the leader and its probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polarbear.posterior.probability_best import probability_best
from polarbear.selection.criterion import StrongestRival, default_criterion

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices, Mask
    from polarbear.observe import Grid
    from polarbear.posterior.posterior import Posterior

SURE_ENOUGH = 0.8  # probability of being the best choice below which advice reads "unclear"
NO_LEADER = -1  # instead of the column of a leader

Kind = Literal["leader", "unclear", "only one observed", "not observed"]


@dataclass(frozen=True, eq=False)
class Answers:
    """The answers at the budgets of a grid.

    Attributes
    ----------
    grid
        The budgets.
    leaders
        The column of the leader at each budget, −1 without one.
    probability
        The probability that each candidate is the best choice, shape (budget, candidate); zero where it was not observed.
    leading
        The probability that each candidate is the best choice at one budget or more, shape (candidate,); see `DecisionMap`.
    observed
        Whether each candidate was observed, shape (budget, candidate).
    """

    grid: Grid
    leaders: Indices
    probability: Array
    leading: Array
    observed: Mask

    def at(self, place: int) -> tuple[Kind, int]:
        """Return the answer at a position, and the leader if it is sure enough."""
        leader, probability, observed = int(self.leaders[place]), self.probability[place], self.observed[place]
        if leader == NO_LEADER:
            return "not observed", NO_LEADER
        if len(observed) > 1 and observed.sum() == 1:
            return "only one observed", leader
        return ("leader", leader) if probability[leader] >= SURE_ENOUGH else ("unclear", NO_LEADER)


def find_answers(posterior: Posterior, columns: Indices) -> Answers:
    """Return the answers on the grid of a posterior, among the candidates in these columns."""
    criterion = default_criterion(posterior)
    observed, curves = posterior.observed[:, columns], criterion.curves(posterior, columns)
    leaders, probability = np.full(len(posterior.grid), NO_LEADER), np.zeros(observed.shape)
    leads = np.zeros((posterior.draws, len(columns)), dtype=bool)
    for t, row in enumerate(observed):
        known = np.flatnonzero(row)
        if not known.size:
            continue
        values = curves[:, t][:, known]
        probability[t, known] = probability_best(values)
        means = values.mean(axis=0)
        # As in `select`: the most probable best choice, or the highest expected rating under the paper's priors.
        first = probability[t, known] if isinstance(criterion, StrongestRival) else means
        leaders[t] = known[np.lexsort((-means, -first))[0]]
        if known.size > 1 or len(columns) == 1:  # where its competitors were not observed, an algorithm does not lead
            leads[:, known] |= values == values.max(axis=1, keepdims=True)
    leading = leads.mean(axis=0) if posterior.joint else probability.max(axis=0)
    return Answers(posterior.grid, leaders, probability, leading, observed)
