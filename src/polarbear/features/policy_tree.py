"""The tree of a policy: questions about features, and what to choose at each budget after the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.features.stretches import stretch_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from polarbear.features.feature import FeatureKind
    from polarbear.features.splits import Split
    from polarbear.features.stretches import Stretch


@dataclass(frozen=True)
class Leaf:
    """What to choose for the instances of a group.

    Attributes
    ----------
    instances
        The number of instances of the group in the data.
    whole, share
        The choice for the preference of the policy as a whole, and the expected share of instances on which it comes first.
    stretches
        The choice at each budget, from the shortest to the longest.
    probability
        The probability that `whole` is the best choice for the preference; None if it was not computed.
    """

    instances: int
    whole: str
    share: float
    stretches: tuple[Stretch, ...]
    probability: float | None = None

    def at(self, budget: float) -> Stretch:
        """Return the stretch of a budget."""
        return stretch_at(self.stretches, budget)


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
        What to choose for the instances of both sides together, if the feature is not given. None in a policy file of an
        earlier version, which gives the answer of the larger side.
    """

    split: Split
    left: Branch | Leaf
    right: Branch | Leaf
    undivided: Leaf | None = None


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
        Those of them that were not given.
    undivided
        Whether the group is not divided further because a feature was not given. Otherwise, in a policy file of version 1,
        the group is the larger side of each such question.
    """

    leaf: Leaf
    conditions: tuple[str, ...]
    asked: tuple[str, ...]
    not_given: tuple[str, ...]
    undivided: bool


def find_group(root: Branch | Leaf, cells: Mapping[str, float | str | None]) -> FoundGroup:
    """Return the group of an instance with these features.

    A feature that is None goes to the side with the missing values of the data. If the data have none, or if the feature is
    not among the cells, the group is not divided further.
    """
    node, conditions, asked, not_given, undivided = root, list[str](), list[str](), list[str](), False
    while isinstance(node, Branch):
        split = node.split
        asked.append(split.feature)
        cell = cells.get(split.feature)
        left = split.missing_left
        if cell is not None:
            left = cell == split.level if split.threshold is None else float(cell) <= split.threshold
        elif split.feature not in cells or not split.has_missing:
            not_given.append(split.feature)
            if node.undivided is not None:
                node, undivided = node.undivided, True
                break
        conditions.append(split.left if left else split.right)
        node = node.left if left else node.right
    return FoundGroup(node, tuple(conditions), tuple(dict.fromkeys(asked)), tuple(dict.fromkeys(not_given)), undivided)


def walk(node: Branch | Leaf, conditions: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Branch | Leaf]]:
    """Yield each branch and leaf of a policy, with the conditions that lead to it."""
    yield conditions, node
    if isinstance(node, Branch):
        yield from walk(node.left, (*conditions, node.split.left))
        yield from walk(node.right, (*conditions, node.split.right))
