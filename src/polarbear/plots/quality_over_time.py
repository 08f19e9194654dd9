"""Figure of the quality over time: median of the best value so far, its interval, and quartiles, per algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.end_labels import label_ends
from polarbear.plots.lettering import budget_axis, format_tick
from polarbear.plots.palette import assign_looks
from polarbear.plots.rating_curves import isolated, last_known

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from polarbear.arrays import Array
    from polarbear.literals import Axis
    from polarbear.magnitude.quality import QualityCurves

_FEW = 5  # up to this number of algorithms, quartile bands remain distinguishable
_GREY = "#606060"
_WIDE = 30.0  # values that span a larger factor get a logarithmic axis


def draw_quality(
    ax: Axes, data: QualityCurves, *, axis: Axis | None = None, unit: str | None = None, labelled: bool = True
) -> None:
    """Draw medians as lines, their intervals as dark bands, and quartiles as light ones.

    Lines are interrupted where too few values are known, and begin where most instances have a solution. An end of an
    interval that the instances do not bound lies at the edge. The axis of the values is logarithmic if they are positive and
    span a factor above 30.

    Parameters
    ----------
    ax
        The axes to draw on.
    data
        The curves.
    axis
        "linear" or "log"; the axis of the grid by default.
    unit
        The label of the budget axis; the unit of the runs by default.
    labelled
        Whether to write the names at the ends of the lines.
    """
    look, budgets = assign_looks(data.all_names), data.grid.budgets
    shade, dark = (0.12, 0.25) if len(data.names) <= _FEW else (0.04, 0.12)
    low, high = _value_axis(ax, data)
    for column, name in enumerate(data.names):
        colour, median = look[name].colour, _finite(data.median[:, column])
        quartiles = [_finite(each[:, column]) for each in (data.low_quartile, data.high_quartile)]
        interval = [
            np.where(np.isnan(median), np.nan, np.clip(each[:, column], low, high)) for each in (data.lower, data.upper)
        ]
        alone = isolated(median)
        for (lower, upper), alpha, thickness in ((quartiles, shade, 7.0), (interval, dark, 3.0)):
            ax.fill_between(budgets, lower, upper, color=colour, alpha=alpha, linewidth=0)
            if alone.size:
                ax.vlines(
                    budgets[alone], lower[alone], upper[alone], color=colour, linewidth=thickness, alpha=2 * alpha
                )
        ax.plot(
            budgets,
            median,
            color=colour,
            linestyle=look[name].dashes,
            marker="o" if alone.size else None,
            markevery=alone.tolist(),
            zorder=3,
        )
    ax.set_ylim(low, high)
    budget_axis(ax, data.grid, axis=axis, unit=data.unit or "budget" if unit is None else unit)
    ax.set_ylabel("median of the best value so far")
    of_medians = (
        f"dark bands: {100 * data.level:g} % intervals of the medians\n" if np.isfinite(data.lower).any() else ""
    )
    ax.set_title(f"{of_medians}light bands: quartiles", color=_GREY)
    ends = {name: last_known(_finite(data.median[:, column])) for column, name in enumerate(data.names)}
    if labelled:
        label_ends(ax, {name: end for name, end in ends.items() if np.isfinite(end)}, look)


def _finite(values: Array) -> Array:
    """Return values with NaN where they are infinite, so that lines are interrupted there."""
    return np.where(np.isfinite(values), values, np.nan)


def _value_axis(ax: Axes, data: QualityCurves) -> tuple[float, float]:
    """Set a logarithmic axis if the values are positive and span decades, with readable ticks; return its limits."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    curves = (data.median, data.low_quartile, data.high_quartile, data.lower, data.upper)
    shown = np.concatenate([each[np.isfinite(each)] for each in curves])
    if not np.isfinite(data.median).any():
        raise ValueError("expected values at some budget, got none that are known on enough instances; compare earlier")
    if shown.min() > 0 and shown.max() / shown.min() >= _WIDE:
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(numticks=8))
        ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_tick(value)))
        ax.yaxis.set_minor_formatter(NullFormatter())
    ax.update_datalim([(data.grid.budgets[0], shown.min()), (data.grid.budgets[0], shown.max())])
    ax.autoscale_view(scalex=False)
    return ax.get_ylim()
