"""How certain a split is: the share of draws of the Bayesian bootstrap that split the same group by the same feature."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.splits import candidate_splits, gains_of
from polarbear.features.tree import LEAST_CLUSTERS, cluster_weights

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.features.feature import Feature
    from polarbear.features.scores import Scores
    from polarbear.features.tree import Node

_DRAWS = 200


def split_certainty(node: Node, scores: Scores, features: Sequence[Feature], *, rng: np.random.Generator) -> float:
    """Return the share of draws in which the feature of a node's split gains most in its group."""
    assert node.split is not None
    first, clusters = scores.first[node.rows], scores.clusters[node.rows]
    own = [each.take(node.rows) for each in features]
    splits = candidate_splits(own, cluster_weights(clusters), least=LEAST_CLUSTERS)
    _, codes = np.unique(clusters, return_inverse=True)
    same = 0
    for _ in range(_DRAWS):
        weights = rng.standard_exponential(int(codes.max()) + 1, dtype=np.float32)
        best = int(gains_of(splits.left, first * weights[codes, None, None]).argmax())
        same += splits.splits[best].feature == node.split.feature
    return same / _DRAWS
