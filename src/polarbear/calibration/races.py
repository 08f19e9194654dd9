"""Whole races on a known truth: how often a race is wrong, examined after every round as races are, and what it costs.

Truths come from `truths`, runs from a simulator. An elimination is wrong if in truth no algorithm beats the eliminated one
on most instances at every time, and it loses a clear member if the eliminated one beats each of the others somewhere by more
than the region of practical equivalence. The set is right if it contains every clear member and no algorithm that should
clearly have been eliminated: one that another algorithm beats everywhere by more than that region and that is not a
specialist, if the race keeps specialists.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import stats

from polarbear.calibration.beliefs import prior_of
from polarbear.calibration.rank_tests import eliminated_by_rank_tests
from polarbear.calibration.simulator import Simulator
from polarbear.calibration.truths import Truth, draw_truth, of_instances, true_ratings, true_win_rates
from polarbear.observe import Grid, Trajectory, linear_grid
from polarbear.posterior.elimination import SHARE_THAT_MATTERS
from polarbear.race import loop
from polarbear.race.batching import AdaptiveBatch
from polarbear.race.jobs import Job, Run
from polarbear.race.settings import Settings

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class RaceCell:
    """One setting of the study.

    Attributes
    ----------
    rule
        What decides: the posterior ("bayes"), or significance tests at each time, in the manner of irace ("rank tests").
    belief
        What is fitted, by the names of `polarbear.calibration.beliefs`.
    elimination, resolution, specialists, guarantee, confidence, rope, draws
        As in `Settings`.
    truth, spread, autocorrelation
        What is simulated, see `truths` and `Simulator`.
    algorithms, times, most_instances
        The size of a race.
    batch
        The first, the smallest and the largest; all the same if it is fixed.
    """

    rule: Literal["bayes", "rank tests"] = "bayes"
    belief: str = "BayesianBootstrap"
    elimination: Literal["joint", "pointwise"] = "pointwise"
    resolution: Literal["membership", "crossing", "strict"] = "membership"
    specialists: Literal["keep", "drop"] = "keep"
    guarantee: float | None = None
    confidence: float = 0.95
    rope: float = 0.05
    draws: int = 1000
    truth: Truth = "random walk"
    algorithms: int = 4
    times: int = 20
    most_instances: int = 200
    batch: tuple[int, int, int] = (8, 8, 128)
    autocorrelation: float = 0.95
    spread: float = 1.0

    @property
    def grid(self) -> Grid:
        """The times."""
        return linear_grid(1, self.times, self.times)

    def settings(self, seed: int) -> Settings:
        """Of a race."""
        first, smallest, largest = self.batch
        return Settings(
            self.grid,
            prior=prior_of(self.belief),
            elimination=self.elimination,
            resolution=self.resolution,
            specialists=self.specialists,
            guarantee=self.guarantee,
            confidence=self.confidence,
            rope=self.rope,
            batch=AdaptiveBatch(smallest, largest, first),
            draws=self.draws,
            seed=seed,
        )


@dataclass(frozen=True)
class Decided:
    """What a race decided.

    Attributes
    ----------
    out
        The algorithms that were eliminated.
    promised
        The sum of the probabilities of error that their posteriors gave.
    instances
        How many were used.
    resolved
        Whether the race ended before its instances did.
    cost
        The share of the evaluations of running everything everywhere.
    """

    out: tuple[int, ...]
    promised: float
    instances: int
    resolved: bool
    cost: float


def simulate_race(cell: RaceCell, replicate: int) -> dict[str, Any]:
    """Simulate one race and compare what it decided with the truth."""
    values, truth = simulate(cell, replicate)
    decided = _bayesian(cell, values, seed=replicate) if cell.rule == "bayes" else _tested(cell, values)
    return judge(cell, truth, decided)


def simulate(cell: RaceCell, replicate: int) -> tuple[Array, Array]:
    """Values (instance, time, algorithm) of all runs and their truth (see `truths`), the same under every rule."""
    rng = np.random.default_rng([cell.algorithms, cell.times, round(1000 * cell.autocorrelation), replicate])
    truth = draw_truth(cell.truth, cell.times, cell.algorithms, spread=cell.spread, rng=rng)
    utilities = of_instances(truth, cell.most_instances, rng=rng)
    return Simulator(cell.autocorrelation).values(utilities, cell.most_instances, rng=rng), truth


def judge(cell: RaceCell, truth: Array, decided: Decided) -> dict[str, Any]:
    """Compare what a race decided with the truth."""
    rates, ratings = true_win_rates(truth), true_ratings(truth)
    beaten, surely_beaten = dominators(rates), dominators(rates, margin=cell.rope)
    no_specialist, surely_none = as_often_first(ratings), as_often_first(ratings, margin=cell.rope)
    clear_member = ~dominators(rates, margin=-cell.rope).any(axis=0)
    due_by_pairs = surely_beaten.any(axis=0)
    due = (surely_beaten & surely_none).any(axis=0) if cell.specialists == "keep" else due_by_pairs
    gone = np.zeros(cell.algorithms, dtype=bool)
    gone[list(decided.out)] = True
    lost = bool((gone & clear_member).any())
    return {
        "eliminated": int(gone.sum()),
        "wrong": int((gone & ~beaten.any(axis=0)).sum()),
        "clearly_wrong": int((gone & clear_member).sum()),
        "specialists_lost": int((gone & ~(beaten & no_specialist).any(axis=0)).sum()),
        "promised": decided.promised,
        "right_set": not lost and not bool((~gone & due).any()),
        "right_set_by_pairs": not lost and not bool((~gone & due_by_pairs).any()),
        "instances": decided.instances,
        "resolved": decided.resolved,
        "cost": decided.cost,
    }


def dominators(rates: Array, *, margin: float = 0.0) -> NDArray[np.bool_]:
    """Whether the row's true win rate over the column exceeds ½ + margin at every time, shape (algorithm, algorithm)."""
    beats: NDArray[np.bool_] = np.all(rates > 0.5 + margin, axis=0) & ~np.eye(rates.shape[1], dtype=bool)
    return beats


def as_often_first(ratings: Array, *, margin: float = 0.0) -> NDArray[np.bool_]:
    """Whether the column is no specialist against the row: at no time does it come first more often by a share that matters.

    A positive margin asks for more than that. Shape (algorithm, algorithm), from true ratings (time, algorithm).
    """
    lead = ratings[:, :, None] - ratings[:, None]
    often: NDArray[np.bool_] = np.all(lead > margin - SHARE_THAT_MATTERS, axis=0)
    return often


def _bayesian(cell: RaceCell, values: Array, *, seed: int) -> Decided:
    names, times = [f"a{number}" for number in range(cell.algorithms)], cell.grid.times
    state = loop.start(cell.settings(seed), names)

    def run(job: Job) -> Run:
        here = times <= job.until
        found = values[job.instance, here, names.index(job.algorithm)]
        return Run(Trajectory(job.algorithm, job.instance, times[here], found, until=job.until), reached=job.until)

    resolved = False
    while (left := cell.most_instances - len(state.evidence.instances)) > 0 and not resolved:
        plan = loop.ask(state, most_instances=left)
        if plan is None:
            resolved = True
        else:
            state = loop.tell(state, plan, [run(job) for job in plan.jobs])
    out = [each for round_ in state.rounds for each in round_.eliminated]
    return Decided(
        out=tuple(names.index(each.name) for each in out),
        promised=float(sum(1 - each.probability for each in out)),
        instances=len(state.evidence.instances),
        resolved=resolved or loop.ask(state) is None,
        cost=state.cost / (cell.most_instances * cell.algorithms * float(times[-1])),
    )


def _tested(cell: RaceCell, values: Array) -> Decided:
    out, instances, spent = eliminated_by_rank_tests(values, level=1 - cell.confidence, batch=cell.batch[0])
    return Decided(
        out=tuple(out),
        promised=(1 - cell.confidence) * len(out),
        instances=instances,
        resolved=len(out) == cell.algorithms - 1,
        cost=spent / values[:, 0].size,
    )


def summarise(cell: RaceCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
    """Rates over the races of one cell, with Wilson's 95 % intervals, and means."""
    eliminated = sum(each["eliminated"] for each in outcomes)
    return {
        **asdict(cell),
        "races": len(outcomes),
        "any_clearly_wrong": rate(sum(each["clearly_wrong"] > 0 for each in outcomes), len(outcomes)),
        "any_wrong": rate(sum(each["wrong"] > 0 for each in outcomes), len(outcomes)),
        "wrong_per_elimination": rate(sum(each["wrong"] for each in outcomes), eliminated),
        "promised": round(sum(each["promised"] for each in outcomes), 2),
        "eliminated": eliminated,
        "specialist_lost": rate(sum(each["specialists_lost"] > 0 for each in outcomes), len(outcomes)),
        "right_set": rate(sum(each["right_set"] for each in outcomes), len(outcomes)),
        "right_set_by_pairs": rate(sum(each["right_set_by_pairs"] for each in outcomes), len(outcomes)),
        "resolved": round(sum(each["resolved"] for each in outcomes) / len(outcomes), 3) if outcomes else None,
        "instances": round(float(np.mean([each["instances"] for each in outcomes])), 1) if outcomes else None,
        "cost": round(float(np.mean([each["cost"] for each in outcomes])), 3) if outcomes else None,
    }


def rate(events: int, of: int) -> tuple[float, float, float] | None:
    """A share with Wilson's 95 % interval.

    Examples
    --------
    >>> rate(1, 100)
    (0.01, 0.0018, 0.0545)
    """
    if of == 0:
        return None
    low, high = stats.binomtest(events, of).proportion_ci(0.95, method="wilson")
    return round(events / of, 4), round(float(low), 4), round(float(high), 4)
