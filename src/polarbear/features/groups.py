"""The groups of instances that a tree makes, and the best algorithm of each over the budgets, in words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.group_values import evaluate_group
from polarbear.features.ranges import range_at
from polarbear.features.splits import describe_conditions
from polarbear.inference.group_fitting import GroupSize
from polarbear.selection.preference import At, Between
from polarbear.wording import format_number, format_percent, percent, with_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polarbear.features.group_values import GroupValues
    from polarbear.features.ranges import BudgetRange
    from polarbear.features.scores import Scores
    from polarbear.features.splits import Condition
    from polarbear.features.tree import Node
    from polarbear.selection.preference import Linear

_SURE = 0.95  # of a change: the choice was made on the same instances, so a lower probability would often be luck


@dataclass(frozen=True)
class GroupChoice:
    """The best algorithm of a group in a range of budgets.

    Attributes
    ----------
    start, stop
        The budgets at which the policy changes to these choices, and away from them.
    choice, share
        The algorithm, and its expected win rate in the group against its strongest rival.
    choice_for_all, win_rate
        The best algorithm on all instances, and the expected win rate in the group of the choice over it.
    probability
        The probability that this win rate is above one half; one half if the two are the same. In simulations, 728 of 730
        statements that promise 99 % on average come true.
    """

    start: float
    stop: float
    choice: str
    share: float
    choice_for_all: str
    win_rate: float
    probability: float

    @property
    def changes(self) -> bool:
        """Whether the group's own choice is sure enough to replace the one for all instances."""
        return self.choice != self.choice_for_all and self.probability >= _SURE


@dataclass(frozen=True)
class Group(GroupSize):
    """A group of instances, and its best algorithms.

    Attributes
    ----------
    conditions
        What its instances have in common, such as "dimension > 10"; empty for all instances.
    choices
        The best algorithm in each range of budgets, as the policy chooses it.
    every_budget
        Whether the ranges cover all budgets of the grid. A preference such as `At` considers only some of them.
    """

    conditions: tuple[Condition, ...]
    choices: tuple[GroupChoice, ...]
    every_budget: bool = True

    @property
    def name(self) -> str:
        """The conditions as text."""
        return describe_conditions(self.conditions)

    def sentences(self, unit: str = "") -> list[str]:
        """Return what to choose in this group instead of the best algorithm for all instances, and where."""
        start = f"{self.name} ({self.size}):"
        if self.is_too_small:
            return [f"{start} choose as for all instances."]
        changes = [each for each in self.choices if each.changes]
        if not changes:
            return [f"{start} no other choice is clearly better than the one for all instances."]
        return [
            f"{start} choose {each.choice} instead of {each.choice_for_all} {self._where(each, unit)}: {each.choice} is "
            f"expected to beat {each.choice_for_all} on {percent(each.win_rate)} of such instances "
            f"({format_percent(each.probability)} sure)."
            for each in changes
        ]

    def _where(self, choice: GroupChoice, unit: str) -> str:
        if len(self.choices) == 1 and self.every_budget:
            return "at every budget"
        if choice.start == choice.stop:
            return f"at {with_unit(choice.start, unit)}"
        return f"from {format_number(choice.start)} to {with_unit(choice.stop, unit)}"


def describe_groups(tree: Node, scores: Scores, preference: Linear | None = None) -> tuple[Group, ...]:
    """Return the groups of a tree, from left to right; their choices change where those of the policy do."""
    low, high = _considered_budgets(preference, scores)
    whole = (low, high) == (scores.grid.budgets[0], scores.grid.budgets[-1])
    for_all = evaluate_group(scores, tree.rows)
    groups = []
    for conditions, node in tree.walk():
        if node.split is None:
            own = evaluate_group(scores, node.rows, for_all=for_all)
            choices = tuple(_make_choices(scores, own, for_all.ranges, low, high))
            groups.append(Group(own.group.instances, own.group.units, conditions, choices, whole))
    return tuple(groups)


def _considered_budgets(preference: Linear | None, scores: Scores) -> tuple[float, float]:
    """Return the shortest and the longest budget that a preference considers and at which something was observed.

    A budget between two budgets of the grid gives weight to both, so that `At` and `Between` cannot be read off the weights.
    """
    budgets = scores.grid.budgets[scores.of_budget > 0]
    limits = [budgets[0], budgets[-1]]
    if isinstance(preference, At):
        limits = [preference.budget, preference.budget]
    elif isinstance(preference, Between):
        limits = [preference.start, preference.stop]
    low, high = np.clip(limits, budgets[0], budgets[-1]).tolist()
    return low, high


def _make_choices(
    scores: Scores, values: GroupValues, overall: Sequence[BudgetRange], low: float, high: float
) -> Iterator[GroupChoice]:
    """Yield the choice of a group for each part of the budgets in which neither it nor the one for all changes."""
    counted = np.flatnonzero(scores.of_budget > 0)
    budgets = scores.grid.budgets[counted].clip(low, high)
    pairs = [(range_at(values.ranges, budget), range_at(overall, budget)) for budget in budgets]
    for (choice, for_all), part in groupby(range(len(pairs)), key=lambda k: (pairs[k][0].name, pairs[k][1].name)):
        inside = list(part)
        start = max(budgets[0], *(each.start for each in pairs[inside[0]]))
        stop = min(budgets[-1], *(each.stop for each in pairs[inside[-1]]))
        own, other, places = scores.names.index(choice), scores.names.index(for_all), counted[inside]
        weights = scores.of_budget[places] / scores.of_budget[places].sum()
        win_rate, probability = 0.5, 0.5
        if own != other:
            rates = weights @ values.group.posterior.win_rates(own, other)[places]
            win_rate, probability = float(rates.mean()), float((rates > 0.5).mean())
        share = float(weights @ values.expected[places, own])
        yield GroupChoice(float(start), float(stop), choice, share, for_all, win_rate, probability)
