"""Split runs into groups of instances: by a column of a table of features or of recorded runs, or a feature of a race."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from polarbear.cli.recorded_runs import RecordedRuns
from polarbear.wording import suggest, with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable

    from polarbear.features.table import FeatureTable
    from polarbear.race.instance_features import Value

_MANY_GROUPS = 10  # above which a column that gives most instances a group of their own is remarked on


@dataclass(frozen=True)
class Parts:
    """The runs of each group, by names such as "function 8", and remarks on the column that defines the groups."""

    runs: dict[str, RecordedRuns]
    remarks: tuple[str, ...] = ()


def split_by(recorded: RecordedRuns, name: str, table: "FeatureTable | None" = None) -> Parts:
    """Return the runs for each value of a column; a column of the table comes before one of the runs."""
    from polarbear.verdict.leakage import leak_of_cells

    cells = _cells_of_table(recorded, name, table)
    if cells is None and recorded.imported is None:
        cells = _cells_of_race(recorded, name, table)
    if cells is not None:
        runs = _split_by_cells(recorded, name, cells)
    else:
        runs = _split_by_field(recorded, name, table)
        cells = _cells_of_runs(runs, name)
    leak = leak_of_cells(name, cells, recorded.runs)
    remarks = [*_remarks_on_groups(name, recorded, runs), *([] if leak is None else [leak.sentence])]
    return Parts(runs, tuple(remarks))


def _remarks_on_groups(name: str, recorded: RecordedRuns, parts: dict[str, RecordedRuns]) -> list[str]:
    """Return remarks on instances without a group, and on a column that hardly groups the instances."""
    groups = [{run.instance for run in part.runs} for part in parts.values()]
    total = len({run.instance for run in recorded.runs})
    outside = total - len(set().union(*groups))
    remarks = []
    if outside:
        verb = "has" if outside == 1 else "have"
        remarks.append(f"{outside:,} of {with_noun(total, 'instance')} {verb} no value of {name} and are in no group.")
    single = sum(len(group) == 1 for group in groups)
    if len(groups) > _MANY_GROUPS and 2 * single > len(groups):
        remarks.append(
            f"{single:,} of {len(groups):,} groups by {name} have a single instance; if it is a number, `polarbear explain` "
            "finds the thresholds that matter."
        )
    return remarks


def _cells_of_table(recorded: RecordedRuns, name: str, table: "FeatureTable | None") -> "dict[Hashable, Value] | None":
    """Return the cell of each instance; None if the table has no such column, or if it identifies instances."""
    from polarbear.features.joining import column_of_instances, key_columns

    if table is None or name not in table.columns:
        return None
    instances = list(dict.fromkeys(run.instance for run in recorded.runs))
    if name in key_columns(table, instances):
        return None
    return dict(zip(instances, column_of_instances(table, name, instances), strict=True))


def _cells_of_race(recorded: RecordedRuns, name: str, table: "FeatureTable | None") -> "dict[Hashable, Value]":
    """Return the feature of each instance that the race stores."""
    instances = sorted({run.instance for run in recorded.runs if isinstance(run.instance, int)})
    stored = {each for instance in instances for each in recorded.features.get(instance, {})}
    if name not in stored:
        known = sorted(stored | (set() if table is None else set(table.columns) - {"instance"}))
        found = f"choose one of {', '.join(known)}" if known else "it stores none: add --features TABLE"
        raise ValueError(
            f"expected a feature that the race stores, or a column of --features, with --by, got {name!r}; "
            f"{suggest(name, known) or found}"
        )
    return {instance: recorded.features.get(instance, {}).get(name) for instance in instances}


def _split_by_cells(recorded: RecordedRuns, name: str, cells: "dict[Hashable, Value]") -> dict[str, RecordedRuns]:
    """Return the runs for each value, in the order of the values; instances without a value are in no group."""
    from polarbear.features.table import make_feature
    from polarbear.importers.clustering import label_clusters

    feature = make_feature(name, list(cells.values()), category=True)
    group_of = dict(zip(cells, feature.values.tolist(), strict=True))
    parts = {}
    for place, level in enumerate(feature.levels):
        positions = [number for number, run in enumerate(recorded.runs) if group_of.get(run.instance) == place]
        changes: dict[str, Any] = {"runs": [recorded.runs[number] for number in positions]}
        if recorded.imported is not None:
            group = label_clusters(recorded.imported.take(positions))
            changes = {"runs": group.runs, "ranking": recorded.ranking | group.clustering, "imported": group}
        parts[f"{name} {level}"] = replace(recorded, **changes)
    if not parts:
        raise ValueError(f"expected instances with a value of {name!r} for --by, got none; choose another column")
    return parts


def _split_by_field(recorded: RecordedRuns, name: str, table: "FeatureTable | None") -> dict[str, RecordedRuns]:
    """Return recorded runs for each value of one of their own columns."""
    from polarbear.importers import split_runs

    assert recorded.imported is not None
    try:
        found = split_runs(recorded.imported, name)
    except ValueError as error:
        if table is None and name in recorded.imported.columns:
            raise
        if table is None:
            raise ValueError(f"{error}, or add --features TABLE for columns of another table") from error
        raise ValueError(f"{error}; {table.origin} has the columns {', '.join(table.columns)}") from error
    return {
        f"{name} {value}": replace(
            recorded, runs=group.runs, ranking=recorded.ranking | group.clustering, imported=group
        )
        for value, group in found.items()
    }


def _cells_of_runs(parts: dict[str, RecordedRuns], name: str) -> "dict[Hashable, Value]":
    """Return the value of each instance; none for instances whose runs have different values."""
    from polarbear.race.instance_features import parse_value

    values: dict[Hashable, set[str]] = {}
    for group, part in parts.items():
        for run in part.runs:
            values.setdefault(run.instance, set()).add(group.removeprefix(f"{name} "))
    return {instance: parse_value(next(iter(each))) for instance, each in values.items() if len(each) == 1}
