"""Groups of instances: split runs by a feature, and infer a posterior for each group.

In: runs, a feature of their instances, and the posterior of all runs. Out: a `GroupPosterior` for each group. Groups borrow
from each other within each pair, see `fit_groups`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.checks.leakage import find_leak_in_cells
from polarbear.features.joining import column_of_instances, key_columns
from polarbear.features.table import make_feature
from polarbear.findings import Code, Finding
from polarbear.importers import split_runs
from polarbear.importers.clustering import label_clusters
from polarbear.inference.group_fitting import FEWEST_INSTANCES, GroupPosterior, fit_groups
from polarbear.models import BayesianBootstrap
from polarbear.observe import ABSENT, Choices, Rankings
from polarbear.race.instance_features import parse_value
from polarbear.wording import suggest

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from polarbear.features.table import FeatureTable
    from polarbear.importers import Imported
    from polarbear.observe import Grid, Trajectory
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.instance_features import Features, Value

_DRAWS = 1000  # per group, of which there may be many
_MANY = 10  # groups, above which a feature that gives most instances a group of their own is noticed


@dataclass(frozen=True)
class Part:
    """The runs of one group, and how they are ranked."""

    runs: Sequence[Trajectory]
    rules: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class Groups:
    """The groups of instances by a feature.

    Attributes
    ----------
    feature
        The feature.
    parts, posteriors
        The runs and the posterior of each group, by its value as text, such as "40".
    failed
        For each group that cannot be compared, the reason.
    findings
        What was noticed about the feature and the groups.
    """

    feature: str
    parts: dict[str, Part]
    posteriors: dict[str, GroupPosterior] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class Divisible:
    """Runs that can be divided into groups.

    Attributes
    ----------
    runs, rules
        The runs, and how they are ranked.
    imported
        The import that they come from; None for a race.
    features
        The features of the instances of a race, by index.
    """

    runs: Sequence[Trajectory]
    rules: Mapping[str, Any]
    imported: Imported | None = None
    features: Mapping[int, Features] = field(default_factory=dict)


def fit_by(
    source: Divisible, feature: str, whole: Posterior, *, table: FeatureTable | None = None, **inference: Any
) -> Groups:
    """Return the groups of runs by a feature, each with its posterior at the budgets of the posterior of all runs.

    The feature is a column of the table, a field or a column of the runs, or a feature that a race stores.
    """
    parts, cells = _split(source, feature, table)
    found = _findings_on(feature, source, parts, cells)
    posteriors, failed = _fit_parts(parts, whole, inference)
    for group in posteriors.values():
        if group.posterior.beliefs is not None:
            group.posterior.beliefs.free_memory()  # there may be many groups, and queries read few win rates
    if small := [name for name, group in posteriors.items() if group.is_too_small]:
        found.append(Finding(Code.SMALL_GROUPS, "note", numbers={"groups": small, "needed": FEWEST_INSTANCES}))
    return Groups(feature, parts, posteriors, failed, tuple(found))


def _split(
    source: Divisible, name: str, table: FeatureTable | None
) -> tuple[dict[str, Part], Mapping[Hashable, Value]]:
    """Return the runs for each value of a feature, and its value on each instance."""
    cells = _cells_of_table(source, name, table)
    if cells is None and source.imported is None:
        cells = _cells_of_race(source, name, table)
    if cells is not None:
        return _split_by_cells(source, name, cells), cells
    parts = _split_by_field(source, name, table)
    return parts, _cells_of_parts(parts)


def _cells_of_table(source: Divisible, name: str, table: FeatureTable | None) -> dict[Hashable, Value] | None:
    """Return the cell of each instance; None if the table has no such column, or if it identifies instances."""
    if table is None or name not in table.columns:
        return None
    instances = list(dict.fromkeys(run.instance for run in source.runs))
    if name in key_columns(table, instances):
        return None
    return dict(zip(instances, column_of_instances(table, name, instances), strict=True))


def _cells_of_race(source: Divisible, name: str, table: FeatureTable | None) -> dict[Hashable, Value]:
    """Return the feature of each instance that the race stores."""
    instances = sorted({run.instance for run in source.runs if isinstance(run.instance, int)})
    stored = {each for instance in instances for each in source.features.get(instance, {})}
    if name not in stored:
        known = sorted(stored | (set() if table is None else set(table.columns) - {"instance"}))
        found = f"choose one of {', '.join(known)}" if known else "it stores none: add a table of features"
        raise ValueError(
            f"expected a feature that the race stores, or a column of a table of features, got {name!r}; "
            f"{suggest(name, known) or found}"
        )
    return {instance: source.features.get(instance, {}).get(name) for instance in instances}


def _split_by_cells(source: Divisible, name: str, cells: Mapping[Hashable, Value]) -> dict[str, Part]:
    """Return the runs for each value, in the order of the values; instances without a value are in no group."""
    feature = make_feature(name, list(cells.values()), category=True)
    group_of = dict(zip(cells, feature.values.tolist(), strict=True))
    parts = {}
    for place, level in enumerate(feature.levels):
        positions = [number for number, run in enumerate(source.runs) if group_of.get(run.instance) == place]
        parts[level] = Part([source.runs[number] for number in positions], source.rules)
        if source.imported is not None:
            parts[level] = _part_of_import(label_clusters(source.imported.take(positions)), source)
    if not parts:
        raise ValueError(f"expected instances with a value of {name!r}, got none; choose another feature")
    return parts


def _split_by_field(source: Divisible, name: str, table: FeatureTable | None) -> dict[str, Part]:
    """Return recorded runs for each value of one of their own columns."""
    assert source.imported is not None
    try:
        found = split_runs(source.imported, name)
    except ValueError as error:
        if table is None:
            raise
        raise ValueError(f"{error}; {table.origin} has the columns {', '.join(table.columns)}") from error
    return {str(value): _part_of_import(group, source) for value, group in found.items()}


def _part_of_import(imported: Imported, source: Divisible) -> Part:
    kept = {run.algorithm for run in source.runs}
    return Part([run for run in imported.runs if run.algorithm in kept], {**source.rules, **imported.clustering})


def _cells_of_parts(parts: Mapping[str, Part]) -> dict[Hashable, Value]:
    """Return the value of each instance; none for instances whose runs have different values."""
    values: dict[Hashable, set[str]] = {}
    for name, part in parts.items():
        for run in part.runs:
            values.setdefault(run.instance, set()).add(name)
    return {instance: parse_value(next(iter(each))) for instance, each in values.items() if len(each) == 1}


def _findings_on(
    name: str, source: Divisible, parts: Mapping[str, Part], cells: Mapping[Hashable, Value]
) -> list[Finding]:
    """Return findings on instances without a group, on a feature that hardly groups them, and on a leaked feature."""
    groups = [{run.instance for run in part.runs} for part in parts.values()]
    total = len({run.instance for run in source.runs})
    outside = total - len(set().union(*groups))
    found = []
    if outside:
        numbers = {"feature": name, "outside": outside, "instances": total}
        found.append(Finding(Code.OUTSIDE_GROUPS, "note", numbers=numbers))
    single = sum(len(group) == 1 for group in groups)
    if len(groups) > _MANY and 2 * single > len(groups):
        numbers = {"feature": name, "single": single, "groups": len(groups)}
        found.append(Finding(Code.SINGLE_GROUPS, "note", numbers=numbers))
    leak = find_leak_in_cells(name, cells, source.runs)
    return found if leak is None else [*found, leak]


def _fit_parts(
    parts: Mapping[str, Part], whole: Posterior, inference: Mapping[str, Any]
) -> tuple[dict[str, GroupPosterior], dict[str, str]]:
    """Return the posterior of each group, and why a group has none."""
    from polarbear.inference.fitting import fit

    options: dict[str, Any] = {"draws": _DRAWS, **inference}
    if isinstance(options.get("prior", BayesianBootstrap()), BayesianBootstrap):
        options.pop("method", None)
        choices = {name: _choices(part, whole.grid, whole.names) for name, part in parts.items()}
        try:
            return fit_groups(choices, **options), {}
        except ValueError as error:
            return {}, dict.fromkeys(parts, str(error))
    found, failed = {}, {}
    for name, part in parts.items():
        try:
            own = Choices.from_trajectories(part.runs, grid=whole.grid, per_instance=True, **part.rules)
            found[name] = GroupPosterior(own.instances, own.instances, fit(own, **options))
        except ValueError as error:
            failed[name] = str(error)
    return found, failed


def _choices(part: Part, grid: Grid, names: tuple[str, ...]) -> Choices:
    """Return the rankings of a group's runs; if they compare nothing, a single ranking in which all are absent."""
    try:
        return Choices.from_trajectories(part.runs, grid=grid, **part.rules)
    except ValueError:
        return Choices.from_rankings(Rankings(np.full((1, len(grid), len(names)), ABSENT), names, grid))
