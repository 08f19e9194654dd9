"""Save a race whose file was lost while it ran, or is damaged.

A running race has everything in memory, so it can write its file again (`rescue`). Of a damaged file, all intact runs are
saved, and the journal until the first entry that is damaged or needs a damaged run (`find_recoverable`). When the saved race
continues, it makes the damaged runs again, and takes all others of later rounds from the file.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from polarbear.driver.dispatch import RaceError
from polarbear.driver.resume import explain_damage, initial_state, label_run, repeat_event
from polarbear.race.sampling import job
from polarbear.storage.inspection import Inspection, write_intact

if TYPE_CHECKING:
    from collections.abc import Mapping
    from os import PathLike

    from polarbear.race.jobs import Run
    from polarbear.race.settings import Settings
    from polarbear.race.state import State
    from polarbear.storage import RaceFile


def rescue(file: RaceFile, settings: Settings, runs: Mapping[tuple[str, int], Run]) -> Path:
    """Write a race to a new file beside its lost one, and return its path.

    If the folder is gone, too, the file goes to the current directory, or to the directory of temporary files.
    """
    content = [(run, job(settings, name, instance, run.trajectory.known_to)) for (name, instance), run in runs.items()]
    problem: OSError | None = None
    for folder in (file.path.parent, Path.cwd(), Path(tempfile.gettempdir())):
        try:
            path = _free_name(folder / file.path.name)
            file.write_again(path, content)
        except OSError as error:
            problem = error
        else:
            return path
    assert problem is not None
    raise problem


def lost_file_error(path: Path, change: str, saved: Path) -> RaceError:
    """Return the error for a race file to which something has happened, such as "was deleted or renamed"."""
    return RaceError(
        f"{path} {change} while the race was running; everything that was measured is saved in {saved}: give it the old "
        "name, or continue the race from it"
    )


def _free_name(path: Path) -> Path:
    """Return a name for a saved copy that does not exist yet, such as my-saved.race or my-saved-2.race."""
    names = (path.with_stem(f"{path.stem}-saved{'' if number == 1 else f'-{number}'}") for number in count(1))
    return next(name for name in names if not name.exists())


@dataclass(frozen=True)
class Recoverable:
    """What of an inspected race file can be saved: a race that can be replayed.

    Attributes
    ----------
    inspection
        The inspection, with the journal until the last entry that can be replayed.
    state
        The state of the race after that entry.
    reason
        Why the next entry cannot be replayed; empty if there is none.
    """

    inspection: Inspection
    state: State
    reason: str = ""

    def save(self, path: str | PathLike[str]) -> None:
        """Write a new race file with all intact runs, and the journal as far as it can be replayed."""
        write_intact(self.inspection, path)


def find_recoverable(inspection: Inspection) -> Recoverable:
    """Replay the intact beginning of a journal as far as its runs are intact; raise if the settings are damaged."""
    with explain_damage(inspection.path):
        about = inspection.about()
        stored = about.get("clusters")
        clusters = None if stored is None else tuple(map(int, stored))
        runs = {key: label_run(run, clusters) for key, run in inspection.runs().items()}
        state, events = initial_state(about), inspection.events()
    for number, event in enumerate(events):
        try:
            state = repeat_event(state, event, runs)
        except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError) as error:
            return Recoverable(inspection.shorten(number), state, str(error))
    return Recoverable(inspection, state)
