"""The runs of a race, as they were compared, and the recording in the repository: one live race with shorter runs."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import polarbear as pb

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.race.outcome import RaceOutcome

    Array = NDArray[np.float64]

FILE = Path(__file__).parents[1] / "data" / "gp_bbob.npz"


@dataclass(frozen=True, eq=False)
class Recording:
    """The runs of a race. An algorithm that the race dropped has no runs on later instances; its entries are NaN there.

    Attributes
    ----------
    values
        The best values so far, (instance, time, algorithm).
    seconds
        The times.
    names
        The algorithms.
    first_seconds
        When each run evaluated its first point, (instance, algorithm).
    processor_shares
        The processor time of each run as a share of its wall-clock time, (instance, algorithm).
    """

    values: Array
    seconds: Array
    names: tuple[str, ...]
    first_seconds: Array
    processor_shares: Array

    @classmethod
    def of(cls, result: RaceOutcome) -> Recording:
        """Return the runs of a live race that reached its last time."""
        budgets, names = result.state.settings.grid.budgets, result.state.names
        runs = np.full((result.instances, len(names)), np.nan)
        recording = cls(np.full((len(runs), len(budgets), len(names)), np.nan), budgets, names, runs, runs.copy())
        for (name, instance), run in result.state.observations.runs.items():
            if run.status == "done":
                column = names.index(name)
                recording.values[instance, :, column] = run.trajectory.at(budgets)
                recording.first_seconds[instance, column] = run.trajectory.budgets[0]
                recording.processor_shares[instance, column] = run.cpu_seconds / run.seconds
        return recording

    @classmethod
    def load(cls, file: Path = FILE) -> Recording:
        """Read a recording, by default the one in the repository."""
        with np.load(file) as archive:
            return cls(
                archive["values"],
                archive["seconds"],
                tuple(archive["algorithms"].tolist()),
                archive["first_seconds"],
                archive["processor_shares"],
            )

    def save(self, file: Path = FILE) -> None:
        """Write the recording."""
        np.savez_compressed(
            file,
            values=self.values,
            seconds=self.seconds,
            algorithms=np.array(self.names),
            first_seconds=self.first_seconds,
            processor_shares=self.processor_shares,
        )

    @property
    def grid(self) -> pb.Grid:
        """The times of the race."""
        return pb.Grid(self.seconds, "linear")

    @property
    def ran(self) -> NDArray[np.bool_]:
        """Which algorithm ran on which instance, (instance, algorithm)."""
        return ~np.isnan(self.values[:, -1])

    def trajectories(self) -> list[pb.Trajectory]:
        """Return the runs."""
        end = float(self.seconds[-1])
        return [
            pb.Trajectory(self.names[column], instance, self.seconds, self.values[instance, :, column], end=end)
            for instance, column in np.argwhere(self.ran).tolist()
        ]
