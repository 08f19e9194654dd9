"""Figure of the speed-up of a pair: the share of one algorithm's budget that the other needs for the same quality."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.lettering import budget_axis, format_tick, short_names, show_literally
from polarbear.plots.palette import assign_looks
from polarbear.plots.rating_curves import isolated

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from polarbear.arrays import Array
    from polarbear.literals import Axis
    from polarbear.magnitude.speed_up import SpeedUp

_LEAST, _MOST = 1e-3, 1e3  # ratios beyond these are drawn at the edge
_GREY = "#606060"


def draw_speed_up(ax: Axes, data: SpeedUp, *, axis: Axis | None = None, unit: str | None = None) -> None:
    """Draw the median budget ratio over the budgets of the second algorithm, with its interval as a band.

    Below 1 the first algorithm is faster. Triangles mark budgets at which the runs show only that the ratio is larger.

    Parameters
    ----------
    ax
        The axes to draw on.
    data
        The speed-up.
    axis
        "linear" or "log"; the axis of the grid by default.
    unit
        The label of the budget axis; the unit of the runs by default.
    """
    budgets, look, short = data.grid.budgets, assign_looks(data.all_names), short_names(data.all_names)
    colour = look[data.first].colour
    ratio = np.where(np.isfinite(data.ratio), np.clip(data.ratio, _LEAST, _MOST), np.nan)
    beyond = np.isinf(data.ratio)
    known = np.concatenate([each[np.isfinite(each)] for each in (ratio, data.lower, data.upper, data.longest[beyond])])
    if not known.size:
        raise ValueError(
            f"expected instances that compare {data.first} and {data.second} at some budget, got none; choose another pair"
        )
    low, high = _limits(np.clip(known, _LEAST, _MOST))
    lower, upper = (np.clip(np.where(np.isnan(data.ratio), np.nan, end), low, high) for end in (data.lower, data.upper))
    ax.fill_between(budgets, lower, upper, color=colour, alpha=0.2, linewidth=0)
    alone = isolated(ratio)
    ax.plot(budgets, ratio, color=colour, marker="o" if alone.size else None, markevery=alone.tolist(), zorder=3)
    bounds = np.where(np.isfinite(data.longest), np.clip(data.longest, low, high), high)
    ax.plot(budgets[beyond], bounds[beyond], color=colour, linestyle="none", marker="^", markersize=4, clip_on=False)
    ax.axhline(1, color="#808080", linewidth=0.6)
    ax.set_yscale("log")
    ax.set_ylim(low, high)
    _ratio_ticks(ax, low, high)
    measured = data.unit if unit is None else unit
    budget_axis(
        ax, data.grid, axis=axis, unit=f"budget of {short[data.second]}" + (f" in {measured}" if measured else "")
    )
    show_literally(ax.xaxis.label)
    ax.set_ylabel("budget ratio")
    other = look[data.second].colour
    for height, text, its_colour, side in (
        (0.0, f"{short[data.first]} is faster", colour, "bottom"),
        (1.0, f"{short[data.second]} is faster", other, "top"),
    ):
        show_literally(
            ax.annotate(
                text,
                (1, height),
                (6, 0),
                xycoords="axes fraction",
                textcoords="offset points",
                color=its_colour,
                va=side,
                annotation_clip=False,
            )
        )
    if beyond.any():
        ax.set_title("triangles: more than this", loc="right", color=_GREY)


def _limits(known: Array) -> tuple[float, float]:
    """Return limits that include all ratios and 1, with some room on both sides."""
    low, high = min(float(known.min()), 1.0), max(float(known.max()), 1.0)
    room = max((high / low) ** 0.08, 1.15)
    return low / room, high * room


def _ratio_ticks(ax: Axes, low: float, high: float) -> None:
    """Label ratios at 1, 2, 5 and their multiples, or at powers of ten if they span more than two decades."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullFormatter, NullLocator

    steps = (1.0, 2.0, 5.0) if high / low < 100 else (1.0,)
    ticks = [step * 10.0**power for power in range(-4, 5) for step in steps]
    ax.yaxis.set_major_locator(FixedLocator([tick for tick in ticks if low <= tick <= high]))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: format_tick(value)))
    ax.yaxis.set_minor_formatter(NullFormatter())
