"""Races on known ground truth: how often they go wrong, against what their own posteriors promise.

Utilities are drawn from the Gaussian process that the race believes in, rankings follow by Gumbel noise. An elimination is
wrong if in truth no algorithm beats the eliminated one at every time.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import repeat
from multiprocessing import get_context

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear.race import loop
from tests.race.simulated import simulated_runs

TIMES = 20
MOST_INSTANCES = 400
ROPE = 0.05


@dataclass(frozen=True)
class Outcome:
    """One race."""

    wrong: int  # eliminations of an algorithm that nobody dominates
    promised: float  # the expected number of those, by the posteriors that eliminated
    right_set: bool  # the Pareto set, up to algorithms within the region of equivalence of their dominators
    instances: int
    resolved: bool


def race(seed: int, algorithms: int, confidence: float) -> Outcome:
    grid = pb.linear_grid(1, TIMES, TIMES)
    prior = pb.GaussianProcess()
    truth = prior.sample(grid, algorithms, 1, rng=np.random.default_rng([seed, algorithms]))[0]
    names = [f"a{i}" for i in range(algorithms)]
    settings = pb.Settings(grid, prior=prior, confidence=confidence, rope=ROPE, seed=seed, draws=2000)
    state = loop.start(settings, names)
    while (plan := loop.ask(state)) is not None and len(state.evidence.instances) < MOST_INSTANCES:
        state = loop.tell(state, plan, simulated_runs(plan, truth, names, grid.times))
    out = [each for round_ in state.rounds for each in round_.eliminated]
    beaten = np.array([[np.all(b > a) for b in truth.T] for a in truth.T]).any(axis=1)
    # Of a member that was kept although somebody beats it, the advantage must be small somewhere: within the rope.
    edge = np.log((0.5 + ROPE) / (0.5 - ROPE))
    clearly = np.array([[np.all(b > a + edge) for b in truth.T] for a in truth.T]).any(axis=1)
    kept = np.array([name in state.candidates for name in names])
    return Outcome(
        wrong=sum(not beaten[names.index(each.name)] for each in out),
        promised=sum(1 - each.probability for each in out),
        right_set=bool(np.all(kept | beaten) and not np.any(kept & clearly)),
        instances=len(state.evidence.instances),
        resolved=plan is None,
    )


def races(algorithms: int, confidence: float, number: int, workers: int) -> list[Outcome]:
    if workers == 1:
        return [race(seed, algorithms, confidence) for seed in range(number)]
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        return list(pool.map(race, range(number), repeat(algorithms), repeat(confidence)))


def interval(successes: int, trials: int) -> str:
    low, high = stats.binomtest(successes, trials).proportion_ci(0.95, method="wilson")
    return f"{successes / trials:.3f} [{low:.3f}, {high:.3f}]"


def check(outcomes: list[Outcome]) -> None:
    """Wrong eliminations must not exceed what the posteriors promise.

    Under the race's own model each elimination is wrong with at most the probability that its posterior gave to it, at
    the moment of stopping too. Their sum is compared as a Poisson variable, once in a thousand sets of seeds too large.
    """
    wrong, promised = sum(each.wrong for each in outcomes), sum(each.promised for each in outcomes)
    assert stats.poisson.sf(wrong - 1, promised) > 1e-3, f"{wrong} wrong eliminations, {promised:.1f} promised"


def test_races_keep_their_promises() -> None:
    check(races(4, 0.95, number=12, workers=1))


@pytest.mark.calibration
@pytest.mark.parametrize("algorithms", [5, 10])
@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_many_races_keep_their_promises(algorithms: int, confidence: float) -> None:
    outcomes = races(algorithms, confidence, number=50, workers=2)
    any_wrong, right = sum(each.wrong > 0 for each in outcomes), sum(each.right_set for each in outcomes)
    used = np.array([each.instances for each in outcomes])
    wrong, promised = sum(each.wrong for each in outcomes), sum(each.promised for each in outcomes)
    print(
        f"\nn = {algorithms}, confidence {confidence}, {len(outcomes)} races, {sum(e.resolved for e in outcomes)} resolved: "
        f"any wrong elimination {interval(any_wrong, len(outcomes))}; wrong eliminations {wrong}, {promised:.1f} promised; "
        f"right Pareto set up to the rope {interval(right, len(outcomes))}; "
        f"instances {used.mean():.0f} ± {used.std() / len(used) ** 0.5:.0f}"
    )
    check(outcomes)
