"""The outcome of a race: the anytime Pareto set, the posterior, decisions, costs, and what is undecided."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from statistics import fmean
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from polarbear.literals import Ended, Specialists
from polarbear.observe.scope import count_instances
from polarbear.posterior.elimination import cycles, drop_probabilities
from polarbear.posterior.relations import is_dominated
from polarbear.race.failing import FailingAlgorithm, python_advice
from polarbear.race.inference import choices_of_runs, infer_posterior
from polarbear.race.sampling import next_plan
from polarbear.selection.worst_case_loss import LossBounds, worst_case_loss

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices
    from polarbear.checks.model_check import ModelCheck
    from polarbear.observe import Rankings
    from polarbear.posterior.elimination import Drop
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.jobs import Run
    from polarbear.race.rounds import Round
    from polarbear.race.state import State

Stopped = Literal[
    "finished",
    "pairs left undecided",
    "no drop likely",
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

_STOPPED: dict[Stopped, str] = {
    "finished": "Every pair of algorithms is decided at every budget.",
    "pairs left undecided": "Every pair of algorithms is decided, or would take too many further instances.",
    "no drop likely": "The race stopped because it was unlikely to drop another algorithm within its limit. "
    "Not every pair is decided.",
    "max_instances": "The race stopped at its limit of instances, before every pair was decided.",
    "max_evaluations": "The race stopped at its limit of cost, before every pair was decided.",
    "max_seconds": "The race stopped at its time limit, before every pair was decided.",
    "callback": "The race was stopped before every pair was decided.",
    "interrupted": "The race was interrupted before every pair was decided.",
    "instances ran out": "There were no more instances, and not every pair is decided.",
    "selected pairs decided": "The selected pairs are decided; others are not.",
    "algorithm failed": "The race is paused because an algorithm failed in every run of its first round.",
    "paused": "Not every pair is decided yet.",
}


@dataclass(frozen=True, eq=False)
class RaceOutcome:
    """What has come of a race so far; `polarbear.result.Result` answers questions about it.

    Attributes
    ----------
    state
        The state of the race.
    stopped
        Why the race stopped; "finished" means that every pair is decided, "pairs left undecided" that the others would
        take more instances than `Settings.patience` allows, "no drop likely" that the Pareto set
        is unlikely to shrink within the limit of instances, see `polarbear.race.stopping`; "algorithm failed" that an
        algorithm failed in every run of its first round, see `failing` and `message`.
    failing
        The algorithms that failed in every run of their first round, if the race was paused because of them.
    available
        The number of instances that exist; infinite if they are generated on demand, or if it is not known.
    accepted_failures
        The algorithms of which failed runs are accepted (`accept_failures`), so that they are no reason for doubt.
    edited
        The algorithms whose code was edited after runs of it were stored.
    """

    state: State
    stopped: Stopped
    failing: tuple[FailingAlgorithm, ...] = ()
    available: float = math.inf
    accepted_failures: frozenset[str] = frozenset()
    edited: tuple[str, ...] = ()

    @property
    def finished(self) -> bool:
        """Whether every pair of candidates is decided at every budget."""
        return next_plan(self.state) is None and self.state.left is None

    @property
    def settled(self) -> bool:
        """Whether nothing more was asked for: every pair is decided, or those that matter are."""
        return self.finished or self.stopped in (
            "pairs left undecided",
            "no drop likely",
            "selected pairs decided",
        )

    @property
    def why_stopped(self) -> str:
        """A sentence on why the race stopped."""
        return _STOPPED[self.stopped]

    @property
    def kept(self) -> tuple[str, ...]:
        """The candidates: the algorithms that are not dropped."""
        return self.state.kept

    @property
    def message(self) -> str:
        """Which algorithms failed in every run of their first round, and what to do; empty unless these paused the race."""
        if not self.failing:
            return ""
        advice = python_advice(self.failing, droppable=self.failing_are_droppable)
        return "\n".join([*(each.sentence for each in self.failing), advice])

    @property
    def failing_are_droppable(self) -> bool:
        """Whether enough candidates remain without those that paused the race."""
        return bool(self.rounds) or len(self.kept) - len(self.failing) >= 2

    @cached_property
    def posterior(self) -> Posterior:
        """The posterior of all algorithms, including the dropped ones."""
        if self.failing and not self.rounds:
            raise ValueError(f"nothing has been decided yet, and there is no posterior. {self.message}")
        return infer_posterior(self.state)

    @property
    def rounds(self) -> tuple[Round, ...]:
        """The records of all rounds."""
        return self.state.rounds

    @property
    def drops(self) -> tuple[Drop, ...]:
        """The drops that still hold, each with winner, probability, round and cost."""
        latest = {each.name: each for round_ in self.rounds for each in round_.dropped}
        gone = self.state.candidates.union(self.state.dropped_by_user)
        return tuple(each for each in latest.values() if each.name not in gone)

    @property
    def instances(self) -> int:
        """The number of instances used."""
        return len(self.state.observations.instances)

    @property
    def rankings(self) -> Rankings | None:
        """The rankings of all instances; None before the first round."""
        choices = self.state.observations.choices
        return None if choices is None else choices.rankings

    @property
    def data(self) -> str:
        """The number of instances in words, such as "160 instances" or "20 instances with 100 repetitions"."""
        return count_instances(self.instances, self.state.clusters)

    @property
    def runs(self) -> tuple[Run, ...]:
        """All runs."""
        return tuple(self.state.observations.runs.values())

    @property
    def failures(self) -> tuple[Run, ...]:
        """The runs that raised an exception, crashed or exceeded the time limit."""
        return tuple(run for run in self.runs if run.status != "done")

    @property
    def failure_counts(self) -> dict[str, tuple[int, int]]:
        """The number of failed runs and of all runs of each algorithm with failures, in the order of their first failure."""
        total = Counter(run.trajectory.algorithm for run in self.runs)
        failed = Counter(run.trajectory.algorithm for run in self.failures)
        return {name: (number, total[name]) for name, number in failed.items()}

    @property
    def ended(self) -> dict[Ended, int]:
        """The number of runs that finished by themselves, were cut off at the budget that the race asked for, or failed."""
        ends = Counter(run.ended for run in self.runs)
        return {kind: ends[kind] for kind in get_args(Ended)}

    @property
    def cost(self) -> dict[str, float]:
        """The cost of each algorithm's runs, in the race's unit of budgets."""
        spent = dict.fromkeys(self.state.names, 0.0)
        for run in self.runs:
            spent[run.trajectory.algorithm] += run.reached
        return spent

    @property
    def full_costs(self) -> dict[str, float]:
        """The cost of running each algorithm on all these instances until the end of the grid.

        A run that ends by itself or fails costs no more than it did, and a run that was not made as much as the others of
        its algorithm on average. Some runs were left out although no decision made them unnecessary, and do not count: those
        of dropped algorithms, and runs of an algorithm in an undecided pair when the race was confined to others (`only`)
        or left the pair undecided (`patience`).
        """
        stop = float(self.state.settings.grid.budgets[-1])
        left_out = Counter(name for name, _ in self._runs_left_out())
        lengths: dict[str, list[float]] = {name: [] for name in self.state.names}
        for run in self.runs:
            lengths[run.trajectory.algorithm].append(stop if run.ended == "cut off" else run.reached)
        return {
            name: (self.instances - left_out[name]) * (fmean(each) if each else stop) for name, each in lengths.items()
        }

    @property
    def full_cost(self) -> float:
        """The sum of `full_costs`."""
        return sum(self.full_costs.values())

    def _runs_left_out(self) -> set[tuple[str, int]]:
        """Return the runs, by algorithm and instance, that were left out although no decision made them unnecessary."""
        undecided = (
            (name, instance)
            for before, after in pairwise(self.rounds)
            if after.kind == "fresh"
            for name in {name for *pair, _ in before.open for name in pair}.difference(dict(after.budgets))
            for instance in after.instances
        )
        dropped_by_user = product(self.state.dropped_by_user, self.state.observations.instances)
        return {*undecided, *dropped_by_user}.difference(self.state.observations.runs)  # it may have caught up later

    @property
    def saved_share(self) -> float:
        """The share of the full cost that the race did not spend."""
        full = self.full_cost
        return 1 - sum(self.cost.values()) / full if full else 0.0

    @cached_property
    def allocation(self) -> Indices:
        """The number of instances on which each algorithm was observed at each budget, shape (budget, algorithm)."""
        grid, names = self.state.settings.grid, self.state.names
        counts = np.zeros((len(grid), len(names)), dtype=np.intp)
        for run in self.runs:
            counts[:, names.index(run.trajectory.algorithm)] += grid.budgets <= run.trajectory.end
        return counts

    @cached_property
    def wrong_drop(self) -> float:
        """The probability that at least one drop is wrong, under the present posterior and the race's own rule.

        Under joint dominance this is the share of draws in which some dropped algorithm is not dominated by any
        other. Under pointwise dominance it is the sum over drops of the error probability at the least certain
        budget, at most 1.
        """
        losers = [self.posterior.names.index(each.name) for each in self.drops]
        if not losers:
            return 0.0
        settings = self.state.settings
        if settings.dominance == "joint":
            return 1 - float(np.mean(is_dominated(self.posterior)[losers].all(axis=0)))
        return min(1.0, sum(self.drop_errors(settings.specialists).values()))

    def drop_errors(self, specialists: Specialists) -> dict[str, float]:
        """Return the probability that each drop is wrong, under the present posterior.

        With specialists="drop", and under joint dominance, a drop is right if another algorithm beats the
        dropped one at every budget, however often it comes first.
        """
        if self.state.settings.dominance == "joint":
            right = is_dominated(self.posterior).mean(axis=1)
        else:
            beats = drop_probabilities(self.posterior, dominance="pointwise", specialists=specialists)
            right = beats.max(axis=0)
        return {each.name: 1 - float(right[self.posterior.names.index(each.name)]) for each in self.drops}

    @cached_property
    def cycles(self) -> tuple[tuple[str, ...], ...]:
        """The groups of candidates that beat each other in a circle at every budget."""
        settings, known = self.state.settings, self.posterior.names
        return cycles(
            self.posterior,
            confidence=settings.confidence,
            dominance=settings.dominance,
            specialists=settings.specialists,
            among=[name for name in self.kept if name in known],
        )

    @cached_property
    def loss(self) -> LossBounds:
        """Bounds on the worst-case loss of choosing among the candidates, as far as more data can reduce it."""
        return worst_case_loss(self.posterior, among=[name for name in self.kept if name in self.posterior.names])

    @cached_property
    def check(self) -> ModelCheck:
        """The model check of the posterior against the observed outcomes of each pair."""
        from polarbear.checks.model_check import model_check  # imports inference, which only the check needs

        return model_check(self.posterior, choices_of_runs(self.state))

    def undecided(self) -> dict[tuple[str, str], Array]:
        """Return the undecided pairs, each with its undecided budgets."""
        state, budgets = self.state, self.state.settings.grid.budgets
        return {
            (a, b): budgets[~state.decided[:, i, j]]
            for i, a in enumerate(state.names)
            for j, b in enumerate(state.names)
            if i < j and not state.decided[:, i, j].all()
        }


def ranking_rules(race: RaceOutcome) -> dict[str, Any]:
    """Return how a race ranks its runs, as keyword arguments of `Choices.from_trajectories`."""
    settings, clusters = race.state.settings, race.state.clusters
    rules = {name: getattr(settings, name) for name in ("failure", "absolute_tolerance", "relative_tolerance")}
    return rules if clusters is None else {**rules, "cluster_kind": clusters.kind, "cluster_unit": clusters.unit}


def outcome_of(source: Any) -> Any:
    """Return the race behind a `Result`, and anything else as it is."""
    race = getattr(source, "race", None)
    return race if isinstance(race, RaceOutcome) else source
