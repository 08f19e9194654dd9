"""Inspection of a race file that may be damaged: what is damaged, and everything that is intact.

Unlike `RaceFile`, which refuses a damaged file, an inspection reads on after damage. It reads each table row by row, and
skips rows that SQLite cannot read or whose checksum differs. `write_intact` saves the rest to a new file. The damaged
file itself is not changed.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from polarbear.storage import rows, schema
from polarbear.storage.errors import translate_errors
from polarbear.storage.new_file import publish_when_complete, resolve_new
from polarbear.storage.place import require_file, resolve

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path

    from polarbear.race.jobs import Run
    from polarbear.storage.rows import Event

_MOST_FAULTS = 10  # of the structure; one damaged page has many
_MOST_SKIPPED = 1000  # unreadable rows in succession before the rest of a table is given up; a page has fewer


@dataclass(frozen=True)
class Inspection:
    """The state of a race file.

    Attributes
    ----------
    path
        The file.
    damage
        Everything that is damaged, one description each; empty if the file is intact.
    tables
        The intact rows of each table. The journal ends before its first damaged entry, since later ones depend on it.
    """

    path: Path
    damage: tuple[str, ...]
    tables: dict[str, list[rows.Row]]
    format = schema.FORMAT

    def about(self) -> dict[str, Any]:
        """Return the intact settings and other values."""
        return rows.decode_about(self.tables["about"])

    def runs(self) -> dict[tuple[str, int], Run]:
        """Return the intact runs."""
        return {(row[0], row[1]): rows.decode_run(row) for row in self.tables["run"]}

    def events(self) -> list[Event]:
        """Return the intact beginning of the journal."""
        return [rows.decode_event(row) for row in self.tables["event"]]

    def shorten(self, events: int) -> Inspection:
        """Return the same without the entries of the journal after the first `events`."""
        return replace(self, tables={**self.tables, "event": self.tables["event"][:events]})


def inspect_file(path: str | PathLike[str]) -> Inspection:
    """Return what is damaged and what is intact in a race file; raise if nothing in it can be read."""
    place = resolve(path)
    require_file(place)
    with translate_errors(place), closing(schema.connect_to_inspect(place)) as connection:
        damage = _structural_faults(connection)
        tables = {}
        for table in rows.COLUMNS:
            checked = _read_table(connection, table)
            damage += checked.damage
            tables[table] = checked.intact
    return Inspection(place, tuple(damage), {**tables, "event": _unbroken(tables["event"])})


def write_intact(inspection: Inspection, path: str | PathLike[str]) -> None:
    """Write the intact rows of an inspection to a new race file."""
    with publish_when_complete(resolve_new(path)) as unfinished:
        schema.fill(unfinished, inspection.tables)


def _structural_faults(connection: sqlite3.Connection) -> list[str]:
    """Return what SQLite finds wrong with the structure of the file, including its indices."""
    try:
        found = connection.execute(f"PRAGMA integrity_check({_MOST_FAULTS})").fetchall()
    except sqlite3.DatabaseError as error:
        return [f"the structure: {error}"]
    lines = [line for (text,) in found if text != "ok" for line in text.splitlines() if "***" not in line]
    return [f"the structure: {line}" for line in lines[:_MOST_FAULTS]]


def _read_table(connection: sqlite3.Connection, table: str) -> rows.Checked:
    """Read the rows of a table one after the other, and skip those that SQLite cannot read."""
    query = f"SELECT rowid, {rows.COLUMNS[table]}, checksum FROM {table} WHERE rowid"
    found: list[rows.Row] = []
    start, skipped, unreadable = 1, 0, False
    while skipped < _MOST_SKIPPED:
        try:
            for number, *row in connection.execute(f"{query} >= ? ORDER BY rowid", (start,)):
                found.append(tuple(row))
                start, skipped = number + 1, 0
            break
        except sqlite3.DatabaseError:
            unreadable = True
        # The row before an unreadable one is lost, too, when Python reads ahead; alone it can be read.
        try:
            found += [tuple(row) for _, *row in connection.execute(f"{query} = ?", (start,))]
        except sqlite3.DatabaseError:
            skipped += 1
        start += 1
    checked = rows.check(table, found)
    if table == "event":
        checked = rows.check_end(checked, _last_number(connection))
    lost = [f"rows of the table `{table}` that cannot be read"] if unreadable else []
    return rows.Checked(checked.intact, lost + checked.damage)


def _last_number(connection: sqlite3.Connection) -> Any:
    try:
        return schema.last_number(connection)
    except sqlite3.DatabaseError:
        return None


def _unbroken(events: list[rows.Row]) -> list[rows.Row]:
    """Return the events until the first missing one."""
    return [row for place, row in enumerate(events, start=1) if row[0] == place]
