"""Features that runs bring along: the fields of recorded runs, and `features` of the instances of a race."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from polarbear.features.table import FeatureTable
from polarbear.importers.imported import Block, Imported
from polarbear.race.instance_features import parse_value
from polarbear.race.outcome import outcome_of
from polarbear.race.sampling import seed_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from polarbear.race.instance_features import Value
    from polarbear.race.outcome import RaceOutcome


def features_of(source: Imported | RaceOutcome, instances: Any = None) -> FeatureTable:
    """Return the features that runs bring along.

    Recorded runs have the fields suite, function and dimension, and the columns that were kept (`read_runs(keep=...)`), as
    far as all runs on an instance agree. An instance of a race may have an attribute `features`, a mapping from names to
    values.

    Parameters
    ----------
    source
        Recorded runs, or the result of a race, which stores the features of its instances.
    instances
        For a race that has stored none, such as one of an earlier version: its instances, as they were given to `Race`: a
        list, or a function of index and seed, which is called again for each instance that was used.
    """
    source = outcome_of(source)
    if isinstance(source, Imported):
        return _fields_of(source)
    if instances is None:
        return _stored_features(source)
    seed, indices = source.state.settings.seed, source.state.observations.instances
    rows: list[Mapping[str, Any]] = []
    for index in indices:
        instance = instances(index, seed_of(seed, "instance", index)) if callable(instances) else instances[index]
        features = getattr(instance, "features", None)
        if not isinstance(features, Mapping):
            raise ValueError(
                f"expected instances with an attribute `features`, a mapping from names to values, got {features!r} of "
                f"instance {index}; add it, or pass a table"
            )
        rows.append(features)
    return table_of_rows(indices, rows)


def _stored_features(result: RaceOutcome) -> FeatureTable:
    """Return the features that a race stores."""
    stored = result.state.features
    indices = [index for index in result.state.observations.instances if index in stored]
    if not indices:
        raise ValueError(
            "expected a race that stores features of its instances, got none; pass the instances of the race, if they have "
            "an attribute `features`, or a table"
        )
    return table_of_rows(indices, [stored[index] for index in indices])


def table_of_rows(indices: Sequence[int], rows: Sequence[Mapping[str, Any]]) -> FeatureTable:
    """Return the table of the features of instances, which may have different names."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns = {str(name): tuple(parse_value(row.get(name)) for row in rows) for name in names}
    return FeatureTable({"instance": tuple(map(float, indices)), **columns}, "the instances of the race", ("instance",))


def _fields_of(imported: Imported) -> FeatureTable:
    blocks: dict[Hashable, None] = dict.fromkeys(run.instance for run in imported.runs)
    own = [block for block in blocks if isinstance(block, Block)]
    columns: dict[str, tuple[Value, ...]] = {
        name: tuple(parse_value(getattr(block, name)) for block in own) for name in Block._fields
    }
    for name, cells in imported.cells.items():
        if name in Block._fields:
            continue
        values: dict[Hashable, set[Any]] = {}
        for run, found in zip(imported.runs, cells, strict=True):
            values.setdefault(run.instance, set()).update(found)
        if all(len(each) <= 1 for each in values.values()):
            columns[name] = tuple(parse_value(next(iter(values[block]), None)) for block in own)
    names = tuple(name for name in columns if name not in ("instance", "run"))
    return FeatureTable(columns, "the recorded runs", Block._fields, names, frozenset({"suite", "function"}))
