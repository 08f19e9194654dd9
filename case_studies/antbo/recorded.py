"""The recorded runs of the study: five methods on twelve antigens, ten seeds each."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import polarbear as pb

if TYPE_CHECKING:
    from numpy.typing import NDArray

FILE = Path(__file__).parents[1] / "data" / "antbo.npz"
METHODS = {
    "BO_COMBO": "COMBO",
    "BO_ssk": "AntBO SSK",
    "BObert": "AntBO ProtBERT",
    "HEBO": "HEBO",
    "LamBO": "LaMBO",
}
"""The names of the methods in the tables, and as the study prints them."""

CLUSTERS: dict[str, Any] = {"cluster_kind": "antigen", "cluster_unit": "run"}


@dataclass(frozen=True, eq=False)
class Recording:
    """The best binding energies so far, (run, number of evaluations, method), with the antigen and the seed of each run."""

    values: NDArray[np.float64]
    evaluations: NDArray[np.float64]
    names: tuple[str, ...]
    antigens: tuple[str, ...]
    seeds: tuple[int, ...]

    @classmethod
    def load(cls, file: Path = FILE) -> Recording:
        """Read the recording in the repository."""
        with np.load(file) as archive:
            names, antigens, seeds = (tuple(archive[key].tolist()) for key in ("algorithms", "antigens", "seeds"))
            return cls(archive["values"], archive["evaluations"].astype(float), names, antigens, seeds)

    def trajectories(self) -> list[pb.Trajectory]:
        """Return the runs, compared by antigen and seed; those on one antigen are a cluster."""
        runs = []
        for row, (antigen, seed) in enumerate(zip(self.antigens, self.seeds, strict=True)):
            for column, name in enumerate(self.names):
                values = self.values[row, :, column]
                known = ~np.isnan(values)
                budgets = self.evaluations[known]
                runs.append(
                    pb.Trajectory(
                        name, (antigen, seed), budgets, values[known], end=float(budgets[-1]), cluster=antigen
                    )
                )
        return runs
