"""One order: no query recommends an algorithm that the race dropped, or that a dropped one beats at every budget."""

from collections import Counter

import numpy as np
import pytest

import polarbear as pb
from polarbear.calibration.races import RaceCell, simulate
from polarbear.calibration.simulator import Simulator
from polarbear.calibration.truths import draw_instance_utilities
from polarbear.posterior.elimination import drop_probabilities

pytestmark = pytest.mark.calibration

ALGORITHMS, BUDGETS, INSTANCES, CONFIDENCE = 5, 10, 200, 0.95
GRID = pb.linear_grid(1, BUDGETS, BUDGETS)
QUERIES = (
    *map(pb.At, (1.0, 5.0, 7.0)),
    pb.Final(),
    pb.Uniform(),
    pb.LogUniform(),
    pb.Between(2.0, 6.5),
    pb.BudgetDistribution([1.0, 3.0, 9.0]),
)


def cyclic_values(replicate):
    """Values of three algorithms that beat each other in a circle on two thirds of the instances, and of two weaker ones."""
    rng = np.random.default_rng([7, replicate])
    circle = 2.5 * np.array([[1, 0, -1], [-1, 1, 0], [0, -1, 1]])  # utilities by kind: each wins on two of three kinds
    weak = np.full((3, 2), -1.5) + rng.normal(0, 0.3, 2)
    truth = np.repeat(np.hstack([circle, weak])[:, None], BUDGETS, axis=1)
    utilities = draw_instance_utilities(truth, INSTANCES, rng=rng)
    return Simulator(0.95).values(utilities, INSTANCES, rng=rng)


def values_of(truth, replicate):
    if truth == "cycle":
        return cyclic_values(replicate)
    cell = RaceCell(truth=truth, algorithms=ALGORITHMS, budgets=BUDGETS, most_instances=INSTANCES)
    return simulate(cell, replicate)[0]


def race(values):
    names = [f"a{place}" for place in range(values.shape[2])]
    runs = [
        pb.Trajectory(name, instance, GRID.budgets, -np.maximum.accumulate(-values[instance, :, column]), end=BUDGETS)
        for instance in range(len(values))
        for column, name in enumerate(names)
    ]
    settings = {"until": "pairs", "confidence": CONFIDENCE, "batch": pb.AdaptiveBatch(8, 128), "draws": 1000}
    return pb.Race(names, None, GRID, **settings).drive(pb.ReplayExecutor(runs), progress="none")


@pytest.mark.parametrize(
    ("truth", "races"), [("smooth", 250), ("two kinds", 150), ("crossing", 150), ("near-equal", 250), ("cycle", 200)]
)
def test_no_recommendation_contradicts_a_drop(truth, races):
    counts = Counter()
    for replicate in range(races):
        result = race(values_of(truth, replicate))
        posterior, kept = result.posterior, set(result.kept)
        threat = drop_probabilities(posterior, dominance="pointwise")
        index = posterior.names.index
        counts["instances"] += result.instances
        counts["kept"] += len(kept)
        counts["came back"] += sum(len(each.returned) for each in result.rounds)
        counts["races with a circle"] += bool(result.cycles)
        counts["all of the circle kept"] += kept >= {"a0", "a1", "a2"}
        counts["kept otherwise by the runs alone"] += set(pb.pareto_set(posterior)) != kept
        for query in QUERIES:
            chosen = pb.select(result, query).recommendation
            counts["queries"] += 1
            counts["dropped"] += chosen not in kept
            counts["beaten by a dropped one"] += any(
                threat[index(name), index(chosen)] >= CONFIDENCE for name in posterior.names if name not in kept
            )
            counts["dropped by the race, recommended from its runs"] += (
                pb.select(posterior, query).recommendation not in kept
            )
    print(f"\n{truth}, {races} races:", dict(counts))
    assert counts["dropped"] == counts["beaten by a dropped one"] == 0
