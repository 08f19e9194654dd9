"""The recorded runs of the study: seven algorithms on 160 instances of MA-BBOB in 30 dimensions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import polarbear as pb

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

FILE = Path(__file__).parents[1] / "data" / "ma_bbob_d30.npz"


@dataclass(frozen=True, eq=False)
class Recording:
    """The best values so far, (instance, time, algorithm), after numbers of evaluations."""

    values: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    names: tuple[str, ...]

    @classmethod
    def load(cls) -> Recording:
        """Read the recording in the repository."""
        with np.load(FILE) as archive:
            return cls(
                archive["values"], archive["evaluations"].astype(float), tuple(map(str, archive["algorithms"].tolist()))
            )

    @property
    def grid(self) -> pb.Grid:
        """The paper's grid: 200 times, log-spaced from 100 to 60,000 evaluations."""
        return pb.Grid(self.evaluations, "log")

    def coarse_grid(self, count: int) -> pb.Grid:
        """Return a grid of `count` of the recorded times, about evenly spread."""
        chosen = np.linspace(0, len(self.evaluations) - 1, count).round().astype(int)
        return pb.Grid(self.evaluations[chosen], "log")

    def trajectories(self, order: Iterable[int] | None = None) -> list[pb.Trajectory]:
        """Return the runs, with instances numbered in this order (by default as recorded)."""
        end = float(self.evaluations[-1])
        return [
            pb.Trajectory(name, number, self.evaluations, self.values[instance, :, column], end=end)
            for number, instance in enumerate(range(len(self.values)) if order is None else order)
            for column, name in enumerate(self.names)
        ]
