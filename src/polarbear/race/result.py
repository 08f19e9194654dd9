"""The result of a race: its outcome, its summary with all remarks, and its tables."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Literal

from polarbear.race.outcome import RaceOutcome, Stopped
from polarbear.race.remarks import doubts_by_algorithm, higher_limit, race_remarks, settled_sentence
from polarbear.race.tables import eliminations_table, rounds_table, runs_table
from polarbear.table import as_frame
from polarbear.verdict import Advice
from polarbear.verdict.summary import collect
from polarbear.wording import percent, round_off

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.literals import FrameLibrary
    from polarbear.table import Table
    from polarbear.verdict import Summary

__all__ = ["RaceResult", "RaceTable", "Stopped"]

RaceTable = Literal["rounds", "eliminations", "runs"]


@dataclass(frozen=True, eq=False)
class RaceResult(RaceOutcome):
    """The result of a race, valid after any round, whether finished or not: print its `summary()`.

    See `RaceOutcome` for its attributes and quantities.
    """

    def __repr__(self) -> str:
        return (
            f"RaceResult({', '.join(self.pareto_set)} of {len(self.state.names)} algorithms, "
            f"{len(self.rounds)} rounds, {self.instances} instances, {self.stopped})"
        )

    def to_table(self, what: RaceTable = "rounds") -> Table:
        """Return the rounds, the eliminations that still hold, or all runs.

        Runs have one row per improvement, under the column names of IOHprofiler; the last row of a run is its end.
        """
        match what:
            case "rounds":
                return rounds_table(self.rounds)
            case "eliminations":
                return eliminations_table(self.eliminations)
            case "runs":
                return runs_table(self.runs, clock=self.state.settings.clock)
        raise ValueError(f"expected 'rounds', 'eliminations' or 'runs', got {what!r}")

    def to_frame(self, what: RaceTable = "rounds", *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(what), backend)

    def _repr_html_(self) -> str:
        return self.summary()._repr_html_() if self.rounds else f"<p>{escape(repr(self))}</p>"

    def summary(self, file: str = "", *, only: Sequence[str] = ()) -> Summary:
        """Return the verdict on the race: which algorithm at which budget, what is open, and how far to trust it.

        Parameters
        ----------
        file
            The race file as you would type it in a shell, for the commands that remarks suggest. Without it, they suggest
            calls in Python.
        only
            The algorithms to which the race was confined, which commands that continue it select again.
        """
        if not self.rounds:
            found = self.message or "got one in which nothing has been decided yet; call run() first"
            if len(self.pareto_set) == 1:
                found = (
                    f"got one in which only {self.pareto_set[0]} is left, and nothing to compare it with; add another"
                )
            raise ValueError(f"expected a race with at least one round, {found}")
        known = self.posterior.names
        failing = {each.name for each in self.failing}
        waiting = {
            name: "failed in every run of its first round" if name in failing else "has not run yet"
            for name in self.pareto_set
            if name not in known
        }
        # Single pairs can be settled once every candidate has run, and as long as there are instances.
        undecided = {frozenset(pair) for pair in self.undecided()}
        can_run = set() if waiting or self.stopped == "instances ran out" else undecided
        strict = self.state.settings.resolution == "strict"
        advice = Advice("race", file, tuple(only), higher_limit(self), can_run, decides_budgets=strict)
        cost = sum(self.cost.values())
        return collect(
            self.posterior,
            candidates=[name for name in self.pareto_set if name in known],
            decisions=self.eliminations,
            cycles=self.cycles,
            check=self.check,
            unit=self.state.settings.clock,
            advice=advice,
            remarks=race_remarks(self, advice),
            effort=f"{self.data}, {round_off(cost)} {self.state.settings.clock}, {percent(self.saved_share)} saved",
            error_bounds={each.name: each.error_bound for each in self.eliminations},
            removed=dict(sorted(self.state.removed.items())),
            waiting=waiting,
            doubts=doubts_by_algorithm(self),
            settled=settled_sentence(self),
            undecided=undecided,
            open_at_a_budget=undecided if strict else None,
        )

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons to doubt the result, the most serious first: the remarks of `summary` that are not "solid"."""
        if not self.rounds:
            return ()
        return tuple(each.sentence for each in self.summary().remarks if each.status != "solid")
