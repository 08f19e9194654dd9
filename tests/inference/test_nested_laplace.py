"""Nested Laplace with importance weights gives the exact posterior, or reports that it is unreliable."""

from __future__ import annotations

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.laplace.nested import nested_laplace
from tests.inference.exact import assert_duel, assert_mean, duel, exact_duel

WINS = {
    "ordinary": [(5.0, 2.0), (3.0, 4.0)],
    "many": [(50.0, 20.0), (30.0, 40.0)],
    "fractions": [(0.4, 0.1), (0.3, 0.9)],
    "nothing at one budget": [(5.0, 1.0), (0.0, 0.0)],
}


@pytest.mark.parametrize(
    ("prior", "wins"),
    [
        *((pb.RandomWalk(), wins) for wins in WINS),
        *(pytest.param(pb.GaussianProcess(), wins, marks=pytest.mark.calibration) for wins in WINS),
        (pb.GaussianProcess(kernel="squared-exponential"), "ordinary"),
    ],
    ids=lambda value: value if isinstance(value, str) else getattr(value, "kernel", "random walk"),
)
def test_posterior_is_exact(prior, wins: str) -> None:
    choices = duel(WINS[wins])
    utilities, diagnostics = nested_laplace(choices, prior, draws=20_000, rng=np.random.default_rng(1))
    assert diagnostics.reliable, diagnostics.message
    exact = exact_duel(prior, choices)
    draws = 1 / (1 / diagnostics.effective_draws + 1 / 20_000)
    assert_duel(utilities, exact, draws)
    for (_, mean, spread), (expected, deviation) in zip(
        diagnostics.hyperparameters, exact.hyperparameters, strict=True
    ):
        # Beyond Monte Carlo error the lattice leaves out the farthest tail: a hundredth of a standard deviation.
        assert abs(mean - expected) < 5 * deviation / np.sqrt(draws) + 0.01 * deviation
        assert spread == pytest.approx(deviation, rel=0.06)


def test_three_budgets_are_exact() -> None:
    choices = duel([(4.0, 1.0), (2.0, 2.0), (1.0, 5.0)], grid=pb.Grid([1.0, 2.0, 10.0]))
    utilities, diagnostics = nested_laplace(choices, pb.RandomWalk(), draws=20_000, rng=np.random.default_rng(2))
    exact = exact_duel(pb.RandomWalk(), choices, points=41)
    assert_duel(utilities, exact, diagnostics.effective_draws / 2)


def test_one_sided_data_give_an_exact_posterior_or_an_unreliable_one() -> None:
    prior, choices = pb.RandomWalk(), duel([(60.0, 0.0), (60.0, 0.0)])
    utilities, diagnostics = nested_laplace(choices, prior, draws=20_000, rng=np.random.default_rng(3))
    exact = exact_duel(prior, choices)
    if diagnostics.reliable:
        assert_duel(utilities, exact, diagnostics.effective_draws / 2)
    else:
        assert diagnostics.message.startswith("Importance weights could not correct nested Laplace (Pareto k ")
    fallen_back = pb.fit(choices, prior=prior, draws=8000, seed=4)
    assert fallen_back.diagnostics.reliable, fallen_back.diagnostics.message
    difference = np.log(fallen_back.ratings[..., 0] / fallen_back.ratings[..., 1])
    for t in range(2):
        assert_mean(difference[:, t], exact.mean[t], exact.deviation[t], fallen_back.diagnostics.effective_draws)
