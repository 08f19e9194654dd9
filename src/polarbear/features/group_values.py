"""How good each algorithm is in a group of instances: its win rate against its strongest rival, from `fit_groups`.

The other instances are those of other groups, about whose win rates the priors of the group lie.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.ranges import observed_ranges
from polarbear.inference.group_fitting import fit_groups
from polarbear.observe import Choices
from polarbear.selection.criterion import StrongestRival
from polarbear.selection.risk import Expected

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices
    from polarbear.features.ranges import BudgetRange
    from polarbear.features.scores import Scores
    from polarbear.inference.group_fitting import GroupPosterior
    from polarbear.selection.risk import Risk


@dataclass(frozen=True, eq=False)
class GroupValues:
    """The values of the candidates in a group.

    Attributes
    ----------
    group
        The posterior of the group.
    scores, expected
        Shape (budget, algorithm): the scores by which algorithms are chosen, and the expected win rates against the
        strongest rival.
    ranges
        The choice at each budget.
    """

    group: GroupPosterior
    scores: Array
    expected: Array
    ranges: tuple[BudgetRange, ...]


def fit_rows(scores: Scores, rows: Indices) -> GroupPosterior:
    """Return the posterior of a group of instances, given by their positions."""
    inside = np.zeros(len(scores.weights), dtype=bool)
    inside[rows] = True
    [group] = fit_groups(Choices.from_rankings(scores.rankings), [0 if each else None for each in inside]).values()
    return group


def evaluate_group(
    scores: Scores, rows: Indices, risk: Risk | None = None, *, for_all: GroupValues | None = None
) -> GroupValues:
    """Return the values of the candidates in a group of instances, given by their positions.

    The values `for_all` instances replace those of a group with too few instances, and those at budgets at which none of
    the group's own instances compares all candidates.
    """
    group = fit_rows(scores, rows)
    curves = StrongestRival().curves(group.posterior, np.arange(len(group.posterior.names)))
    expected = curves.mean(axis=0)
    at_budgets = np.stack([(risk or Expected()).score(curves[:, place]) for place in range(curves.shape[1])])
    if for_all is not None:
        own = np.any(scores.weights[rows], axis=0, keepdims=True).T & (not group.is_too_small)
        at_budgets, expected = np.where(own, at_budgets, for_all.scores), np.where(own, expected, for_all.expected)
    return GroupValues(group, at_budgets, expected, observed_ranges(scores, at_budgets, expected))
