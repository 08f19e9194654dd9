"""The decision map: the leader at each budget, its probability of leading, and the changes of leader.

The leader is the algorithm with the highest expected rating, the one that comes first most often. Algorithms lead only at
budgets at which they were observed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.defaults import TAILS
from polarbear.observe import Grid
from polarbear.posterior.probability_best import probability_best
from polarbear.selection.candidates import check_candidates
from polarbear.selection.preference import format_budget
from polarbear.table import as_frame, as_html

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polarbear.arrays import Array, Mask
    from polarbear.literals import FrameLibrary
    from polarbear.posterior.posterior import Posterior
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
    leader_changes
        The changes of leader; empty if the posterior is not joint over time.
    """

    grid: Grid
    names: tuple[str, ...]
    best: tuple[str | None, ...]
    probability_best: Array
    observed: Mask
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
        where, claims = zip(*self._stretches(), strict=True)
        table = {"budget": where, "leader": claims}
        return as_html(table, title="The leader at each budget", notes=tuple(self._changes()))

    def __str__(self) -> str:
        return "\n".join([*(f"{where}: {claim}" for where, claim in self._stretches()), *self._changes()])

    def _stretches(self) -> Iterator[tuple[str, str]]:
        """Yield where the leader stays the same, and what is known about it, as text."""
        kinds = list(zip(self.best, self._alone(), strict=True))
        edges = [0, *(k for k in range(1, len(kinds)) if kinds[k] != kinds[k - 1]), len(kinds)]
        for first, stop in pairwise(edges):
            start, end = format_budget(self.grid.times[first]), format_budget(self.grid.times[stop - 1])
            where = f"from {start} to {end}" if stop - first > 1 else f"at {start}"
            yield where, self._claim(first, stop)

    def _changes(self) -> Iterator[str]:
        """Yield a sentence per change of leader."""
        for each in self.leader_changes:
            about, lower, upper = (format_budget(float(f"{time:.3g}")) for time in (each.time, each.lower, each.upper))
            doubt = f", if at all (probability {each.probability:.2f})" if each.probability < _CERTAIN else ""
            yield f"{each.after} overtakes {each.before} at about {about} ({lower} to {upper}){doubt}"

    def _alone(self) -> list[bool]:
        """Return whether only one of several candidates was observed at each budget, so that it has no competitor."""
        return [len(self.names) > 1 and int(observed.sum()) == 1 for observed in self.observed]

    def _claim(self, first: int, stop: int) -> str:
        """Return what is known about the leader at the budgets from position `first` to before `stop`."""
        name = self.best[first]
        if name is None:
            return "no algorithm was observed together with another"
        if self._alone()[first]:
            return f"{name}, the only one observed"
        sure = self.probability_best[first:stop, self.names.index(name)]
        least, most = f"{sure.min():.2f}", f"{sure.max():.2f}"
        return f"{name}, best with probability {least if least == most else f'{least} to {most}'}"


def decision_map(posterior: Posterior, *, among: Sequence[str] | None = None) -> DecisionMap:
    """Return the leader at each budget, its probability of leading, and the changes of leader.

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
    changes = []
    if posterior.joint:
        for k in np.flatnonzero(np.diff(leaders)):
            pair = leaders[[k, k + 1]]
            # An algorithm that was not observed on one side of the change is not overtaken: it is unknown there.
            if (pair == _NONE).any() or not observed[k : k + 2, pair].all():
                continue
            both = np.asarray(observed[:, pair].all(axis=1))
            before, after = (posterior.ratings[:, both, column] for column in columns[pair])
            grid = Grid(posterior.grid.times[both], posterior.grid.axis)
            when = _time_of_change(grid, before, after, int(np.count_nonzero(both[:k])))
            if when is not None:
                changes.append(LeaderChange(names[pair[0]], names[pair[1]], *when))
    best = tuple(None if leader == _NONE else names[leader] for leader in leaders)
    return DecisionMap(posterior.grid, names, best, probability, observed, tuple(changes))


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
