"""The decision map: the leader at each budget, the ranges of budgets with one answer, and the changes of leader.

The leader is the most probable best choice: the algorithm that most probably has the highest win rate against its strongest
rival. Under the paper's priors it is the algorithm with the highest expected rating. Algorithms lead only at budgets at
which they were observed. A leader that is not sure enough is no answer: see `polarbear.selection.ranges`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.defaults import TAILS
from polarbear.observe import Grid
from polarbear.selection.answers import NO_LEADER, find_answers
from polarbear.selection.candidates import merge_same, posterior_and_candidates
from polarbear.selection.ranges import changes_between, find_runs, ranges_of
from polarbear.table import as_frame, as_html
from polarbear.wording import format_below, format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.literals import FrameLibrary
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.candidates import DecidedRace
    from polarbear.selection.ranges import BudgetRange, Change
    from polarbear.table import Table


_CERTAIN = 0.95


@dataclass(frozen=True)
class LeaderChange:
    """A change of leader: one algorithm overtakes another.

    Attributes
    ----------
    before, after
        The leader before and after the change.
    budget, lower, upper
        Median and 95 % interval of the budget at which their win rate crosses one half. If a draw has several crossings, the
        one at which switching pays most counts.
    probability
        Share of the draws in which it crosses one half in this direction.
    """

    before: str
    after: str
    budget: float
    lower: float
    upper: float
    probability: float

    @property
    def certain(self) -> bool:
        """Whether the change happens with a probability of at least 95 %; if not, it is reported "if at all"."""
        return self.probability >= _CERTAIN

    @property
    def sentence(self) -> str:
        """A sentence that says when the leader changes, and how certain that is."""
        about, lower, upper = map(format_number, (self.budget, self.lower, self.upper))
        where = f"is at {about}" if lower == upper else f"at {about} lies between {lower} and {upper}"
        doubt = f", if it happens at all ({format_below(self.probability, _CERTAIN)} sure that it does)"
        return f"The change from {self.before} to {self.after} {where}{'' if self.certain else doubt}."


@dataclass(frozen=True, eq=False)
class DecisionMap:
    """The leader at each budget, and the changes of leader.

    Attributes
    ----------
    grid
        The budgets.
    best
        The leader at each budget. None where no candidate was observed together with another algorithm.
    probability_best
        The probability that each candidate is the best choice at a budget, shape (budget, candidate). Rows sum to one.
        Candidates that were not observed have probability zero.
    probability_leading
        The probability that each candidate is the best choice at one budget or more, shape (candidate,). If the posterior
        is not joint over time, the highest probability at a single budget, which is a lower bound.
    names
        The candidates.
    observed
        Whether each candidate was observed at each budget, shape (budget, candidate).
    ranges
        The ranges of budgets with one answer, in order.
    leader_changes
        The changes between two leaders that are sure enough; empty if the posterior is not joint over time.
    """

    grid: Grid
    names: tuple[str, ...]
    best: tuple[str | None, ...]
    probability_best: Array
    probability_leading: Array
    observed: Mask
    ranges: tuple[BudgetRange, ...]
    leader_changes: tuple[LeaderChange, ...]

    def to_table(self) -> Table:
        """Return one row per budget and candidate: its probability of leading, NaN if not observed, and whether it leads."""
        budgets, candidates = self.probability_best.shape
        return {
            "budget": np.repeat(self.grid.budgets, candidates),
            "algorithm_name": list(self.names) * budgets,
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
        """Return one row per range as text: its budgets, what to choose, and how certain that is."""
        rows = []
        for place, each in enumerate(self.ranges):
            start, stop = format_number(each.start), format_number(each.stop)
            where = start if start == stop else f"{start} to {stop}"
            rows.append((f"{where} {unit if place == 0 else ''}".rstrip(), each.choice, each.certainty))
        return rows


def decision_map(posterior: Posterior | DecidedRace, *, among: Sequence[str] | None = None) -> DecisionMap:
    """Return the leader at each budget, the ranges of budgets with one answer, and the changes of leader.

    The leader is the choice of `select` at each budget of the grid. Ranges end half-way between two grid budgets with
    different answers, so that `select` may differ near their ends. A candidate does not lead where it was not observed.

    Parameters
    ----------
    posterior
        A posterior, or the result of a race.
    among
        The candidates, by default those of `select`.
    """
    posterior, names = posterior_and_candidates(posterior, among)
    names, _ = merge_same(posterior, names)
    columns = np.array([posterior.names.index(name) for name in names])
    answers = find_answers(posterior, columns)
    changes = changes_between(find_runs(answers), answers) if posterior.joint else ()
    leader_changes = [_leader_change(posterior, names, columns, answers.observed, change) for change in changes]
    return DecisionMap(
        grid=posterior.grid,
        names=names,
        best=tuple(None if leader == NO_LEADER else names[leader] for leader in answers.leaders),
        probability_best=answers.probability,
        probability_leading=answers.leading,
        observed=answers.observed,
        ranges=ranges_of(find_runs(answers), answers, names),
        leader_changes=tuple(each for each in leader_changes if each is not None),
    )


def _leader_change(
    posterior: Posterior, names: Sequence[str], columns: Indices, observed: Mask, change: Change
) -> LeaderChange | None:
    """Return when and how surely a leader overtakes the one before; None if it is not a change between leaders.

    An algorithm that was not observed on one side of the change is not overtaken: it is unknown there.
    """
    pair = np.array([change.left.leader, change.right.leader])
    both: Mask = np.asarray(observed[:, pair].all(axis=1))
    if not both[change.left.last : change.right.first + 1].all():
        return None
    window = np.flatnonzero(both[change.first : change.last + 1]) + change.first
    before, after = columns[pair].tolist()
    lead = posterior.win_rates(before, after)[window].T.astype(np.float64) - 0.5
    when = _budget_of_change(Grid(posterior.grid.budgets[window], posterior.grid.axis), lead)
    return None if when is None else LeaderChange(names[pair[0]], names[pair[1]], *when)


def _budget_of_change(grid: Grid, lead: Array) -> tuple[float, float, float, float] | None:
    """Return median, 2.5 % and 97.5 % quantile of the budget at which a lead (draw, budget) is lost, and its probability.

    A noisy draw crosses zero several times. The budget of its change is the crossing at which switching algorithms pays
    most: the one that maximises the lead integrated, on the axis of the grid, up to it.
    """
    on_axis = np.log(grid.budgets) if grid.axis == "log" else grid.budgets
    left, right, steps = lead[:, :-1], lead[:, 1:], np.diff(on_axis)
    lost = (left > 0) & (right <= 0)
    some = lost.any(axis=1)
    if not some.any():
        return None
    end = np.where(lost, left / np.where(lost, left - right, 1), 0)  # the share of the step until the crossing
    integral = np.cumsum(steps * (left + right) / 2, axis=1) - steps * (left + right) / 2
    gain = np.where(lost, integral + steps * end * left / 2, -np.inf)[some]
    rows, best = np.flatnonzero(some), gain.argmax(axis=1)
    place = on_axis[best] + steps[best] * end[rows, best]
    median, lower, upper = np.quantile(place, [0.5, *TAILS])
    if grid.axis == "log":
        median, lower, upper = np.exp([median, lower, upper])
    return float(median), float(lower), float(upper), float(some.mean())
