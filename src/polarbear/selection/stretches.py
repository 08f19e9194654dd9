"""Stretches of budgets with one answer: a leader, "too close to call", or nothing observed.

At each budget the leader is *sure enough* if it is the best choice with a probability of at least 0.8. Where it is not, the
budget is too close to call, with two exceptions. Between two sure leaders, budgets at which only these two lead belong to
the change of leader, whose interval shows the uncertainty. And a leader keeps its stretch where its probability falls
below 0.8 but not below 0.6, so that noise around 0.8 does not split it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Literal

import numpy as np

from polarbear.wording import format_number, format_percent, join_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.observe import Grid

SURE_ENOUGH = 0.8  # probability of being the best choice below which advice reads "too close to call"
_KEEPS_LEAD = 0.6  # probability down to which a leader keeps its stretch
_CONTENDER = 0.1  # largest probability in a stretch from which an algorithm is named there
_MOST_CONTENDERS = 3  # named in text; the others are counted

Kind = Literal["leader", "too close to call", "only one observed", "not observed"]


@dataclass(frozen=True)
class Stretch:
    """A range of budgets with one answer.

    Attributes
    ----------
    kind
        "leader": one algorithm is the best choice. "too close to call": no algorithm is, with a probability of 0.8. "only
        one observed": it has no competitor. "not observed": no algorithm was observed together with another.
    start, stop
        The budgets at which it starts and ends.
    names
        The leader; or the contenders, the most probable first; or no name.
    probabilities, at
        The highest probability of being the best choice of each name within the stretch, and the budget where it has it.
    """

    kind: Kind
    start: float
    stop: float
    names: tuple[str, ...]
    probabilities: tuple[float, ...]
    at: tuple[float, ...]

    @property
    def leader(self) -> str | None:
        """The algorithm to choose; None if it is too close to call or nothing was observed."""
        return self.names[0] if self.kind in ("leader", "only one observed") else None

    @property
    def choice(self) -> str:
        """What to choose, as text."""
        return self.leader or ("not observed" if self.kind == "not observed" else "too close to call")

    @property
    def certainty(self) -> str:
        """How certain the choice is, as text."""
        if self.kind == "not observed":
            return "no algorithm was observed together with another"
        if self.kind == "only one observed":
            return "the only one observed"
        if self.kind == "leader":
            return f"{format_percent(self.probabilities[0])} sure at {format_number(self.at[0])}"
        named = [
            f"{name} ({format_percent(probability)} at {format_number(time)})"
            for name, probability, time in zip(self.names, self.probabilities, self.at, strict=True)
        ]
        more = len(named) - _MOST_CONTENDERS
        return join_names([*named[:_MOST_CONTENDERS], *([f"{more} more"] if more > 0 else [])], "or")


@dataclass(frozen=True)
class Run:
    """Consecutive grid positions with one answer, from `first` to `last`; `leader` is a column, −1 if there is none."""

    kind: Kind
    leader: int
    first: int
    last: int


def find_runs(leaders: Indices, probability: Array, observed: Mask) -> list[Run]:
    """Return the runs of grid positions with one answer, in order.

    Positions between two runs of leaders belong to the change from one to the other.

    Parameters
    ----------
    leaders
        The column of the leader at each position, −1 without one.
    probability, observed
        The probability of being best, and whether an algorithm was observed, shape (position, column).
    """

    def answer(place: int) -> tuple[Kind, int]:
        leader = int(leaders[place])
        if leader < 0:
            return "not observed", -1
        if observed.shape[1] > 1 and observed[place].sum() == 1:
            return "only one observed", leader
        return ("leader", leader) if probability[place, leader] >= SURE_ENOUGH else ("too close to call", -1)

    runs: list[Run] = []
    for (kind, leader), group in groupby(range(len(leaders)), key=answer):
        places = list(group)
        runs.append(Run(kind, leader, places[0], places[-1]))
    return _merge_close_runs(runs, leaders, probability)


def _merge_close_runs(runs: list[Run], leaders: Indices, probability: Array) -> list[Run]:
    """Return the runs without those that belong to a neighbouring leader, or to a change between two leaders."""
    result: list[Run] = []
    for place, run in enumerate(runs):
        left = result[-1] if result and result[-1].kind == "leader" else None
        if run.kind == "leader" and left is not None and left.leader == run.leader:
            result[-1] = replace(left, last=run.last)
            continue
        if run.kind != "too close to call":
            result.append(run)
            continue
        right = runs[place + 1] if place + 1 < len(runs) and runs[place + 1].kind == "leader" else None
        inside = leaders[run.first : run.last + 1]
        ahead = set(inside.tolist())
        lowest = probability[np.arange(run.first, run.last + 1), inside].min()
        if left and right and left.leader != right.leader and ahead <= {left.leader, right.leader}:
            continue
        if left and ahead == {left.leader} and lowest >= _KEEPS_LEAD:
            result[-1] = replace(left, last=run.last)
        elif right and ahead == {right.leader} and lowest >= _KEEPS_LEAD:
            runs[place + 1] = replace(right, first=run.first)
        else:
            result.append(run)
    return result


def stretches_of(
    runs: Sequence[Run],
    changes: Sequence[float | None],
    grid: Grid,
    names: Sequence[str],
    probability: Array,
    observed: Mask,
) -> tuple[Stretch, ...]:
    """Return the stretches of the runs, which meet at the changes of leader.

    Parameters
    ----------
    runs
        The runs, see `find_runs`.
    changes
        For each two neighbouring runs the budget at which the leader changes, or None if it is not a change of leader.
    grid, names, probability, observed
        The budgets and the columns of the runs.
    """
    starts, stops = [grid.times[0]], []
    for (left, right), change in zip(pairwise(runs), changes, strict=True):
        stop, start = (change, change) if change is not None else _boundary(grid, left, right, observed)
        stops.append(stop)
        starts.append(start)
    stops.append(grid.times[-1])
    result = []
    for run, start, stop in zip(runs, starts, stops, strict=True):
        inside = probability[run.first : run.last + 1]
        columns = [run.leader] if run.leader >= 0 else _contenders(inside) if run.kind == "too close to call" else []
        peaks = [int(inside[:, column].argmax()) for column in columns]
        result.append(
            Stretch(
                kind=run.kind,
                start=float(start),
                stop=float(stop),
                names=tuple(names[column] for column in columns),
                probabilities=tuple(float(inside[peak, column]) for peak, column in zip(peaks, columns, strict=True)),
                at=tuple(float(grid.times[run.first + peak]) for peak in peaks),
            )
        )
    return tuple(result)


def _contenders(probability: Array) -> list[int]:
    """Return the columns that may be the best choice within a stretch, the most probable first."""
    highest = probability.max(axis=0)
    order = np.argsort(-highest, kind="stable")
    return [int(column) for column in order if highest[column] >= _CONTENDER] or [int(order[0])]


def _boundary(grid: Grid, left: Run, right: Run, observed: Mask) -> tuple[float, float]:
    """Return where the left run stops and where the right one starts.

    They meet half-way, on the axis of the grid. A leader that was not observed at the other side ends at its own time.
    """
    before, after = float(grid.times[left.last]), float(grid.times[right.first])
    if "not observed" in (left.kind, right.kind):
        return before, after
    stays = left.leader < 0 or bool(observed[right.first, left.leader])
    was_there = right.leader < 0 or bool(observed[left.last, right.leader])
    if stays and was_there:
        half_way = float(np.sqrt(before * after)) if grid.axis == "log" else (before + after) / 2
        return half_way, half_way
    if not stays and not was_there:
        return before, after
    meet = before if was_there else after
    return meet, meet
