"""Reader of SMAC's run histories: `runhistory.json` in the folder of each run of SMAC 2 (NAME/SEED) or 1 (NAME/run_SEED).

The algorithm is the name, and the run the seed. Folders above the name are the instance, as with an output folder per
problem. The value is the cost of a trial; only trials that succeeded, on the largest budget, have one.

Costs on different instances cannot be compared with one another, so a history with several instances is not used; the
trajectory beside it is, see `smac_trajectory`. A history with several objectives is refused. Several seeds of a problem
are repeated evaluations, of which each counts.
"""

from __future__ import annotations

import json
import math
import re
from typing import TYPE_CHECKING, Any

from polarbear.importers.foreign_text import amount
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError, shorten
from polarbear.importers.smac_folder import FILE_BYTES, identify_run
from polarbear.importers.smac_trajectory import read_best_trajectory
from polarbear.importers.sources import read_text
from polarbear.importers.trials import Trial, collect_trials

if TYPE_CHECKING:
    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source

# The status of a trial: numbers in SMAC 2, names in SMAC 1. A trial that shall not advance to larger budgets has a cost.
_RUNNING = (0, "StatusType.RUNNING")
_SUCCESS = (1, "StatusType.SUCCESS", "StatusType.DONOTADVANCE")

# The entries of SMAC 2.3 and later are dictionaries with these keys. Those of 2.0 to 2.2 are lists of the values, and those
# of SMAC 1 are pairs of two lists.
_KEY = ("config_id", "instance", "seed", "budget")
_VALUE = ("cost", "time", "status", "starttime", "endtime", "additional_info")
_BEGINNING = re.compile(
    r'\s*\{\s*("stats"\s*:\s*\{\s*"submitted"[^{}]*\}\s*,\s*)?"data"\s*:\s*\[\s*(\[|\{\s*"config_id"|\])'
)


def is_history(text: str) -> bool:
    """Return whether the beginning of a JSON file looks like a run history of SMAC."""
    return _BEGINNING.match(text) is not None or ('"config_id"' in text and '"data"' in text)


def read_history(source: Source, path: str, ledger: Ledger) -> None:
    """Read one run of SMAC, or its trajectory if its trials are on several instances.

    Parameters
    ----------
    source, path
        The file `runhistory.json`.
    ledger
        Receives the run and the reports of what could not be read.
    """
    file = source.name(path)
    if ledger.request.maximise:
        ledger.skip(file, Reason.NOT_MAXIMISED, kind="SMAC")
        return
    try:
        with source.open(path) as stream:
            entries = _entries(read_text(stream, FILE_BYTES))
        if len({str(each.get("instance")) for each in entries}) > 1:
            if not read_best_trajectory(source, path, ledger):
                ledger.skip(file, Reason.SEVERAL_INSTANCES)
            return
        trials = _trials(entries)
        if len({str(each.get("seed")) for each in entries}) > 1:
            ledger.note("SEVERAL_SEEDS")
        algorithm, instance, run = identify_run(source, path)
        events = collect_trials(trials, ledger, file, "run", maximise=False)
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)
        return
    ledger.add(
        file,
        "run",
        format="smac",
        algorithm=algorithm,
        problem=(None, None, None, instance),
        events=events,
        end=None,
        maximise=False,
        run=run,
    )


def _entries(text: str) -> list[dict[str, Any]]:
    """Return the entries of a run history."""
    try:
        history = json.loads(text)
    except ValueError as error:
        raise UnreadableError(Reason.NOT_JSON, problem=shorten(error)) from error
    entries = history.get("data") if isinstance(history, dict) else None
    if not isinstance(entries, list):
        raise UnreadableError(Reason.NOT_SMAC)
    return [_entry(each) for each in entries]


def _entry(entry: object) -> dict[str, Any]:
    """Return an entry of any version of SMAC as a dictionary."""
    if isinstance(entry, list) and len(entry) == 2 and all(isinstance(part, list) for part in entry):
        entry = dict(zip(_KEY, entry[0], strict=False)) | dict(zip(_VALUE, entry[1], strict=False))
    elif isinstance(entry, list):
        entry = dict(zip(_KEY + _VALUE, entry, strict=False))
    if not isinstance(entry, dict):
        raise UnreadableError(Reason.NOT_SMAC)
    status = entry.get("status")
    return {**entry, "status": status.get("__enum__")} if isinstance(status, dict) else entry


def _trials(entries: list[dict[str, Any]]) -> list[Trial]:
    """Return the trials that ended."""
    if any(isinstance(each.get("cost"), list) and len(each["cost"]) > 1 for each in entries):
        raise UnreadableError(Reason.SEVERAL_OBJECTIVES)
    largest = max((amount(each.get("budget")) or 0.0 for each in entries), default=0.0)
    return [
        Trial(
            amount(each.get("starttime")),
            amount(each.get("endtime")),
            _cost(each) if (amount(each.get("budget")) or 0.0) == largest else math.nan,
        )
        for each in entries
        if each.get("status") not in _RUNNING
    ]


def _cost(entry: dict[str, Any]) -> float:
    cost = entry.get("cost")
    cost = cost[0] if isinstance(cost, list) and cost else cost
    if entry.get("status") not in _SUCCESS or not isinstance(cost, int | float):
        return math.nan
    return float(cost)
