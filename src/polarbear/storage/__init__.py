"""What survives: the race file, one SQLite database with every finished run and every decision.

A run is stored the moment it is finished, so that a race whose process dies loses at most the runs in flight. The file
holds improvement events rather than values at grid times: the grid may change later without running anything again.
Nothing in it is ever unpickled.
"""

from polarbear.storage.lock import RaceFileInUse
from polarbear.storage.race_file import Event, RaceFile

__all__ = ["Event", "RaceFile", "RaceFileInUse"]
