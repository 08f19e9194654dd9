"""The answer at each budget: the leader and its probability, on the grid and where the answer changes between grid times.

Between grid times, ratings are interpolated on the axis of the grid, draw by draw, as `select` does for a known budget. An
interpolated rating is an average, in which errors of the two grid times partly cancel. Probabilities are therefore limited
to the highest one at these two, so that no answer is surer than both of theirs.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from polarbear.observe import Grid
from polarbear.posterior.probability_best import probability_best

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    on_grid = [_Point(k, int(answers.leaders[k]), answers.probability[k]) for k in range(len(grid))]
    points = on_grid[:1]
    for left, right in pairwise(on_grid):
        k = int(left.place)
        if (observed[k] == observed[k + 1]).all():
            ends = posterior.ratings[:, k][:, columns], posterior.ratings[:, k + 1][:, columns]
            most = float(max(left.probability.max(), right.probability.max()))
            points += _enclose(left, right, _Step(*ends, observed[k], most))
        points.append(right)
    places = np.array([each.place for each in points])
    on_axis = np.interp(places, np.arange(len(grid)), np.log(grid.times) if grid.axis == "log" else grid.times)
    times = np.exp(on_axis) if grid.axis == "log" else on_axis
    added = places % 1 > 0
    times[~added] = grid.times  # exactly
    return Answers(
        grid=Grid(times, grid.axis),
        leaders=np.array([each.leader for each in points]),
        probability=np.array([each.probability for each in points]),
        observed=observed[places.astype(int)],
        added=added,
    )


class _Point(NamedTuple):
    """The leader at a place on the grid: place 2.5 is half-way between the third and the fourth time."""

    place: float
    leader: int
    probability: Array


class _Step(NamedTuple):
    """Two neighbouring grid times: ratings (draw, candidate) at both, and the highest probability between them."""

    before: Array
    after: Array
    observed: Mask
    most: float

    def at(self, place: float) -> _Point:
        share = place % 1
        leader, probability = _lead((1 - share) * self.before + share * self.after, self.observed)
        return _Point(place, leader, np.minimum(probability, self.most))


def _enclose(left: _Point, right: _Point, step: _Step, halvings: int = 0) -> Iterator[_Point]:
    """Yield points between two others, until neighbours have the same answer or the interval was halved often enough.

    Between two grid times with the same answer there is no other one: a sure leader stays one, and no leader becomes sure.
    """
    same = answer_at(left.leader, left.probability, step.observed) == answer_at(
        right.leader, right.probability, step.observed
    )
    if same or halvings == _HALVINGS or step.observed.sum() < 2:
        return
    middle = step.at((left.place + right.place) / 2)
    yield from _enclose(left, middle, step, halvings + 1)
    yield middle
    yield from _enclose(middle, right, step, halvings + 1)


def _lead(ratings: Array, observed: Mask) -> tuple[int, Array]:
    """Return the leader, and the probability that each candidate is the best choice, from ratings (draw, candidate)."""
    known, probability = np.flatnonzero(observed), np.zeros(len(observed))
    if not known.size:
        return NO_LEADER, probability
    probability[known] = probability_best(ratings[:, known])
    return int(known[ratings[:, known].mean(axis=0).argmax()]), probability
