"""Learn a policy: the groups of instances by a tree, and in each group the choice at each budget."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.features.leaf_shares import choose_borrowing, drawn_shares, expected_shares, leaf_weights
from polarbear.features.policy import Policy
from polarbear.features.policy_tree import Branch, KnownFeature, Leaf
from polarbear.features.scores import score_instances
from polarbear.features.stretches import observed_stretches, stretch_at
from polarbear.features.training_set import linear_preference, make_training_set, require_observed
from polarbear.features.tree import grow_tree
from polarbear.selection.preference import At, Final
from polarbear.selection.risk import Expected

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array
    from polarbear.features.reading import FeatureSource
    from polarbear.features.scores import Scores
    from polarbear.features.table import FeatureTable
    from polarbear.features.training_set import TrainingSet
    from polarbear.features.tree import Node
    from polarbear.magnitude.collection import Source
    from polarbear.selection.preference import Linear, Preference
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

    The groups of instances are those that `explain` finds. In each of them the choice is made as by `select`, from the
    group's own instances and, as far as this improves the prediction of left-out instances, from the others.

    Parameters
    ----------
    source, features, among, depth, confidence, seed, **reading
        As for `explain`.
    preference
        How budgets are weighted, to find the groups and for choices without a budget; by default as for `explain`.
    risk
        `Expected` (default), `ProbabilityBest`, `Quantile` or `Regret`.

    Examples
    --------
    >>> import polarbear as pb
    >>> runs = [
    ...     pb.Trajectory(name, i, [1], [float((name == "a") == (i % 2 == 0)) + i / 100], until=9)
    ...     for name in ("a", "b") for i in range(40)
    ... ]
    >>> found = pb.policy(runs, {"instance": range(40), "odd": [i % 2 == 1 for i in range(40)]}, grid=[1, 9])
    >>> found.choose(5, odd=True), found.choose(5, odd=False)
    ('a', 'b')
    """
    training = make_training_set(source, features, preference=preference, among=among, **reading)
    rng = np.random.default_rng(seed)
    tree = grow_tree(training.scores, training.features, depth=depth, level=1 - confidence, rng=rng)
    return make_policy(training, tree, Expected() if risk is None else risk, rng=rng)


def policy_for_query(
    source: Source,
    features: FeatureSource | Sequence[FeatureTable] | None,
    preference: Preference,
    risk: Risk,
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
    return make_policy(replace(training, preference=asked), tree, risk, rng=rng, of_time=wanted.of_time)


def make_policy(
    training: TrainingSet, tree: Node, risk: Risk, *, rng: np.random.Generator, of_time: Array | None = None
) -> Policy:
    """Return the policy that asks the questions of a tree.

    With `of_time`, a choice without a budget weights budgets by it, and its probability is computed.
    """
    scores = training.scores
    borrowed = choose_borrowing(scores, [leaf.rows for leaf in tree.leaves])
    if of_time is not None:
        scores = replace(scores, of_time=of_time)
    observed = scores.grid.times[scores.observed]
    rule = _Rule(scores, borrowed, risk, _only_budget(training.preference, scores), of_time is not None)
    return Policy(
        root=_make_node(tree, rule, rng),
        names=scores.names,
        features=tuple(KnownFeature(each.name, each.kind, each.levels) for each in training.features),
        first=float(observed[0]),
        last=float(observed[-1]),
        unit=training.runs.unit,
        preference=str(training.preference),
        risk=str(risk),
        borrowed=borrowed,
        left_out=training.left_out,
        remarks=training.remarks_on(tree.features),
    )


@dataclass(frozen=True)
class _Rule:
    """How each group gets its choices.

    Attributes
    ----------
    scores, borrowed, risk
        The first places, the weight of the other instances, and the attitude to risk.
    budget
        The budget, if the preference is for a single one: the choice for the preference is then the one at this budget,
        also if several algorithms are equally good.
    with_probability
        Whether to compute the probability of the choice for the preference.
    """

    scores: Scores
    borrowed: float
    risk: Risk
    budget: float | None
    with_probability: bool


def _only_budget(preference: Linear, scores: Scores) -> float | None:
    if isinstance(preference, At):
        return float(preference.time)
    return float(scores.grid.times[-1]) if isinstance(preference, Final) else None


def _make_node(node: Node, rule: _Rule, rng: np.random.Generator) -> Branch | Leaf:
    if node.split is None or node.left is None or node.right is None:
        return _make_leaf(node, rule, rng)
    left, right = (_make_node(side, rule, rng) for side in (node.left, node.right))
    return Branch(node.split, left, right, _make_leaf(node, rule, rng))


def _make_leaf(node: Node, rule: _Rule, rng: np.random.Generator) -> Leaf:
    """Return what to choose for the instances of a group, whether or not it is divided further."""
    scores = rule.scores
    factors = leaf_weights(scores, node.rows, rule.borrowed)
    at_times, whole = choice_scores(scores, factors, rule.risk, rng=rng)
    shares = expected_shares(scores, factors)
    stretches = observed_stretches(scores, at_times, shares)
    best = int(whole.argmax())
    if rule.budget is not None:
        best = scores.names.index(stretch_at(stretches, rule.budget).name)
    probability = None
    if rule.with_probability:
        (own,) = rng.spawn(1)  # so that the draws behind choices are those of `policy`
        values = np.einsum("t,dta->da", scores.of_time, drawn_shares(scores, factors, rng=own))
        probability = float((values.argmax(axis=1) == best).mean())
    share = round(float(scores.of_time @ shares[:, best]), 4)
    return Leaf(len(node.rows), scores.names[best], share, stretches, probability)


def choice_scores(scores: Scores, factors: Array, risk: Risk, *, rng: np.random.Generator) -> tuple[Array, Array]:
    """Return the scores by which algorithms are chosen: at each budget, and for the preference as a whole.

    Their shapes are (time, algorithm) and (algorithm,). Expected values need no draws.
    """
    if isinstance(risk, Expected):
        shares = expected_shares(scores, factors)
        return shares, scores.of_time @ shares
    draws = drawn_shares(scores, factors, rng=rng)
    at_times = np.stack([risk.score(draws[:, place]) for place in range(draws.shape[1])])
    return at_times, risk.score(np.einsum("t,dta->da", scores.of_time, draws))
