"""Reader of Optuna studies in an SQLite database, without Optuna.

One study is one run. Its user attributes `algorithm`, `instance` and `run` identify it; without them the name of the
study is the algorithm. The value is that of a trial that completed. Trials that were pruned or failed have none, and
trials that are running or waiting do not count.

The content of the file is copied to a database in memory, so that nothing is written or locked. Parameters and
attributes other than these are not read, and nothing is unpickled.
"""

from __future__ import annotations

import json
import math
from contextlib import closing, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import quote as quote_path

from polarbear.importers.foreign_text import Identifier, identifier, quote
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError, shorten
from polarbear.importers.trials import Trial, collect_trials

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source

_LARGEST = 2**31  # bytes; the database is read into memory
_TABLES = ("studies", "study_directions", "study_user_attributes", "trials", "trial_values")
_INFINITE = {"INF_POS": math.inf, "INF_NEG": -math.inf}


def holds_studies(path: Path) -> bool:
    """Return whether a file is an SQLite database with the tables of Optuna, rather than a race file."""
    import sqlite3  # not needed for other formats

    with suppress(sqlite3.Error):
        uri = f"file:{quote_path(str(path.resolve()))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as database:
            return _has_tables(database)
    return False


def read_studies(source: Source, path: str, ledger: Ledger) -> None:
    """Read all studies of a database.

    Parameters
    ----------
    source, path
        The database.
    ledger
        Receives the runs and the reports of what could not be read.
    """
    import sqlite3

    file = source.name(path)
    try:
        with source.open(path) as stream:
            content = stream.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise UnreadableError(Reason.LARGE, megabytes=_LARGEST // 2**20)
        # Bytes 18 and 19 ask for a write-ahead log, which a database in memory cannot have.
        content = content[:18] + b"\x01\x01" + content[20:] if content[18:20] == b"\x02\x02" else content
        with closing(sqlite3.connect(":memory:")) as database:
            database.deserialize(content)
            database.execute("PRAGMA trusted_schema = OFF")
            if not _has_tables(database):
                raise UnreadableError(Reason.NOT_OPTUNA)
            for study, name in database.execute(
                "SELECT study_id, study_name FROM studies ORDER BY study_id"
            ).fetchall():
                _read_study(database, study, str(name), file, ledger)
    except sqlite3.Error as error:
        ledger.skip(file, Reason.DAMAGED, problem=shorten(error))
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)


def _has_tables(database: sqlite3.Connection) -> bool:
    found = {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    return found.issuperset(_TABLES)


def _read_study(database: sqlite3.Connection, study: int, name: str, file: str, ledger: Ledger) -> None:
    what = f"study {quote(name)}"
    directions = [
        direction
        for (direction,) in database.execute("SELECT direction FROM study_directions WHERE study_id = ?", (study,))
    ]
    if len(directions) > 1:
        ledger.skip(file, Reason.SEVERAL_OBJECTIVES, what)
        return
    maximise = bool(ledger.request.direction(directions == ["MAXIMIZE"]))
    trials = [
        Trial(_seconds(start), _seconds(end), _value(state, value, kind))
        for state, start, end, value, kind in database.execute(
            "SELECT state, datetime_start, datetime_complete, value, value_type FROM trials "
            "LEFT JOIN trial_values ON trial_values.trial_id = trials.trial_id AND objective = 0 "
            "WHERE study_id = ? AND state IN ('COMPLETE', 'PRUNED', 'FAIL') ORDER BY number",
            (study,),
        )
    ]
    attributes = dict(
        database.execute("SELECT key, value_json FROM study_user_attributes WHERE study_id = ?", (study,)).fetchall()
    )
    ledger.add(
        file,
        what,
        format="optuna",
        algorithm=str(_attribute(attributes, "algorithm") or name),
        problem=(None, None, None, _attribute(attributes, "instance")),
        events=collect_trials(trials, ledger, file, what, maximise=maximise),
        end=None,
        maximise=maximise,
        run=_attribute(attributes, "run"),
    )


def _attribute(attributes: dict[str, object], key: str) -> Identifier:
    """Return a user attribute, which is stored as JSON; None if it is missing, or a list or an object."""
    try:
        value = json.loads(str(attributes[key]))
    except (KeyError, ValueError, RecursionError):
        return None
    return identifier(value) if isinstance(value, str | int | float) else None


def _value(state: str, value: object, kind: object) -> float:
    if state != "COMPLETE":
        return math.nan
    if kind in _INFINITE:
        return _INFINITE[str(kind)]
    return float(value) if isinstance(value, int | float) else math.nan


def _seconds(text: object) -> float | None:
    """Return a date and time, as the database stores it, in seconds."""
    try:
        return datetime.fromisoformat(str(text)).replace(tzinfo=UTC).timestamp()
    except ValueError:
        return None
