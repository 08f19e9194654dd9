"""Figure of the number of comparisons: on how many instances each algorithm was observed together with another one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.lettering import budget_axis, name_ticks

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

    from polarbear.arrays import Array, Indices
    from polarbear.literals import Axis
    from polarbear.observe import Grid
    from polarbear.posterior.posterior import Posterior


@dataclass(frozen=True, eq=False)
class ComparisonCounts:
    """The number of comparisons per algorithm and budget.

    Attributes
    ----------
    grid
        The budgets.
    names
        The algorithms.
    counts
        Number of instances on which each algorithm was observed together with another one, shape (budget, algorithm).
    instances
        Number of all instances.
    """

    grid: Grid
    names: tuple[str, ...]
    counts: Indices
    instances: int

    @classmethod
    def of(cls, posterior: Posterior) -> Self:
        """Return the number of comparisons behind a posterior."""
        if posterior.comparisons is None:
            raise ValueError(
                "expected a posterior that knows its number of comparisons, got one from a file of an older version; fit it "
                "again from the runs"
            )
        return cls(posterior.grid, posterior.names, posterior.comparisons, posterior.instances)


def draw_comparisons(ax: Axes, data: ComparisonCounts, *, axis: Axis | None = None, unit: str = "budget") -> None:
    """Draw one row per algorithm over time; the darker, the more comparisons. White means not observed."""
    draw_counts(
        ax, data.grid, data.names, data.counts, most=data.instances, axis=axis, unit=unit, label="number of comparisons"
    )


def draw_counts(
    ax: Axes,
    grid: Grid,
    names: tuple[str, ...],
    counts: Indices,
    *,
    most: int,
    axis: Axis | None,
    unit: str,
    label: str,
) -> None:
    """Draw counts (budget, algorithm) as shades, one row per algorithm, with a scale from 0 to `most` above the axes."""
    from matplotlib.ticker import MaxNLocator

    figure = ax.get_figure()
    assert figure is not None
    mesh = ax.pcolormesh(
        _edges(grid.budgets, grid.axis if axis is None else axis),
        np.arange(len(names) + 1) - 0.5,
        np.ma.masked_equal(counts.T, 0),
        cmap="Blues",
        vmin=-0.15 * most,  # makes one instance distinguishable from none
        vmax=max(most, 1),
        linewidth=0,
        rasterized=False,
    )
    for row in range(1, len(names)):
        ax.axhline(row - 0.5, color="white", linewidth=2)
    budget_axis(ax, grid, axis=axis, unit=unit)
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.grid(visible=False)
    name_ticks(ax.yaxis, names)
    bar = figure.colorbar(mesh, ax=ax, location="top", aspect=60, shrink=1.0, pad=0.02)
    bar.outline.set_visible(False)
    bar.ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    bar.ax.set_xlim(0, max(most, 1))
    bar.set_label(label, loc="left")


def _edges(budgets: Array, kind: Axis) -> Array:
    """Return cell borders half-way between the budgets on the axis; the first and last budget are the outer borders."""
    if len(budgets) == 1:
        return np.array([budgets[0] * 0.9, budgets[0] * 1.1])
    between = np.sqrt(budgets[:-1] * budgets[1:]) if kind == "log" else (budgets[:-1] + budgets[1:]) / 2
    return np.concatenate([budgets[:1], between, budgets[-1:]])
