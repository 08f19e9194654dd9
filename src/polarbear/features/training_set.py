"""Scores and features of the same instances: what trees and policies are learned from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.checks.leakage import find_leak, results_of
from polarbear.features.joining import join_features
from polarbear.features.own_features import features_of
from polarbear.features.reading import read_features
from polarbear.features.scores import TooFewRunsError, score_instances
from polarbear.features.table import FeatureTable
from polarbear.findings import Code, Finding, most_serious_first
from polarbear.importers import Imported
from polarbear.magnitude.collection import collect_runs
from polarbear.race.outcome import RaceOutcome, outcome_of
from polarbear.selection.custom_preference import Custom
from polarbear.selection.preference import At, LogUniform, Uniform
from polarbear.wording import format_number

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from polarbear.features.feature import Feature
    from polarbear.features.reading import FeatureSource
    from polarbear.features.scores import Scores
    from polarbear.magnitude.collection import RunCollection, Source
    from polarbear.observe import Grid
    from polarbear.selection.preference import Linear, Preference


@dataclass(frozen=True, eq=False)
class TrainingSet:
    """What is at stake on each instance, and its features.

    Attributes
    ----------
    scores, features
        In the same order of the instances.
    runs
        The runs behind the scores.
    preference
        How budgets are weighted.
    findings
        What was noticed about the features, the most serious first.
    left_out
        Further columns of the tables, such as constant ones.
    leaks
        For each feature that was probably computed from the runs, a finding; it concerns answers that use the feature.
    """

    scores: Scores
    features: tuple[Feature, ...]
    runs: RunCollection
    preference: Linear
    findings: tuple[Finding, ...]
    left_out: tuple[str, ...] = ()
    leaks: Mapping[str, Finding] = field(default_factory=dict)

    def findings_on(self, used: Collection[str]) -> tuple[Finding, ...]:
        """Return all findings on an answer that uses these features, the most serious first."""
        leaks = [finding for name, finding in self.leaks.items() if name in used]
        unused = [name for name in self.leaks if name not in used]
        if unused:
            leaks.append(Finding(Code.UNUSED_LEAKS, "note", numbers={"features": unused}))
        return most_serious_first([*self.findings, *leaks])


def make_training_set(
    source: Source,
    features: FeatureSource | Sequence[FeatureTable] | None,
    *,
    preference: Preference | None,
    among: Sequence[str] | None,
    **reading: Any,
) -> TrainingSet:
    """Return the training set of runs and features; see `explain` for the parameters."""
    source = outcome_of(source)
    runs = collect_runs(source, **reading)
    tables = _tables(source, features)
    if among is None and isinstance(source, RaceOutcome):
        among = [name for name in source.kept if name in runs.names]
    chosen = linear_preference(preference, runs.grid)
    scores = score_instances(runs, chosen.weights(runs.grid), among=among)
    require_observed(chosen, scores)
    by_name: dict[str, Feature] = {}
    findings = _on_missing_runs(len(scores.instances), len(runs.instances))
    for table in tables:
        joined = join_features(table, runs.instances)
        own, new = by_name, {each.name: each for each in joined.features}
        by_name = own | new
        findings += _on_replaced(own, new)
        findings += joined.findings if table.keys is None else ()  # what runs bring along is often constant
    results = results_of(runs.runs.values(), runs.instances)
    found = {each.name: find_leak(each.name, each.values, each.levels, results) for each in by_name.values()}
    leaks = {name: finding for name, finding in found.items() if finding is not None}
    place = {instance: row for row, instance in enumerate(runs.instances)}
    rows = np.array([place[instance] for instance in scores.instances])
    known = tuple(each.take(rows) for each in by_name.values())
    columns = dict.fromkeys(name for table in tables for name in table.columns)
    left_out = tuple(name for name in columns if name not in by_name)
    return TrainingSet(scores, known, runs, chosen, most_serious_first(findings), left_out, leaks)


def _on_replaced(own: Mapping[str, Feature], new: Mapping[str, Feature]) -> list[Finding]:
    """Return the finding that a table replaces features of the same name by other values."""
    names = [name for name in own if name in new and not own[name].equals(new[name])]
    return [Finding(Code.REPLACED_FEATURES, "tentative", numbers={"features": names})] if names else []


def _on_missing_runs(counting: int, total: int) -> list[Finding]:
    """Return the finding that all candidates ran on less than half of the instances."""
    numbers = {"counting": counting, "instances": total}
    return [] if 2 * counting >= total else [Finding(Code.FEW_SHARED_INSTANCES, "tentative", numbers=numbers)]


def _tables(source: Source, features: Any) -> list[FeatureTable]:
    """Return the tables of features: those that recorded runs bring along or a race stores, and those that were given."""
    own = []
    if isinstance(source, Imported) or (isinstance(source, RaceOutcome) and source.state.features):
        own = [features_of(source)]
    if features is None:
        if not own:
            raise ValueError(
                "expected features of the instances, got none; pass a table, see read_features, or features_of(result, "
                "instances) if the instances have an attribute `features`"
            )
        return own
    if isinstance(features, list | tuple) and all(isinstance(each, FeatureTable) for each in features):
        return [*own, *features]
    return [*own, read_features(features)]


def require_observed(preference: Linear, scores: Scores) -> None:
    """Raise an error if a preference is for a single budget at which the candidates were not observed."""
    budgets = scores.grid.budgets[scores.observed]
    if isinstance(preference, At) and not budgets[0] <= preference.budget <= budgets[-1]:
        raise TooFewRunsError(
            f"expected a budget at which all candidates were observed, from {format_number(budgets[0])} to "
            f"{format_number(budgets[-1])}, got {format_number(preference.budget)}; choose another budget, or make "
            "longer runs"
        )


def linear_preference(preference: Preference | None, grid: Grid) -> Linear:
    """Return the preference; by default all budgets count equally on the axis of the grid."""
    if preference is None:
        return LogUniform() if grid.axis == "log" else Uniform()
    if isinstance(preference, Custom):
        raise ValueError("expected a preference with weights over time, got Custom; use Weighted")
    return preference
