"""Simulate instances of two kinds and features of which one, or none, shows the kind: measure how `explain` answers.

Rankings on the instances of a kind follow Plackett-Luce, so the share of first places that any choice of algorithms wins is
known. Only truths in which knowing the kind gains at least ten points are used.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit, softmax

from polarbear.calibration.races import rate
from polarbear.calibration.simulator import Simulator
from polarbear.calibration.truths import draw_truth
from polarbear.features.feature import Feature
from polarbear.features.groups import describe_groups
from polarbear.features.held_out import held_out_gain
from polarbear.features.scores import make_scores
from polarbear.features.splits import candidate_splits
from polarbear.features.tree import LEAST_CLUSTERS, cluster_weights, grow_tree
from polarbear.observe import Rankings, linear_grid, rank_values

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices
    from polarbear.features.groups import GroupChoice
    from polarbear.features.scores import Scores
    from polarbear.features.tree import Node

_LEAST_GAIN = 0.1  # of knowing the kind, in the share of first places
_NEW = 4000  # simulated features of new instances, on which the true gain of a tree is computed
_OVERLAP = 0.4  # the informative feature is the kind, 0 or 1, plus a uniform number up to this in absolute value
_INFORMATIVE = 3


@dataclass(frozen=True)
class FeatureCell:
    """The setting of simulated data sets.

    Attributes
    ----------
    informative
        Whether one of the features shows the kind of the instance.
    instances, features, algorithms, budgets
        Their numbers.
    autocorrelation
        The autocorrelation of the noise of a run at neighbouring budgets.
    level
        The level of the interval of the gain; a split needs a p-value of at most one minus this.
    """

    informative: bool = True
    instances: int = 60
    features: int = 11
    algorithms: int = 5
    budgets: int = 20
    autocorrelation: float = 0.95
    level: float = 0.95


def simulate_explanation(cell: FeatureCell, replicate: int) -> dict[str, Any]:
    """Simulate one data set; return whether a split was found, its true and estimated gain, and which claims are true.

    A claim is that another algorithm should be chosen in a group than for all instances, with a probability.
    """
    rng = np.random.default_rng([replicate, cell.instances, cell.features, int(cell.informative)])
    truth = _draw_truth(cell, rng)
    kinds = rng.integers(2, size=cell.instances)
    values = Simulator(cell.autocorrelation).values(truth[kinds], cell.instances, rng=rng)
    rankings = Rankings(rank_values(values), None, linear_grid(1, cell.budgets, cell.budgets))
    scores = make_scores(rankings, np.ones((cell.instances, cell.budgets)), np.ones(cell.budgets))
    features = _draw_features(cell, kinds, rng)
    tree = grow_tree(scores, features, depth=2, level=1 - cell.level, rng=rng)
    if tree.split is None:
        return {"found": False}
    splits = candidate_splits(features, cluster_weights(scores.clusters), least=LEAST_CLUSTERS)
    gain = held_out_gain(scores, splits.left, len(tree.inner), level=cell.level, rng=rng)
    new_kinds, leaves = _assign_new_instances(cell, tree, rng)
    ratings = softmax(truth, axis=-1)
    claims = [
        (round(choice.probability, 4), _is_better(truth[new_kinds[rows]], choice, scores))
        for group, rows in zip(describe_groups(tree, scores), leaves, strict=True)
        for choice in group.choices
        if choice.changes
    ]
    return {
        "found": True,
        "right": tree.split.feature == features[_INFORMATIVE].name,
        "splits": len(tree.inner),
        "true_gain": round(_true_gain(ratings[new_kinds], leaves, tree, scores), 4),
        "gain": round(gain.gain, 4),
        "lower": round(gain.lower, 4),
        "upper": round(gain.upper, 4),
        "claims": claims,
    }


def _draw_truth(cell: FeatureCell, rng: np.random.Generator) -> Array:
    while True:
        truth = draw_truth("two kinds", cell.budgets, cell.algorithms, rng=rng)
        ratings = softmax(truth, axis=-1)
        gain = (ratings.max(axis=2).mean(axis=0) - ratings.mean(axis=0).max(axis=1)).mean()
        if gain >= _LEAST_GAIN:
            return truth


def _draw_features(cell: FeatureCell, kinds: Indices, rng: np.random.Generator) -> list[Feature]:
    values = rng.standard_normal((cell.features, len(kinds)))
    if cell.informative:
        values[_INFORMATIVE] = kinds + rng.uniform(-_OVERLAP, _OVERLAP, len(kinds))
    return [Feature(f"feature {k}", "number", each) for k, each in enumerate(values)]


def _assign_new_instances(cell: FeatureCell, tree: Node, rng: np.random.Generator) -> tuple[Indices, list[Indices]]:
    """Draw new instances; return their kinds, and the positions of those in each leaf of a tree."""
    kinds = rng.integers(2, size=_NEW)
    features = {each.name: each for each in _draw_features(cell, kinds, rng)}
    return kinds, [rows for _, rows in tree.assign(features, np.arange(_NEW))]


def _true_gain(ratings: Array, leaves: list[Indices], tree: Node, scores: Scores) -> float:
    """Return the true gain of a tree over its choice for all instances, from ratings (instance, budget, algorithm)."""
    budgets = np.arange(ratings.shape[1])

    def value(node: Node, rows: Indices) -> float:
        return float(ratings[rows][:, budgets, node.choices[scores.range_of]].mean(axis=1).sum())

    following = sum(value(leaf, rows) for leaf, rows in zip(tree.leaves, leaves, strict=True))
    return (following - value(tree, np.arange(len(ratings)))) / len(ratings)


def _is_better(truth: Array, choice: GroupChoice, scores: Scores) -> bool:
    """Return whether the choice of a group truly beats the choice for all on most of its instances and budgets.

    `truth` holds the utilities on instances of the group, shape (instance, budget, algorithm).
    """
    budgets = scores.grid.budgets
    inside = (budgets >= choice.start) & ((budgets < choice.stop) | (choice.stop == budgets[-1]))
    own, for_all = (scores.names.index(name) for name in (choice.choice, choice.choice_for_all))
    return bool(expit(truth[:, inside, own] - truth[:, inside, for_all]).mean() > 0.5)


def summarise(cell: FeatureCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how often a split was found with Wilson's interval, and for these the mean gains, coverage and true claims."""
    found = [each for each in outcomes if each["found"]]
    summary: dict[str, Any] = {
        **asdict(cell),
        "data_sets": len(outcomes),
        "found": rate(len(found), len(outcomes)),
        "right": rate(sum(each["right"] for each in found), len(found)) if found else None,
    }
    if found and cell.informative:
        claims = [claim for each in found for claim in each["claims"]]
        covered = sum(each["lower"] <= each["true_gain"] <= each["upper"] for each in found)
        summary |= {
            "true_gain": round(float(np.mean([each["true_gain"] for each in found])), 4),
            "gain": round(float(np.mean([each["gain"] for each in found])), 4),
            "covered": rate(covered, len(found)),
            "width": round(float(np.mean([each["upper"] - each["lower"] for each in found])), 4),
            "claims": len(claims),
            "promised": round(float(np.mean([probability for probability, _ in claims])), 4),
            "came_true": rate(sum(true for _, true in claims), len(claims)),
        }
    return summary
