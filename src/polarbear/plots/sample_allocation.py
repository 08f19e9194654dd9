"""Figure of the allocation of evaluations and instances by a race (the paper's figure of the MA-BBOB samples)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.comparison_counts import draw_counts
from polarbear.plots.lettering import write_right
from polarbear.wording import percent

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import Axis
    from polarbear.observe import Grid
    from polarbear.race.outcome import RaceOutcome

_MANY = 1e6  # evaluations or seconds from which costs are printed in millions


@dataclass(frozen=True, eq=False)
class SampleAllocation:
    """The runs and cost of each algorithm in a race.

    Attributes
    ----------
    grid
        The budgets.
    names, inside
        The algorithms, and whether each is still a candidate.
    counts
        Number of instances with an observation at each budget, shape (budget, algorithm).
    runs, cost
        Number of runs per algorithm, and their total cost in the race's unit of budgets.
    instances
        Number of instances that the race used.
    saved_share
        The share that racing saved of the cost of running every algorithm on every instance.
    unit
        The unit of budgets.
    """

    grid: Grid
    names: tuple[str, ...]
    inside: Mask
    counts: Indices
    runs: Indices
    cost: Array
    instances: int
    saved_share: float
    unit: str

    @classmethod
    def of(cls, result: RaceOutcome) -> Self:
        """Return the allocation of a race, finished or not."""
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


def draw_allocation(ax: Axes, data: SampleAllocation, *, axis: Axis | None = None) -> None:
    """Draw one row per algorithm over time; candidates are in bold.

    The shade shows the number of instances on which it ran up to that budget. The right margin shows the number of runs and
    their cost.
    """
    draw_counts(
        ax,
        data.grid,
        data.names,
        data.counts,
        most=data.instances,
        axis=axis,
        unit=data.unit,
        label=f"instances ({percent(data.saved_share)} of all {data.unit} saved)",
    )
    for label, inside in zip(ax.get_yticklabels(), data.inside, strict=True):
        label.set_fontweight("bold" if inside else "normal")
    costs = [f"{cost / 1e6:,.3g} M" if cost >= _MANY else f"{cost:,.0f}" for cost in data.cost]
    lines = [(float(row), f"{data.runs[row]:,}, {cost}") for row, cost in enumerate(costs)]
    write_right(ax, [(-1.0, f"runs, {data.unit}"), *lines])
