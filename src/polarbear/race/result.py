"""The result of a race: the anytime Pareto set, the posterior, the record of decisions, costs and warnings."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from polarbear.literals import Ended
from polarbear.posterior.elimination import Specialist, elimination_probabilities, find_specialists
from polarbear.posterior.relations import is_dominated
from polarbear.race.failing import FailingAlgorithm, python_advice
from polarbear.race.inference import choices_of_runs, infer_posterior
from polarbear.race.sampling import next_plan
from polarbear.race.tables import eliminations_table, rounds_table, runs_table
from polarbear.selection.worst_case_regret import RegretBounds, worst_case_regret
from polarbear.table import as_frame, as_html

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices
    from polarbear.checks.model_check import ModelCheck
    from polarbear.literals import FrameLibrary
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.jobs import Run
    from polarbear.race.rounds import Eliminated, Round
    from polarbear.race.state import State
    from polarbear.table import Table

_FAIR_SHARE = 0.9  # smallest ratio of processor time to wall-clock time without a warning
_MEASURABLE_SECONDS = 0.05  # for shorter runs the processor's clock is too coarse

RaceTable = Literal["rounds", "eliminations", "runs"]
Stopped = Literal[
    "resolved",
    "no elimination likely",
    "max_instances",
    "max_evaluations",
    "max_seconds",
    "callback",
    "interrupted",
    "instances ran out",
    "selected pairs decided",
    "algorithm failed",
    "paused",
]


@dataclass(frozen=True, eq=False)
class RaceResult:
    """The result of a race, valid after any round, whether finished or not.

    Attributes
    ----------
    state
        The state of the race.
    stopped
        Why the race stopped; "resolved" means that every pair is decided, "no elimination likely" that the Pareto set
        is unlikely to shrink within the limit of instances, see `polarbear.race.stopping`; "algorithm failed" that an
        algorithm failed in every run of its first round, see `failing` and `message`.
    failing
        The algorithms that failed in every run of their first round, if the race was paused because of them.
    """

    state: State
    stopped: Stopped
    failing: tuple[FailingAlgorithm, ...] = ()

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
        # From the record alone, because the posterior may not have been computed yet.
        decided = {each.name: f"eliminated by {each.by} in round {each.round}" for each in self.eliminations}
        decided |= dict.fromkeys(self.state.removed, "removed") | dict.fromkeys(self.pareto_set, "candidate")
        cost = self.cost
        table = {
            "algorithm_name": list(cost),
            "status": [decided.get(name, "") for name in cost],
            f"cost in {self.state.settings.clock}": [f"{spent:,.6g}" for spent in cost.values()],
        }
        return as_html(table, title=repr(self))

    @property
    def finished(self) -> bool:
        """Whether every pair of candidates is decided at every time."""
        return next_plan(self.state) is None

    @property
    def pareto_set(self) -> tuple[str, ...]:
        """The candidates: the algorithms that have not been eliminated or removed."""
        return self.state.pareto_set

    @property
    def message(self) -> str:
        """Which algorithms failed in every run of their first round, and what to do; empty unless these paused the race."""
        if not self.failing:
            return ""
        return "\n".join([*(each.sentence for each in self.failing), python_advice(self.failing)])

    @cached_property
    def posterior(self) -> Posterior:
        """The posterior of all algorithms, including the eliminated ones."""
        if self.failing and not self.rounds:
            raise ValueError(f"nothing has been decided yet, and there is no posterior. {self.message}")
        return infer_posterior(self.state)

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The records of all rounds."""
        return self.state.rounds

    @property
    def eliminations(self) -> tuple[Eliminated, ...]:
        """The eliminations that still hold, each with winner, probability, round and cost."""
        latest = {each.name: each for round_ in self.rounds for each in round_.eliminated}
        gone = self.state.candidates | self.state.removed
        return tuple(each for each in latest.values() if each.name not in gone)

    @property
    def instances(self) -> int:
        """The number of instances used."""
        return len(self.state.observations.instances)

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs."""
        return tuple(self.state.observations.runs.values())

    @property
    def failures(self) -> tuple[Run, ...]:
        """The runs that raised an exception, crashed or exceeded the time limit."""
        return tuple(run for run in self.runs if run.status != "done")

    @property
    def ended(self) -> dict[Ended, int]:
        """The number of runs that finished by themselves, were cut off at the time that the race asked for, or failed."""
        ends = Counter(run.ended for run in self.runs)
        return {kind: ends[kind] for kind in get_args(Ended)}

    @property
    def cost(self) -> dict[str, float]:
        """The cost of each algorithm's runs, in the race's unit of time."""
        spent = dict.fromkeys(self.state.names, 0.0)
        for run in self.runs:
            spent[run.trajectory.algorithm] += run.reached
        return spent

    @property
    def full_cost(self) -> float:
        """The cost of running every algorithm on all these instances until the end of the grid."""
        return self.instances * len(self.state.names) * float(self.state.settings.grid.times[-1])

    @property
    def saved_share(self) -> float:
        """The share of the full cost that the race did not spend."""
        return 1 - sum(self.cost.values()) / self.full_cost if self.instances else 0.0

    @cached_property
    def allocation(self) -> Indices:
        """The number of instances on which each algorithm was observed at each time, shape (time, algorithm)."""
        grid, names = self.state.settings.grid, self.state.names
        counts = np.zeros((len(grid), len(names)), dtype=np.intp)
        for run in self.runs:
            counts[:, names.index(run.trajectory.algorithm)] += grid.times <= run.trajectory.until
        return counts

    @cached_property
    def wrong_elimination(self) -> float:
        """The probability that at least one elimination is wrong, under the present posterior and the race's own rule.

        Under joint elimination this is the share of draws in which some eliminated algorithm is not dominated by any
        other. Under pointwise elimination it is the sum over eliminations of the error probability at the least certain
        time, at most 1.
        """
        losers = [self.posterior.names.index(each.name) for each in self.eliminations]
        if not losers:
            return 0.0
        settings = self.state.settings
        if settings.elimination == "joint":
            return 1 - float(np.mean(is_dominated(self.posterior)[losers].all(axis=0)))
        beats = elimination_probabilities(self.posterior, elimination="pointwise", specialists=settings.specialists)
        return float(min(1.0, (1 - beats[:, losers].max(axis=0)).sum()))

    @property
    def scope(self) -> str:
        """What the answer generalises to, such as "to new instances, based on 160"."""
        return self.posterior.scope

    @cached_property
    def specialists(self) -> tuple[Specialist, ...]:
        """The candidates that another one beats on most instances at every time, kept because they come first often."""
        settings = self.state.settings
        return find_specialists(
            self.posterior,
            confidence=settings.confidence,
            elimination=settings.elimination,
            among=[name for name in self.pareto_set if name in self.posterior.names],
        )

    @cached_property
    def regret(self) -> RegretBounds:
        """Bounds on the worst-case regret of choosing among the candidates, as far as more data can reduce it."""
        return worst_case_regret(
            self.posterior, among=[name for name in self.pareto_set if name in self.posterior.names]
        )

    @cached_property
    def check(self) -> ModelCheck:
        """The model check of the posterior against the observed outcomes of each pair."""
        from polarbear.checks.model_check import model_check  # imports scipy.stats, which only the check needs

        return model_check(self.posterior, choices_of_runs(self.state))

    @property
    def warnings(self) -> tuple[str, ...]:
        """Reasons not to trust the result: an unreliable posterior, a contradicted model, or unfair clocks."""
        if not self.instances:
            return ()
        diagnostics = self.posterior.diagnostics
        unreliable = [] if diagnostics.reliable else [f"The posterior is not reliable: {diagnostics.message}"]
        return (*unreliable, *self.check.sentences(self.eliminations), *self._unfair_clocks())

    def _unfair_clocks(self) -> list[str]:
        """Return a warning if time is in seconds and some runs did not have a processor to themselves."""
        runs = [run for run in self.runs if run.cpu_seconds > 0 and run.seconds >= _MEASURABLE_SECONDS]
        waited = [run for run in runs if run.cpu_seconds < _FAIR_SHARE * run.seconds]
        if self.state.settings.clock != "seconds" or not waited:
            return []
        worst = min(run.cpu_seconds / run.seconds for run in waited)
        return [
            f"{len(waited)} of {len(runs)} runs had the processor for less than {_FAIR_SHARE:.0%} of their time (the "
            f"worst for {worst:.0%}), and time is in seconds: unless they wait on purpose, use fewer workers or an "
            "idle machine."
        ]

    def undecided(self) -> dict[tuple[str, str], Array]:
        """Return the undecided pairs, each with its undecided times."""
        state, times = self.state, self.state.settings.grid.times
        return {
            (a, b): times[~state.resolved[:, i, j]]
            for i, a in enumerate(state.names)
            for j, b in enumerate(state.names)
            if i < j and not state.resolved[:, i, j].all()
        }
