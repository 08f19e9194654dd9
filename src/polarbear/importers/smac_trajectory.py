"""Reader of SMAC's trajectories: the incumbent, its estimated cost, and the evaluations and wall-clock time until then.

SMAC 1 writes `traj.json` and `traj_aclib2.json`, with one JSON object per line, and `traj_old.csv`, without evaluations;
SMAC 2 writes a list "trajectory" in `intensifier.json`. A run history beside them has all trials and is read instead.

The cost of an incumbent is its mean over the instances and seeds on which SMAC had evaluated it until then. It is an
estimate and may rise later, when SMAC has evaluated the incumbent on more of them.
"""

from __future__ import annotations

import json
import math
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from polarbear.importers.events import Events, take_numbers
from polarbear.importers.foreign_text import amount
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError, shorten
from polarbear.importers.smac_folder import FILE_BYTES, identify_run, is_beside, read_beside
from polarbear.importers.sources import read_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source

HISTORY = "runhistory.json"
OLD_TRAJECTORY = "traj_old.csv"
_FILES = ("traj.json", "traj_aclib2.json", "intensifier.json", OLD_TRAJECTORY)  # the most complete one first
_OLD_HEADER = '"CPU Time Used","Estimated Training Performance"'
_NO_COST = 2.0**31  # what SMAC 1 writes before the first evaluation


class _Incumbent(NamedTuple):
    """One entry of a trajectory; numbers that are missing are None."""

    evaluations: float | None
    seconds: float | None
    cost: float
    budget: float


def is_trajectory(text: str) -> bool:
    """Return whether the beginning of a JSON or CSV file looks like a trajectory of SMAC."""
    start = text.lstrip("\ufeff \r\n")
    return start.startswith(_OLD_HEADER) or _has_lines(start) or (start.startswith("{") and '"incumbent_ids"' in start)


def _has_lines(text: str) -> bool:
    """Return whether a text begins with a line of SMAC 1's trajectories in JSON."""
    first = text.lstrip().partition("\n")[0]
    return all(f'"{key}"' in first for key in ("wallclock_time", "evaluations", "cost", "incumbent"))


def read_trajectory(source: Source, path: str, ledger: Ledger) -> None:
    """Read the trajectory of one run, unless a better file of the same run lies beside it.

    Parameters
    ----------
    source, path
        One of the files of a trajectory.
    ledger
        Receives the run and the reports of what could not be read.
    """
    if getattr(source, "named", None) != path:  # a file that the user named is read in any case
        if is_beside(source, path, HISTORY):
            ledger.note("HISTORIES_READ")
            return
        name = PurePosixPath(path).name
        if name in _FILES and any(is_beside(source, path, other) for other in _FILES[: _FILES.index(name)]):
            return
    _read(source, path, ledger)


def read_best_trajectory(source: Source, history: str, ledger: Ledger) -> bool:
    """Read the best trajectory beside a run history that cannot be used, and return whether there is one."""
    for name in _FILES:
        path = str(PurePosixPath(history).with_name(name))
        if is_beside(source, history, name) and (name != "intensifier.json" or _has_entries(source, path)):
            _read(source, path, ledger)
            return True
    return False


def _has_entries(source: Source, path: str) -> bool:
    return bool(read_beside(source, path, PurePosixPath(path).name).get("trajectory"))


def _read(source: Source, path: str, ledger: Ledger) -> None:
    file = source.name(path)
    if ledger.request.maximise:
        ledger.skip(file, Reason.NOT_MAXIMISED, kind="SMAC")
        return
    try:
        with source.open(path) as stream:
            text = read_text(stream, FILE_BYTES).lstrip("\ufeff \r\n")
        if text.startswith(_OLD_HEADER) and not ledger.request.seconds:
            raise UnreadableError(Reason.NO_EVALUATIONS, kind=OLD_TRAJECTORY)
        events = _events(list(_incumbents(text)), ledger, file)
        algorithm, instance, run = identify_run(source, path)
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)
        return
    ledger.note("ESTIMATED_COSTS")
    ledger.add(
        file,
        "run",
        format="smac",
        algorithm=algorithm,
        problem=(None, None, None, instance),
        events=events,
        end=_end(source, path, seconds=ledger.request.seconds),
        maximise=False,
        run=run,
    )


def _events(incumbents: list[_Incumbent], ledger: Ledger, file: str) -> Events:
    """Return the improvements of a run; only incumbents on the largest budget have a value."""
    events, largest = Events(maximise=False), max((each.budget for each in incumbents), default=0.0)
    for number, each in enumerate(incumbents, 1):
        ledger.rows += 1
        budget = each.seconds if ledger.request.seconds else each.evaluations
        cost = each.cost if each.budget == largest and each.cost < _NO_COST else math.nan
        reason = take_numbers(events, math.nan if budget is None else budget, cost)
        if reason not in (None, Reason.NO_VALUE):
            ledger.skip(file, reason, f"incumbent {number}")
    return events


def _incumbents(text: str) -> Iterator[_Incumbent]:
    """Yield the entries of a trajectory in any of its formats."""
    if text.startswith(_OLD_HEADER):
        for line in text.splitlines()[1:]:
            _, cost, seconds = [*line.split(",", 3), "", "", ""][:3]
            yield _Incumbent(None, amount(seconds), _cost(cost), 0.0)
        return
    try:
        entries: Any
        if _has_lines(text):
            entries = [json.loads(line) for line in text.splitlines() if line.strip()]
        else:
            entries = json.loads(text).get("trajectory")
    except ValueError as error:
        raise UnreadableError(Reason.NOT_JSON, problem=shorten(error)) from error
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise UnreadableError(Reason.NOT_SMAC_TRAJECTORY)
    for each in entries:
        yield _Incumbent(
            amount(each.get("evaluations", each.get("trial"))),
            amount(each.get("wallclock_time", each.get("walltime"))),
            _cost(each.get("cost", each.get("costs"))),
            amount(each.get("budget")) or 0.0,
        )


def _cost(cost: Any) -> float:
    """Return a cost; NaN if there is none."""
    while isinstance(cost, list):
        if len(cost) > 1:
            raise UnreadableError(Reason.SEVERAL_OBJECTIVES)
        cost = cost[0] if cost else None
    try:
        return math.nan if cost is None or isinstance(cost, bool) else float(cost)
    except (TypeError, ValueError):
        return math.nan


def _end(source: Source, path: str, *, seconds: bool) -> float | None:
    """Return the budget at which a run ended, from the statistics that SMAC stores beside; None if there are none."""
    statistics = read_beside(source, path, "stats.json")
    if seconds:
        return amount(
            statistics.get("wallclock_time_used", read_beside(source, path, "optimization.json").get("used_walltime"))
        )
    finished = read_beside(source, path, HISTORY).get("stats")
    return amount(statistics.get("finished_ta_runs", finished.get("finished") if isinstance(finished, dict) else None))
