"""The decision map: the leader at each budget, the stretches of budgets with one answer, and the changes of leader.

The leader is the algorithm with the highest expected rating, the one that comes first most often. Algorithms lead only at
budgets at which they were observed. A leader that is not sure enough is no answer: see `polarbear.selection.stretches`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.defaults import TAILS
from polarbear.observe import Grid
from polarbear.posterior.probability_best import probability_best
from polarbear.selection.candidates import check_candidates
from polarbear.selection.stretches import changes_between, find_runs, stretches_of
from polarbear.table import as_frame, as_html
from polarbear.wording import format_number, format_percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import FrameLibrary
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.stretches import Run, Stretch
    from polarbear.table import Table


_NONE = -1  # instead of the position of a leader
_CERTAIN = 0.95  # a change of leader in fewer draws is reported as uncertain ("if at all")


@dataclass(frozen=True)
class LeaderChange:
    """A change of leader: one algorithm overtakes another.

    Attributes
    ----------
    before, after
        The leader before and after the change.
    time, lower, upper
        Median and 95 % interval of the time at which their ratings cross.
    probability
        Share of the draws in which their ratings cross in this direction.
    """

    before: str
    after: str
    time: float
    lower: float
    upper: float
    probability: float

    @property
    def sentence(self) -> str:
        """A sentence that says when the leader changes, and how certain that is."""
        about, lower, upper = map(format_number, (self.time, self.lower, self.upper))
        where = f"is at {about}" if lower == upper else f"at {about} lies between {lower} and {upper}"
        doubt = f", if it happens at all ({format_percent(self.probability)} sure)"
        return f"The change from {self.before} to {self.after} {where}{doubt if self.probability < _CERTAIN else ''}."


@dataclass(frozen=True, eq=False)
class DecisionMap:
    """The leader at each budget, and the changes of leader.

    Attributes
    ----------
    grid
        The budgets.
    best
        The leader at each budget: of the observed candidates, the one with the highest expected rating. None where no
        candidate was observed together with another algorithm.
    probability_best
        The probability that a candidate comes first more often than any other at a budget, shape (time, candidate). Rows
        sum to one. Candidates that were not observed have probability zero.
    names
        The candidates.
    observed
        Whether each candidate was observed at each budget, shape (time, candidate).
    stretches
        The ranges of budgets with one answer, in order.
    leader_changes
        The changes between two leaders that are sure enough; empty if the posterior is not joint over time.
    """

    grid: Grid
    names: tuple[str, ...]
    best: tuple[str | None, ...]
    probability_best: Array
    observed: Mask
    stretches: tuple[Stretch, ...]
    leader_changes: tuple[LeaderChange, ...]

    def to_table(self) -> Table:
        """Return one row per time and candidate: its probability of leading, NaN if not observed, and whether it leads."""
        times, candidates = self.probability_best.shape
        return {
            "time": np.repeat(self.grid.times, candidates),
            "algorithm_name": list(self.names) * times,
            "probability_best": np.where(self.observed, self.probability_best, np.nan).ravel(),
            "leads": np.array([name == best for best in self.best for name in self.names], dtype=bool),
        }

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        where, choices, certainty = zip(*self.rows(), strict=True)
        table = {"budget": where, "choose": choices, "how certain": certainty}
        changes = tuple(each.sentence for each in self.leader_changes)
        return as_html(table, title="Which algorithm at which budget", notes=changes)

    def __str__(self) -> str:
        rows = self.rows()
        widths = [max(map(len, column)) for column in list(zip(*rows, strict=True))[:2]]
        lines = [f"{where:{widths[0]}}  {choice:{widths[1]}}  {certainty}" for where, choice, certainty in rows]
        return "\n".join([*lines, *(each.sentence for each in self.leader_changes)])

    def rows(self, unit: str = "") -> list[tuple[str, str, str]]:
        """Return one row per stretch as text: its budgets, what to choose, and how certain that is."""
        rows = []
        for place, each in enumerate(self.stretches):
            start, stop = format_number(each.start), format_number(each.stop)
            where = start if start == stop else f"{start} to {stop}"
            rows.append((f"{where} {unit if place == 0 else ''}".rstrip(), each.choice, each.certainty))
        return rows


def decision_map(posterior: Posterior, *, among: Sequence[str] | None = None) -> DecisionMap:
    """Return the leader at each budget, the stretches of budgets with one answer, and the changes of leader.

    The leader is the algorithm that comes first most often: the one with the highest expected rating among the candidates.
    It need not beat every other algorithm on most instances; for pairs see `win_rates`. A candidate does not lead where it
    was not observed.

    Parameters
    ----------
    posterior
        Draws of ratings over time.
    among
        The candidates; all algorithms by default.
    """
    names = check_candidates(posterior, among)
    columns = np.array([posterior.names.index(name) for name in names])
    observed = posterior.observed[:, columns]
    leaders = np.full(len(posterior.grid), _NONE)
    probability = np.zeros(observed.shape)
    for t in range(len(posterior.grid)):  # the data of one time stay in cache
        known = np.flatnonzero(observed[t])
        if known.size:
            at_time = posterior.ratings[:, t][:, columns[known]]
            leaders[t] = known[at_time.mean(axis=0).argmax()]
            probability[t, known] = probability_best(at_time)
    runs = find_runs(leaders, probability, observed)
    changes = {
        (left.last, right.first): change
        for left, right in (changes_between(runs, leaders) if posterior.joint else ())
        if (change := _leader_change(posterior, names, columns, observed, left, right)) is not None
    }
    times = {where: each.time for where, each in changes.items()}
    stretches = stretches_of(runs, times, posterior.grid, names, probability, observed)
    best = tuple(None if leader == _NONE else names[leader] for leader in leaders)
    return DecisionMap(posterior.grid, names, best, probability, observed, stretches, tuple(changes.values()))


def _leader_change(
    posterior: Posterior, names: Sequence[str], columns: Indices, observed: Mask, left: Run, right: Run
) -> LeaderChange | None:
    """Return the change from the leader of one run to that of the next; None if it is not a change between leaders.

    An algorithm that was not observed on one side of the change is not overtaken: it is unknown there.
    """
    pair = np.array([left.leader, right.leader])
    between = observed[left.last : right.first + 1, pair]
    if not between.all():
        return None
    both = np.asarray(observed[:, pair].all(axis=1))
    before, after = (posterior.ratings[:, both, column] for column in columns[pair])
    grid = Grid(posterior.grid.times[both], posterior.grid.axis)
    middle = (left.last + right.first - 1) // 2
    when = _time_of_change(grid, before, after, int(np.count_nonzero(both[:middle])))
    return None if when is None else LeaderChange(names[pair[0]], names[pair[1]], *when)


def _time_of_change(grid: Grid, before: Array, after: Array, k: int) -> tuple[float, float, float, float] | None:
    """Return median, 2.5 % and 97.5 % quantile of the time at which `after` overtakes `before`, and its probability.

    Both are curves (draw, time). If a draw has several crossings, the one nearest to interval k counts.
    """
    on_axis = np.log(grid.times) if grid.axis == "log" else grid.times
    lead = before - after
    overtakes = (lead[:, :-1] > 0) & (lead[:, 1:] <= 0)
    some = overtakes.any(axis=1)
    if not some.any():
        return None
    intervals = np.arange(overtakes.shape[1])
    distance = np.where(overtakes[some], np.abs(intervals - k), len(intervals))
    nearest = distance.argmin(axis=1)
    rows = np.arange(len(nearest))
    first, second = lead[some][rows, nearest], lead[some][rows, nearest + 1]
    place = on_axis[nearest] + (on_axis[nearest + 1] - on_axis[nearest]) * first / (first - second)
    median, lower, upper = np.quantile(place, [0.5, *TAILS])
    if grid.axis == "log":
        median, lower, upper = np.exp([median, lower, upper])
    return float(median), float(lower), float(upper), float(some.mean())
