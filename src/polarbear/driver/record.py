"""The record of a race, in memory and in its race file: both change together, the file first."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from polarbear.driver.resume import rebuild_state

if TYPE_CHECKING:
    from polarbear.race.jobs import Job, Run
    from polarbear.race.state import State
    from polarbear.storage import RaceFile

EventKind = Literal["round", "added", "removed", "settings"]


@dataclass(eq=False)
class RaceRecord:
    """The state and the runs of a race.

    Everything is stored before memory changes, so that memory never holds what a full disk has refused.

    Attributes
    ----------
    state
        The current state of the race.
    runs
        All runs by (algorithm, instance), including those of an interrupted round.
    file
        The race file, or None for a race that is kept in memory only.
    """

    state: State
    runs: dict[tuple[str, int], Run] = field(default_factory=dict)
    file: RaceFile | None = None

    def update(self, state: State, kind: EventKind, data: Any) -> None:
        """Append the event that leads to a new state to the journal, then change the state."""
        if self.file is not None:
            self.file.append(kind, data)
        self.state = state

    def add_run(self, run: Run, job: Job) -> None:
        """Store the run of a job, then keep it in memory."""
        if self.file is not None:
            self.file.add_run(run, job)
        self.runs[job.algorithm, job.instance] = run

    def find_run(self, job: Job) -> Run | None:
        """Return a known run that serves for a job, such as one from an interrupted round, or None."""
        run = self.runs.get((job.algorithm, job.instance))
        if run is None:
            return None
        if run.status != "done":  # failures that stopped the race are repeated: their cause may be fixed
            return None if self.state.settings.failure == "raise" or not self.state.rounds else run
        return run if run.trajectory.until >= job.until else None

    def reload(self) -> None:
        """Read the file again: an interrupt may come between storing a result and changing memory."""
        if self.file is not None:
            self.state, self.runs = rebuild_state(self.file)

    def close(self) -> None:
        """Close the race file."""
        if self.file is not None:
            self.file.close()
