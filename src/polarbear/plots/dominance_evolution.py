"""Figure of the evolution of dominance over the rounds of a race (the paper's figure of that name)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.plots.end_labels import add_legend_outside, legend_line
from polarbear.plots.lettering import short_names
from polarbear.plots.palette import assign_looks

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.race.outcome import RaceOutcome


_BEND = 0.9  # above this probability the axis is logarithmic in 1 - p
_DECADE = 0.45  # height of each further nine of the probability
_TOP = 0.9999  # end of the axis; higher probabilities are drawn there
_RIGHT_AXIS_POINTS = 52.0  # width of the tick labels and the name of the right axis
_SAME_HEIGHT = 0.08  # marks closer than this would overlap
_MARK_SHARE = 0.024  # share of the width of the axes that a mark takes
_TICKS = (0.0, 0.25, 0.5, 0.75, 0.9, 0.99, 0.999, 0.9999)


@dataclass(frozen=True, eq=False)
class DominanceEvolution:
    """Probabilities and decisions per round; arrays of shape (round, algorithm) or (round,).

    Attributes
    ----------
    names
        All algorithms that took part.
    rounds
        Numbers of the rounds, from 1.
    threat
        max_A P(A dominates B) for each B; NaN before B joins the race and after it is dropped.
    dropped
        Whether B is dropped in the round.
    decided
        Whether a candidate becomes decided against all others in the round, and so a member of the Pareto set.
    share
        The share of all (budget, pair) that are decided.
    reliable
        Whether the posterior of the round is reliable; if not, the round decides nothing.
    confidence
        α, the probability of dominance from which an algorithm is dropped.
    """

    names: tuple[str, ...]
    rounds: Indices
    threat: Array
    dropped: Mask
    decided: Mask
    share: Array
    reliable: Mask
    confidence: float

    @classmethod
    def of(cls, result: RaceOutcome) -> Self:
        """Return the evolution of a race, finished or not."""
        names, rounds = result.state.names, result.rounds
        shape = len(rounds), len(names)
        threat = np.full(shape, np.nan)
        dropped, decided = np.zeros(shape, dtype=np.bool_), np.zeros(shape, dtype=np.bool_)
        dropped_before: set[str] = set()
        decided_before: set[str] = set()
        for row, round_ in enumerate(rounds):
            if round_.kind == "review":  # under new settings all but those dropped by hand are candidates again
                dropped_before.clear()
                decided_before.clear()
            dropped_before.difference_update(
                name for name, _ in round_.budgets
            )  # it runs: it was restored or came back
            dropped_before.difference_update(round_.returned)
            dropped_now = {each.name for each in round_.dropped}
            open_ = {name for a, b, _ in round_.open for name in (a, b)}
            for name, probability in round_.threat:
                if name not in names or name in dropped_before:
                    continue
                column = names.index(name)
                threat[row, column] = probability
                dropped[row, column] = name in dropped_now
                inside = name not in dropped_now | open_ and name not in result.state.dropped_by_user
                decided[row, column] = inside and name not in decided_before
                (decided_before.add if inside else decided_before.discard)(name)
            dropped_before |= dropped_now
        return cls(
            names=names,
            rounds=np.array([round_.number for round_ in rounds], dtype=np.intp),
            threat=threat,
            dropped=dropped,
            decided=decided,
            share=np.array([round_.decided_share for round_ in rounds]),
            reliable=np.array([round_.reliable for round_ in rounds], dtype=np.bool_),
            confidence=result.state.settings.confidence,
        )


def height_of(probability: Array) -> Array:
    """Return the height of a probability on the axis: p up to 0.9, and 0.9 + 0.45 (-log10(1 - p) - 1) above."""
    p = np.minimum(probability, _TOP)
    nines = -np.log10(np.maximum(1 - p, 1 - _TOP))
    return np.where(p <= _BEND, p, _BEND + _DECADE * (nines - 1))


def probability_at(height: Array) -> Array:
    """Return the probability at a height: the inverse of `height_of`."""
    beyond = 1 - 10.0 ** -((np.maximum(height, _BEND) - _BEND) / _DECADE + 1)
    return np.where(height <= _BEND, height, beyond)


def draw_evolution(ax: Axes, data: DominanceEvolution) -> None:
    """Draw the probability that each algorithm is dominated over rounds, and on the right axis the share of decided pairs.

    Above 0.9 the left axis is logarithmic. A cross marks a dropped algorithm, a diamond a member of the Pareto set that is
    decided against all others. The black line is the share of decided pairs and budgets. Rounds with an unreliable
    posterior, which decide nothing, are shaded.
    """
    from matplotlib.ticker import FixedLocator, FuncFormatter, MaxNLocator, NullLocator, PercentFormatter

    look, shift = assign_looks(data.names), _horizontal_shift(data)
    for number in data.rounds[~data.reliable]:
        ax.axvspan(number - 0.5, number + 0.5, color="#EEEEEE", linewidth=0, zorder=0)
    for column, name in enumerate(data.names):
        shape: dict[str, Any] = {"color": look[name].colour, "clip_on": False}
        threat = np.minimum(data.threat[:, column], _TOP)
        plain = np.flatnonzero(~(data.dropped | data.decided)[:, column]).tolist()
        ax.plot(
            data.rounds,
            threat,
            linestyle=look[name].dashes,
            linewidth=1.1,
            marker="o",
            markersize=2.5,
            markevery=plain,
            zorder=3,
            **shape,
        )
        for marks, marker, size in ((data.dropped, "X", 7), (data.decided, "D", 5.5)):
            here = marks[:, column]
            if not here.any():  # Matplotlib would lay out an empty line at the corner of the figure
                continue
            ax.plot(
                data.rounds[here] + shift[here, column],
                threat[here],
                linestyle="none",
                marker=marker,
                markersize=size,
                markeredgecolor="white",
                markeredgewidth=0.6,
                zorder=4,
                **shape,
            )
    ax.axhline(data.confidence, color="#808080", linewidth=0.7, linestyle=(0, (4, 3)), zorder=1)
    ax.set_yscale("function", functions=(height_of, probability_at))
    reached = np.nanmax(data.threat, initial=data.confidence)
    top = next((tick for tick in _TICKS if tick >= max(reached, data.confidence, 0.99)), _TOP)
    ax.set_ylim(0, top)
    ax.yaxis.set_major_locator(FixedLocator([tick for tick in _TICKS if tick <= top]))
    ax.yaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_major_formatter(FuncFormatter(lambda p, _: f"≥ {_TOP}" if p >= _TOP else f"{p:.10g}"))
    ax.set_ylabel("probability of being dominated")
    last = int(data.rounds[-1]) if len(data.rounds) else 1
    ax.set_xlim(0.5, last + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1))
    ax.set_xlabel("round")

    # On the right axis a share is a height in axes coordinates. The line is drawn on the left axes, to lie above the grid.
    height = ax.get_xaxis_transform()
    ax.plot(data.rounds, data.share, transform=height, color="black", linewidth=1.3, zorder=2, clip_on=False)
    right = ax.twinx()
    right.set_ylim(0, 1)
    right.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    right.set_ylabel("share of pairs decided")
    right.grid(visible=False)
    right.spines["right"].set_visible(True)
    ax.set_zorder(right.get_zorder() + 1)
    ax.patch.set_visible(False)
    short = short_names(data.names)
    handles = [legend_line(look[name], marker=_mark_of(data, column)) for column, name in enumerate(data.names)]
    labels = [short[name] + _round_of(data, column) for column, name in enumerate(data.names)]
    add_legend_outside(right, handles, labels, points=_RIGHT_AXIS_POINTS, title="name, round of its decision")


def _round_of(data: DominanceEvolution, column: int) -> str:
    rows = np.flatnonzero(data.dropped[:, column] | data.decided[:, column])
    return f", {data.rounds[rows[-1]]}" if rows.size else ""


def _horizontal_shift(data: DominanceEvolution) -> Array:
    """Return the horizontal shift, in rounds, of marks of one round that would overlap."""
    shift = np.zeros(data.threat.shape)
    marked = data.dropped | data.decided
    for row, heights in enumerate(height_of(data.threat)):
        for place in set(np.round(heights[marked[row]] / _SAME_HEIGHT)):
            together = np.flatnonzero(marked[row] & (np.round(heights / _SAME_HEIGHT) == place))
            reach = min(0.38, 0.5 * _MARK_SHARE * len(data.rounds) * (len(together) - 1))
            shift[row, together] = np.linspace(-reach, reach, len(together))
    return shift


def _mark_of(data: DominanceEvolution, column: int) -> str | None:
    rows = np.flatnonzero(data.dropped[:, column] | data.decided[:, column])
    if not rows.size:
        return None
    return "X" if data.dropped[rows[-1], column] else "D"
