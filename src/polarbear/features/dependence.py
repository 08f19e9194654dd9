"""How the best choice depends on the problem: the explanation, the policy and the leaders of each group, from one tree.

The report and the figure of the tree show these together, so they must come from the same splits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.explanation import explain_training_set
from polarbear.features.group_values import fit_rows
from polarbear.features.policy_fit import make_policy
from polarbear.features.policy_tree import find_group
from polarbear.features.scores import subset_scores
from polarbear.selection.risk import Expected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.features.explanation import Explanation
    from polarbear.features.policy import Policy
    from polarbear.features.policy_tree import Leaf
    from polarbear.features.training_set import TrainingSet
    from polarbear.features.tree import Node
    from polarbear.posterior.posterior import Posterior

_SPLITS = 15  # candidates per feature, about
_PRODUCTS = 60_000_000  # of scores and splits: explaining takes about ten seconds


@dataclass(frozen=True, eq=False)
class Dependence:
    """The answers of one tree.

    Attributes
    ----------
    training
        The instances: a random sample if there were too many.
    total
        The number of instances before sampling.
    explanation, policy
        The splits in words, and what to choose after them at each budget.
    """

    training: TrainingSet
    total: int
    explanation: Explanation
    policy: Policy

    @property
    def for_all(self) -> Leaf:
        """What to choose without any feature."""
        return find_group(self.policy.root, {}).leaf


def find_dependence(training: TrainingSet) -> Dependence:
    """Return how the best choice depends on the features; of very many instances, a random sample is examined."""
    total = len(training.scores.instances)
    training = _sample(training, np.random.default_rng(0))
    explanation = explain_training_set(training)
    return Dependence(training, total, explanation, make_policy(training, explanation.tree, Expected()))


def _sample(training: TrainingSet, rng: np.random.Generator) -> TrainingSet:
    """Return the training set of a random sample of the clusters, if all would take too long."""
    scores = training.scores
    share = _PRODUCTS / max(1, scores.first.size * _SPLITS * len(training.features))
    if share >= 1:
        return training
    clusters = np.unique(scores.clusters)
    kept = rng.choice(clusters, max(1, int(share * len(clusters))), replace=False)
    rows = np.flatnonzero(np.isin(scores.clusters, kept))
    features = tuple(each.take(rows) for each in training.features)
    return replace(training, scores=subset_scores(scores, rows), features=features)


def group_posteriors(found: Dependence, nodes: Sequence[Node]) -> tuple[Posterior, ...]:
    """Return the posteriors of groups, among the candidates; that of all instances for a group that is too small."""
    scores, tree = found.training.scores, found.explanation.tree
    groups = [fit_rows(scores, node.rows) for node in nodes]
    return tuple((fit_rows(scores, tree.rows) if each.is_too_small else each).posterior for each in groups)
