"""Storage of a race: the race file, one SQLite database with every completed run and every decision.

In: settings, runs and decisions. Out: the same, after a crash or on another machine. A run is stored as soon as it is
complete, so a race whose process dies loses at most the runs in progress. The file holds improvement events rather than
values at budgets of the grid, so the grid can change later without new runs. Nothing in the file is ever unpickled.

- `race_file`: `RaceFile`, which reads and writes runs, events and settings.
- `rows`, `checksums`: rows of the tables, and the checksums by which damage is recognised.
- `inspection`: what is damaged in a file, and what is intact.
- `new_file`: a file that appears under its name only when it is complete.
- `schema`: the tables, the version of the format, and how SQLite opens a file.
- `place`: what lies at a path, and whether an open file is still there.
- `lock`: the lock that admits one writer at a time.
- `errors`: errors of SQLite and damage, with messages that say what to do.
"""

from polarbear.storage.errors import DamagedRaceFile
from polarbear.storage.lock import RaceFileInUse, find_writer
from polarbear.storage.race_file import RaceFile
from polarbear.storage.rows import Event

__all__ = ["DamagedRaceFile", "Event", "RaceFile", "RaceFileInUse", "find_writer"]
