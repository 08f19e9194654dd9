"""Reader of SMAC's run histories: `runhistory.json` in the folder `NAME/SEED` of each run of SMAC 2.

The algorithm is the name, and the run the seed. Folders above the name are the instance, as with an output folder per
problem. The value is the cost of a trial; only trials that succeeded, on the largest budget, have one.

Costs on different instances cannot be compared with one another, so a history with several instances is refused. So is
one with several objectives. Several seeds of a problem are repeated evaluations, of which each counts.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from polarbear.importers.foreign_text import amount, identifier
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError, shorten
from polarbear.importers.sources import read_text
from polarbear.importers.trials import Trial, collect_trials

if TYPE_CHECKING:
    from polarbear.importers.foreign_text import Identifier
    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source

_HISTORY = 2**30  # bytes
_RUNNING, _SUCCESS = 0, 1  # SMAC's status of a trial


def is_history(text: str) -> bool:
    """Return whether the beginning of a JSON file looks like a run history of SMAC."""
    return '"config_id"' in text and '"data"' in text


def read_history(source: Source, path: str, ledger: Ledger) -> None:
    """Read one run of SMAC.

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
            entries = _entries(read_text(stream, _HISTORY))
        trials = _trials(entries)
        if len({str(each.get("seed")) for each in entries}) > 1:
            ledger.note(
                "SMAC evaluated some configurations with several seeds; the value is the lowest cost of one trial"
            )
        algorithm, instance, run = _identify(source, path)
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
        until=None,
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
    if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
        raise UnreadableError(Reason.NOT_SMAC)
    return entries


def _trials(entries: list[dict[str, Any]]) -> list[Trial]:
    """Return the trials that ended."""
    if any(isinstance(each.get("cost"), list) and len(each["cost"]) > 1 for each in entries):
        raise UnreadableError(Reason.SEVERAL_OBJECTIVES)
    if len({str(each.get("instance")) for each in entries}) > 1:
        raise UnreadableError(Reason.SEVERAL_INSTANCES)
    largest = max((amount(each.get("budget")) or 0.0 for each in entries), default=0.0)
    return [
        Trial(
            amount(each.get("starttime")),
            amount(each.get("endtime")),
            _cost(each) if (amount(each.get("budget")) or 0.0) == largest else math.nan,
        )
        for each in entries
        if each.get("status") != _RUNNING
    ]


def _cost(entry: dict[str, Any]) -> float:
    cost = entry.get("cost")
    cost = cost[0] if isinstance(cost, list) and cost else cost
    if entry.get("status") != _SUCCESS or not isinstance(cost, int | float):
        return math.nan
    return float(cost)


def _identify(source: Source, path: str) -> tuple[str, Identifier, Identifier]:
    """Return algorithm, instance and run: from the folders, or else from the scenario that SMAC stores beside."""
    folders = PurePosixPath(path).parent.parts
    try:
        with source.open(str(PurePosixPath(path).parent / "scenario.json")) as stream:
            scenario = json.loads(read_text(stream, _HISTORY))
    except READ_ERRORS:
        scenario = {}
    scenario = scenario if isinstance(scenario, dict) else {}
    if len(folders) > 1 and folders[-1].isdecimal():
        name, run, above = folders[-2], identifier(folders[-1]), folders[:-2]
    else:
        name = str(scenario.get("name") or (folders[-1] if folders else "SMAC"))
        run, above = identifier(scenario.get("seed")), folders[:-1]
    if re.fullmatch(r"[0-9a-f]{32}", name):  # SMAC's name for runs without one; it differs between seeds
        facade = scenario.get("_meta", {}).get("facade", {}) if isinstance(scenario.get("_meta"), dict) else {}
        name = str(facade.get("name") or name) if isinstance(facade, dict) else name
    return name, identifier("/".join(above)), run
