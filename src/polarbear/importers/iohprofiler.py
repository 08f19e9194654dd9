"""Reader of IOHprofiler folders: JSON with `.dat` files, as ioh 0.3 writes them, and older `.info` with `.dat` files.

A `.dat` file (see `iohprofiler_data`) holds the runs of one function and dimension in the order of the index. A run on
a BBOB suite, whose raw values are distances to the optimum, finished if it solved its problem; all other runs were cut
off.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from polarbear.importers.events import has_reached
from polarbear.importers.foreign_text import amount, flag, identifier
from polarbear.importers.iohprofiler_data import DataFile
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError, shorten
from polarbear.importers.sources import read_text, resolve_reference

if TYPE_CHECKING:
    from polarbear.importers.events import Events
    from polarbear.importers.info_index import IndexEntry
    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source

INDEX = 2**25  # bytes: indices of 200,000 runs; as JSON it takes 25 times as much memory
_REQUIRED = ("function_id", "algorithm", "scenarios")
_UNREADABLE = re.compile(r"(?<=[\s:,\[])(-?)(inf|nan)(?=[\s,}\]])")


def is_index(text: str) -> bool:
    """Return whether the beginning of a JSON file looks like an IOHprofiler index."""
    return '"scenarios"' in text or '"function_id"' in text


def read_json(source: Source, path: str, ledger: Ledger) -> None:
    """Read the runs that an IOHprofiler JSON file lists.

    Parameters
    ----------
    source, path
        The JSON file.
    ledger
        Receives the runs and the reports of what could not be read.
    """
    file = source.name(path)
    try:
        with source.open(path) as stream:
            text = read_text(stream, INDEX)
        index = _parse_json(text)
        algorithm = index["algorithm"]
        name = str(algorithm["name"]) if isinstance(algorithm, dict) and "name" in algorithm else str(algorithm)
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)
        return
    maximise = bool(ledger.request.direction(flag(index.get("maximization"))))
    function = identifier(index["function_id"] if index["function_id"] is not None else index.get("function_name"))
    for number, scenario in enumerate(index["scenarios"], 1):
        if not isinstance(scenario, dict) or not isinstance(scenario.get("path"), str):
            ledger.skip(file, Reason.NO_PATH, f"scenario {number}")
            continue
        runs = scenario.get("runs")
        if not isinstance(runs, list):
            ledger.skip(file, Reason.NO_RUNS, f"scenario {number}")
            continue
        problem = identifier(index.get("suite")), function, identifier(scenario.get("dimension"))
        try:
            data = resolve_reference(path, scenario["path"])
        except UnreadableError as error:
            ledger.skip_unreadable(file, error)
            continue
        with DataFile(source, data, ledger, maximise) as data_file:
            for count, run in enumerate(runs, 1):
                what = f"run {count} of {len(runs)}"
                if (events := data_file.next_run()) is None:
                    data_file.report_missing(len(runs) - count + 1)
                    break
                if not isinstance(run, dict) or "instance" not in run:
                    ledger.skip(file, Reason.NO_INSTANCE, what)
                    continue
                ledger.add(
                    data_file.name,
                    what,
                    format="iohprofiler",
                    algorithm=name,
                    problem=(*problem, identifier(run["instance"])),
                    events=events,
                    until=_end_of_run(run, events, data_file.name, what, ledger),
                    maximise=maximise,
                    finished=not maximise and data_file.has_solved(problem[0], events),
                    distances=not maximise and data_file.holds_distances(problem[0]),
                )
            else:
                data_file.report_surplus()


def read_info(source: Source, path: str, entry: IndexEntry, ledger: Ledger) -> None:
    """Read the runs of one entry of an older `.info` index.

    Parameters
    ----------
    source, path
        The `.info` file.
    entry
        The entry.
    ledger
        Receives the runs and the reports of what could not be read.
    """
    file, about = source.name(path), entry.about
    suite = identifier(about.get("suite"))
    function = identifier(about.get("funcId", about.get("funcName")))
    stated = ledger.request.direction(flag(about.get("maximization", about.get("maximisation"))))
    for reference, runs in entry.files.items():
        try:
            data = resolve_reference(path, reference)
        except UnreadableError as error:
            ledger.skip_unreadable(file, error)
            continue
        with DataFile(source, data, ledger, stated) as data_file:
            runs_in_data: list[Events] = []
            transformed: list[Events] = []
            for count, _ in enumerate(runs, 1):
                if (events := data_file.next_run()) is None:
                    data_file.report_missing(len(runs) - count + 1)
                    break
                runs_in_data.append(events)
                transformed.append(data_file.transformed)
            else:
                data_file.report_surplus()
        maximise = _infer_direction(runs_in_data, data_file, str(suite), ledger) if stated is None else stated
        for count, (run, events, other) in enumerate(zip(runs, runs_in_data, transformed, strict=False), 1):
            what, until = f"run {count} of {len(runs)}", run.evaluations
            # Some versions of the logger list the final value as the algorithm saw it, transformed.
            if not (
                until is None
                or events.last >= until
                or any(has_reached(each, run.final, run.rounding, maximise=maximise) for each in (events, other))
            ):
                ledger.skip(data_file.name, Reason.CUT_RUN, what)
                until = None
            ledger.add(
                data_file.name,
                what,
                format="iohprofiler",
                algorithm=about.get("algId", "unknown"),
                problem=(suite, function, identifier(about.get("DIM")), identifier(run.instance)),
                events=events,
                until=None if ledger.request.seconds else until,
                maximise=maximise,
                finished=not maximise and data_file.has_solved(suite, events),
                distances=not maximise and data_file.holds_distances(suite),
            )


def _parse_json(text: str) -> dict[str, Any]:
    """Return the content of an index, after checking that it is one."""
    try:
        index = json.loads(text)
    except ValueError:
        try:
            # The logger writes inf and nan as C++ prints them, which is not JSON.
            index = json.loads(_UNREADABLE.sub(lambda m: m[1] + ("Infinity" if m[2] == "inf" else "NaN"), text))
        except ValueError as error:
            raise UnreadableError(Reason.NOT_JSON, problem=shorten(error)) from error
    if not isinstance(index, dict):
        raise UnreadableError(Reason.NOT_IOHPROFILER, problem="it is no JSON object")
    for key in _REQUIRED:
        if key not in index:
            raise UnreadableError(Reason.NOT_IOHPROFILER, problem=f"it has no {key!r}")
    if not isinstance(index["scenarios"], list):
        raise UnreadableError(Reason.NOT_IOHPROFILER, problem="its 'scenarios' are no list")
    return index


def _end_of_run(run: dict[str, Any], events: Events, file: str, what: str, ledger: Ledger) -> float | None:
    """Return the end of a run from its index, or None if the data end before the run found its best value."""
    if ledger.request.seconds:
        return None
    best = run.get("best")
    time_of_best = amount(best.get("evals")) if isinstance(best, dict) else None
    if time_of_best is not None and time_of_best > events.last:
        ledger.skip(file, Reason.CUT_RUN, what)
        return None
    return amount(run.get("evals"))


def _infer_direction(runs: list[Events], data_file: DataFile, suite: str, ledger: Ledger) -> bool:
    """Return whether to maximise if the index does not state it: from best-so-far values, or else from the suite."""
    rises = sum(events.values[-1] > events.values[0] for events in runs if events.values)
    falls = sum(events.values[-1] < events.values[0] for events in runs if events.values)
    visible = data_file.holds_best and bool(rises) != bool(falls)
    maximise = bool(rises) if visible else suite.upper() == "PBO"
    how = "its best-so-far values " + ("rise" if maximise else "fall") if visible else f"its suite is {suite}"
    ledger.note(  # the same sentence for all files of a suite, so that it appears once
        f"data of the suite {suite} without a stated direction: assumed to be {'max' if maximise else 'min'}imised, since "
        f"{how}; if this is wrong, set maximise (--maximise or --minimise)"
    )
    return maximise
