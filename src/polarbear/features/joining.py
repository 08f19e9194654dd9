"""Match the rows of a table of features with the instances of runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.table import make_feature
from polarbear.findings import Code, Finding
from polarbear.importers.imported import Block
from polarbear.magnitude.collection import label_instance
from polarbear.race.instance_features import level_name
from polarbear.wording import join_names

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

    from polarbear.features.feature import Feature
    from polarbear.features.table import FeatureTable
    from polarbear.race.instance_features import Value

_INSTANCE = "instance"


@dataclass(frozen=True)
class Joined:
    """Features in the order of the instances, and what was left out."""

    features: tuple[Feature, ...]
    findings: tuple[Finding, ...] = ()


def join_features(table: FeatureTable, instances: Sequence[Hashable]) -> Joined:
    """Return the features of these instances.

    Instances without a row have missing values. Constant columns, and columns equal to an earlier one, are left out.

    Raises
    ------
    ValueError
        If no column identifies instances, if no row matches an instance, or if two rows describe the same one.
    """
    keys, row_of, rows = _match(table, instances)
    names = table.names if table.names is not None else [name for name in table.columns if name not in keys]
    features = []
    for name in names:
        cells = [None if row is None else table.columns[name][row] for row in rows]
        features.append(make_feature(name, cells, category=name in table.categories))
    kept, findings = _leave_out_useless(features)
    return Joined(kept, (*_findings_on_coverage(table, rows, row_of), *findings))


def column_of_instances(table: FeatureTable, name: str, instances: Sequence[Hashable]) -> list[Value]:
    """Return the cells of one column for these instances; None for an instance without a row."""
    _, _, rows = _match(table, instances)
    return [None if row is None else table.columns[name][row] for row in rows]


def _match(
    table: FeatureTable, instances: Sequence[Hashable]
) -> tuple[tuple[str, ...], dict[tuple[str, ...], int], list[int | None]]:
    """Return the key columns, the row of each key, and the row of each instance; see `join_features` for the errors."""
    keys = key_columns(table, instances)
    row_of: dict[tuple[str, ...], int] = {}
    for row in range(table.rows):
        key = tuple(_key_text(table.columns[name][row]) for name in keys)
        if row_of.setdefault(key, row) != row:
            raise ValueError(
                f"expected one row of features per instance, got two for {_describe_key(keys, key)} in {table.origin}; "
                "remove one"
            )
    rows = [_find_row(row_of, keys, instance, table.labels) for instance in instances]
    _require_match(table, keys, row_of, rows, instances)
    return keys, row_of, rows


@dataclass(frozen=True)
class InstanceRows:
    """The features of the instances of a race by index, and what was left out."""

    rows: dict[int, dict[str, Value]]
    findings: tuple[Finding, ...]


def rows_by_instance(table: FeatureTable) -> InstanceRows:
    """Return the features of the instances of a race, by index.

    The instances are those that the table has labels of; without labels, their indices are in its column `instance`.
    Columns that are constant or repeat another one are kept, since further instances may differ in them, and named.
    """
    keys = key_columns(table, range(len(table.labels)))
    if table.labels:
        instances: Sequence[int] = range(len(table.labels))
    else:
        numbers = [cell for cell in table.columns[_INSTANCE] if isinstance(cell, float) and cell >= 0]
        instances = sorted({int(each) for each in numbers if each.is_integer()})
        if not instances:
            raise ValueError(
                f"expected the numbers of generated instances, from 0 on, in the column {_INSTANCE} of {table.origin}, got "
                "none; number them"
            )
    findings = join_features(table, instances).findings
    _, _, found = _match(table, instances)
    names = [name for name in table.columns if name not in keys]
    rows = {
        instance: {name: table.columns[name][row] for name in names}
        for instance, row in zip(instances, found, strict=True)
        if row is not None
    }
    return InstanceRows(rows, findings)


def key_columns(table: FeatureTable, instances: Sequence[Hashable]) -> tuple[str, ...]:
    """Return the columns that identify instances."""
    if table.keys is not None:
        return table.keys
    blocks = [each for each in instances if isinstance(each, Block)]
    known = [name for name in Block._fields if not blocks or any(getattr(each, name) is not None for each in blocks)]
    possible = known if blocks else [_INSTANCE]
    keys = tuple(name for name in possible if name in table.columns)
    if not keys:
        raise ValueError(
            f"expected a column {join_names(possible, 'or')} in {table.origin}, which says which instance a row describes, "
            f"got {join_names(list(table.columns)[:5])}; add it"
        )
    return keys


def _key_text(cell: Value) -> str:
    return "" if cell is None else level_name(cell)


def _find_row(
    row_of: dict[tuple[str, ...], int], keys: Sequence[str], instance: Hashable, labels: Sequence[str]
) -> int | None:
    """Return the row of an instance; None if the table has none."""
    if isinstance(instance, Block):
        return row_of.get(tuple(_as_text(getattr(instance, name)) for name in keys))
    names = [_as_text(label_instance(instance))]
    if isinstance(instance, int) and instance < len(labels):
        label = PurePath(labels[instance])
        names = [str(label), label.name, label.stem]
    return next((row_of[name,] for name in names if (name,) in row_of), None)


def _as_text(value: object) -> str:
    """Return a field of an instance in the form of `_key_text`."""
    if value is None:
        return ""
    return level_name(float(value) if isinstance(value, int) else value if isinstance(value, float) else str(value))


def _require_match(
    table: FeatureTable,
    keys: Sequence[str],
    row_of: dict[tuple[str, ...], int],
    rows: Sequence[int | None],
    instances: Sequence[Hashable],
) -> None:
    if any(row is not None for row in rows):
        return
    given = _describe_key(keys, next(iter(row_of)))
    numbered = isinstance(instances[0], int) and not table.labels
    advice = (
        f"write the number of each instance, from 0 in the order of the race, into the column {_INSTANCE}; names match only "
        "instances that race.toml lists (in Python: that are passed with the table as instances=)"
        if numbered
        else "write them in the same way"
    )
    raise ValueError(
        f"expected features of the instances of the runs, such as {label_instance(instances[0])!r}, got features of unknown "
        f"instances only, such as {given}, in {table.origin}; {advice}"
    )


def _describe_key(keys: Iterable[str], key: Iterable[str]) -> str:
    return ", ".join(f"{name} {value!r}" for name, value in zip(keys, key, strict=True))


def _findings_on_coverage(
    table: FeatureTable, rows: Sequence[int | None], row_of: dict[tuple[str, ...], int]
) -> list[Finding]:
    """Return findings on instances without features and on rows of unknown instances."""
    found = []
    if without := sum(row is None for row in rows):
        numbers = {"origin": table.origin, "without": without, "instances": len(rows)}
        found.append(Finding(Code.MISSING_FEATURES, "tentative", numbers=numbers))
    if unknown := len(row_of) - len({row for row in rows if row is not None}):
        found.append(Finding(Code.UNUSED_ROWS, "note", numbers={"origin": table.origin, "rows": unknown}))
    return found


def _leave_out_useless(features: Sequence[Feature]) -> tuple[tuple[Feature, ...], list[Finding]]:
    """Return the features without constant and duplicate ones, and findings that name these."""
    kept: dict[bytes, Feature] = {}
    constant: list[str] = []
    original: dict[str, str] = {}
    for feature in features:
        known = feature.values[~np.isnan(feature.values)]
        content = feature.values.tobytes() + "|".join(feature.levels).encode()
        if len(known) == 0 or (known == known[0]).all():
            constant.append(feature.name)
        elif content in kept:
            original[feature.name] = kept[content].name
        else:
            kept[content] = feature
    found = []
    if constant:
        found.append(Finding(Code.USELESS_FEATURES, "note", numbers={"why": "constant", "features": constant}))
    if original:
        numbers = {"why": "repeated", "features": list(original), "equal_to": list(original.values())}
        found.append(Finding(Code.USELESS_FEATURES, "note", numbers=numbers))
    return tuple(kept.values()), found
