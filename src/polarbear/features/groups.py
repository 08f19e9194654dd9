"""The groups of instances that a tree makes, and the best algorithm of each over the budgets, in words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.leaf_shares import choose_borrowing, expected_shares, leaf_weights
from polarbear.features.splits import describe_conditions
from polarbear.features.stretches import observed_stretches, stretch_at
from polarbear.selection.preference import At, Between
from polarbear.wording import format_number, format_percent, percent, with_noun, with_unit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array
    from polarbear.features.scores import Scores
    from polarbear.features.stretches import Stretch
    from polarbear.features.tree import Node
    from polarbear.selection.preference import Linear

_DRAWS = 1000
_SURE = 0.95  # of a change: the choice was made on the same instances, so a lower probability would often be luck


@dataclass(frozen=True)
class GroupChoice:
    """The best algorithm of a group in a range of budgets.

    Attributes
    ----------
    start, stop
        The budgets at which the policy changes to these choices, and away from them.
    choice, share
        The algorithm, and the share of the group's instances on which it comes first.
    choice_for_all, share_for_all
        The best algorithm on all instances, and the share of the group's instances on which that one comes first.
    probability
        The probability that the group's own choice comes first on more of its instances than the choice for all; one half
        if they are the same. It is a little too high, since the choice was made on the same instances: in simulations,
        97 % of the statements that promise 99 % on average come true.
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
        The best algorithm in each range of budgets, as the policy chooses it.
    every_budget
        Whether the ranges cover all budgets of the grid. A preference such as `At` considers only some of them.
    """

    conditions: tuple[str, ...]
    instances: int
    choices: tuple[GroupChoice, ...]
    every_budget: bool = True

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
        if len(self.choices) == 1 and self.every_budget:
            return "at every budget"
        if choice.start == choice.stop:
            return f"at {with_unit(choice.start, unit)}"
        return f"from {format_number(choice.start)} to {with_unit(choice.stop, unit)}"


@dataclass(frozen=True)
class _Part:
    """Neighbouring budgets in which neither the choice of a group nor the one for all instances changes.

    `places` are positions in the grid; `start` and `stop` are where the policy changes, mostly between two of them.
    """

    places: tuple[int, ...]
    start: float
    stop: float
    choice: str
    for_all: str


def describe_groups(
    tree: Node, scores: Scores, preference: Linear | None = None, *, rng: np.random.Generator
) -> tuple[Group, ...]:
    """Return the groups of a tree, from left to right; their choices change where those of the policy do."""
    low, high = _considered_budgets(preference, scores)
    whole = (low, high) == (scores.grid.times[0], scores.grid.times[-1])
    leaves = [(conditions, node) for conditions, node in tree.walk() if node.split is None]
    borrowed = choose_borrowing(scores, [node.rows for _, node in leaves])
    overall = _policy_stretches(scores, np.ones(len(scores.instances)))
    groups = []
    for conditions, node in leaves:
        own = np.zeros(len(scores.instances))
        own[node.rows] = 1.0
        choices = _policy_stretches(scores, leaf_weights(scores, node.rows, borrowed))
        shares = expected_shares(scores, own)
        parts = _divide(scores, choices, overall, low, high)
        merged = tuple(_make_choice(scores, node, shares, each, rng) for each in parts)
        groups.append(Group(conditions, len(node.rows), merged, whole))
    return tuple(groups)


def _policy_stretches(scores: Scores, factors: Array) -> tuple[Stretch, ...]:
    """Return the choice at each budget, as a policy makes it that maximises the expected share."""
    shares = expected_shares(scores, factors)
    return observed_stretches(scores, shares, shares)


def _considered_budgets(preference: Linear | None, scores: Scores) -> tuple[float, float]:
    """Return the shortest and the longest budget that a preference considers and at which something was observed.

    A budget between two grid times gives weight to both, so that `At` and `Between` cannot be read off the weights.
    """
    times = scores.grid.times[scores.of_time > 0]
    limits = [times[0], times[-1]]
    if isinstance(preference, At):
        limits = [preference.time, preference.time]
    elif isinstance(preference, Between):
        limits = [preference.start, preference.stop]
    low, high = np.clip(limits, times[0], times[-1]).tolist()
    return low, high


def _divide(
    scores: Scores, choices: Sequence[Stretch], overall: Sequence[Stretch], low: float, high: float
) -> list[_Part]:
    """Return the parts of the budgets from `low` to `high`, from the shortest to the longest."""
    counted = np.flatnonzero(scores.of_time > 0)
    times = scores.grid.times[counted].clip(low, high)
    pairs = [(stretch_at(choices, time), stretch_at(overall, time)) for time in times]
    parts = []
    for (choice, for_all), group in groupby(range(len(pairs)), key=lambda k: (pairs[k][0].name, pairs[k][1].name)):
        places = list(group)
        start = max(times[0], *(each.start for each in pairs[places[0]]))
        stop = min(times[-1], *(each.stop for each in pairs[places[-1]]))
        parts.append(_Part(tuple(counted[places].tolist()), float(start), float(stop), choice, for_all))
    return parts


def _make_choice(scores: Scores, node: Node, shares: Array, part: _Part, rng: np.random.Generator) -> GroupChoice:
    """Return the choice of a group in a part of the budgets, with its probability from the Bayesian bootstrap."""
    own, for_all = scores.names.index(part.choice), scores.names.index(part.for_all)
    places = list(part.places)
    weights = scores.of_time[places]
    mean = weights @ shares[places] / weights.sum()
    total = scores.weights.sum(axis=0)[places]
    each = scores.weights[node.rows][:, places] * (weights / np.where(total > 0, total, 1))
    first = scores.at_times[node.rows][:, places]
    differences = (each * (first[..., own] - first[..., for_all])).sum(axis=1)
    by_cluster = np.bincount(scores.clusters[node.rows], differences)
    draws = rng.standard_exponential((_DRAWS, len(by_cluster))) @ by_cluster
    probability = 0.5 if own == for_all else float((draws > 0).mean())
    return GroupChoice(
        part.start, part.stop, part.choice, float(mean[own]), part.for_all, float(mean[for_all]), probability
    )
