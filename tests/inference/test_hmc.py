"""Hamiltonian Monte Carlo leaves the exact posterior invariant, and its integrator is reversible."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.convergence import CHAINS
from polarbear.inference.hmc import _energy, _hop, _turn, hmc
from polarbear.inference.laplace.whitened_posterior import Points, whitened_posterior
from polarbear.models.plackett_luce import sample_rankings
from tests.inference.exact import (
    assert_duel,
    assert_follow,
    assert_mean,
    beta_posterior,
    duel,
    exact_duel,
    exact_hierarchy,
)

WINS = {
    "ordinary": [(5.0, 2.0), (3.0, 4.0)],
    "one-sided": [(12.0, 0.0), (6.0, 0.0)],
    "fractions": [(0.4, 0.1), (0.3, 0.9)],
}


def started(prior, choices: pb.Choices, rng: np.random.Generator):
    posterior = whitened_posterior(choices, prior)
    node = rng.choice(len(posterior.nodes), CHAINS, p=posterior.masses)
    return posterior, posterior.evaluate(node, rng.standard_normal((*posterior.shape, CHAINS)))


def some_choices() -> pb.Choices:
    values = sample_rankings(np.tile([1.0, 0.0, -1.0], (4, 1)), 5, rng=np.random.default_rng(1))
    return pb.Choices.from_values(values, grid=[1, 2, 4, 7])


class Rigged:
    """A source of randomness that gives a fixed momentum and accepts everything."""

    def __init__(self, momentum: np.ndarray) -> None:
        self.momentum = momentum

    def uniform(self, low: float, high: float) -> float:
        return 1.0

    def standard_normal(self, shape: tuple[int, ...]) -> np.ndarray:
        assert self.momentum.shape == tuple(shape)
        return self.momentum

    def random(self, size: int) -> np.ndarray:
        return np.zeros(size)


def final_momentum(posterior, start: Points, momentum: np.ndarray, steps: int) -> np.ndarray:
    """The momentum at the end of a quarter turn: half kicks by R's gradient around exact rotations."""
    angle = 0.5 * math.pi / steps
    white, force = start.white, start.force
    for _ in range(steps):
        half = momentum + 0.5 * angle * force
        white, half = (
            math.cos(angle) * white + math.sin(angle) * half,
            math.cos(angle) * half - math.sin(angle) * white,
        )
        force = posterior.evaluate(start.node, white).force
        momentum = half + 0.5 * angle * force
    return momentum


@pytest.mark.parametrize("prior", [pb.RandomWalk(), pb.GaussianProcess(), pb.HierarchicalDirichlet()])
def test_turns_are_reversible(prior) -> None:
    rng = np.random.default_rng(2)
    posterior, start = started(prior, some_choices(), rng)
    momentum = rng.standard_normal(start.white.shape)
    there, _ = _turn(posterior, start, 3, Rigged(momentum))
    assert np.abs(there.white - start.white).max() > 0.1
    back, _ = _turn(posterior, there, 3, Rigged(-final_momentum(posterior, start, momentum, 3)))
    np.testing.assert_allclose(back.white, start.white, atol=1e-8)


def test_energy_error_falls_with_the_square_of_the_steps() -> None:
    rng = np.random.default_rng(3)
    posterior, start = started(pb.RandomWalk(), some_choices(), rng)
    momentum = rng.standard_normal(start.white.shape)
    errors = []
    for steps in (8, 16, 32):
        there, _ = _turn(posterior, start, steps, Rigged(momentum))
        end = final_momentum(posterior, start, momentum, steps)
        errors.append(np.abs(_energy(there, end) - _energy(start, momentum)).mean())
    np.testing.assert_allclose(np.array(errors[:-1]) / errors[1:], 4.0, rtol=0.1)


def test_without_data_every_turn_is_accepted() -> None:
    nothing = duel([(0.0, 0.0), (0.0, 0.0), (0.0, 0.0)])
    posterior, state = started(pb.RandomWalk(), nothing, np.random.default_rng(4))
    _, acceptance = _turn(posterior, state, 1, np.random.default_rng(5))
    assert acceptance == pytest.approx(1.0, abs=1e-9)


def test_hops_keep_the_white_noise() -> None:
    rng = np.random.default_rng(6)
    posterior, state = started(pb.RandomWalk(), some_choices(), rng)
    after = _hop(posterior, state, rng)
    np.testing.assert_array_equal(after.white, state.white)
    assert (after.node != state.node).any()
    again = posterior.evaluate(after.node, after.white)
    np.testing.assert_allclose(again.residual, after.residual)


@pytest.mark.parametrize(
    ("prior", "wins"),
    [
        *((pb.RandomWalk(), wins) for wins in WINS),
        pytest.param(pb.GaussianProcess(), "ordinary", marks=pytest.mark.calibration),
    ],
    ids=lambda value: value if isinstance(value, str) else type(value).__name__,
)
def test_temporal_posterior_is_exact(prior, wins: str) -> None:
    choices = duel(WINS[wins])
    utilities, diagnostics = hmc(choices, prior, draws=4000, rng=np.random.default_rng(7))
    assert diagnostics.reliable, diagnostics.message
    exact = exact_duel(prior, choices)
    assert_duel(utilities, exact, diagnostics.effective_draws)
    for (_, mean, _), (expected, deviation) in zip(diagnostics.hyperparameters, exact.hyperparameters, strict=True):
        assert_mean(np.array(mean), expected, deviation, diagnostics.effective_draws)


@pytest.mark.parametrize("wins", WINS)
def test_dirichlet_posterior_is_exact(wins: str) -> None:
    choices = duel(WINS[wins])
    utilities, diagnostics = hmc(choices, pb.Dirichlet(0.7), draws=8000, rng=np.random.default_rng(8))
    assert diagnostics.reliable, diagnostics.message
    ratings = 1 / (1 + np.exp(utilities[:, 1] - utilities[:, 0]))
    for t, at in enumerate(ratings):
        assert_follow(at, beta_posterior(choices, t, 0.7).cdf, diagnostics.effective_draws)


def test_hierarchical_posterior_is_exact() -> None:
    choices = duel([(5.0, 2.0), (3.0, 4.0), (8.0, 1.0)])
    utilities, diagnostics = hmc(choices, pb.HierarchicalDirichlet(), draws=8000, rng=np.random.default_rng(9))
    assert diagnostics.reliable, diagnostics.message
    exact = exact_hierarchy(choices, rate=0.5)
    ratings = 1 / (1 + np.exp(utilities[:, 1] - utilities[:, 0]))
    for t, at in enumerate(ratings):
        assert_follow(at, lambda x, t=t: exact.below(x, t), diagnostics.effective_draws)
    ((_, mean, _),) = diagnostics.hyperparameters
    assert_mean(np.array(mean), exact.mean, exact.deviation, diagnostics.effective_draws)
