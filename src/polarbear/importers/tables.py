"""Tables of runs with one row per observation: CSV (read by the csv module) and Parquet (read by pyarrow, an extra).

Columns have IOHprofiler's names unless a mapping replaces them. Rows may come in any order and from any number of files:
all rows with the same algorithm, problem and run number form one run.
"""

from __future__ import annotations

import csv
import difflib
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from operator import itemgetter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple
from zipfile import ZipExtFile

from polarbear.importers.events import Events, take_numbers
from polarbear.importers.ledger import amount, flag, identifier, quote
from polarbear.importers.sources import FAULTS, describe_error, text_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from polarbear.importers.imported import Identifier
    from polarbear.importers.ledger import Ledger, Problem
    from polarbear.importers.sources import Source

# Name and content of each column. A key column has the same value in all rows of a run.
COLUMNS = {
    "algorithm_name": "the algorithm",
    "suite": "the suite of the function",
    "function_id": "the function",
    "function_name": "the function, where there is no function_id",
    "dimension": "its dimension",
    "instance": "its instance",
    "run_id": "which repetition",
    "maximization": "whether higher values are better",
    "evals": "how many evaluations the whole run took; otherwise it ends with its last row",
    "evaluations": "the time axis",
    "time": "the time axis in seconds",
    "raw_y": "the value found then; best-so-far is taken on reading",
}
_KEYS = tuple(COLUMNS)[:9]
_SEPARATORS = ",;\t"
_BATCH = 65_536  # rows of a Parquet file in memory at once


class _Key(NamedTuple):
    """The key of the run to which a row belongs."""

    algorithm: str
    problem: Problem
    run: Identifier


class _Run(NamedTuple):
    events: Events
    until: float | None
    file: str
    cells: set[tuple[Identifier, ...]]  # the values of its rows in the columns that define clusters


class Tables:
    """Collect the runs of all tables of an import; the rows of one run may be spread over many files.

    Parameters
    ----------
    ledger
        Receives the runs and the reports of what could not be read.
    columns
        Mapping from IOHprofiler's names (the keys of `COLUMNS`) to those of the tables. None for "algorithm_name" takes
        the name of the file as that of the algorithm.
    cluster
        The columns that define clusters; a table may lack them.
    """

    def __init__(self, ledger: Ledger, columns: Mapping[str, str | None], cluster: Sequence[str] = ()) -> None:
        self.found: dict[str, None] = {}  # all columns of all tables
        self._ledger = ledger
        self._columns = columns
        self._cluster = cluster
        self._runs: dict[_Key, _Run] = {}
        self._formats: dict[str, str] = {}
        self._axis = "time" if ledger.seconds else "evaluations"

    def read_csv(self, source: Source, path: str) -> None:
        """Read a CSV file row by row; the header determines the separator (comma, semicolon, tab or space)."""
        file, ledger = source.name(path), self._ledger
        try:
            with source.open(path) as stream:
                lines = self._whole(file, text_lines(stream, errors="strict"))
                header = next(lines, "")
                if not header.strip():
                    raise ValueError("is empty")
                # A space is the separator only if the header has no other one, since names of columns may contain spaces.
                headers = {each: _header(header, each) for each in _SEPARATORS if each in header} or {
                    " ": _header(header, " ")
                }
                wanted = set(self._wanted())
                separator = max(headers, key=lambda each: len(wanted.intersection(headers[each])))
                rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
                self._take("csv", file, headers[separator], rows, lambda: rows.line_num + 1, [])
        except (*FAULTS, csv.Error) as error:
            ledger.skip(file, describe_error(error))

    def _whole(self, file: str, lines: Iterable[str]) -> Iterator[str]:
        line = "\n"
        for line in lines:
            yield line
        if not line.endswith(("\n", "\r")):
            # Many programs omit the last line break. But if the file was cut, half a number still parses, often as a
            # better value.
            self._ledger.note(f"{file}: its last line has no end; if the file was cut, the last value is wrong")

    def read_parquet(self, source: Source, path: str) -> None:
        """Read a Parquet file batch by batch."""
        file, ledger = source.name(path), self._ledger
        try:
            import pyarrow  # type: ignore[import-untyped]
            from pyarrow.parquet import ParquetFile  # type: ignore[import-untyped]
        except ImportError:
            ledger.skip(file, "is a Parquet file, which needs pyarrow: pip install 'polarbear[parquet]'")
            return
        try:
            with source.open(path) as stream, tempfile.TemporaryFile() as copy:
                if isinstance(stream, ZipExtFile):  # seeking back would decompress it again and again
                    shutil.copyfileobj(stream, copy)
                table = ParquetFile(copy if isinstance(stream, ZipExtFile) else stream)
                used = [name for name in dict.fromkeys(self._wanted()) if name in table.schema_arrow.names]
                for name in used:
                    if pyarrow.types.is_nested(table.schema_arrow.field(name).type):
                        raise ValueError(f"has lists or records in the column {name!r}")

                def rows() -> Iterator[Sequence[Any]]:
                    for batch in table.iter_batches(_BATCH, columns=used):
                        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

                others = [name for name in table.schema_arrow.names if name not in used]
                self._take("parquet", file, used, rows(), None, others)
        except pyarrow.ArrowException as error:
            ledger.skip(file, f"cannot be read as Parquet ({str(error)[:200]})")
        except FAULTS as error:
            ledger.skip(file, describe_error(error))

    def finish(self) -> None:
        """Pass the runs to the ledger, once all tables are read."""
        for key, (events, until, file, cells) in self._runs.items():
            self._ledger.add(
                file,
                f"{quote(key.algorithm)} on {quote(str(key.problem))}, run {quote(key.run)}",
                format=self._formats[file],
                algorithm=key.algorithm,
                problem=key.problem,
                events=events,
                until=until,
                maximise=bool(events.maximise),
                run=1 if key.run is None else key.run,
                cells=frozenset(cells),
            )

    def _wanted(self) -> list[str]:
        known = [name for column in COLUMNS if (name := self._columns.get(column, column)) is not None]
        return [*known, *self._cluster]

    def _place(self, column: str, names: list[str], others: list[str], *, required: bool) -> int | None:
        """Return the position of a column, or None if an optional one is missing.

        A missing column is an error if it is required or if the user named it.
        """
        name = self._columns.get(column, column)
        if name is None or not (name in names or required or column in self._columns):
            return None
        if names.count(name) == 1:
            return names.index(name)
        if name in names:
            raise ValueError(f"has {names.count(name)} columns {name!r}")
        has = [*names, *others][:100]
        other = [*difflib.get_close_matches(name, has, n=1, cutoff=0.5), "its name"][0]
        raise ValueError(
            f"has no column {name!r}, only {quote(', '.join(has))}; if it has another name, say it, for example "
            f"columns={{{column!r}: {other!r}}}, or with --map {shlex.quote(f'{column}={other}')}"
        )

    def _take(
        self,
        format: str,  # noqa: A002  (the public word for it)
        file: str,
        names: list[str],
        rows: Iterable[Sequence[Any]],
        line: Callable[[], int] | None,
        others: list[str],
    ) -> None:
        """Add the rows of one table; `others` are its columns that the rows leave out."""
        clock = self._place(self._axis, names, others, required=True)
        value = self._place("raw_y", names, others, required=True)
        if clock is None or value is None:
            raise ValueError("has no time axis or no values")
        key_places = {
            name: place
            for name in _KEYS
            if (place := self._place(name, names, others, required=name == "algorithm_name")) is not None
        }
        for name in self._cluster:
            if names.count(name) > 1:
                raise ValueError(f"has {names.count(name)} columns {name!r}")
        self.found.update(dict.fromkeys([*names, *others]))
        cluster = [name for name in self._cluster if name in names]
        key_of = _getter([*key_places.values(), *map(names.index, cluster)])
        ledger, width, known = self._ledger, len(names), dict[object, Events]()
        not_numbers = f"rows without numbers as {names[clock]} and {names[value]}"
        for count, row in enumerate(rows, 1):
            ledger.rows += 1
            if len(row) != width:
                if row:
                    ledger.skip(file, f"rows that have not {width} columns", f"{_at(line, count)}: {quote(row)}")
                continue
            try:
                found = row[value]
                at, best = float(row[clock]), float("nan" if found is None or found == "" else found)
            except (ValueError, TypeError, OverflowError):
                ledger.skip(file, not_numbers, f"{_at(line, count)}: {quote(row)}")
                continue
            key = key_of(row)
            events = known.get(key)
            if events is None:
                cells = dict(zip(key_places, key, strict=False))
                run = self._run(format, file, cells, f"{_at(line, count)}: {quote(row)}")
                labels = dict(zip(cluster, key[len(key_places) :], strict=True))
                run.cells.add(tuple(identifier(labels.get(name)) for name in self._cluster))
                events = known[key] = run.events
            if reason := take_numbers(events, at, best):
                ledger.skip(file, reason, f"{_at(line, count)}: {quote(row)}")

    def _run(self, format: str, file: str, cells: dict[str, Any], first: str) -> _Run:  # noqa: A002
        """Return the run that the cells of the key columns identify."""
        named = cells.get("algorithm_name") if "algorithm_name" in cells else PurePosixPath(file).stem
        algorithm = str(named).strip() if named is not None else ""
        if not algorithm:
            self._ledger.skip(file, "rows that name no algorithm", first)
            return _Run(Events(maximise=False), None, file, set())  # not stored, so its rows have no effect
        function = identifier(cells.get("function_id"))
        problem: Problem = (
            identifier(cells.get("suite")),
            identifier(cells.get("function_name")) if function is None else function,
            identifier(cells.get("dimension")),
            identifier(cells.get("instance")),
        )
        key = _Key(algorithm, problem, identifier(cells.get("run_id")))
        until = None if self._ledger.seconds else amount(cells.get("evals"))
        if key not in self._runs:
            said = flag(cells.get("maximization"))
            maximise = bool(said if self._ledger.maximise is None else self._ledger.maximise)
            self._runs[key] = _Run(Events(maximise), until, file, set())
            self._formats.setdefault(file, format)
        elif until is not None:
            self._runs[key] = self._runs[key]._replace(until=max(until, self._runs[key].until or 0.0))
        return self._runs[key]


def _header(line: str, separator: str) -> list[str]:
    return [name.strip() for name in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]


def _getter(places: list[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return a function that picks cells of a row, always as a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda row: tuple(row[place] for place in places)


def _at(line: Callable[[], int] | None, count: int) -> str:
    return f"line {line()}" if line else f"row {count}"


def check_columns(columns: Mapping[str, str | None] | None) -> dict[str, str | None]:
    """Check a mapping from IOHprofiler's column names to those of tables.

    Parameters
    ----------
    columns
        The mapping; None keeps all of IOHprofiler's names.

    Returns
    -------
    dict

    Examples
    --------
    >>> check_columns({"raw_y": "loss"})
    {'raw_y': 'loss'}
    >>> check_columns({"row_y": "loss"})
    Traceback (most recent call last):
    ...
    ValueError: expected columns of algorithm_name, suite, ..., got 'row_y'; did you mean 'raw_y'?
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise ValueError(f"expected columns as a mapping such as {{'raw_y': 'loss'}}, got {quote(columns)}")
    for column, name in columns.items():
        if column not in COLUMNS:
            near = difflib.get_close_matches(str(column), COLUMNS, n=1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(f"expected columns of {', '.join(COLUMNS)}, got {quote(column)}{hint}")
        if name is None and column != "algorithm_name":
            raise ValueError(f"expected the name of the column {column!r}, got None; leave it out if there is none")
        if name is not None and not isinstance(name, str):
            raise ValueError(f"expected the name of the column {column!r} as text, got {quote(name)}")
    return dict(columns)
