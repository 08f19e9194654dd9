"""Ranges of budgets with one answer: a leader, "unclear", or nothing observed.

At each budget the leader is *sure enough* if it is the best choice with a probability of at least 0.8. Where it is not, the
budget is unclear, as `select` says for this budget. Neighbouring ranges meet half-way between two budgets of
the grid.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.answers import SURE_ENOUGH
from polarbear.wording import format_below, format_number, format_percent, join_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Mask
    from polarbear.observe import Grid
    from polarbear.selection.answers import Answers, Kind

_REAL_TURN = 0.99  # probability from which a short lead is not noise; high, since there are many budgets
_CONTENDER = 0.1  # largest probability in a range from which an algorithm is named there
_MOST_CONTENDERS = 3  # named in text; the others are counted


@dataclass(frozen=True)
class BudgetRange:
    """A range of budgets with one answer.

    Attributes
    ----------
    kind
        "leader": one algorithm is the best choice. "unclear": no algorithm is, with a probability of 0.8. "only
        one observed": it has no competitor. "not observed": no algorithm was observed together with another.
    start, stop
        The budgets at which it starts and ends.
    names
        The leader; or the contenders, the most probable first; or no name.
    probabilities, at
        The highest probability of being the best choice of each name within the range, and the budget where it has it.
    """

    kind: Kind
    start: float
    stop: float
    names: tuple[str, ...]
    probabilities: tuple[float, ...]
    at: tuple[float, ...]

    @property
    def leader(self) -> str | None:
        """The algorithm to choose; None if it is unclear or nothing was observed."""
        return self.names[0] if self.kind in ("leader", "only one observed") else None

    @property
    def choice(self) -> str:
        """What to choose, as text."""
        return self.leader or ("not observed" if self.kind == "not observed" else "unclear")

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
            f"{name} ({format_below(probability, SURE_ENOUGH)} at {format_number(budget)})"
            for name, probability, budget in zip(self.names, self.probabilities, self.at, strict=True)
        ]
        more = len(named) - _MOST_CONTENDERS
        return join_names([*named[:_MOST_CONTENDERS], *([f"{more} more"] if more > 0 else [])], "or")


@dataclass(frozen=True)
class Run:
    """Consecutive positions with one answer, from `first` to `last`; `leader` is a column, −1 if there is none."""

    kind: Kind
    leader: int
    first: int
    last: int


@dataclass(frozen=True)
class Change:
    """A change between two sure leaders, which takes place within the positions from `first` to `last`.

    These extend from the sure leader before `left` to the one after `right`, so that another change is not mistaken for it.
    """

    left: Run
    right: Run
    first: int
    last: int


def find_runs(answers: Answers) -> list[Run]:
    """Return the runs of positions with one answer, in order."""
    runs: list[Run] = []
    for (kind, leader), group in groupby(range(len(answers.grid)), key=answers.at):
        places = list(group)
        runs.append(Run(kind, leader, places[0], places[-1]))
    return runs


def changes_between(runs: Sequence[Run], answers: Answers) -> list[Change]:
    """Return the changes of leader: pairs of neighbouring sure leaders.

    Between two sure leaders there may be unclear budgets, as long as only these two lead there. Noise can
    make two algorithms take turns around the budget at which one overtakes the other; this is one change.
    """
    changes = []
    sure = _without_turns([run for run in runs if run.kind == "leader"], answers.probability)
    for place, (left, right) in enumerate(pairwise(sure)):
        between = set(answers.leaders[left.last + 1 : right.first].tolist())
        if left.leader != right.leader and between <= {left.leader, right.leader}:
            others_before = [run.last + 1 for run in sure[:place] if run.leader != left.leader]
            others_after = [run.first - 1 for run in sure[place + 2 :] if run.leader != right.leader]
            first, last = max(others_before, default=0), min(others_after, default=len(answers.grid) - 1)
            changes.append(Change(left, right, first, last))
    return changes


def _without_turns(sure: list[Run], probability: Array) -> list[Run]:
    """Return the runs A, B of runs A, B, A, B, unless the second or the third is not noise."""
    for place in range(len(sure) - 3):
        first, *turns, last = sure[place : place + 4]
        takes_turns = first.leader == turns[1].leader and turns[0].leader == last.leader
        if takes_turns and all(probability[run.first : run.last + 1, run.leader].max() < _REAL_TURN for run in turns):
            return _without_turns(sure[: place + 1] + sure[place + 3 :], probability)
    return sure


def ranges_of(runs: Sequence[Run], answers: Answers, names: Sequence[str]) -> tuple[BudgetRange, ...]:
    """Return the ranges of runs of answers; see `find_runs`."""
    grid, probability = answers.grid, answers.probability
    starts, stops = [grid.budgets[0]], []
    for left, right in pairwise(runs):
        stop, start = _boundary(grid, left, right, answers.observed)
        stops.append(stop)
        starts.append(start)
    stops.append(grid.budgets[-1])
    result = []
    for run, start, stop in zip(runs, starts, stops, strict=True):
        places = np.arange(run.first, run.last + 1)
        inside = probability[places]
        columns = [run.leader] if run.leader >= 0 else _contenders(inside) if run.kind == "unclear" else []
        peaks = [int(inside[:, column].argmax()) for column in columns]
        result.append(
            BudgetRange(
                kind=run.kind,
                start=float(start),
                stop=float(stop),
                names=tuple(names[column] for column in columns),
                probabilities=tuple(float(inside[peak, column]) for peak, column in zip(peaks, columns, strict=True)),
                at=tuple(float(grid.budgets[places[peak]]) for peak in peaks),
            )
        )
    return tuple(result)


def _contenders(probability: Array) -> list[int]:
    """Return the columns that may be the best choice within a range, the most probable first."""
    highest = probability.max(axis=0)
    order = np.argsort(-highest, kind="stable")
    return [int(column) for column in order if highest[column] >= _CONTENDER] or [int(order[0])]


def _boundary(grid: Grid, left: Run, right: Run, observed: Mask) -> tuple[float, float]:
    """Return where the left run stops and where the right one starts.

    They meet half-way, on the axis of the grid. A leader that was not observed at the other side ends at its own budget.
    """
    before, after = float(grid.budgets[left.last]), float(grid.budgets[right.first])
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
