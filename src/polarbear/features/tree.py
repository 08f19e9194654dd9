"""A shallow tree of splits, each of which must gain more than shuffled features do.

The tree grows greedily. A split is accepted if its gain exceeds the best gain over all features and thresholds in more than
95 % of permutations of the features among the instances (of a cluster's features among the clusters). So without an
informative feature, a split is found in fewer than 5 % of data sets, however many features there are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.splits import candidate_splits, gains_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from polarbear.arrays import Array, Array32, Indices
    from polarbear.features.feature import Feature
    from polarbear.features.scores import Scores
    from polarbear.features.splits import Condition, Split

_PERMUTATIONS = 199  # the p-value of a split is a multiple of 1 / 200
_BELOW = 1e-9  # by which a p-value must be below the level: 1 - 0.95 is a little more than 0.05
_ENOUGH_ABOVE = 10  # permutations that gain more; then the split is not significant, whatever the others show
_ROUNDING = 1e-6  # of gains in single precision; equal gains are frequent, since an instance has one first place
LEAST_CLUSTERS = 5  # instances, or clusters, on each side of a split


@dataclass(frozen=True)
class Node:
    """A group of instances, and how it is split.

    Attributes
    ----------
    rows
        The positions of its instances.
    choices
        The best algorithm on these instances in each range of budgets: positions in `Scores.names`.
    split
        The split; None for a leaf.
    gain
        The gain of the split on these instances, in the share of first places of all instances. It is optimistic, since the
        same instances were used to find the split.
    p_value
        The share of permutations in which the best split gains as much; 1 if there is no candidate.
    left, right
        The two sides; None for a leaf.
    """

    rows: Indices
    choices: Indices
    split: Split | None = None
    gain: float = 0.0
    p_value: float = 1.0
    left: Node | None = None
    right: Node | None = None

    @property
    def leaves(self) -> tuple[Node, ...]:
        """The groups that are not split further, from left to right."""
        if self.left is None or self.right is None:
            return (self,)
        return self.left.leaves + self.right.leaves

    def walk(self, conditions: tuple[Condition, ...] = ()) -> Iterator[tuple[tuple[Condition, ...], Node]]:
        """Yield each group, before its sides, with the conditions that lead to it."""
        yield conditions, self
        if self.split is not None and self.left is not None and self.right is not None:
            yield from self.left.walk((*conditions, self.split.left))
            yield from self.right.walk((*conditions, self.split.right))

    def assign(self, features: Mapping[str, Feature], rows: Indices) -> Iterator[tuple[Node, Indices]]:
        """Yield each leaf, with those of some instances that belong to it by their features, from left to right."""
        if self.split is None or self.left is None or self.right is None:
            yield self, rows
            return
        goes_left = self.split.goes_left(features[self.split.feature])[rows]
        yield from self.left.assign(features, rows[goes_left])
        yield from self.right.assign(features, rows[~goes_left])

    @property
    def inner(self) -> tuple[Node, ...]:
        """The groups that are split, each before its sides."""
        if self.left is None or self.right is None:
            return ()
        return (self, *self.left.inner, *self.right.inner)

    @property
    def features(self) -> frozenset[str]:
        """The features of all splits."""
        return frozenset(each.split.feature for each in self.inner if each.split is not None)


def grow_tree(
    scores: Scores, features: Sequence[Feature], *, depth: int, level: float, rng: np.random.Generator
) -> Node:
    """Return the tree of significant splits.

    Parameters
    ----------
    scores
        What is at stake on each instance.
    features
        The features of the instances.
    depth
        The largest number of questions on a path.
    level
        The significance level, such as 0.05: the p-value of a split must be smaller. With 199 permutations, at most 4.5 % of
        data sets without an informative feature have such a split.
    rng
        The source of the permutations.
    """
    return _grow(np.arange(len(scores.first)), scores, features, depth, level, rng)


def _grow(
    rows: Indices,
    scores: Scores,
    features: Sequence[Feature],
    depth: int,
    level: float,
    rng: np.random.Generator,
) -> Node:
    first, clusters = scores.first[rows], scores.clusters[rows]
    choices = first.sum(axis=0).argmax(axis=1)
    own = [each.take(rows) for each in features]
    splits = candidate_splits(own, cluster_weights(clusters), least=LEAST_CLUSTERS) if depth > 0 else None
    if splits is None or not splits.splits:
        return Node(rows, choices)
    gains = gains_of(splits.left, first)
    best = int(gains.argmax())
    p_value = _p_value(float(gains[best]), splits.left, first, clusters, rng)
    if p_value >= level - _BELOW or gains[best] <= 0:
        return Node(rows, choices, p_value=p_value)
    goes_left = splits.left[best] > 0
    left, right = (_grow(rows[side], scores, features, depth - 1, level, rng) for side in (goes_left, ~goes_left))
    return Node(rows, choices, splits.splits[best], float(gains[best]), p_value, left, right)


def cluster_weights(clusters: Indices) -> Array:
    """Return the weight of each instance, such that the instances of a cluster weigh one together."""
    _, codes, members = np.unique(clusters, return_inverse=True, return_counts=True)
    weights: Array = 1.0 / members[codes]
    return weights


def _p_value(gain: float, left: Array32, first: Array32, clusters: Indices, rng: np.random.Generator) -> float:
    """Return the p-value of the best gain: the permutations that gain as much, and the data, among all of them.

    Permutations end early once enough of them gain as much (Besag and Clifford, 1991).
    """
    above = 0
    for number, order in enumerate(_permutations(clusters, rng), start=1):
        above += bool(gains_of(left, first[order]).max() >= gain - _ROUNDING)
        if above == _ENOUGH_ABOVE:
            return above / number
    return (above + 1) / (_PERMUTATIONS + 1)


def _permutations(clusters: Indices, rng: np.random.Generator) -> Iterator[Indices]:
    """Yield permutations of the instances; those of a cluster stay together, in a random order.

    Clusters of different sizes exchange places as wholes, so that features that are constant within clusters remain
    nearly so: instances are laid out cluster by cluster, and the clusters are put in a random order.
    """
    laid_out = np.argsort(clusters, kind="stable")
    groups = np.split(laid_out, np.flatnonzero(np.diff(clusters[laid_out])) + 1)
    if len(groups) == len(clusters):
        yield from (rng.permutation(len(clusters)) for _ in range(_PERMUTATIONS))
        return
    for _ in range(_PERMUTATIONS):
        shuffled = [rng.permutation(groups[k]) for k in rng.permutation(len(groups))]
        order = np.empty(len(clusters), dtype=np.intp)
        order[laid_out] = np.concatenate(shuffled)
        yield order
