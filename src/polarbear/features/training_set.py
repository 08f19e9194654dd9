"""Scores and features of the same instances: what trees and policies are learned from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.features.joining import join_features
from polarbear.features.own_features import features_of
from polarbear.features.reading import read_features
from polarbear.features.scores import TooFewRunsError, score_instances
from polarbear.features.table import FeatureTable
from polarbear.importers import Imported
from polarbear.magnitude.collection import collect_runs
from polarbear.race.result import RaceResult
from polarbear.selection.custom_preference import Custom
from polarbear.selection.preference import At, LogUniform, Uniform
from polarbear.verdict.leakage import leak_remark, results_of
from polarbear.verdict.remark import Remark, most_serious_first
from polarbear.wording import format_number, join_names

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
    remarks
        Remarks on the features, the most serious first.
    left_out
        Further columns of the tables, such as constant ones.
    leaks
        For each feature that was probably computed from the runs, a remark; it concerns answers that use the feature.
    """

    scores: Scores
    features: tuple[Feature, ...]
    runs: RunCollection
    preference: Linear
    remarks: tuple[Remark, ...]
    left_out: tuple[str, ...] = ()
    leaks: Mapping[str, Remark] = field(default_factory=dict)

    def remarks_on(self, used: Collection[str]) -> tuple[Remark, ...]:
        """Return all remarks on an answer that uses these features, the most serious first."""
        leaks = [remark for name, remark in self.leaks.items() if name in used]
        unused = [name for name in self.leaks if name not in used]
        if unused:
            verb, them = ("was", "it") if len(unused) == 1 else ("were", "them")
            text = f"{join_names(unused)} {verb} probably computed from the runs; the answer does not use {them}."
            leaks.append(Remark("solid", text))
        return most_serious_first([*self.remarks, *leaks])


def make_training_set(
    source: Source,
    features: FeatureSource | Sequence[FeatureTable] | None,
    *,
    preference: Preference | None,
    among: Sequence[str] | None,
    **reading: Any,
) -> TrainingSet:
    """Return the training set of runs and features; see `explain` for the parameters."""
    runs = collect_runs(source, **reading)
    tables = _tables(source, features)
    if among is None and isinstance(source, RaceResult):
        among = [name for name in source.pareto_set if name in runs.names]
    chosen = linear_preference(preference, runs.grid)
    scores = score_instances(runs, chosen.weights(runs.grid), among=among)
    require_observed(chosen, scores)
    by_name: dict[str, Feature] = {}
    remarks = _remarks_on_missing_runs(len(scores.instances), len(runs.instances))
    for table in tables:
        joined = join_features(table, runs.instances)
        own, new = by_name, {each.name: each for each in joined.features}
        by_name = own | new
        remarks += _remarks_on_replaced(own, new)
        remarks += joined.remarks if table.keys is None else ()  # what runs bring along is often constant
    results = results_of(runs.runs.values(), runs.instances)
    found = {each.name: leak_remark(each.name, each.values, each.levels, results) for each in by_name.values()}
    leaks = {name: remark for name, remark in found.items() if remark is not None}
    place = {instance: row for row, instance in enumerate(runs.instances)}
    rows = np.array([place[instance] for instance in scores.instances])
    known = tuple(each.take(rows) for each in by_name.values())
    columns = dict.fromkeys(name for table in tables for name in table.columns)
    left_out = tuple(name for name in columns if name not in by_name)
    return TrainingSet(scores, known, runs, chosen, most_serious_first(remarks), left_out, leaks)


def _remarks_on_replaced(own: Mapping[str, Feature], new: Mapping[str, Feature]) -> list[Remark]:
    """Return a remark if a table replaces features of the same name by other values."""
    names = [name for name in own if name in new and not own[name].equals(new[name])]
    if not names:
        return []
    verb = "replaces the feature" if len(names) == 1 else "replaces the features"
    text = f"The table {verb} {join_names(names)}, of which the runs or an earlier table have other values."
    return [Remark("provisional", text)]


def _remarks_on_missing_runs(counting: int, total: int) -> list[Remark]:
    """Return a remark if all candidates ran on less than half of the instances."""
    if 2 * counting >= total:
        return []
    return [
        Remark(
            "provisional", f"All candidates ran on only {counting:,} of {total:,} instances; the answer rests on these."
        )
    ]


def _tables(source: Source, features: Any) -> list[FeatureTable]:
    """Return the tables of features: those that recorded runs bring along or a race stores, and those that were given."""
    own = []
    if isinstance(source, Imported) or (isinstance(source, RaceResult) and source.state.features):
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
    times = scores.grid.times[scores.observed]
    if isinstance(preference, At) and not times[0] <= preference.time <= times[-1]:
        raise TooFewRunsError(
            f"expected a budget at which all candidates were observed, from {format_number(times[0])} to "
            f"{format_number(times[-1])}, got {format_number(preference.time)}; choose another budget, or make longer runs"
        )


def linear_preference(preference: Preference | None, grid: Grid) -> Linear:
    """Return the preference; by default all budgets count equally on the axis of the grid."""
    if preference is None:
        return LogUniform() if grid.axis == "log" else Uniform()
    if isinstance(preference, Custom):
        raise ValueError("expected a preference with weights over time, got Custom; use Weighted")
    return preference
