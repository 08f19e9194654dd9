"""The format of a race file: its tables, its version, and how SQLite opens it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import quote

from polarbear.output_file import APPLICATION_ID
from polarbear.storage import rows
from polarbear.storage.errors import damage_error, format_error, translate_errors
from polarbear.storage.place import require_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FORMAT = 3
"""The version of the format. PolarBear 0.1 wrote format 1, and 0.2 format 2."""

_TABLES = (
    """CREATE TABLE about (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL,             -- JSON
    checksum BLOB NOT NULL
)""",
    """CREATE TABLE run (
    algorithm TEXT NOT NULL,
    instance INTEGER NOT NULL,
    seed TEXT NOT NULL,              -- decimal: seeds may have more bits than SQLite's integers
    instance_seed TEXT NOT NULL,
    budget REAL NOT NULL,            -- the budget that it was given
    known REAL NOT NULL,             -- the budget up to which it is known
    reached REAL NOT NULL,           -- the budget at which it ended
    maximise INTEGER NOT NULL,
    status TEXT NOT NULL,            -- done, error, crashed, timeout
    cluster TEXT NOT NULL,           -- JSON: the cluster of the instance if it was recorded with one, or null
    error TEXT NOT NULL,             -- in one line; empty if the run is done
    traceback TEXT NOT NULL,
    output TEXT NOT NULL,            -- the last lines that it printed
    seconds REAL NOT NULL,
    cpu_seconds REAL NOT NULL,
    ended REAL NOT NULL,             -- when it was stored, in seconds since 1970
    events BLOB NOT NULL,            -- all budgets, then all values, little-endian float64
    checksum BLOB NOT NULL,
    PRIMARY KEY (algorithm, instance)
)""",
    """CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,              -- JSON
    time REAL NOT NULL,              -- when it was stored, in seconds since 1970
    checksum BLOB NOT NULL
)""",
)

# Readers and the writer block each other for the time of one statement; only a stuck program blocks for this long.
_PATIENCE_SECONDS = 60.0

# SQLite's write-ahead log needs memory that all users of a file share; these file systems do not share it between
# machines.
_NETWORK_FILE_SYSTEMS = (
    *("9p", "afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "glusterfs"),
    *("gpfs", "lustre", "nfs", "nfs4", "panfs", "pvfs2", "smb3", "smbfs"),
)
_MOUNTS = Path("/proc/self/mounts")


def fill(path: Path, contents: Mapping[str, Iterable[rows.Row]]) -> None:
    """Write a race file with these rows, given without checksums, to the empty file at `path`."""
    with translate_errors(path), closing(_connect(path, "rw")) as connection:
        connection.execute("BEGIN")
        for table in _TABLES:
            connection.execute(table)
        # The application id is written before any write-ahead log exists, so it is in the file itself.
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {FORMAT}")
        for table, content in contents.items():
            connection.executemany(rows.INSERTIONS[table], rows.with_checksums(table, content))
        connection.execute("COMMIT")


def copy(connection: sqlite3.Connection, path: Path) -> None:
    """Copy the database of a connection to the empty file at `path`."""
    with translate_errors(path), closing(_connect(path, "rw")) as target:
        connection.backup(target)
        merge_log(target)


def check_identity(path: Path) -> None:
    """Raise an error if `path` is not a race file, without changing it.

    Reading its first bytes is no alternative: closing the file would release the locks that SQLite holds on it in this
    process.
    """
    require_file(path)
    # SQLite reads an immutable file alone, and ignores a journal or log next to it.
    with translate_errors(path), closing(_connect(path, "ro", "&immutable=1")) as connection:
        try:
            _check_mark(connection, path)
        except sqlite3.DatabaseError as error:
            torn = error.sqlite_errorcode == sqlite3.SQLITE_CORRUPT
            if not (torn and any(path.with_name(path.name + end).exists() for end in ("-wal", "-journal"))):
                raise
            # Its writer was stopped while moving pages into it. SQLite repairs the file when `connect` opens and checks
            # it.


def connect(path: Path, *, write: bool) -> sqlite3.Connection:
    """Open a race file that has passed `check_identity`, after checking it.

    Each statement on the connection is its own transaction, and may come from any thread.
    """
    with translate_errors(path):
        # Readers, too, repair what a killed writer left unfinished if their permissions allow it, but change nothing
        # else.
        connection = _connect(path, "rw")
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            _check_mark(connection, path)
            _check_content(connection, path, write=write)
            if write:
                _choose_journal(connection, path)
            else:
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
    return connection


def connect_to_inspect(path: Path) -> sqlite3.Connection:
    """Open a file that may be damaged, only to read it, without checking more than its format."""
    connection = _connect(path, "rw")
    try:
        connection.execute("PRAGMA trusted_schema = OFF")
        connection.execute("PRAGMA query_only = ON")
        _check_mark(connection, path)
        _check_format(connection, path)
    except BaseException:
        connection.close()
        raise
    connection.text_factory = _decode_leniently
    return connection


def _decode_leniently(text: bytes) -> str:
    return text.decode(errors="surrogateescape")


def read(connection: sqlite3.Connection, table: str) -> rows.Checked:
    """Read and check all rows of a table."""
    # Before the journal itself, since another process may append to it in between.
    last = last_number(connection) if table == "event" else 0
    found = fetch_all(connection, f"SELECT {rows.COLUMNS[table]}, checksum FROM {table} ORDER BY rowid")
    checked = rows.check(table, found)
    return checked if table != "event" else rows.check_end(checked, last)


def fetch_all(connection: sqlite3.Connection, statement: str) -> list[rows.Row]:
    """Return all rows of a query, even if text in them is not UTF-8: `rows.check` finds it, as it cannot be encoded."""
    try:
        return connection.execute(statement).fetchall()
    except sqlite3.OperationalError as error:
        if "decode" not in str(error):
            raise
    connection.text_factory = _decode_leniently  # three times as slow as the default
    try:
        return connection.execute(statement).fetchall()
    finally:
        connection.text_factory = str


def last_number(connection: sqlite3.Connection) -> Any:
    """Return the number of the last event by SQLite's own counter."""
    counted = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'event'").fetchall()
    return counted[-1][0] if counted else 0


ORIGIN = ("settings", "algorithms", "made")
"""The keys of `about` that tell a race from any other."""


class Contents(NamedTuple):
    """What shows whether a file holds a race and all of its data.

    Attributes
    ----------
    origin
        The values under the keys `ORIGIN`, sorted; nothing if the file holds no race.
    runs, events
        The number of runs, and of events.
    """

    origin: list[rows.Row]
    runs: int
    events: int


def read_merged(connection: sqlite3.Connection, path: Path) -> Contents | None:
    """Merge the write-ahead log into the file, and return what the file itself then holds; None if that is not known.

    It is read past the connection: that one does not notice if the file was overwritten, as it finds the latest data in the
    log. While a reader is active, the log cannot be merged, and the file itself may be inconsistent.
    """
    return _read_past_log(path) if _merge_now(connection) else None


def _merge_now(connection: sqlite3.Connection) -> bool:
    """Merge the write-ahead log into the file, if no reader needs it; return whether it is merged, or there is none."""
    try:
        [(busy, logged, merged)] = connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
    except sqlite3.Error:
        return False  # the disk is full; all data are safe in the log
    return not busy and logged == merged


def _read_past_log(path: Path) -> Contents | None:
    """Return what a file holds without its log; None if it cannot be opened now."""
    try:
        with closing(_connect(path, "ro", "&immutable=1")) as connection:
            found = fetch_all(connection, "SELECT key, value FROM about")
            [(runs, events)] = connection.execute("SELECT (SELECT count(*) FROM run), (SELECT count(*) FROM event)")
            return Contents(sorted(row for row in found if row[0] in ORIGIN), int(runs), int(events))
    except sqlite3.Error as error:
        no_race = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_ERROR)
        return Contents([], 0, 0) if error.sqlite_errorcode in no_race else None


def merge_log(connection: sqlite3.Connection) -> None:
    """Move all data into the file itself, so that it can be copied, archived or read on a read-only disk."""
    try:
        connection.execute("PRAGMA busy_timeout = 0")
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
    except sqlite3.Error:
        pass  # A reader is active, or the disk is full: all data are safe in the write-ahead log next to the file.


def _connect(path: Path, mode: str, options: str = "") -> sqlite3.Connection:
    return sqlite3.connect(
        f"file:{quote(str(path))}?mode={mode}{options}",
        uri=True,
        timeout=_PATIENCE_SECONDS,
        isolation_level=None,
        check_same_thread=sqlite3.threadsafety < 3,
    )


def _check_mark(connection: sqlite3.Connection, path: Path) -> None:
    [(mark,)] = connection.execute("PRAGMA application_id")
    if mark != APPLICATION_ID:
        raise ValueError(f"{path} is not a race file but another program's SQLite database")


def _check_format(connection: sqlite3.Connection, path: Path) -> None:
    """Raise an error unless a file has the format of this version."""
    [(stored,)] = connection.execute("PRAGMA user_version")
    if stored != FORMAT:
        raise format_error(path, stored, FORMAT)


def _check_content(connection: sqlite3.Connection, path: Path, *, write: bool) -> None:
    _check_format(connection, path)
    # Only the writer uses the indices, which the quick check leaves out.
    check = "integrity_check" if write else "quick_check"
    problems = [text for (text,) in connection.execute(f"PRAGMA {check}(3)") if text != "ok"]
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    problems += [f"the table {name!r} is missing" for name in ("about", "run", "event") if name not in tables]
    if problems:
        raise damage_error(path, problems)


def _choose_journal(connection: sqlite3.Connection, path: Path) -> None:
    """Use the write-ahead log where possible (faster writes, readers never wait), otherwise a rollback journal."""
    mode = "DELETE" if _on_network(path) else "WAL"
    try:
        [(active,)] = connection.execute(f"PRAGMA journal_mode = {mode}")
    except sqlite3.OperationalError:
        [(active,)] = connection.execute("PRAGMA journal_mode = DELETE")
    # With the write-ahead log and NORMAL, a killed process loses nothing, a power cut at most the last runs, never the
    # file.
    connection.execute(f"PRAGMA synchronous = {'NORMAL' if active == 'wal' else 'FULL'}")


def _on_network(path: Path) -> bool:
    try:
        mounts = [line.split()[1:3] for line in _MOUNTS.read_text().splitlines()]
    except OSError:
        return False  # A system without a list of mounts; SQLite itself refuses the log where it knows of problems.
    # The list writes blanks as \040. Of the mount points that hold the file, the deepest counts, and of equals the
    # last.
    holding = [(len(point), kind) for point, kind in mounts if path.is_relative_to(point.replace("\\040", " "))]
    return bool(holding) and max(reversed(holding), key=lambda pair: pair[0])[1] in _NETWORK_FILE_SYSTEMS
