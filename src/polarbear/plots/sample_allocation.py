"""The allocation of evaluations and instances by a race (the paper's figure of the MA-BBOB samples)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

    from polarbear.observe import Grid
    from polarbear.race.result import RaceResult


@dataclass(frozen=True, eq=False)
class SampleAllocation:
    """How much each algorithm was run.

    Attributes
    ----------
    grid
        The times.
    names, inside
        The algorithms, and which of them are candidates still.
    counts
        On how many instances each was observed at each time, shape (time, algorithm).
    runs, cost
        How many runs each took, and what they cost together, in the race's unit of time.
    instances
        How many instances the race used.
    saved_share
        The share of the cost of running everything that was not spent.
    unit
        Of time.
    """

    grid: Grid
    names: tuple[str, ...]
    inside: NDArray[np.bool_]
    counts: NDArray[np.intp]
    runs: NDArray[np.intp]
    cost: NDArray[np.float64]
    instances: int
    saved_share: float
    unit: str

    @classmethod
    def of(cls, result: RaceResult) -> Self:
        """The allocation of a race, finished or not."""
        names, cost = result.state.names, result.cost
        runs = dict.fromkeys(names, 0)
        for run in result.runs:
            runs[run.trajectory.algorithm] += 1
        return cls(
            grid=result.state.settings.grid,
            names=names,
            inside=np.array([name in result.state.candidates for name in names], dtype=np.bool_),
            counts=result.allocation,
            runs=np.array([runs[name] for name in names], dtype=np.intp),
            cost=np.array([cost[name] for name in names]),
            instances=result.instances,
            saved_share=result.saved_share,
            unit=result.state.settings.clock,
        )
