"""The groups of instances that a tree makes, and the best algorithm of each over the budgets, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.leaf_shares import choose_borrowing, expected_shares, leaf_weights
from polarbear.wording import format_number, percent, with_noun

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.features.scores import Scores
    from polarbear.features.tree import Node

_WHOLE = "all instances"


@dataclass(frozen=True)
class GroupChoice:
    """The best algorithm of a group in a range of budgets.

    Attributes
    ----------
    start, stop
        The first and the last budget.
    choice, share
        The algorithm, and the share of the group's instances on which it comes first.
    choice_for_all, share_for_all
        The best algorithm on all instances, and the share of the group's instances on which that one comes first.
    """

    start: float
    stop: float
    choice: str
    share: float
    choice_for_all: str
    share_for_all: float


@dataclass(frozen=True)
class Group:
    """A group of instances, and its best algorithms.

    Attributes
    ----------
    conditions
        What its instances have in common, such as "dimension > 10"; empty for all instances.
    instances
        Their number.
    choices
        The best algorithm in each range of budgets; neighbouring ranges with the same choices are merged.
    """

    conditions: tuple[str, ...]
    instances: int
    choices: tuple[GroupChoice, ...]

    @property
    def name(self) -> str:
        """The conditions as text."""
        return " and ".join(self.conditions) or _WHOLE

    def sentences(self, unit: str = "") -> list[str]:
        """Return what to choose in this group instead of the best algorithm for all instances, and where."""
        changes = [each for each in self.choices if each.choice != each.choice_for_all]
        size = with_noun(self.instances, "instance")
        if not changes:
            return [f"{self.name} ({size}): choose as for all instances."]
        return [
            f"{self.name} ({size}): choose {each.choice} instead of {each.choice_for_all} {self._where(each, unit)}: first "
            f"on {percent(each.share)} instead of {percent(each.share_for_all)} of them."
            for each in changes
        ]

    def _where(self, choice: GroupChoice, unit: str) -> str:
        if len(self.choices) == 1:
            return "at every budget"
        if choice.start == choice.stop:
            return f"at {format_number(choice.start)} {unit}".rstrip()
        return f"from {format_number(choice.start)} to {format_number(choice.stop)} {unit}".rstrip()


def describe_groups(tree: Node, scores: Scores) -> tuple[Group, ...]:
    """Return the groups of a tree, from left to right."""
    leaves = [(conditions, node) for conditions, node in tree.walk() if node.split is None]
    borrowed = choose_borrowing(scores, [node.rows for _, node in leaves])
    overall = _range_shares(scores, expected_shares(scores, np.ones(len(scores.instances))))
    groups = []
    for conditions, node in leaves:
        own = np.zeros(len(scores.instances))
        own[node.rows] = 1.0
        borrowing = expected_shares(scores, leaf_weights(scores, node.rows, borrowed))
        choices = _range_shares(scores, borrowing).argmax(axis=1)
        shares = _range_shares(scores, expected_shares(scores, own))
        merged = _merge(scores, choices.tolist(), overall.argmax(axis=1).tolist(), shares)
        groups.append(Group(conditions, len(node.rows), merged))
    return tuple(groups)


def _range_shares(scores: Scores, shares: Array) -> Array:
    """Return the mean share over the budgets of each range, by their weights, shape (range, algorithm)."""
    weights = scores.of_time[:, None] * (scores.range_of[:, None] == np.arange(scores.range_of[-1] + 1))
    means: Array = (weights.T @ shares) / weights.sum(axis=0)[:, None]
    return means


def _merge(scores: Scores, choices: list[int], overall: list[int], shares: Array) -> tuple[GroupChoice, ...]:
    """Return the choices, one for each stretch of ranges in which neither they nor those for all instances change."""
    times, used = scores.grid.times, scores.of_time > 0
    weight = np.array([scores.of_time[scores.range_of == place].sum() for place in range(len(choices))])
    pairs = list(zip(choices, overall, strict=True))
    merged, begin = [], 0
    for place in range(1, len(pairs) + 1):
        if place < len(pairs) and pairs[place] == pairs[begin]:
            continue
        own, everybody = pairs[begin]
        inside = times[used & (scores.range_of >= begin) & (scores.range_of < place)]
        mean = weight[begin:place] @ shares[begin:place] / weight[begin:place].sum()
        merged.append(
            GroupChoice(
                float(inside[0]),
                float(inside[-1]),
                scores.names[own],
                float(mean[own]),
                scores.names[everybody],
                float(mean[everybody]),
            )
        )
        begin = place
    return tuple(merged)
