"""Figure of one pair over time: which algorithm beats the other at each budget, and with what probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.lettering import budget_axis, short_names, show_literally
from polarbear.plots.palette import assign_looks
from polarbear.plots.rating_curves import isolated, last_known
from polarbear.posterior.relations import dominance, equivalence
from polarbear.selection.candidates import check_candidates

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

    from polarbear.arrays import Array
    from polarbear.literals import Axis
    from polarbear.observe import Grid
    from polarbear.posterior.posterior import Posterior


@dataclass(frozen=True, eq=False)
class PairDominance:
    """Two algorithms over time, arrays of shape (budget,), NaN where one of the two was not observed.

    Attributes
    ----------
    grid
        The budgets.
    first, second, all_names
        The pair, and all algorithms.
    beats
        P(the first beats the second on most instances).
    equal
        P(the win rate lies within the margin of one half).
    wins, lower, upper
        Mean and 95 % interval of the win rate, the share of instances on which the first beats the second.
    always, never
        P(the first beats the second on most instances at every budget), and the reverse; None if the prior treats each
        budget alone, or if one of the two was not observed at some budget.
    margin
        The margin: half the width of the region of practical equivalence.
    """

    grid: Grid
    first: str
    second: str
    all_names: tuple[str, ...]
    beats: Array
    equal: Array
    wins: Array
    lower: Array
    upper: Array
    always: float | None
    never: float | None
    margin: float

    @classmethod
    def of(cls, posterior: Posterior, first: str, second: str, *, margin: float = 0.05) -> Self:
        """Return the relations of a pair under a posterior."""
        check_candidates(posterior, (first, second))
        a, b = posterior.names.index(first), posterior.names.index(second)
        rates = posterior.win_rates(a, b)
        pair = np.zeros((len(posterior.names),) * 2, dtype=bool)
        pair[a, b] = True
        lower, upper = np.quantile(rates, [0.025, 0.975], axis=1)
        always, never = (float(ahead.all(axis=0).mean()) for ahead in (rates > 0.5, rates < 0.5))
        known = posterior.observed_pairs[:, a, b]
        everywhere = posterior.joint and bool(known.all())
        beats, equal, wins, lower, upper = (
            np.where(known, curve, np.nan)
            for curve in (
                dominance(posterior, where=pair)[:, a, b],
                equivalence(posterior, margin=margin, where=pair)[:, a, b],
                rates.mean(axis=1, dtype=np.float64),
                lower,
                upper,
            )
        )
        return cls(
            grid=posterior.grid,
            first=first,
            second=second,
            all_names=posterior.names,
            beats=beats,
            equal=equal,
            wins=wins,
            lower=lower,
            upper=upper,
            always=always if everywhere else None,
            never=never if everywhere else None,
            margin=margin,
        )


def draw_pair(ax: Axes, data: PairDominance, *, axis: Axis | None = None, unit: str = "budget") -> None:
    """Draw the probability that the first beats the second on most instances.

    The area is in the colour of the first above one half and in the colour of the second below. The dashed line is the
    probability that both are practically equal. Curves are interrupted where one of the two was not observed.
    """
    budgets, look, short = data.grid.budgets, assign_looks(data.all_names), short_names(data.all_names)
    one, other = look[data.first].colour, look[data.second].colour
    ax.fill_between(
        budgets, 0.5, data.beats, where=data.beats >= 0.5, interpolate=True, color=one, alpha=0.3, linewidth=0
    )
    ax.fill_between(
        budgets, 0.5, data.beats, where=data.beats <= 0.5, interpolate=True, color=other, alpha=0.3, linewidth=0
    )
    alone = isolated(data.beats)
    ax.plot(budgets, data.beats, color="#262626", marker="o" if alone.size else None, markevery=alone.tolist())
    ax.plot(budgets, data.equal, color="#808080", linestyle=(0, (4, 2)), linewidth=1.1)
    ax.axhline(0.5, color="#808080", linewidth=0.6)
    budget_axis(ax, data.grid, axis=axis, unit=unit)
    ax.set_ylim(-0.02, 1.02)
    ax.set_ylabel("probability")
    for height, text, colour, side in (
        (1.0, f"{short[data.first]} wins more often", one, "top"),
        (0.0, f"{short[data.second]} wins more often", other, "bottom"),
        (last_known(data.equal), f"equal within {data.margin:g}", "#606060", "center"),
    ):
        if side == "center" and not 0.12 < height < 0.88:  # would overlap the names
            height = 0.5
            text = f"dashed: {text}"
        show_literally(
            ax.annotate(
                text,
                (1, height),
                (6, 0),
                xycoords=("axes fraction", "data"),
                textcoords="offset points",
                color=colour,
                va=side,
                annotation_clip=False,
            )
        )
    if data.always is not None and data.never is not None:
        crossing = max(0.0, 1 - data.always - data.never)
        ax.set_title(
            f"more wins at every budget: first {data.always:.2f}, second {data.never:.2f}; crossing {crossing:.2f}"
        )
