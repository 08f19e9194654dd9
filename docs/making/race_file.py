"""The reference page of the race file, from the tables of a new one."""

from __future__ import annotations

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import polarbear as pb
from polarbear.output_file import APPLICATION_ID
from polarbear.storage.schema import FORMAT


def page() -> str:
    """Return the page with the tables as SQLite reports them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "example.race"
        with pb.Race(["a", "b"], None, [1, 10], path=path):
            pass
        with closing(sqlite3.connect(path)) as connection:
            tables = [
                sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE sql LIKE 'CREATE TABLE %'")
            ]
            keys = [key for (key,) in connection.execute("SELECT key FROM about ORDER BY key")]
    return f"""# The race file

One SQLite database, format version {FORMAT} (`PRAGMA user_version`), marked by the application id `{APPLICATION_ID:#x}`
(`PRAGMA application_id`). Any SQLite tool can read it, even while a race writes to it. It contains no code, and nothing in
it is unpickled. It contains all runs and decisions of a race: a copy of the file is a copy of the race.

```sql
{chr(10).join(f"{sql};" for sql in tables if "sqlite_sequence" not in sql)}
```

`about` holds {", ".join(f"`{key}`" for key in keys)}, and, for a race from a `race.toml`, the path and text of that file.
`values` is the kind of values of all runs, which is `"best"`: the best value found so far. `clock` names the unit of time.
`identities` describes each algorithm in words, `stopped` holds why the race stopped and after which event, `clusters` the
listed instance of each repetition, if instances are repeated, and `features` those of a table, by instance.

`cluster` in `run` is the cluster of a recorded instance that the race replayed: its label, what a cluster is (`kind`), and
what its members are (`unit`). Labels are text, numbers, or lists of these. Live runs have `null`.

`event` is the journal: rounds with their decisions, added, removed and readmitted algorithms, failed runs to make again,
features that instances brought along, changed settings. Opening a race file replays it. A run that is made again replaces
the failed one in `run`.

`checksum` is BLAKE2b (16 bytes) of the other columns of a row; for an event also of the checksum of the event before it, so
the journal is a chain. Opening a race compares all of them; [`polarbear verify`](command-line.md#polarbear-verify) shows
what is damaged and saves the rest.

Files of formats 1 and 2, of PolarBear 0.1 and 0.2, are refused: [their runs come over as a
table](../how-to/continue-a-race.md#races-of-polarbear-01-and-02).

Read one from Python with `pb.Race.open(path).result`, or as tables with
[`polarbear export`](command-line.md#polarbear-export).
"""
