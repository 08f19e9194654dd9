"""Simulate whole races with a known truth: measure how often their decisions are wrong, and what they cost.

Truths come from `truths`, runs from the simulator; each race decides after every round, as real races do. A drop is
wrong if in truth no algorithm beats the dropped one on most instances at every budget. It is clearly wrong if the
dropped algorithm is a clear member: it beats each of the others at some budget by more than the
margin. The final set is right if it contains every clear member and no algorithm that clearly should have been
dropped. Such an algorithm is beaten at every budget by more than the margin and, if the race keeps specialists, is not a
specialist.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import stats

from polarbear.calibration.beliefs import prior_of
from polarbear.calibration.coverage import compare_win_rates, summarise_comparisons
from polarbear.calibration.rank_tests import drop_by_rank_tests
from polarbear.calibration.simulator import Simulator
from polarbear.calibration.truths import Truth, draw_instance_utilities, draw_truth, true_ratings, true_win_rates
from polarbear.observe import Grid, Trajectory, linear_grid
from polarbear.posterior.elimination import SPECIALIST_MARGIN
from polarbear.race import loop
from polarbear.race.batching import AdaptiveBatch
from polarbear.race.inference import infer_posterior
from polarbear.race.jobs import Job, Run
from polarbear.race.settings import Settings
from polarbear.race.stopping import StoppingLimits

if TYPE_CHECKING:
    from polarbear.arrays import Array, Mask
    from polarbear.literals import Dominance, Specialists, Until
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.state import State


@dataclass(frozen=True)
class RaceCell:
    """One setting of the race study.

    Attributes
    ----------
    rule
        The rule that drops algorithms: the posterior ("bayes"), or significance tests at each budget as in irace ("rank
        tests").
    belief
        The name of the prior, see `polarbear.calibration.beliefs`.
    dominance, until, specialists, guarantee, confidence, margin, draws
        As in `Settings`.
    truth, spread, autocorrelation
        The simulated truth and noise, see `truths` and `Simulator`.
    algorithms, budgets, most_instances
        The size of a race.
    batch
        The first, the smallest and the largest batch size; all equal for a fixed size.
    """

    rule: Literal["bayes", "rank tests"] = "bayes"
    belief: str = "BayesianBootstrap"
    dominance: Dominance = "pointwise"
    until: Until = "set"
    specialists: Specialists = "drop"
    guarantee: float | None = None
    confidence: float = 0.95
    margin: float = 0.05
    draws: int = 1000
    truth: Truth = "random walk"
    algorithms: int = 4
    budgets: int = 20
    most_instances: int = 200
    batch: tuple[int, int, int] = (8, 8, 128)
    autocorrelation: float = 0.95
    spread: float = 1.0

    @property
    def grid(self) -> Grid:
        """The budgets at which algorithms are compared."""
        return linear_grid(1, self.budgets, self.budgets)

    def settings(self, seed: int) -> Settings:
        """Return the settings of a race with this seed."""
        first, smallest, largest = self.batch
        return Settings(
            self.grid,
            prior=prior_of(self.belief),
            dominance=self.dominance,
            until=self.until,
            specialists=self.specialists,
            guarantee=self.guarantee,
            confidence=self.confidence,
            margin=self.margin,
            batch=AdaptiveBatch(smallest, largest, first),
            draws=self.draws,
            seed=seed,
        )


@dataclass(frozen=True)
class Decisions:
    """The decisions of one simulated race.

    Attributes
    ----------
    dropped
        The indices of the dropped algorithms.
    promised
        The sum of the error probabilities of the drops under their posteriors.
    instances
        The number of instances used.
    decided
        Whether the race was finished before its instances ran out.
    cost
        The cost of the race relative to running every algorithm on every instance.
    posterior
        The posterior at the end of the race, if there is one.
    """

    dropped: tuple[int, ...]
    promised: float
    instances: int
    decided: bool
    cost: float
    posterior: Posterior | None = None


def simulate_race(cell: RaceCell, replicate: int) -> dict[str, Any]:
    """Simulate one race and compare its decisions with the truth."""
    values, truth = simulate(cell, replicate)
    decisions = (
        _race_by_posterior(cell, values, seed=replicate) if cell.rule == "bayes" else _race_by_rank_tests(cell, values)
    )
    return compare_with_truth(cell, truth, decisions)


def simulate(cell: RaceCell, replicate: int) -> tuple[Array, Array]:
    """Simulate the values (instance, budget, algorithm) of all runs, and return them with their truth (see `truths`).

    They do not depend on the rule, so that rules are compared on the same runs.
    """
    rng = np.random.default_rng([cell.algorithms, cell.budgets, round(1000 * cell.autocorrelation), replicate])
    truth = draw_truth(cell.truth, cell.budgets, cell.algorithms, spread=cell.spread, rng=rng)
    utilities = draw_instance_utilities(truth, cell.most_instances, rng=rng)
    return Simulator(cell.autocorrelation).values(utilities, cell.most_instances, rng=rng), truth


def compare_with_truth(cell: RaceCell, truth: Array, decisions: Decisions) -> dict[str, Any]:
    """Compare the decisions of a race with the truth."""
    rates, ratings = true_win_rates(truth), true_ratings(truth)
    beaten, surely_beaten = dominators(rates), dominators(rates, margin=cell.margin)
    no_specialist, surely_none = not_specialist_against(ratings), not_specialist_against(ratings, margin=cell.margin)
    clear_member = ~dominators(rates, margin=-cell.margin).any(axis=0)
    due_by_pairs = surely_beaten.any(axis=0)
    due = (surely_beaten & surely_none).any(axis=0) if cell.specialists == "keep" else due_by_pairs
    gone = np.zeros(cell.algorithms, dtype=bool)
    gone[list(decisions.dropped)] = True
    lost = bool((gone & clear_member).any())
    return {
        "dropped": int(gone.sum()),
        "wrong": int((gone & ~beaten.any(axis=0)).sum()),
        "clearly_wrong": int((gone & clear_member).sum()),
        "specialists_lost": int((gone & ~(beaten & no_specialist).any(axis=0)).sum()),
        "promised": decisions.promised,
        "right_set": not lost and not bool((~gone & due).any()),
        "right_set_by_pairs": not lost and not bool((~gone & due_by_pairs).any()),
        "instances": decisions.instances,
        "finished": decisions.decided,
        "cost": decisions.cost,
        **({} if decisions.posterior is None else {"after": compare_win_rates(decisions.posterior, rates)}),
    }


def dominators(rates: Array, *, margin: float = 0.0) -> Mask:
    """Whether the true win rate of row over column exceeds ½ + margin at every budget, shape (algorithm, algorithm)."""
    beats: Mask = np.all(rates > 0.5 + margin, axis=0) & ~np.eye(rates.shape[1], dtype=bool)
    return beats


def not_specialist_against(ratings: Array, *, margin: float = 0.0) -> Mask:
    """Return whether the column is not a specialist against the row, shape (algorithm, algorithm).

    At no budget may the true rating of the column exceed the rating of the row by `SPECIALIST_MARGIN` − margin or more.
    Ratings have the shape (budget, algorithm).
    """
    lead = ratings[:, :, None] - ratings[:, None]
    often: Mask = np.all(lead > margin - SPECIALIST_MARGIN, axis=0)
    return often


def _race_by_posterior(cell: RaceCell, values: Array, *, seed: int) -> Decisions:
    names = [f"a{number}" for number in range(cell.algorithms)]
    state = race_on(values, loop.start(cell.settings(seed), names))
    drops = [each for round_ in state.rounds for each in round_.dropped]
    return Decisions(
        dropped=tuple(names.index(each.name) for each in drops),
        promised=float(sum(1 - each.probability for each in drops)),
        instances=len(state.observations.instances),
        decided=loop.ask(state) is None,
        cost=state.cost / (cell.most_instances * cell.algorithms * float(cell.grid.budgets[-1])),
        posterior=infer_posterior(state),
    )


def race_on(values: Array, state: State) -> State:
    """Continue a race on simulated values until it is decided, no drop is likely, or the instances run out.

    Values have the shape (instance, budget, algorithm), with the algorithms in the order of `state.names`.
    """
    budgets, limits = state.settings.grid.budgets, StoppingLimits(instances=len(values))

    def run(job: Job) -> Run:
        here = budgets <= job.budget
        best = values[job.instance, here, state.names.index(job.algorithm)]
        return Run(Trajectory(job.algorithm, job.instance, budgets[here], best, end=job.budget), reached=job.budget)

    while (plan := loop.ask(state)) is not None:
        room, _ = limits.room(state, plan)
        if room <= 0 or (plan.kind == "fresh" and limits.is_futile(state)):
            break
        plan = loop.ask(state, most_instances=room)
        assert plan is not None
        state = loop.tell(state, plan, [run(job) for job in plan.jobs])
    return state


def _race_by_rank_tests(cell: RaceCell, values: Array) -> Decisions:
    dropped, instances, spent = drop_by_rank_tests(values, level=1 - cell.confidence, batch=cell.batch[0])
    return Decisions(
        dropped=tuple(dropped),
        promised=(1 - cell.confidence) * len(dropped),
        instances=instances,
        decided=len(dropped) == cell.algorithms - 1,
        cost=spent / values[:, 0].size,
    )


def summarise(cell: RaceCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Return error rates over the races of one cell, with Wilson's 95 % intervals, and mean costs."""
    dropped = sum(each["dropped"] for each in outcomes)
    return {
        **asdict(cell),
        "races": len(outcomes),
        "any_clearly_wrong": rate(sum(each["clearly_wrong"] > 0 for each in outcomes), len(outcomes)),
        "any_wrong": rate(sum(each["wrong"] > 0 for each in outcomes), len(outcomes)),
        "wrong_per_elimination": rate(sum(each["wrong"] for each in outcomes), dropped),
        "promised": round(sum(each["promised"] for each in outcomes), 2),
        "dropped": dropped,
        "specialist_lost": rate(sum(each["specialists_lost"] > 0 for each in outcomes), len(outcomes)),
        "right_set": rate(sum(each["right_set"] for each in outcomes), len(outcomes)),
        "right_set_by_pairs": rate(sum(each["right_set_by_pairs"] for each in outcomes), len(outcomes)),
        "finished": round(sum(each["finished"] for each in outcomes) / len(outcomes), 3) if outcomes else None,
        "instances": round(float(np.mean([each["instances"] for each in outcomes])), 1) if outcomes else None,
        "cost": round(float(np.mean([each["cost"] for each in outcomes])), 3) if outcomes else None,
        **_summarise_posteriors([each["after"] for each in outcomes if "after" in each]),
    }


def _summarise_posteriors(compared: list[dict[str, Any]]) -> dict[str, Any]:
    """Return how often intervals and claims of the final posteriors are true, over all pairs and budgets."""
    if not compared:
        return {}
    return {"after": {"races": len(compared), **summarise_comparisons(compared)}}


def rate(events: int, of: int) -> tuple[float, float, float] | None:
    """Return a share with Wilson's 95 % interval; None if there are no trials.

    Examples
    --------
    >>> rate(1, 100)
    (0.01, 0.0018, 0.0545)
    """
    if of == 0:
        return None
    low, high = stats.binomtest(events, of).proportion_ci(0.95, method="wilson")
    return round(events / of, 4), round(float(low), 4), round(float(high), 4)
