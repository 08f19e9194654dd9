"""The tree of a policy: questions about features, and what to choose at each budget after the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.features.ranges import range_at
from polarbear.inference.group_fitting import GroupSize

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from polarbear.features.feature import FeatureKind
    from polarbear.features.ranges import BudgetRange
    from polarbear.features.splits import Condition, Split


@dataclass(frozen=True)
class Leaf(GroupSize):
    """What to choose for the instances of a group.

    Attributes
    ----------
    whole, share
        The choice for the preference of the policy as a whole, and its expected win rate against its strongest rival.
    probability
        The probability that no other algorithm has a higher win rate against its strongest rival.
    ranges
        The choice at each budget, from the shortest to the longest.
    """

    whole: str
    share: float
    probability: float
    ranges: tuple[BudgetRange, ...]

    def at(self, budget: float) -> BudgetRange:
        """Return the range of a budget."""
        return range_at(self.ranges, budget)


@dataclass(frozen=True)
class Branch:
    """A question about a feature, and what to choose after each answer.

    Attributes
    ----------
    split
        The question.
    left, right
        What follows after each answer.
    undivided
        What to choose for the instances of both sides together, if the feature is not given.
    """

    split: Split
    left: Branch | Leaf
    right: Branch | Leaf
    undivided: Leaf


@dataclass(frozen=True)
class KnownFeature:
    """A feature that a policy knows: its name, its kind, and the levels of a category."""

    name: str
    kind: FeatureKind
    levels: tuple[str, ...] = ()


@dataclass(frozen=True)
class FoundGroup:
    """The group of an instance.

    Attributes
    ----------
    leaf, conditions
        What to choose for it, and its conditions.
    asked
        The features that the policy asked for.
    not_given
        The last of them, if it was not given; the group is then not divided further. Otherwise empty.
    """

    leaf: Leaf
    conditions: tuple[Condition, ...]
    asked: tuple[str, ...]
    not_given: str


def find_group(root: Branch | Leaf, cells: Mapping[str, float | str | None]) -> FoundGroup:
    """Return the group of an instance with these features.

    A feature that is None goes to the side with the missing values of the data. If the data have none, or if the feature is
    not among the cells, the group is not divided further.
    """
    node = root
    conditions: list[Condition] = []
    asked: dict[str, None] = {}
    while isinstance(node, Branch):
        split = node.split
        asked[split.feature] = None
        cell = cells.get(split.feature)
        if cell is None and not (split.feature in cells and split.has_missing):
            return FoundGroup(node.undivided, tuple(conditions), tuple(asked), split.feature)
        left = split.missing_left
        if cell is not None:
            left = cell == split.level if split.threshold is None else float(cell) <= split.threshold
        conditions.append(split.left if left else split.right)
        node = node.left if left else node.right
    return FoundGroup(node, tuple(conditions), tuple(asked), "")


def walk(
    node: Branch | Leaf, conditions: tuple[Condition, ...] = ()
) -> Iterator[tuple[tuple[Condition, ...], Branch | Leaf]]:
    """Yield each branch and leaf of a policy, with the conditions that lead to it."""
    yield conditions, node
    if isinstance(node, Branch):
        yield from walk(node.left, (*conditions, node.split.left))
        yield from walk(node.right, (*conditions, node.split.right))
