"""The groups of instances that a tree makes, and the best algorithm of each over the budgets, in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.leaf_shares import choose_borrowing, expected_shares, leaf_weights
from polarbear.features.splits import describe_conditions
from polarbear.wording import format_number, format_percent, percent, with_noun, with_unit

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.features.scores import Scores
    from polarbear.features.tree import Node

_DRAWS = 1000
_SURE = 0.95  # of a change: the choice was made on the same instances, so a lower probability would often be luck


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
    probability
        The probability that the group's own choice comes first on more of its instances than the choice for all; one half
        if they are the same. It is a little too high, since the choice was made on the same instances: in simulations,
        98 % of the statements that promise 99 % on average come true.
    """

    start: float
    stop: float
    choice: str
    share: float
    choice_for_all: str
    share_for_all: float
    probability: float

    @property
    def changes(self) -> bool:
        """Whether the group's own choice is sure enough to replace the one for all instances."""
        return self.choice != self.choice_for_all and self.probability >= _SURE


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
        return describe_conditions(self.conditions)

    def sentences(self, unit: str = "") -> list[str]:
        """Return what to choose in this group instead of the best algorithm for all instances, and where."""
        changes = [each for each in self.choices if each.changes]
        size = with_noun(self.instances, "instance")
        if not changes:
            return [f"{self.name} ({size}): no other choice is clearly better than the one for all instances."]
        return [
            f"{self.name} ({size}): choose {each.choice} instead of {each.choice_for_all} {self._where(each, unit)}: first "
            f"on {percent(each.share)} instead of {percent(each.share_for_all)} of them ({format_percent(each.probability)} "
            "sure)."
            for each in changes
        ]

    def _where(self, choice: GroupChoice, unit: str) -> str:
        if len(self.choices) == 1:
            return "at every budget"
        if choice.start == choice.stop:
            return f"at {with_unit(choice.start, unit)}"
        return f"from {format_number(choice.start)} to {with_unit(choice.stop, unit)}"


def describe_groups(tree: Node, scores: Scores, *, rng: np.random.Generator) -> tuple[Group, ...]:
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
        stretches = _stretches(choices.tolist(), overall.argmax(axis=1).tolist())
        shares = expected_shares(scores, own)
        merged = tuple(_make_choice(scores, node, shares, each, rng) for each in stretches)
        groups.append(Group(conditions, len(node.rows), merged))
    return tuple(groups)


def _range_shares(scores: Scores, shares: Array) -> Array:
    """Return the mean share over the budgets of each range, by their weights, shape (range, algorithm)."""
    weights = scores.of_time[:, None] * (scores.range_of[:, None] == np.arange(scores.range_of[-1] + 1))
    means: Array = (weights.T @ shares) / weights.sum(axis=0)[:, None]
    return means


def _stretches(choices: list[int], overall: list[int]) -> list[tuple[range, int, int]]:
    """Return stretches of ranges in which neither the choice nor the one for all instances changes, and both choices."""
    pairs = list(zip(choices, overall, strict=True))
    begins = [place for place in range(len(pairs)) if place == 0 or pairs[place] != pairs[place - 1]]
    ends = [*begins[1:], len(pairs)]
    return [(range(begin, end), *pairs[begin]) for begin, end in zip(begins, ends, strict=True)]


def _make_choice(
    scores: Scores, node: Node, shares: Array, stretch: tuple[range, int, int], rng: np.random.Generator
) -> GroupChoice:
    """Return the choice of a group in a stretch of ranges, with its probability from the Bayesian bootstrap."""
    ranges, own, for_all = stretch
    weights = scores.of_time * np.isin(scores.range_of, ranges)
    inside = scores.grid.times[weights > 0]
    mean = weights @ shares / weights.sum()
    differences = scores.first[node.rows][:, ranges, own] - scores.first[node.rows][:, ranges, for_all]
    by_cluster = np.bincount(scores.clusters[node.rows], differences.sum(axis=1))
    draws = rng.standard_exponential((_DRAWS, len(by_cluster))) @ by_cluster
    probability = 0.5 if own == for_all else float((draws > 0).mean())
    names = scores.names
    return GroupChoice(
        float(inside[0]),
        float(inside[-1]),
        names[own],
        float(mean[own]),
        names[for_all],
        float(mean[for_all]),
        probability,
    )
