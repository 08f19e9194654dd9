"""Learn a policy: the groups of instances by a tree, and in each group the choice at each budget."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.features.group_values import evaluate_group
from polarbear.features.policy import Policy
from polarbear.features.policy_tree import Branch, KnownFeature, Leaf
from polarbear.features.ranges import range_at
from polarbear.features.scores import score_instances
from polarbear.features.training_set import linear_preference, make_training_set, require_observed
from polarbear.features.tree import grow_tree
from polarbear.posterior.probability_best import probability_best
from polarbear.selection.criterion import StrongestRival
from polarbear.selection.preference import At, Final
from polarbear.selection.risk import Expected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.features.group_values import GroupValues
    from polarbear.features.reading import FeatureSource
    from polarbear.features.table import FeatureTable
    from polarbear.features.training_set import TrainingSet
    from polarbear.features.tree import Node
    from polarbear.magnitude.collection import Source
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk


def policy(
    source: Source,
    features: FeatureSource | Sequence[FeatureTable] | None = None,
    preference: Preference | None = None,
    risk: Risk | None = None,
    *,
    among: Sequence[str] | None = None,
    depth: int = 2,
    confidence: float = 0.95,
    seed: int = 0,
    **reading: Any,
) -> Policy:
    """Return a policy: which algorithm to run, given a budget and features of the instance.

    The groups of instances are those that `explain` finds. In each of them the choice is the algorithm with the highest win
    rate against its strongest rival, from the posterior of the group (see `fit_groups`). A group of fewer than 8 instances
    takes the choice for all.

    Parameters
    ----------
    source, features, among, depth, confidence, seed, **reading
        As for `explain`.
    preference
        How budgets are weighted, to find the groups and for choices without a budget; by default as for `explain`.
    risk
        `Expected` (default), `ProbabilityBest`, `Quantile` or `ExpectedLoss`.

    Examples
    --------
    >>> import polarbear as pb
    >>> runs = [
    ...     pb.Trajectory(name, i, [1], [float((name == "a") == (i % 2 == 0)) + i / 100], end=9)
    ...     for name in ("a", "b") for i in range(40)
    ... ]
    >>> found = pb.policy(runs, {"instance": range(40), "odd": [i % 2 == 1 for i in range(40)]}, grid=[1, 9])
    >>> found.choose(5, odd=True), found.choose(5, odd=False)
    ('a', 'b')
    """
    training = make_training_set(source, features, preference=preference, among=among, **reading)
    rng = np.random.default_rng(seed)
    tree = grow_tree(training.scores, training.features, depth=depth, level=1 - confidence, rng=rng)
    return make_policy(training, tree, Expected() if risk is None else risk)


def policy_for_query(
    source: Source,
    features: FeatureSource | Sequence[FeatureTable] | None,
    preference: Preference,
    risk: Risk | None,
    *,
    among: Sequence[str] | None = None,
) -> Policy:
    """Return the policy of `policy(source, features)`, whose choice without a budget is for a preference.

    Its groups and its choices at each budget are the same for all preferences, as in the report and in the figure of the
    tree. `policy` with a preference finds the groups that matter for it.
    """
    training = make_training_set(source, features, preference=None, among=among)
    asked = linear_preference(preference, training.scores.grid)
    rng = np.random.default_rng(0)
    tree = grow_tree(training.scores, training.features, depth=2, level=0.05, rng=rng)
    require_observed(asked, training.scores)
    wanted = score_instances(training.runs, asked.weights(training.scores.grid), among=training.scores.names)
    scores = replace(training.scores, of_budget=wanted.of_budget)
    return make_policy(replace(training, scores=scores, preference=asked), tree, Expected() if risk is None else risk)


def make_policy(training: TrainingSet, tree: Node, risk: Risk) -> Policy:
    """Return the policy that asks the questions of a tree."""
    scores = training.scores
    observed = scores.grid.budgets[scores.observed]
    for_all = evaluate_group(scores, tree.rows, risk)
    leaf_for_all = _make_leaf(for_all, training, risk)

    def make_node(node: Node) -> Branch | Leaf:
        leaf = leaf_for_all
        if node is not tree:
            leaf = _make_leaf(evaluate_group(scores, node.rows, risk, for_all=for_all), training, risk)
        if leaf.is_too_small:
            leaf = replace(leaf_for_all, instances=leaf.instances, units=leaf.units)
        if node.split is None or node.left is None or node.right is None:
            return leaf
        return Branch(node.split, make_node(node.left), make_node(node.right), leaf)

    return Policy(
        root=make_node(tree),
        names=scores.names,
        features=tuple(KnownFeature(each.name, each.kind, each.levels) for each in training.features),
        first=float(observed[0]),
        last=float(observed[-1]),
        unit=training.runs.unit,
        preference=str(training.preference),
        risk=str(risk),
        left_out=training.left_out,
        findings=training.findings_on(tree.features),
    )


def _make_leaf(values: GroupValues, training: TrainingSet, risk: Risk) -> Leaf:
    """Return what to choose for the instances of a group, whether or not it is divided further."""
    scores, group, preference = training.scores, values.group, training.preference
    everybody = np.arange(len(scores.names))
    draws = StrongestRival().values(group.posterior, everybody, lambda curves: np.asarray(curves @ scores.of_budget))
    best = int(risk.score(draws).argmax())
    if isinstance(preference, At | Final):  # the same choice as at this budget, also if several are equally good
        budget = preference.budget if isinstance(preference, At) else scores.grid.budgets[-1]
        best = scores.names.index(range_at(values.ranges, budget).name)
    return Leaf(
        group.instances,
        group.units,
        whole=scores.names[best],
        share=round(float(draws[:, best].mean()), 4),
        probability=float(probability_best(draws)[best]),
        ranges=values.ranges,
    )
