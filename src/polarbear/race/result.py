"""What a race leaves: the anytime Pareto set, the posterior, and the account of how it was found."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from polarbear.checks.model_check import ModelCheck, model_check
from polarbear.posterior.elimination import Specialist, find_specialists, threats
from polarbear.posterior.relations import beaten_everywhere
from polarbear.race.loop import believe, believed_choices
from polarbear.race.sampling import next_plan
from polarbear.selection.worst_case_regret import RegretBounds, regret

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.posterior.posterior import Posterior
    from polarbear.race.jobs import Run
    from polarbear.race.rounds import Eliminated, Round
    from polarbear.race.state import State

_FAIR_SHARE = 0.9  # of a run's time on the wall clock that it should have been computing
_MEASURABLE_SECONDS = 0.05  # of shorter runs the processor's clock says little

Stopped = Literal[
    "resolved",
    "max_instances",
    "max_evaluations",
    "max_seconds",
    "callback",
    "interrupted",
    "instances ran out",
    "paused",
]


@dataclass(frozen=True, eq=False)
class RaceResult:
    """The outcome of a race, valid at any round, finished or not.

    Attributes
    ----------
    state
        The state of the race that it was made from.
    stopped
        Why the race stopped: "resolved" when every pair was decided.
    """

    state: State
    stopped: Stopped

    def __repr__(self) -> str:
        return (
            f"RaceResult({', '.join(self.pareto_set)} of {len(self.state.names)} algorithms, {len(self.rounds)} rounds, "
            f"{self.instances} instances, {self.stopped})"
        )

    @property
    def finished(self) -> bool:
        """Whether every pair of candidates is decided at every time."""
        return next_plan(self.state) is None

    @property
    def pareto_set(self) -> tuple[str, ...]:
        """The algorithms that are not confidently dominated."""
        return self.state.pareto_set

    @cached_property
    def posterior(self) -> Posterior:
        """The belief about all algorithms, the eliminated ones among them."""
        return believe(self.state)

    @property
    def rounds(self) -> tuple[Round, ...]:
        """What each round ran and decided."""
        return self.state.rounds

    @property
    def eliminations(self) -> tuple[Eliminated, ...]:
        """Who went out, by whom, how surely, when and at what cost; only those that are still out."""
        latest = {each.name: each for round_ in self.rounds for each in round_.eliminated}
        return tuple(each for each in latest.values() if each.name not in self.state.candidates)

    @property
    def instances(self) -> int:
        """How many instances were used."""
        return len(self.state.evidence.instances)

    @property
    def runs(self) -> tuple[Run, ...]:
        """Every run."""
        return tuple(self.state.evidence.runs.values())

    @property
    def failures(self) -> tuple[Run, ...]:
        """The runs that raised, crashed or took too long."""
        return tuple(run for run in self.runs if run.status != "done")

    @property
    def cost(self) -> dict[str, float]:
        """What the runs of each algorithm cost, in the race's unit of time."""
        spent = dict.fromkeys(self.state.names, 0.0)
        for run in self.runs:
            spent[run.trajectory.algorithm] += run.reached
        return spent

    @property
    def full_cost(self) -> float:
        """What it would cost to run every algorithm on all these instances until the end of the grid."""
        return self.instances * len(self.state.names) * float(self.state.settings.grid.times[-1])

    @property
    def saved_share(self) -> float:
        """The share of the full cost that the race did not spend."""
        return 1 - sum(self.cost.values()) / self.full_cost if self.instances else 0.0

    @cached_property
    def allocation(self) -> NDArray[np.intp]:
        """On how many instances each algorithm was observed at each time, shape (time, algorithm)."""
        grid, names = self.state.settings.grid, self.state.names
        counts = np.zeros((len(grid), len(names)), dtype=np.intp)
        for run in self.runs:
            counts[:, names.index(run.trajectory.algorithm)] += grid.times <= run.trajectory.until
        return counts

    @cached_property
    def wrong_elimination(self) -> float:
        """The probability that at least one elimination was wrong, by the present posterior and the race's own rule.

        Under joint elimination this is the share of draws in which no algorithm beats some eliminated one at every time.
        Under pointwise elimination it is the sum over eliminations of the probability that the least certain time was
        misjudged.
        """
        out = [self.posterior.names.index(each.name) for each in self.eliminations]
        if not out:
            return 0.0
        settings = self.state.settings
        if settings.elimination == "joint":
            return 1 - float(np.mean(beaten_everywhere(self.posterior)[out].all(axis=0)))
        beats = threats(self.posterior, elimination="pointwise", specialists=settings.specialists)
        return float(min(1.0, (1 - beats[:, out].max(axis=0)).sum()))

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
        """Bounds of the worst-case regret that more data could still remove, for whoever chooses among the candidates."""
        return regret(self.posterior, among=[name for name in self.pareto_set if name in self.posterior.names])

    @cached_property
    def check(self) -> ModelCheck:
        """Whether the rankings contradict the model, and each pair by its own outcomes alone."""
        return model_check(self.posterior, believed_choices(self.state))

    @property
    def warnings(self) -> tuple[str, ...]:
        """What speaks against trusting the result: an unreliable posterior, a contradicted model, runs that had to wait."""
        if not self.instances:
            return ()
        told = self.posterior.diagnostics
        doubt = [] if told.reliable else [f"The posterior is not reliable: {told.message}"]
        return (*doubt, *self.check.sentences(self.eliminations), *self._unfair_clocks())

    def _unfair_clocks(self) -> list[str]:
        """Where seconds are counted, runs that did not have a processor to themselves have lost some of theirs."""
        runs = [run for run in self.runs if run.cpu_seconds > 0 and run.seconds >= _MEASURABLE_SECONDS]
        waited = [run for run in runs if run.cpu_seconds < _FAIR_SHARE * run.seconds]
        if self.state.settings.clock != "seconds" or not waited:
            return []
        worst = min(run.cpu_seconds / run.seconds for run in waited)
        return [
            f"{len(waited)} of {len(runs)} runs had the processor for less than {_FAIR_SHARE:.0%} of their time (the worst "
            f"for {worst:.0%}), and seconds are counted: if they were not waiting on purpose, use fewer workers, or an idle "
            "machine."
        ]

    def undecided(self) -> dict[tuple[str, str], NDArray[np.float64]]:
        """The pairs that are not decided, with the times at which they are not."""
        state, times = self.state, self.state.settings.grid.times
        return {
            (a, b): times[~state.resolved[:, i, j]]
            for i, a in enumerate(state.names)
            for j, b in enumerate(state.names)
            if i < j and not state.resolved[:, i, j].all()
        }
