"""Reader of IOHprofiler folders: JSON with `.dat` files, as ioh 0.3 writes them, and older `.info` with `.dat` files.

A `.dat` file (see `iohprofiler_data`) holds the runs of one function and dimension in the order of the index. A run on
a BBOB suite, whose raw values are distances to the optimum, finished if it solved its problem; all other runs were cut
off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from polarbear.findings import ReadWith
from polarbear.importers.events import has_reached
from polarbear.importers.foreign_text import amount, flag, identifier
from polarbear.importers.iohprofiler_data import DataFile
from polarbear.importers.iohprofiler_index import listed_runs, scan_index
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError
from polarbear.importers.sources import resolve_reference

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.events import Events
    from polarbear.importers.foreign_text import Identifier
    from polarbear.importers.info_index import IndexEntry
    from polarbear.importers.iohprofiler_index import Index, Scenario
    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source

INDEX = 2**25  # bytes of an `.info` file: indices of 200,000 runs


class _Experiment(NamedTuple):
    """What an index states about all of its runs."""

    algorithm: str
    suite: Identifier
    function: Identifier
    maximise: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a run in the index, and the number of runs there."""

    number: int
    total: int

    def __str__(self) -> str:
        return f"run {self.number} of {self.total}"


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
        index = scan_index(source, path)
        _read_scenarios(source, path, index, ledger)
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)


def _read_scenarios(source: Source, path: str, index: Index, ledger: Ledger) -> None:
    """Read the data of all scenarios of an index."""
    file, head = source.name(path), index.head
    for number, scenario in enumerate(index.scenarios, 1):
        if not isinstance(scenario.path, str):
            ledger.skip(file, Reason.NO_PATH, f"scenario {number}")
        elif scenario.runs is None:
            ledger.skip(file, Reason.NO_RUNS, f"scenario {number}")
    algorithm = head["algorithm"]
    experiment = _Experiment(
        str(algorithm["name"]) if isinstance(algorithm, dict) and "name" in algorithm else str(algorithm),
        identifier(head.get("suite")),
        identifier(head["function_id"] if head["function_id"] is not None else head.get("function_name")),
        maximise=bool(ledger.request.direction(flag(head.get("maximization")))),
    )
    for scenario, runs in listed_runs(source, path, index):
        if not isinstance(scenario.path, str):
            continue
        try:
            data = resolve_reference(path, scenario.path)
        except UnreadableError as error:
            ledger.skip_unreadable(file, error)
            continue
        with DataFile(source, data, ledger, experiment.maximise) as data_file:
            _read_scenario(file, experiment, scenario, runs, data_file, ledger)


def _read_scenario(
    file: str, experiment: _Experiment, scenario: Scenario, runs: Iterator[Any], data_file: DataFile, ledger: Ledger
) -> None:
    """Read the runs of one scenario, of which the index and the data file each state a part."""
    total, maximise = scenario.runs or 0, experiment.maximise
    problem = experiment.suite, experiment.function, identifier(scenario.dimension)
    for count, run in enumerate(runs, 1):
        what = _Place(count, total)
        if (events := data_file.next_run()) is None:
            data_file.report_missing(total - count + 1)
            break
        if not isinstance(run, dict) or "instance" not in run:
            ledger.skip(file, Reason.NO_INSTANCE, what)
            continue
        ledger.add(
            data_file.name,
            what,
            format="iohprofiler",
            algorithm=experiment.algorithm,
            problem=(*problem, identifier(run["instance"])),
            events=events,
            end=_end_of_run(run, events, data_file.name, what, ledger),
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
            what, end = f"run {count} of {len(runs)}", run.evaluations
            # Some versions of the logger list the final value as the algorithm saw it, transformed.
            if not (
                end is None
                or events.last >= end
                or any(has_reached(each, run.final, run.rounding, maximise=maximise) for each in (events, other))
            ):
                ledger.skip(data_file.name, Reason.CUT_RUN, what)
                end = None
            ledger.add(
                data_file.name,
                what,
                format="iohprofiler",
                algorithm=about.get("algId", "unknown"),
                problem=(suite, function, identifier(about.get("DIM")), identifier(run.instance)),
                events=events,
                end=None if ledger.request.seconds else end,
                maximise=maximise,
                finished=not maximise and data_file.has_solved(suite, events),
                distances=not maximise and data_file.holds_distances(suite),
            )


def _end_of_run(run: dict[str, Any], events: Events, file: str, what: object, ledger: Ledger) -> float | None:
    """Return the end of a run from its index, or None if the data end before the run found its best value."""
    if ledger.request.seconds:
        return None
    best = run.get("best")
    budget_of_best = amount(best.get("evals")) if isinstance(best, dict) else None
    if budget_of_best is not None and budget_of_best > events.last:
        ledger.skip(file, Reason.CUT_RUN, what)
        return None
    return amount(run.get("evals"))


def _infer_direction(runs: list[Events], data_file: DataFile, suite: str, ledger: Ledger) -> bool:
    """Return whether to maximise if the index does not state it: from best-so-far values, or else from the suite."""
    rises = sum(events.values[-1] > events.values[0] for events in runs if events.values)
    falls = sum(events.values[-1] < events.values[0] for events in runs if events.values)
    visible = data_file.holds_best and bool(rises) != bool(falls)
    maximise = bool(rises) if visible else suite.upper() == "PBO"
    remedy = ReadWith("maximise", not maximise)
    ledger.note("DIRECTION", remedy, suite=suite, maximise=maximise, visible=visible)
    return maximise
