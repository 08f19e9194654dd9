"""Figure of the quality over time: median and quartiles over instances of the best value so far, per algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.end_labels import label_ends
from polarbear.plots.lettering import format_time, time_axis
from polarbear.plots.palette import assign_looks
from polarbear.plots.rating_curves import isolated, last_known

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from polarbear.arrays import Array
    from polarbear.literals import Axis
    from polarbear.magnitude.quality import QualityCurves

_FEW = 5  # up to this number of algorithms, quartile bands remain distinguishable
_WIDE = 30.0  # values that span a larger factor get a logarithmic axis


def draw_quality(
    ax: Axes, data: QualityCurves, *, axis: Axis | None = None, unit: str | None = None, labelled: bool = True
) -> None:
    """Draw medians as lines and quartiles as bands, or as thin lines if there are many algorithms.

    Lines are interrupted where too few values are known, and begin where most instances have a solution. The axis of the
    values is logarithmic if they are positive and span a factor above 30.

    Parameters
    ----------
    ax
        The axes to draw on.
    data
        The curves.
    axis
        "linear" or "log" time; the axis of the grid by default.
    unit
        The label of the time axis; the unit of the runs by default.
    labelled
        Whether to write the names at the ends of the lines.
    """
    look, times = assign_looks(data.all_names), data.grid.times
    shade = 0.15 if len(data.names) <= _FEW else 0.05
    for column, name in enumerate(data.names):
        median, low, high = (_finite(each[:, column]) for each in (data.median, data.low_quartile, data.high_quartile))
        colour, alone = look[name].colour, isolated(median)
        ax.fill_between(times, low, high, color=colour, alpha=shade, linewidth=0)
        if alone.size:
            ax.vlines(times[alone], low[alone], high[alone], color=colour, linewidth=1)
        ax.plot(
            times,
            median,
            color=colour,
            linestyle=look[name].dashes,
            marker="o" if alone.size else None,
            markevery=alone.tolist(),
            zorder=3,
        )
    time_axis(ax, data.grid, axis=axis, unit=data.unit or "time" if unit is None else unit)
    shown = np.concatenate([each[np.isfinite(each)] for each in (data.median, data.low_quartile, data.high_quartile)])
    _value_axis(ax, shown)
    ax.set_ylabel("best value so far (median, quartiles)")
    ends = {name: last_known(_finite(data.median[:, column])) for column, name in enumerate(data.names)}
    if labelled:
        label_ends(ax, {name: end for name, end in ends.items() if np.isfinite(end)}, look)


def _finite(values: Array) -> Array:
    """Return values with NaN where they are infinite, so that lines are interrupted there."""
    return np.where(np.isfinite(values), values, np.nan)


def _value_axis(ax: Axes, shown: Array) -> None:
    """Set a logarithmic axis if the values are positive and span decades, with readable ticks."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    if not shown.size:
        raise ValueError("expected values at some time, got none that are known on enough instances; compare earlier")
    if shown.min() <= 0 or shown.max() / shown.min() < _WIDE:
        return
    ax.set_yscale("log")
    ax.yaxis.set_major_locator(LogLocator(numticks=8))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_time(value)))
    ax.yaxis.set_minor_formatter(NullFormatter())
