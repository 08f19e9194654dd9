"""Read tables of features: CSV, Parquet, ARFF of ASlib, data frames and mappings."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from polarbear.features.table import FeatureTable
from polarbear.importers.arff import parse_arff
from polarbear.importers.foreign_text import quote
from polarbear.importers.frame_table import describe_frame, open_frame
from polarbear.importers.reasons import UnreadableError
from polarbear.race.instance_features import parse_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    FeatureSource: TypeAlias = "str | PathLike[str] | Mapping[str, Sequence[Any]] | FeatureTable | Any"

_SEPARATORS = ",;\t"
_FIELDS = {"instance_id": "instance", "function_id": "function", "func_id": "function"}  # names in other formats


def read_features(source: FeatureSource, *, instances: Sequence[Any] = ()) -> FeatureTable:
    """Read features of instances from a table.

    A column `instance` says which instance a row describes: the index or the label of an instance of a race, or the
    instance of recorded runs. For recorded runs, any of the columns suite, function, dimension, instance and run identify
    the instances together. All other columns are features. Numbers are compared with thresholds, anything else is a
    category. Empty cells, "?", "NA" and NaN are missing.

    Parameters
    ----------
    source
        A CSV file, a Parquet file, ASlib's `feature_values.arff`, a data frame of pandas, polars or Arrow, or a mapping from
        names to columns.
    instances
        The instances of a race, in their order, if they are listed and the table names them instead of numbering them. The
        name of a file matches its path.

    Examples
    --------
    >>> read_features({"instance": [0, 1, 2], "dimension": [2, 2, 40], "separable": [True, None, False]})
    FeatureTable(3 rows, 3 columns, from a mapping of 3 columns)
    """
    if isinstance(source, FeatureTable):
        return source
    columns, origin = _read_columns(source)
    columns = {_FIELDS.get(name, name): cells for name, cells in columns.items()}
    lengths = {len(cells) for cells in columns.values()}
    if len(lengths) != 1 or lengths == {0}:
        found = "none" if not any(lengths) else f"columns of {' and '.join(map(str, sorted(lengths)))} rows"
        raise ValueError(f"expected columns of equal length with at least one row in {origin}, got {found}")
    parsed = {name: tuple(map(parse_value, cells)) for name, cells in columns.items()}
    return FeatureTable(parsed, origin, labels=tuple(map(str, instances)))


def _read_columns(source: Any) -> tuple[dict[str, Sequence[Any]], str]:
    if isinstance(source, Mapping):
        return {str(name): list(cells) for name, cells in source.items()}, f"a mapping of {len(source)} columns"
    if (frame := open_frame(source)) is not None:
        return {name: frame[name].to_list() for name in frame.columns}, describe_frame(frame)
    if not isinstance(source, str | PathLike):
        raise ValueError(
            f"expected features as a file, a data frame or a mapping from names to columns, got {type(source).__name__}"
        )
    path = Path(source)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {path} with features; check its name")
    readers = {".arff": _read_arff, ".parquet": _read_parquet}
    return readers.get(path.suffix.lower(), _read_csv)(path), path.name


def _read_csv(path: Path) -> dict[str, Sequence[Any]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            header = file.readline()
            separator = max(_SEPARATORS, key=header.count)
            names = [name.strip() for name in next(csv.reader([header], delimiter=separator), [])]
            rows = [row for row in csv.reader(file, delimiter=separator, skipinitialspace=True) if any(row)]
    except UnicodeDecodeError as error:
        raise ValueError(f"expected text in UTF-8 in {path}, got other bytes ({error.reason}); convert it") from None
    return _as_columns(path, names, rows)


def _read_arff(path: Path) -> dict[str, Sequence[Any]]:
    """Read `feature_values.arff`; of several repetitions of the same instance, the first counts."""
    with path.open(encoding="utf-8", errors="replace") as file:
        try:
            names, found = parse_arff(file)
        except UnreadableError as error:
            raise ValueError(f"expected an ARFF table in {path}, got another file; see the format of ASlib") from error
        columns = _as_columns(path, names, [row.cells for row in found])
    repetitions = columns.pop("repetition", None)
    if repetitions is None or "instance_id" not in columns:
        return columns
    first = {name: row for row, name in reversed(list(enumerate(columns["instance_id"])))}
    kept = sorted(first.values())
    return {name: [cells[row] for row in kept] for name, cells in columns.items()}


def _read_parquet(path: Path) -> dict[str, Sequence[Any]]:
    try:
        from pyarrow import parquet  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError(f"reading {path.name} needs pyarrow: pip install pyarrow, or write it as CSV") from error
    columns: dict[str, Sequence[Any]] = parquet.read_table(path).to_pydict()
    return columns


def _as_columns(path: Path, names: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Sequence[Any]]:
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"expected distinct column names in {path}, got {quote(twice)} twice; rename or remove one")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(names):
            raise ValueError(
                f"expected {len(names)} cells in every row of {path}, got {len(row)} in row {number} after the header"
            )
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}
