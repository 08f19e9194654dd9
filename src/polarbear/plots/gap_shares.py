"""Figure of the gaps of a pair: on which share of the instances each algorithm is better by more than a tolerance."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.plots.end_labels import label_ends
from polarbear.plots.lettering import budget_axis
from polarbear.plots.palette import assign_looks
from polarbear.plots.rating_curves import isolated, last_known

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from polarbear.literals import Axis
    from polarbear.magnitude.gap import GapShares

_GREY = "#606060"


def draw_gap(ax: Axes, data: GapShares, *, axis: Axis | None = None, unit: str | None = None) -> None:
    """Draw both shares over time as lines in the colours of the algorithms, with their intervals as bands.

    What is missing to 1 is the share on which the gap is within the tolerance. The title states the tolerance. Lines are
    interrupted where no instance has values of both algorithms.

    Parameters
    ----------
    ax
        The axes to draw on.
    data
        The shares.
    axis
        "linear" or "log"; the axis of the grid by default.
    unit
        The label of the budget axis; the unit of the runs by default.
    """
    if not data.instances.any():
        raise ValueError(
            f"expected instances with values of both {data.first} and {data.second}, got none; choose another pair"
        )
    look, budgets, ends = assign_looks(data.all_names), data.grid.budgets, {}
    for name, share, lower, upper in (
        (data.first, data.better, data.better_lower, data.better_upper),
        (data.second, data.worse, data.worse_lower, data.worse_upper),
    ):
        colour, alone = look[name].colour, isolated(share)
        ax.fill_between(budgets, lower, upper, color=colour, alpha=0.2, linewidth=0)
        if alone.size:
            ax.vlines(budgets[alone], lower[alone], upper[alone], color=colour, linewidth=1)
        ax.plot(
            budgets,
            share,
            color=colour,
            linestyle=look[name].dashes,
            marker="o" if alone.size else None,
            markevery=alone.tolist(),
            zorder=3,
        )
        ends[name] = last_known(share)
    budget_axis(ax, data.grid, axis=axis, unit=data.unit or "budget" if unit is None else unit)
    ax.set_ylim(-0.02, 1.02)
    ax.set_ylabel("share of instances")
    ax.set_title(f"better by {data.amount}\nbands: {100 * data.level:g} % intervals", color=_GREY)
    label_ends(ax, ends, look)
