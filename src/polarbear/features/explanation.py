"""Where the answer changes: the few features after which another algorithm should be chosen, in words."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.features.certainty import split_certainty
from polarbear.features.groups import Group, describe_groups
from polarbear.features.held_out import HeldOutGain, held_out_gain
from polarbear.features.splits import candidate_splits, describe_conditions
from polarbear.features.training_set import make_training_set
from polarbear.features.tree import LEAST_CLUSTERS, cluster_weights, grow_tree
from polarbear.show.wording import text_of
from polarbear.table import as_frame, as_html
from polarbear.wording import format_percent, percent, with_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.features.feature import Feature
    from polarbear.features.reading import FeatureSource
    from polarbear.features.scores import Scores
    from polarbear.features.splits import Condition
    from polarbear.features.table import FeatureTable
    from polarbear.features.training_set import TrainingSet
    from polarbear.features.tree import Node
    from polarbear.findings import Finding
    from polarbear.literals import FrameLibrary
    from polarbear.magnitude.collection import Source
    from polarbear.selection.preference import Preference
    from polarbear.table import Table

_LEVELS = (0.5, 0.99)  # of confidence: below, anything is found; above, more permutations are needed than are made
_ROUNDING = 1e-9  # so that the smallest p-value, 0.005, is below 1 %


@dataclass(frozen=True)
class FoundSplit:
    """A split of the tree.

    Attributes
    ----------
    within
        The conditions of the group that it splits; empty for all instances.
    left, right
        The conditions of its two sides, such as "dimension ≤ 10".
    feature
        The feature.
    p_value
        The share of permutations of the features in which the best split gains as much.
    certainty
        The share of bootstrap draws that split this group by the same feature.
    """

    within: tuple[Condition, ...]
    left: Condition
    right: Condition
    feature: str
    p_value: float
    certainty: float


@dataclass(frozen=True, eq=False)
class Explanation:
    """Where the best algorithm changes with the features of the instance.

    Attributes
    ----------
    splits
        The splits, each before those within its sides; empty if no feature matters.
    groups
        The groups that they make, with the best algorithms of each over the budgets; one group if no feature matters.
    gain
        What following the splits gains on instances that were not used to find them; None without a split.
    p_value
        The share of permutations of the features in which the best split gains as much as the best one in the data.
    tree
        The tree, for further analysis.
    features
        The features that were examined.
    instances
        The number of instances, or of clusters if instances of a cluster are not independent.
    unit
        The unit of budgets; may be empty.
    confidence
        The confidence that a split needs, and the level of the interval of the gain.
    findings
        What was noticed about the features, the most serious first.
    """

    splits: tuple[FoundSplit, ...]
    groups: tuple[Group, ...]
    gain: HeldOutGain | None
    p_value: float
    tree: Node
    features: tuple[str, ...]
    instances: int
    unit: str
    confidence: float
    findings: tuple[Finding, ...] = ()

    @property
    def matters(self) -> bool:
        """Whether some feature matters."""
        return bool(self.splits)

    @property
    def sentences(self) -> tuple[str, ...]:
        """The answer: which choice changes after which split, how certain the splits are, and what they gain."""
        if not self.splits or self.gain is None:
            return (self._nothing_found(),)
        choices = [line for group in self.groups for line in group.sentences(self.unit)]
        return (*choices, *map(_describe_split, self.splits), _describe_gain(self.gain, self.confidence))

    def _nothing_found(self) -> str:
        examined = with_noun(len(self.features), "feature")
        if not self.features:
            return "No feature matters: there is none that differs between instances."
        if self.instances < 2 * LEAST_CLUSTERS:
            return (
                f"No feature matters so far: each group needs at least {LEAST_CLUSTERS} independent instances, or clusters "
                f"such as functions, and there are {self.instances} in all."
            )
        return (
            f"No feature matters: none of {examined} improves the choice more than shuffled features do. The best split "
            f"gains as much in {_share(self.p_value)} of shuffles."
        )

    def to_table(self) -> Table:
        """Return one row per group and range of budgets: its best algorithm, and the best one for all instances."""
        rows = [(group, each) for group in self.groups for each in group.choices]
        return {
            "group": [group.name for group, _ in rows],
            "instances": [group.instances for group, _ in rows],
            "start": [each.start for _, each in rows],
            "stop": [each.stop for _, each in rows],
            "choice": [each.choice for _, each in rows],
            "share": [each.share for _, each in rows],
            "choice_for_all": [each.choice_for_all for _, each in rows],
            "win_rate": [each.win_rate for _, each in rows],
            "probability": [each.probability for _, each in rows],
        }

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as plain values, for JSON."""
        return {
            "matters": self.matters,
            "sentences": list(self.sentences),
            "splits": [
                asdict(each) | {"within": [*map(str, each.within)], "left": str(each.left), "right": str(each.right)}
                for each in self.splits
            ],
            "groups": [
                asdict(each) | {"conditions": [*map(str, each.conditions)], "note": each.note} for each in self.groups
            ],
            "gain": None if self.gain is None else asdict(self.gain),
            "p_value": self.p_value,
            "features": list(self.features),
            "instances": self.instances,
            "unit": self.unit,
            "findings": [each.to_dict() for each in self.findings],
        }

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        notes = (*self.sentences[1:], *(text_of(each) for each in self.findings))
        return as_html(self.to_table(), title=self.sentences[0], notes=notes)

    def __str__(self) -> str:
        return "\n".join([*self.sentences, *(f"Note: {text_of(each)}" for each in self.findings)])

    def __repr__(self) -> str:
        found = ", ".join(str(each.left) for each in self.splits) or "no feature matters"
        return f"Explanation({found}; {with_noun(len(self.features), 'feature')}, {self.instances} instances)"


def explain(
    source: Source,
    features: FeatureSource | Sequence[FeatureTable] | None = None,
    *,
    preference: Preference | None = None,
    among: Sequence[str] | None = None,
    depth: int = 2,
    confidence: float = 0.95,
    seed: int = 0,
    **reading: Any,
) -> Explanation:
    """Find the few features of instances after which another algorithm should be chosen.

    A shallow tree splits the instances where this increases the share of instances on which the chosen algorithm comes
    first. Each split must gain more than shuffled features do. Without an informative feature, a split is found in less than
    1 - `confidence` of data sets, however many features there are.

    Parameters
    ----------
    source
        The result of a race, imported runs, or trajectories.
    features
        A table of features, see `read_features`. Recorded runs bring their function, dimension and kept columns along.
    preference
        How budgets are weighted; by default all count equally on the axis of the grid, such as all orders of magnitude.
    among
        The candidates: by default the Pareto set of a race, and all algorithms of recorded runs.
    depth
        The largest number of splits on a path.
    confidence
        The confidence that a split needs, from 0.5 to 0.99, and the level of the interval of the gain.
    seed
        Seed of permutations and draws.
    **reading
        The `grid` and the rules of comparison; see `collect_runs`.

    Examples
    --------
    >>> import polarbear as pb
    >>> runs = [
    ...     pb.Trajectory(name, i, [1], [float((name == "a") == (i % 3 == 0)) + i / 100], end=9)
    ...     for name in ("a", "b") for i in range(60)
    ... ]
    >>> table = {"instance": range(60), "rare": [i % 3 == 0 for i in range(60)], "number": range(60)}
    >>> pb.explain(runs, table, grid=[1, 9]).groups[1].choices[0].changes
    True
    """
    low, high = _LEVELS
    if not low <= confidence <= high:
        raise ValueError(f"expected a confidence from {low} to {high}, got {confidence!r}")
    if depth < 1:
        raise ValueError(f"expected a depth of at least 1, got {depth!r}")
    training = make_training_set(source, features, preference=preference, among=among, **reading)
    return explain_training_set(training, depth=depth, confidence=confidence, seed=seed)


def explain_training_set(
    training: TrainingSet, *, depth: int = 2, confidence: float = 0.95, seed: int = 0
) -> Explanation:
    """Return the explanation of scores by features; see `explain`."""
    rng = np.random.default_rng(seed)
    scores = training.scores
    tree = grow_tree(scores, training.features, depth=depth, level=1 - confidence, rng=rng)
    gain = None
    if tree.split is not None:
        splits = candidate_splits(training.features, cluster_weights(scores.clusters), least=LEAST_CLUSTERS)
        gain = held_out_gain(scores, splits.left, len(tree.inner), level=confidence, rng=rng)
    return Explanation(
        splits=_found_splits(tree, scores, training.features, rng),
        groups=describe_groups(tree, scores, training.preference),
        gain=gain,
        p_value=tree.p_value,
        tree=tree,
        features=tuple(each.name for each in training.features),
        instances=len(np.unique(scores.clusters)),
        unit=training.runs.unit,
        confidence=confidence,
        findings=training.findings_on(tree.features),
    )


def _found_splits(
    tree: Node, scores: Scores, features: Sequence[Feature], rng: np.random.Generator
) -> tuple[FoundSplit, ...]:
    return tuple(
        FoundSplit(
            within=conditions,
            left=node.split.left,
            right=node.split.right,
            feature=node.split.feature,
            p_value=node.p_value,
            certainty=split_certainty(node, scores, features, rng=rng),
        )
        for conditions, node in tree.walk()
        if node.split is not None
    )


def _share(p_value: float) -> str:
    return format_percent(p_value).replace("below", "less than").replace("over", "more than")


def _describe_split(split: FoundSplit) -> str:
    where = f" within {describe_conditions(split.within)}" if split.within else ""
    return (
        f"Split by {split.feature}{where}: {format_percent(split.certainty)} of bootstrap draws choose the same feature; "
        f"shuffled features gain as much in {_share(split.p_value - _ROUNDING)} of shuffles."
    )


def _describe_gain(gain: HeldOutGain, confidence: float) -> str:
    points, low, high = (round(100 * each) for each in (gain.gain, gain.lower, gain.upper))
    change = f"{with_noun(points, 'point')} more ({low} to {high}"
    if points < 0:
        change = f"{with_noun(-points, 'point')} fewer (a change of {low} to {high}"
    return (
        f"Following the splits, the choice comes first on {percent(gain.following)} instead of {percent(gain.single)} of "
        f"instances: {change}, {percent(confidence)} interval), on instances not used to find them."
    )
