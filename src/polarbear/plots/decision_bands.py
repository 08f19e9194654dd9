"""The decision map as a picture: who is best at each budget, how surely, and where the leader changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection import decision_map

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from numpy.typing import NDArray

    from polarbear.observe import Grid
    from polarbear.posterior import Posterior
    from polarbear.selection import Crossing


@dataclass(frozen=True)
class Lead:
    """A range of budgets in which one algorithm has the highest expected rating.

    `start` and `stop` lie half-way, on the grid's axis, between the times at which the leader was last and first another.
    """

    name: str
    start: float
    stop: float


@dataclass(frozen=True, eq=False)
class DecisionBands:
    """P(best) over budgets.

    Attributes
    ----------
    grid
        The budgets.
    names, everybody
        The candidates, and all algorithms that there are.
    probability_best
        Shape (time, candidate); its rows sum to one.
    leads
        Who leads from where to where, in order.
    crossings
        The changes of leader with their uncertainty.
    """

    grid: Grid
    names: tuple[str, ...]
    everybody: tuple[str, ...]
    probability_best: NDArray[np.float64]
    leads: tuple[Lead, ...]
    crossings: tuple[Crossing, ...]

    @classmethod
    def of(cls, posterior: Posterior, *, among: Sequence[str] | None = None) -> Self:
        """The bands of a posterior, among all algorithms or some."""
        found = decision_map(posterior, among=among)
        return cls(
            grid=found.grid,
            names=found.names,
            everybody=posterior.names,
            probability_best=found.probability_best,
            leads=_leads(found.grid, found.best),
            crossings=found.crossings,
        )


def _leads(grid: Grid, best: tuple[str, ...]) -> tuple[Lead, ...]:
    first, second = grid.times[:-1], grid.times[1:]
    between = np.sqrt(first * second) if grid.axis == "log" else (first + second) / 2
    changes = [k for k in range(1, len(best)) if best[k] != best[k - 1]]
    edges = [float(grid.times[0]), *(float(between[k - 1]) for k in changes), float(grid.times[-1])]
    leaders = [best[k] for k in (0, *changes)]
    return tuple(Lead(name, start, stop) for name, start, stop in zip(leaders, edges[:-1], edges[1:], strict=True))
