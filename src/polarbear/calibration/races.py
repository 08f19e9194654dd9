"""Whole races on a known truth: how often a race is wrong, looked at again and again as races are, and what it costs.

Truths are drawn from a temporal prior, runs from a simulator. An elimination is wrong if in truth nobody beats the
eliminated one at every time, and clearly wrong if it beats each of the others somewhere by more than the region of practical
equivalence.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from scipy import stats

from polarbear.calibration.coverage import TEMPORAL
from polarbear.calibration.rank_tests import eliminated_by_rank_tests
from polarbear.calibration.simulator import Dependence, Noise, Simulator, dominators
from polarbear.models import Dirichlet, HierarchicalDirichlet, Prior
from polarbear.observe import Grid, Trajectory, linear_grid
from polarbear.race import loop
from polarbear.race.batching import AdaptiveBatch
from polarbear.race.jobs import Job, Run
from polarbear.race.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

PRIORS: dict[str, Callable[[], Prior]] = {
    **TEMPORAL,
    "Dirichlet": Dirichlet,
    "HierarchicalDirichlet": HierarchicalDirichlet,
}


@dataclass(frozen=True)
class RaceCell:
    """One setting of the study.

    Attributes
    ----------
    rule
        Who decides: the posterior ("bayes"), or significance tests at each time, in the manner of irace ("rank tests").
    prior, calibration, elimination, resolution, confidence, rope, draws
        As in `Settings`; the prior by its name, as it comes.
    truth
        The temporal prior that truths are drawn from; `prior` itself where that is one and this is empty.
    spread
        What drawn truths are multiplied by: below one, they lie closer together than the prior expects.
    algorithms, times, most_instances
        The size of a race.
    batch
        The first, the smallest and the largest; all the same if it is fixed.
    autocorrelation, dependence, noise, solved
        As in `Simulator`.
    """

    rule: Literal["bayes", "rank tests"] = "bayes"
    prior: str = "RandomWalk"
    calibration: Literal["none", "trajectory", "auto"] = "auto"
    elimination: Literal["joint", "pointwise"] = "joint"
    resolution: Literal["crossing", "strict"] = "crossing"
    confidence: float = 0.99
    rope: float = 0.05
    draws: int = 2000
    truth: str = ""
    spread: float = 1.0
    algorithms: int = 4
    times: int = 10
    most_instances: int = 200
    batch: tuple[int, int, int] = (8, 8, 128)
    autocorrelation: float = 0.9
    dependence: Dependence = "copula"
    noise: Noise = "gumbel"
    solved: float = 0.0

    @property
    def simulator(self) -> Simulator:
        """Of the runs."""
        return Simulator(self.autocorrelation, dependence=self.dependence, noise=self.noise, solved=self.solved)

    @property
    def grid(self) -> Grid:
        """The times."""
        return linear_grid(1, self.times, self.times)

    def settings(self, seed: int) -> Settings:
        """Of a race."""
        first, smallest, largest = self.batch
        return Settings(
            self.grid,
            prior=PRIORS[self.prior](),
            elimination=self.elimination,
            resolution=self.resolution,
            confidence=self.confidence,
            rope=self.rope,
            batch=AdaptiveBatch(smallest, largest, first),
            calibration=self.calibration,
            draws=self.draws,
            seed=seed,
        )


def raced(cell: RaceCell, replicate: int) -> dict[str, Any]:
    """Simulate one race and compare what it decided with the truth."""
    # The same truths and the same runs under every rule.
    rng = np.random.default_rng([replicate, cell.algorithms, cell.times, round(1000 * cell.autocorrelation)])
    truth_prior = TEMPORAL[cell.truth or (cell.prior if cell.prior in TEMPORAL else "RandomWalk")]()
    truth = cell.spread * truth_prior.sample(cell.grid, cell.algorithms, 1, rng=rng)[0]
    values = cell.simulator.values(truth, cell.most_instances, rng=rng)
    race = partial(_bayesian, seed=replicate) if cell.rule == "bayes" else _tested
    out, promised, instances, resolved, cost = race(cell, values)

    beaten, edge = dominators(truth).any(axis=0), cell.simulator.edge_of(cell.rope)
    clear_member = ~dominators(truth, edge=-edge).any(axis=0)
    clearly_beaten = dominators(truth, edge=edge).any(axis=0)
    gone = np.zeros(cell.algorithms, dtype=bool)
    gone[list(out)] = True
    return {
        "eliminated": int(gone.sum()),
        "wrong": int((gone & ~beaten).sum()),
        "clearly_wrong": int((gone & clear_member).sum()),
        "promised": promised,
        "right_set": bool(not (gone & clear_member).any() and not (~gone & clearly_beaten).any()),
        "instances": instances,
        "resolved": resolved,
        "cost": cost,
    }


def _bayesian(cell: RaceCell, values: Array, *, seed: int) -> tuple[list[int], float, int, bool, float]:
    """Who went out, the sum of the probabilities of error that their posteriors gave, instances, whether it ended, cost."""
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
    full = cell.most_instances * cell.algorithms * float(times[-1])
    return (
        [names.index(each.name) for each in out],
        float(sum(1 - each.probability for each in out)),
        len(state.evidence.instances),
        resolved or loop.ask(state) is None,
        state.cost / full,
    )


def _tested(cell: RaceCell, values: Array) -> tuple[list[int], float, int, bool, float]:
    out, instances, spent = eliminated_by_rank_tests(values, level=1 - cell.confidence, batch=cell.batch[0])
    return (
        out,
        (1 - cell.confidence) * len(out),
        instances,
        len(out) == cell.algorithms - 1,
        spent / values[:, 0].size,
    )


def summary(cell: RaceCell, outcomes: list[dict[str, Any]]) -> dict[str, Any]:
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
        "right_set": rate(sum(each["right_set"] for each in outcomes), len(outcomes)),
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
