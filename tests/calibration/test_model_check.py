"""How often either check rejects rankings that follow the model."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.calibration.simulator import Simulator

DATA_SETS = 300
CLOSE = np.linspace([1.0, 0.0, -1.0, 0.5, -0.3], [-1.0, 0.5, 0.5, 0.3, -1.0], 10)


def findings(truth: np.ndarray, instances: int, autocorrelation: float, rng: np.random.Generator) -> tuple[bool, bool]:
    """Return whether the check finds a misfit, and whether it finds an influence."""
    grid = pb.linear_grid(1, len(truth), len(truth))
    values = Simulator(autocorrelation).values(truth, instances, rng=rng)
    choices = pb.Choices.from_values(values, grid=grid, per_instance=True)
    check = pb.model_check(pb.fit(choices, prior=pb.RandomWalk(), draws=100), choices)
    return bool(check.misfits), bool(check.influences)


@pytest.mark.calibration
@pytest.mark.parametrize("autocorrelation", [0.0, 0.9, 0.99])
@pytest.mark.parametrize("instances", [8, 30, 150])
@pytest.mark.parametrize("truths", ["three close ones", "five close ones", "four of any kind"])
def test_a_correct_model_is_rarely_rejected(truths, instances, autocorrelation):
    # Each check rejects a correct model in one of a hundred data sets. Three standard errors of 300 are 1.7 %.
    found = []
    for seed in range(DATA_SETS):
        rng = np.random.default_rng([seed, instances])
        truth = {
            "three close ones": CLOSE[:, :3],
            "five close ones": CLOSE,
            "four of any kind": pb.RandomWalk().sample(pb.linear_grid(1, 10, 10), 4, 1, rng=rng)[0],
        }[truths]
        found.append(findings(truth, instances, autocorrelation, rng))
    pairs, algorithms = np.mean(found, axis=0)
    print(
        f"\n{truths}, {instances} instances, {autocorrelation}: misfits in {pairs:.1%}, influences in {algorithms:.1%}"
    )
    assert pairs <= 0.027
    assert algorithms <= 0.027
