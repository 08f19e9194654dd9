"""Figure of the allocation of evaluations and instances by a race (the paper's figure of the MA-BBOB samples)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.lettering import name_ticks, time_axis, write_right

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import Axis
    from polarbear.observe import Grid
    from polarbear.race.result import RaceResult

_MANY = 1e6  # evaluations or seconds from which costs are printed in millions


@dataclass(frozen=True, eq=False)
class SampleAllocation:
    """The runs and cost of each algorithm in a race.

    Attributes
    ----------
    grid
        The times.
    names, inside
        The algorithms, and whether each is still a candidate.
    counts
        Number of instances with an observation at each time, shape (time, algorithm).
    runs, cost
        Number of runs per algorithm, and their total cost in the race's unit of time.
    instances
        Number of instances that the race used.
    saved_share
        The share that racing saved of the cost of running every algorithm on every instance.
    unit
        The unit of time.
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
    def of(cls, result: RaceResult) -> Self:
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

    The shade shows the number of instances on which it ran up to that time. The right margin shows the number of runs and
    their cost.
    """
    from matplotlib.ticker import MaxNLocator

    figure = ax.get_figure()
    assert figure is not None
    kind = data.grid.axis if axis is None else axis
    shown = np.ma.masked_equal(data.counts.T, 0)
    mesh = ax.pcolormesh(
        _edges(data.grid.times, kind),
        np.arange(len(data.names) + 1) - 0.5,
        shown,
        cmap="Blues",
        vmin=-0.15 * data.instances,  # makes one instance distinguishable from none
        vmax=max(data.instances, 1),
        linewidth=0,
        rasterized=False,
    )
    for row in range(1, len(data.names)):
        ax.axhline(row - 0.5, color="white", linewidth=2)
    time_axis(ax, data.grid, axis=axis, unit=data.unit)
    ax.set_ylim(len(data.names) - 0.5, -0.5)
    ax.grid(visible=False)
    name_ticks(ax.yaxis, data.names)
    for label, inside in zip(ax.get_yticklabels(), data.inside, strict=True):
        label.set_fontweight("bold" if inside else "normal")
    costs = [f"{cost / 1e6:,.3g} M" if cost >= _MANY else f"{cost:,.0f}" for cost in data.cost]
    lines = [(float(row), f"{data.runs[row]:,}, {cost}") for row, cost in enumerate(costs)]
    write_right(ax, [(-1.0, f"runs, {data.unit}"), *lines])
    bar = figure.colorbar(mesh, ax=ax, location="top", aspect=60, shrink=1.0, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    bar.ax.set_xlim(0, max(data.instances, 1))
    bar.set_label(f"instances ({data.saved_share:.0%} of all {data.unit} saved)", loc="left")


def _edges(times: Array, kind: Axis) -> Array:
    """Return cell borders half-way between the times on the axis; the first and last time are the outer borders."""
    if len(times) == 1:
        return np.array([times[0] * 0.9, times[0] * 1.1])
    between = np.sqrt(times[:-1] * times[1:]) if kind == "log" else (times[:-1] + times[1:]) / 2
    return np.concatenate([times[:1], between, times[-1:]])
