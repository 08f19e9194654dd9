"""The answer at each budget: the leader and its probability, on the grid and where the answer changes between grid times.

Between grid times, ratings are interpolated on the axis of the grid, draw by draw, as `select` does for a known budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polarbear.observe import Grid
from polarbear.posterior.probability_best import probability_best

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices, Mask
    from polarbear.posterior.posterior import Posterior

SURE_ENOUGH = 0.8  # probability of being the best choice below which advice reads "too close to call"
NO_LEADER = -1  # instead of the column of a leader
_HALVINGS = 12  # of the interval between two grid times; a change is then known to three digits on all but coarse grids

Kind = Literal["leader", "too close to call", "only one observed", "not observed"]


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
        The probability that each candidate is the best choice, shape (time, candidate); zero where it was not observed.
    observed
        Whether each candidate was observed, shape (time, candidate).
    added
        Whether a budget was added between grid times, shape (time,).
    """

    grid: Grid
    leaders: Indices
    probability: Array
    observed: Mask
    added: Mask

    def at(self, place: int) -> tuple[Kind, int]:
        """Return the answer at a position, and the leader if it is sure enough."""
        return answer_at(int(self.leaders[place]), self.probability[place], self.observed[place])


def answer_at(leader: int, probability: Array, observed: Mask) -> tuple[Kind, int]:
    """Return the answer at one budget, and the leader if it is sure enough.

    Parameters
    ----------
    leader
        The column of the leader, −1 without one.
    probability, observed
        The probability of being best, and whether an algorithm was observed, shape (column,).
    """
    if leader == NO_LEADER:
        return "not observed", NO_LEADER
    if len(observed) > 1 and observed.sum() == 1:
        return "only one observed", leader
    return ("leader", leader) if probability[leader] >= SURE_ENOUGH else ("too close to call", NO_LEADER)


def find_answers(posterior: Posterior, columns: Indices) -> Answers:
    """Return the answers on the grid of a posterior, among the candidates in these columns."""
    observed = posterior.observed[:, columns]
    leaders, probability = np.full(len(posterior.grid), NO_LEADER), np.zeros(observed.shape)
    for t in range(len(posterior.grid)):  # the data of one time stay in cache
        leaders[t], probability[t] = _lead(posterior.ratings[:, t][:, columns], observed[t])
    return Answers(posterior.grid, leaders, probability, observed, np.zeros(len(leaders), dtype=bool))


def refine(answers: Answers, posterior: Posterior, columns: Indices) -> Answers:
    """Return the answers with further budgets that enclose each change of the answer between two grid times.

    Where the observed candidates change, no budget is added: nothing is known between.
    """
    grid, observed = answers.grid, answers.observed
    places, leaders, probability, known = [], [], [], []

    def add(place: float, leader: int, chances: Array, row: Mask) -> None:
        places.append(place)
        leaders.append(leader)
        probability.append(chances)
        known.append(row)

    def enclose(k: int, left: tuple[float, int, Array], right: tuple[float, int, Array], halvings: int) -> None:
        """Add budgets between two shares of the interval from grid time k to the next, until the answers there agree."""
        row = observed[k]
        same = answer_at(*left[1:], row) == answer_at(*right[1:], row)
        if same or not halvings:
            return
        share = (left[0] + right[0]) / 2
        values = (1 - share) * posterior.ratings[:, k][:, columns] + share * posterior.ratings[:, k + 1][:, columns]
        middle = (share, *_lead(values, row))
        enclose(k, left, middle, halvings - 1)
        add(k + share, *middle[1:], row)
        enclose(k, middle, right, halvings - 1)

    for k in range(len(grid)):
        here = (0.0, int(answers.leaders[k]), answers.probability[k])
        add(k, *here[1:], observed[k])
        if k + 1 < len(grid) and (observed[k] == observed[k + 1]).all():
            enclose(k, here, (1.0, int(answers.leaders[k + 1]), answers.probability[k + 1]), _HALVINGS)
    scale = np.log if grid.axis == "log" else np.asarray
    between = np.interp(places, np.arange(len(grid)), scale(grid.times))
    times = np.exp(between) if grid.axis == "log" else between
    added = ~np.isin(places, np.arange(len(grid)))
    times[~added] = grid.times  # exactly
    return Answers(Grid(times, grid.axis), np.array(leaders), np.array(probability), np.array(known), added)


def _lead(ratings: Array, observed: Mask) -> tuple[int, Array]:
    """Return the leader, and the probability that each candidate is the best choice, from ratings (draw, candidate)."""
    known, probability = np.flatnonzero(observed), np.zeros(len(observed))
    if not known.size:
        return NO_LEADER, probability
    probability[known] = probability_best(ratings[:, known])
    return int(known[ratings[:, known].mean(axis=0).argmax()]), probability
