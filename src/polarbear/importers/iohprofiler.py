"""Reader of IOHprofiler folders: JSON with `.dat` files as ioh 0.3 writes them, and the older `.info` with `.dat` files.

A `.dat` file holds the runs of one function and dimension in the order of the index. Each run begins with a header of
column names. The logger writes a row when the value improves and at the last evaluation, so rows hold current values. By
default it rounds values to 1e-10, so smaller differences read as ties.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from polarbear.importers.events import Events, reached, take
from polarbear.importers.ledger import amount, flag, identifier, quote
from polarbear.importers.sources import FAULTS, describe_error, read_text, resolve_reference, text_lines

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from polarbear.importers.info_index import IndexEntry
    from polarbear.importers.ledger import Ledger, Problem
    from polarbear.importers.sources import Source

INDEX = 2**27  # bytes; an index of a million runs is smaller

# Columns in order of preference. Transformed values serve as well: the transformation of an instance keeps their order.
_EVALUATIONS = ("evaluations", "function evaluation")
_BEST = ("best-so-far f(x)", "raw_y_best", "transformed_y_best", "best af(x)+b", "current_y_best")
_VALUES = ("raw_y", "best-so-far f(x)", "current f(x)", "raw_y_best", "transformed_y", *_BEST, "current_y")
_REQUIRED = ("function_id", "algorithm", "scenarios")
_UNREADABLE = re.compile(r"(?<=[\s:,\[])(-?)(inf|nan)(?=[\s,}\]])")


def is_index(text: str) -> bool:
    """Return whether the beginning of a JSON file looks like an IOHprofiler index."""
    return '"scenarios"' in text or '"function_id"' in text


def read_json(source: Source, path: str, ledger: Ledger, columns: Mapping[str, str | None]) -> None:
    """Read the runs that an IOHprofiler JSON file lists.

    Parameters
    ----------
    source, path
        The JSON file.
    ledger
        Receives the runs and the reports of what could not be read.
    columns
        Other names for the columns "evaluations", "time" and "raw_y".
    """
    file = source.name(path)
    try:
        with source.open(path) as stream:
            text = read_text(stream, INDEX)
        index = _parsed(text)
        for key in _REQUIRED:
            if key not in index:
                raise ValueError(f"is not an IOHprofiler file: it has no {key!r}")
        algorithm = index["algorithm"]
        name = str(algorithm["name"]) if isinstance(algorithm, dict) and "name" in algorithm else str(algorithm)
        if not isinstance(index["scenarios"], list):
            raise ValueError("is not an IOHprofiler file: its 'scenarios' are no list")
    except FAULTS as error:
        ledger.skip(file, describe_error(error))
        return
    said = flag(index.get("maximization"))
    maximise = bool(said if ledger.maximise is None else ledger.maximise)
    function = identifier(index["function_id"] if index["function_id"] is not None else index.get("function_name"))
    for number, scenario in enumerate(index["scenarios"], 1):
        if not isinstance(scenario, dict) or not isinstance(scenario.get("path"), str):
            ledger.skip(file, "a scenario without the path of its data", f"scenario {number}")
            continue
        runs = scenario.get("runs")
        if not isinstance(runs, list):
            ledger.skip(file, "a scenario without runs", f"scenario {number}")
            continue
        problem = identifier(index.get("suite")), function, identifier(scenario.get("dimension"))
        try:
            data = resolve_reference(path, scenario["path"])
        except ValueError as error:
            ledger.skip(file, str(error))
            continue
        with _Blocks(source, data, ledger, columns, maximise) as blocks:
            for count, run in enumerate(runs, 1):
                what = f"run {count} of {len(runs)}"
                if (events := blocks.next()) is None:
                    blocks.missing(len(runs) - count + 1)
                    break
                if not isinstance(run, dict) or "instance" not in run:
                    ledger.skip(file, "a run without its instance", what)
                    continue
                until = _really_ran(run, events, blocks.file, what, ledger)
                of: Problem = (*problem, identifier(run["instance"]))
                ledger.add(
                    blocks.file,
                    what,
                    format="iohprofiler",
                    algorithm=name,
                    problem=of,
                    events=events,
                    until=until,
                    maximise=maximise,
                )
            else:
                blocks.surplus()


def read_info(
    source: Source, path: str, scenario: IndexEntry, ledger: Ledger, columns: Mapping[str, str | None]
) -> None:
    """Read the runs of one entry of an older `.info` index.

    Parameters
    ----------
    source, path
        The `.info` file.
    scenario
        The entry.
    ledger
        Receives the runs and the reports of what could not be read.
    columns
        Other names for the columns "evaluations", "time" and "raw_y".
    """
    file, about = source.name(path), scenario.about
    suite = identifier(about.get("suite"))
    function = identifier(about.get("funcId", about.get("funcName")))
    said = (
        ledger.maximise if ledger.maximise is not None else flag(about.get("maximization", about.get("maximisation")))
    )
    for reference, runs in scenario.files.items():
        try:
            data = resolve_reference(path, reference)
        except ValueError as error:
            ledger.skip(file, str(error))
            continue
        with _Blocks(source, data, ledger, columns, said) as blocks:
            found: list[Events] = []
            for count, _ in enumerate(runs, 1):
                if (events := blocks.next()) is None:
                    blocks.missing(len(runs) - count + 1)
                    break
                found.append(events)
            else:
                blocks.surplus()
        maximise = _direction(found, blocks, str(suite), ledger) if said is None else said
        for count, (run, events) in enumerate(zip(runs, found, strict=False), 1):
            what, until = f"run {count} of {len(runs)}", run.evaluations
            if until is not None and events.last < until and not reached(events, run.final, maximise=maximise):
                ledger.cut(blocks.file, what)
                until = None
            ledger.add(
                blocks.file,
                what,
                format="iohprofiler",
                algorithm=about.get("algId", "unknown"),
                problem=(suite, function, identifier(about.get("DIM")), identifier(run.instance)),
                events=events,
                until=None if ledger.seconds else until,
                maximise=maximise,
            )


def _parsed(text: str) -> dict[str, Any]:
    try:
        index = json.loads(text)
    except ValueError:
        try:
            # The logger writes inf and nan as C++ prints them, which is not JSON.
            index = json.loads(_UNREADABLE.sub(lambda m: m[1] + ("Infinity" if m[2] == "inf" else "NaN"), text))
        except ValueError as error:
            raise ValueError(f"is not whole JSON ({str(error)[:100]}); was its logger closed?") from error
    if not isinstance(index, dict):
        raise ValueError("is not an IOHprofiler file: it is no JSON object")
    return index


def _really_ran(run: dict[str, Any], events: Events, file: str, what: str, ledger: Ledger) -> float | None:
    """Return the end of a run from its index, or None if the data end before the run found its best value."""
    if ledger.seconds:
        return None
    best = run.get("best")
    found = amount(best.get("evals")) if isinstance(best, dict) else None
    if found is not None and found > events.last:
        ledger.cut(file, what)
        return None
    return amount(run.get("evals"))


def _direction(found: list[Events], blocks: _Blocks, suite: str, ledger: Ledger) -> bool:
    """Return whether to maximise if the index does not state it: from best-so-far values, or else from the suite."""
    rises = sum(events.values[-1] > events.values[0] for events in found if events.values)
    falls = sum(events.values[-1] < events.values[0] for events in found if events.values)
    told = blocks.holds_best and bool(rises) != bool(falls)
    maximise = bool(rises) if told else suite.upper() == "PBO"
    how = "its best-so-far values " + ("rise" if maximise else "fall") if told else f"its suite is {suite}"
    ledger.note(f"{blocks.file} does not say its direction; taken as {'max' if maximise else 'min'}imised, as {how}")
    return maximise


class _Blocks:
    """Iterate over the runs of one `.dat` file."""

    def __init__(
        self, source: Source, path: str, ledger: Ledger, columns: Mapping[str, str | None], maximise: bool | None
    ) -> None:
        self.file = source.name(path)
        self.holds_best = False
        self._ledger, self._maximise = ledger, maximise
        clock = columns.get("time") or "time" if ledger.seconds else columns.get("evaluations")
        value = columns.get("raw_y")
        self._clocks = (clock,) if clock else _EVALUATIONS
        self._choices = (value,) if value else _VALUES
        self._failed = False
        self._blocks = self._read(source, path)

    def __enter__(self) -> _Blocks:
        return self

    def __exit__(self, *_: object) -> None:
        self._blocks.close()

    def next(self) -> Events | None:
        try:
            return next(self._blocks, None)
        except FAULTS as error:
            self._failed = True
            self._ledger.skip(self.file, describe_error(error))
            return None

    def missing(self, count: int) -> None:
        if not self._failed:
            self._ledger.skip(self.file, "runs that the index lists are not in the data", count=count)

    def surplus(self) -> None:
        while self.next() is not None:
            self._ledger.skip(self.file, "runs in the data that the index does not list")

    def _read(self, source: Source, path: str) -> Generator[Events, None, None]:
        ledger = self._ledger
        header, width, clock, column = "", 0, -1, -1
        events: Events | None = None
        with source.open(path) as stream:
            for number, line in enumerate(text_lines(stream), 1):
                parts = line.split()
                if not parts:
                    continue
                if not line.endswith(("\n", "\r")):
                    # Half a number still parses, often as a better value.
                    ledger.skip(self.file, "its last line is cut", f"line {number}")
                    break
                if line == header or parts[0][0].isalpha() or parts[0][0] == '"':
                    if line != header:
                        names = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|(\S+)', line)]
                        if not any(name in names for name in self._clocks):
                            if not header:
                                raise ValueError(f"has no column {self._clocks[0]!r}, only {quote(' '.join(names))}")
                            ledger.skip(self.file, "lines that are no numbers", f"line {number}: {quote(line.strip())}")
                            continue
                        header, width = line, len(names)
                        clock, column = self._columns(names)
                    if events is not None:
                        yield events
                    events = Events(self._maximise)
                    continue
                if events is None:
                    raise ValueError("does not begin with a line of column names")
                ledger.rows += 1
                reason = (
                    take(events, parts[clock], parts[column])
                    if len(parts) == width
                    else f"lines that have not {width} columns"
                )
                if reason:
                    ledger.skip(self.file, reason, f"line {number}: {quote(line.strip())}")
        if events is not None:
            yield events

    def _columns(self, names: list[str]) -> tuple[int, int]:
        clock = next(name for name in self._clocks if name in names)
        value = next((name for name in self._choices if name in names), None)
        if value is None:
            raise ValueError(f"has no column {self._choices[0]!r}, only {quote(' '.join(names))}")
        self.holds_best = value in _BEST
        if value not in ("raw_y", "best-so-far f(x)"):
            self._ledger.note(f"{self.file}: values are those of the column {value!r}")
        return names.index(clock), names.index(value)
