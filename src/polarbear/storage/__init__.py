"""Storage of a race: the race file, one SQLite database with every completed run and every decision.

In: settings, runs and decisions. Out: the same, after a crash or on another machine. A run is stored as soon as it is
complete, so a race whose process dies loses at most the runs in progress. The file holds improvement events rather than
values at grid times, so the grid can change later without new runs. Nothing in the file is ever unpickled.

- `race_file`: `RaceFile`, which reads and writes runs, events and settings.
- `new_file`: a file that appears under its name only when it is complete.
- `schema`: the tables, their version, and how SQLite opens a file.
- `lock`: the lock that admits one writer at a time.
- `errors`: SQLite's errors, with messages that say what to do.
"""

from polarbear.storage.lock import RaceFileInUse
from polarbear.storage.race_file import Event, RaceFile

__all__ = ["Event", "RaceFile", "RaceFileInUse"]
