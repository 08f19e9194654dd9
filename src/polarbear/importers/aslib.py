"""Reader of ASlib scenarios: how long each algorithm took to solve each instance (`algorithm_runs.arff`).

A run that solved its instance becomes a trajectory with the value 1, unsolved, until its runtime and 0, solved, from
then on: it finished. Runs that did not solve it (timeout, memout, crash, not_applicable, other) are unsolved until the
cutoff time of `description.txt`, so that they share the last place, and unknown afterwards. A crash is no better and
no worse than a timeout, as in ASlib. A run that solved its instance after the cutoff counts as unsolved.

Time is in seconds. Scenarios that measure the quality of solutions rather than runtime are refused: they have no times.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from polarbear.importers.arff import attribute_names, parse_arff
from polarbear.importers.events import Events
from polarbear.importers.foreign_text import amount, identifier, quote
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError
from polarbear.importers.sources import read_text, text_lines

if TYPE_CHECKING:
    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source

_COLUMNS = ("instance_id", "repetition", "algorithm", "runstatus")
_DESCRIPTION = 2**24  # bytes
_UNSOLVED, _SOLVED = 1.0, 0.0


class _Scenario(NamedTuple):
    name: str
    measure: str  # the column of runtimes
    cutoff: float | None  # in seconds, if it is known


def lists_runs(text: str) -> bool:
    """Return whether the beginning of an ARFF file shows that it lists runs; scenarios have tables of features, too."""
    return set(_COLUMNS) <= set(attribute_names(text))


def read_arff(source: Source, path: str, ledger: Ledger) -> None:
    """Read the runs of a scenario.

    Parameters
    ----------
    source, path
        The file `algorithm_runs.arff`; `description.txt` is in the same folder.
    ledger
        Receives the runs and the reports of what could not be read.
    """
    file = source.name(path)
    if not ledger.request.seconds or ledger.request.maximise:
        reason = Reason.NOT_MAXIMISED if ledger.request.seconds else Reason.NO_EVALUATIONS
        ledger.skip(file, reason, kind="ASlib")
        return
    try:
        scenario = _read_description(source, str(PurePosixPath(path).parent / "description.txt"))
        with source.open(path) as stream:
            names, rows = parse_arff(text_lines(stream))
            places = _locate(names, scenario.measure)
            for line, cells in rows:
                ledger.rows += 1
                place = f"line {line}: {quote(cells)}"
                if len(cells) != len(names):
                    ledger.skip(file, Reason.WRONG_WIDTH, place, columns=len(names))
                    continue
                instance, repetition, algorithm, status, budget = (cells[each] for each in places)
                if not algorithm:
                    ledger.skip(file, Reason.NO_ALGORITHM, place)
                    continue
                events, end, solved = Events(maximise=False), scenario.cutoff, False
                events.add(0.0, _UNSOLVED)
                runtime = amount(budget)
                if (status or "").lower() == "ok":
                    if runtime is None:
                        ledger.skip(file, Reason.NO_RUNTIME, place)
                        continue
                    solved = scenario.cutoff is None or runtime <= scenario.cutoff
                if solved and runtime is not None:
                    events.add(runtime, _SOLVED)
                    end = runtime
                elif end is None and runtime is None:
                    ledger.skip(file, Reason.NO_RUNTIME, place)
                    continue
                ledger.add(
                    file,
                    f"line {line}",
                    format="aslib",
                    algorithm=algorithm,
                    problem=(identifier(scenario.name), None, None, identifier(instance)),
                    events=events,
                    end=runtime if end is None else end,
                    maximise=False,
                    finished=solved,
                    run=identifier(repetition) or 1,
                )
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)


def _read_description(source: Source, path: str) -> _Scenario:
    """Return the name of a scenario, its measure and its cutoff time."""
    try:
        with source.open(path) as stream:
            fields = parse_description(read_text(stream, _DESCRIPTION))
    except FileNotFoundError as error:
        raise UnreadableError(Reason.NO_DESCRIPTION) from error
    measures, kinds = (fields.get(key, []) for key in ("performance_measures", "performance_type"))
    if not measures or kinds[:1] != ["runtime"]:
        kind = kinds[0] if kinds else "not stated"
        raise UnreadableError(Reason.NOT_RUNTIME, measure=quote(measures[0] if measures else None), kind=quote(kind))
    name = fields.get("scenario_id") or [PurePosixPath(path).parent.name]
    cutoff = amount((fields.get("algorithm_cutoff_time") or ["?"])[0])
    return _Scenario(name[0], measures[0].lower(), cutoff or None)


def parse_description(text: str) -> dict[str, list[str]]:
    r"""Return the fields at the top level of a description in YAML, as lists of text.

    Examples
    --------
    >>> parse_description("scenario_id: 'SAT'\nperformance_type:\n  - runtime\nfeature_steps:\n  Basic:\n    provides:\n")
    {'scenario_id': ['SAT'], 'performance_type': ['runtime'], 'feature_steps': []}
    """
    fields: dict[str, list[str]] = {}
    key = ""
    for line in text.splitlines():
        if match := re.match(r"(\w+)\s*:(?:\s+(.*))?$", line):
            key = match[1]
            fields[key] = [value] if (value := _plain(match[2] or "")) else []
        elif key and (match := re.match(r"\s*-\s+(.*)$", line)):
            fields[key].append(_plain(match[1]))
    return fields


def _plain(value: str) -> str:
    """Return a YAML value without its comment and its quotes."""
    return re.sub(r"\s+#.*$", "", value.strip()).strip().strip("'\"")


def _locate(names: list[str], measure: str) -> list[int]:
    """Return the positions of instance, repetition, algorithm, status and runtime."""
    needed = [*_COLUMNS, measure]
    if missing := [name for name in needed if name not in names]:
        raise UnreadableError(Reason.NO_COLUMN, columns=missing, existing=names)
    return [names.index(name) for name in needed]
