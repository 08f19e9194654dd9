"""The format of a race file: its tables, its version, and how SQLite opens it."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from polarbear.storage.errors import translate_errors

if TYPE_CHECKING:
    from collections.abc import Mapping

# "PBRF", for the header field by which programs mark their SQLite files.
APPLICATION_ID = 0x50425246

# The SQL that upgrades version 1 to version 2, version 2 to version 3, and so on. An entry never changes once released.
UPGRADES: tuple[str, ...] = ()

_TABLES = """
CREATE TABLE about (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL              -- JSON
);
CREATE TABLE run (
    algorithm TEXT NOT NULL,
    instance INTEGER NOT NULL,
    seed TEXT NOT NULL,              -- decimal: seeds may have more bits than SQLite's integers
    instance_seed TEXT NOT NULL,
    asked REAL NOT NULL,             -- the time until which it was asked to run
    until REAL NOT NULL,             -- the time until which it is known
    reached REAL NOT NULL,           -- the time at which it ended
    maximise INTEGER NOT NULL,
    status TEXT NOT NULL,            -- done, error, crashed, timeout
    message TEXT NOT NULL,
    seconds REAL NOT NULL,
    cpu_seconds REAL NOT NULL,
    ended REAL NOT NULL,             -- when it was stored, in seconds since 1970
    events BLOB NOT NULL,            -- all times, then all values, little-endian float64
    PRIMARY KEY (algorithm, instance)
);
CREATE TABLE event (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,              -- JSON
    time REAL NOT NULL               -- when it was stored, in seconds since 1970
);
"""

# Readers and the writer block each other for the time of one statement; only a stuck program blocks for this long.
_PATIENCE_SECONDS = 60.0

# SQLite's write-ahead log needs memory that all users of a file share; these file systems do not share it between
# machines.
_NETWORK_FILE_SYSTEMS = (
    *("9p", "afs", "beegfs", "ceph", "cifs", "fuse.glusterfs", "fuse.sshfs", "glusterfs"),
    *("gpfs", "lustre", "nfs", "nfs4", "panfs", "pvfs2", "smb3", "smbfs"),
)
_MOUNTS = Path("/proc/self/mounts")


def version() -> int:
    """Return the format version that this PolarBear writes."""
    return 1 + len(UPGRADES)


def create(path: Path, about: Mapping[str, str]) -> None:
    """Write a race file of the newest version, without runs, to the empty file at `path`."""
    with translate_errors(path), closing(_connect(path, "rw")) as connection:
        # The application id is written before any write-ahead log exists, so it is in the file itself.
        connection.executescript(
            f"BEGIN; {_TABLES} {' '.join(UPGRADES)}"
            f"PRAGMA application_id = {APPLICATION_ID}; PRAGMA user_version = {version()}; COMMIT"
        )
        connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())


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
    if path.is_dir():
        raise ValueError(f"{path} is not a race file but a folder")
    if not path.exists():
        raise FileNotFoundError(f"there is no race file {path}; check the name, or create it")
    if not os.access(path, os.R_OK):
        raise PermissionError(f"this user has no permission to read {path}; ask its owner")
    if path.stat().st_size == 0:
        raise ValueError(f"{path} is not a race file but an empty file; remove it to create one of that name")
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
    """Open a race file that has passed `check_identity`; check it, and upgrade it if `write` is true.

    Each statement on the connection is its own transaction, and may come from any thread.
    """
    with translate_errors(path):
        # Readers, too, repair what a killed writer left unfinished if their permissions allow it, but change nothing
        # else.
        connection = _connect(path, "rw")
        try:
            connection.execute("PRAGMA trusted_schema = OFF")
            _check_mark(connection, path)
            _check_content(connection, path)
            if write:
                _upgrade(connection, path)
                _choose_journal(connection, path)
            else:
                _refuse_old(connection, path)
                connection.execute("PRAGMA query_only = ON")
        except BaseException:
            connection.close()
            raise
    return connection


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


def _stored_version(connection: sqlite3.Connection) -> int:
    """Return the format version of a race file."""
    [(stored,)] = connection.execute("PRAGMA user_version")
    return int(stored)


def _check_content(connection: sqlite3.Connection, path: Path) -> None:
    stored = _stored_version(connection)
    if stored > version():
        raise ValueError(
            f"{path} was written by a newer PolarBear (format {stored}, this version reads up to {version()}); "
            "upgrade PolarBear to use it"
        )
    problems = [text for (text,) in connection.execute("PRAGMA quick_check(3)") if text != "ok"]
    tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    problems += [f"the table {name!r} is missing" for name in ("about", "run", "event") if name not in tables]
    if problems:
        raise ValueError(f"{path} is a damaged race file ({'; '.join(problems)}); restore it from a copy")


def _refuse_old(connection: sqlite3.Connection, path: Path) -> None:
    stored = _stored_version(connection)
    if stored < version():
        raise ValueError(
            f"{path} was written by an older PolarBear (format {stored}, this version has {version()}); open it once "
            "for writing to upgrade it, and make a copy first if the older version must still read it"
        )


def _upgrade(connection: sqlite3.Connection, path: Path) -> None:
    stored = _stored_version(connection)
    if stored < 1:
        raise ValueError(f"{path} is a damaged race file (format {stored}); restore it from a copy")
    for reached, step in enumerate(UPGRADES[stored - 1 :], start=stored + 1):
        try:
            connection.executescript(f"BEGIN IMMEDIATE; {step}; PRAGMA user_version = {reached}; COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.rollback()
            raise


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
