"""Figure of the forecast of a race: the share of decided pairs against the number of instances, observed and expected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.plots.lettering import format_tick, label_ticks, short_names, show_literally
from polarbear.race.forecast import STABLE_FROM, instances_per_budget, roughly

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.axes import Axes

    from polarbear.arrays import Array, Indices
    from polarbear.race.outcome import RaceOutcome


_LONGEST_LINE = 32  # characters of both names of a pair that fit into one line beside the axes
_WIDE = 20.0  # multiple of the instances so far; a longer forecast gets a log axis


@dataclass(frozen=True)
class OpenPair:
    """A pair that is undecided at some budget, and the number of instances by which it should be decided.

    The number is infinite if a thousand times the data would not suffice, or if one of the two has not run yet. It is NaN
    before 32 instances, when forecasts are not stable.
    """

    first: str
    second: str
    instances: float


@dataclass(frozen=True, eq=False)
class DecisionForecast:
    """The share of decided pairs against the number of instances.

    Attributes
    ----------
    names
        All algorithms.
    instances, share
        After each round: the number of instances so far, and the share of pairs decided at every budget.
    open_pairs
        The undecided pairs, in the expected order of their decisions.
    expected_instances, expected_share
        Numbers of instances at which the share should rise, and its values; the first is the present state.
    limit
        The number of instances at which the race stops; None if it has no limit or it is unknown.
    """

    names: tuple[str, ...]
    instances: Indices
    share: Array
    open_pairs: tuple[OpenPair, ...]
    expected_instances: Array
    expected_share: Array
    limit: float | None = None

    @classmethod
    def of(cls, result: RaceOutcome, *, limit: float | None = None) -> Self:
        """Return the forecast of a race, under the assumption that its present posterior is right."""
        if not result.rounds:
            raise ValueError("expected a race with rounds, got none to forecast from; run the race first")
        so_far: set[int] = set()
        instances, share = [], []
        for round_ in result.rounds:
            so_far.update(round_.instances)
            instances.append(len(so_far))
            share.append(1 - len(round_.open) / max(1, _number_of_pairs(len(round_.threat))))
        pairs = _open_pairs(result)
        total = max(1, _number_of_pairs(len(result.state.names)))
        finite = [pair.instances for pair in pairs if np.isfinite(pair.instances)]
        decided = total - len(pairs)
        return cls(
            names=result.state.names,
            instances=np.array(instances, dtype=np.intp),
            share=np.array(share),
            open_pairs=pairs,
            expected_instances=np.array([result.instances, *finite], dtype=np.float64),
            expected_share=(decided + np.arange(len(finite) + 1)) / total,
            limit=limit,
        )


def _open_pairs(result: RaceOutcome) -> tuple[OpenPair, ...]:
    state, names = result.state, result.state.names
    if state.decided.all():
        return ()
    forecasts: dict[tuple[str, str], float] = {}
    if result.instances >= STABLE_FROM:
        known = [names.index(name) for name in result.posterior.names]
        decided = state.decided[:, known][:, :, known]
        for (a, b), needed in instances_per_budget(result.posterior, decided, state.settings).items():
            forecasts[names[known[a]], names[known[b]]] = float(needed.max())
    unknown = np.inf if result.instances >= STABLE_FROM else np.nan
    pairs = [OpenPair(*pair, forecasts.get(pair, unknown)) for pair in result.undecided()]
    return tuple(sorted(pairs, key=lambda pair: pair.instances))


def _number_of_pairs(number: int) -> int:
    return number * (number - 1) // 2


def draw_forecast(ax: Axes, data: DecisionForecast) -> None:
    """Draw the share of decided pairs against instances: solid as observed, dashed as expected.

    The limit of the race, if it is known and not reached, is a dotted line: what lies beyond it will not happen.
    """
    from matplotlib.ticker import PercentFormatter

    now = float(data.instances[-1])
    ax.plot(data.instances, data.share, color="#262626", drawstyle="steps-post", marker="o", markersize=2.5)
    if data.open_pairs:
        places, shares = [*data.expected_instances, _end_of_axis(data)], [*data.expected_share, data.expected_share[-1]]
        ax.plot(places, shares, color="#262626", drawstyle="steps-post", linestyle=(0, (3, 2)))
    _mark_now_and_limit(ax, data)
    _instances_axis(ax, data)
    ax.annotate("now", (now, 0), (3, 3), textcoords="offset points", color="#606060")
    if data.limit is not None and data.limit > now:
        ax.annotate("limit", (data.limit, 0), (3, 3), textcoords="offset points", color="#606060")
    ax.set_ylim(0, 1.03)
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, symbol=" %"))
    ax.set_ylabel("pairs decided")


def draw_open_pairs(ax: Axes, data: DecisionForecast, *, most: int = 12) -> None:
    """Draw the number of instances by which each undecided pair should be decided.

    With more than `most` pairs, those that take longest are shown. An arrow marks a pair that a thousand times the data
    would not decide. Before 32 instances the pairs are listed without a forecast.
    """
    labels = pair_labels(data, most=most)
    shown, now = data.open_pairs[-most:], float(data.instances[-1])
    edge = _end_of_axis(data)
    for row, pair in enumerate(shown):
        if np.isnan(pair.instances):
            ax.annotate(
                "too early to say",
                (now, row),
                (6, 0),
                textcoords="offset points",
                va="center",
                color="#606060",
            )
            continue
        known = np.isfinite(pair.instances)
        reach = pair.instances if known else edge
        ax.plot([now, reach], [row, row], color="#B0B0B0", linewidth=1.2, zorder=2)
        ax.plot(reach, row, marker="o" if known else ">", color="#262626", clip_on=False, zorder=3)
        show_literally(
            ax.annotate(
                f"about {format_tick(roughly(pair.instances))}" if known else "undecided",
                (reach, row),
                (6, 0),
                textcoords="offset points",
                va="center",
                annotation_clip=False,
            )
        )
    _mark_now_and_limit(ax, data)
    _instances_axis(ax, data)
    ax.set_ylim(len(shown) - 0.5, -0.5)
    label_ticks(ax.yaxis, labels)
    ax.grid(visible=False)
    if len(shown) < len(data.open_pairs):
        ax.set_title(f"the last {len(shown)} of {len(data.open_pairs)} open pairs")


def pair_labels(data: DecisionForecast, *, most: int = 12) -> list[str]:
    """Return the labels of the undecided pairs that are shown; long ones have two lines."""
    short = short_names(data.names)
    pairs = [(short[pair.first], short[pair.second]) for pair in data.open_pairs[-most:]]
    two_lines = max((len(first) + len(second) for first, second in pairs), default=0) > _LONGEST_LINE
    return [f"{first} –{chr(10) if two_lines else ' '}{second}" for first, second in pairs]


def _mark_now_and_limit(ax: Axes, data: DecisionForecast) -> None:
    now = float(data.instances[-1])
    ax.axvline(now, color="#808080", linewidth=0.7)
    if data.limit is not None and data.limit > now:
        ax.axvline(data.limit, color="#808080", linewidth=0.7, linestyle=(0, (1, 1.5)))


def _end_of_axis(data: DecisionForecast) -> float:
    now = float(data.instances[-1])
    limit = data.limit or 0.0 if data.open_pairs else 0.0
    return 1.15 * max(float(data.expected_instances.max()), 1.5 * now if data.open_pairs else now, limit)


def _instances_axis(ax: Axes, data: DecisionForecast) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    first, now, last = float(data.instances[0]), float(data.instances[-1]), _end_of_axis(data)
    ax.set_xscale("log" if last > _WIDE * now else "linear")
    ax.set_xlim(first if ax.get_xscale() == "log" else 0, last)
    if ax.get_xscale() == "linear":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda number, _: format_tick(number)))
    ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("instances")
