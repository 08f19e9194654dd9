"""Upgrades of a race file from one format to the next."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from polarbear.storage import rows
from polarbear.storage.errors import damage_error

if TYPE_CHECKING:
    import sqlite3
    from pathlib import Path

Upgrade = Callable[["sqlite3.Connection", "Path"], object]


def _add_checksums(connection: sqlite3.Connection, path: Path) -> None:
    """Give each row a checksum: format 2. What a file of format 1 holds is taken as it is if it can be read at all."""
    for table, key in {"about": "key = ?", "run": "algorithm = ? AND instance = ?", "event": "number = ?"}.items():
        stored = connection.execute(rows.selection(table, has_checksums=False)).fetchall()
        checked = rows.check(table, stored, has_checksums=False)
        if checked.damage:
            raise damage_error(path, checked.damage)
        connection.execute(f"ALTER TABLE {table} ADD COLUMN checksum BLOB")
        sealed = rows.with_checksums(table, checked.intact)
        connection.executemany(
            f"UPDATE {table} SET checksum = ? WHERE {key}", ((row[-1], *row[: key.count("?")]) for row in sealed)
        )


# From version 1 to version 2, from version 2 to version 3, and so on. An entry never changes once released.
UPGRADES: tuple[Upgrade, ...] = (_add_checksums,)
