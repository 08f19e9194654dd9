"""The tree of a policy: questions about features, and what to choose at each budget after the answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.features.stretches import stretch_at

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    """

    instances: int
    whole: str
    share: float
    stretches: tuple[Stretch, ...]

    def at(self, budget: float) -> Stretch:
        """Return the stretch of a budget."""
        return stretch_at(self.stretches, budget)


@dataclass(frozen=True)
class Branch:
    """A question about a feature, and what to choose after each answer."""

    split: Split
    left: Branch | Leaf
    right: Branch | Leaf


@dataclass(frozen=True)
class KnownFeature:
    """A feature that a policy knows: its name, its kind, and the levels of a category."""

    name: str
    kind: FeatureKind
    levels: tuple[str, ...] = ()


def walk(node: Branch | Leaf, conditions: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Branch | Leaf]]:
    """Yield each branch and leaf of a policy, with the conditions that lead to it."""
    yield conditions, node
    if isinstance(node, Branch):
        yield from walk(node.left, (*conditions, node.split.left))
        yield from walk(node.right, (*conditions, node.split.right))
