"""In whitened coordinates the exact density is the standard normal times exp(R), with R small and its gradient right."""

from __future__ import annotations

import math

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.laplace import whitened_posterior as whitened
from polarbear.inference.laplace.whitened_posterior import whitened_posterior
from polarbear.models.plackett_luce import sample_rankings
from tests.inference.exact import duel, exact_duel, log_likelihood_of

PRIORS = [
    pb.RandomWalk(),
    pb.BSpline(),
    pb.GaussianProcess(),
    pb.SparseGaussianProcess(inducing=3),
    pb.HilbertSpaceGP(basis=8, boundary=2.0),
    pb.Dirichlet(),
    pb.HierarchicalDirichlet(),
]
for_every_prior = pytest.mark.parametrize("prior", PRIORS, ids=lambda prior: type(prior).__name__)


def some_posterior(prior):
    values = sample_rankings(np.tile([1.0, 0.0, -1.0], (4, 1)), 6, rng=np.random.default_rng(1))
    return whitened_posterior(pb.Choices.from_values(values, grid=[1, 2, 4, 7]), prior)


@for_every_prior
def test_force_is_the_gradient_of_the_residual(prior) -> None:
    posterior = some_posterior(prior)
    rng = np.random.default_rng(2)
    node = rng.integers(len(posterior.nodes), size=5)
    white, direction = rng.standard_normal((2, *posterior.shape, 5))
    step = 1e-5
    ahead, behind = (posterior.evaluate(node, white + sign * step * direction).residual for sign in (1, -1))
    slope = (posterior.evaluate(node, white).force * direction).sum(axis=(0, 1))
    np.testing.assert_allclose((ahead - behind) / (2 * step), slope, rtol=1e-5, atol=1e-5)


@for_every_prior
def test_gaussians_too_large_to_keep_are_recomputed(prior, monkeypatch) -> None:
    kept = some_posterior(prior)
    monkeypatch.setattr(whitened, "_SMALL", 0)
    recomputed = some_posterior(prior)
    assert all(node.conditional is not None for node in kept.nodes)
    assert all(node.conditional is None for node in recomputed.nodes)
    node, white = np.arange(len(kept.nodes)), np.ones((*kept.shape, len(kept.nodes)))
    ours, theirs = (posterior.evaluate(node, white) for posterior in (recomputed, kept))
    np.testing.assert_allclose(ours.utilities, theirs.utilities, rtol=1e-9)
    np.testing.assert_allclose(ours.residual, theirs.residual, rtol=1e-9)


@for_every_prior
def test_residual_is_flat_at_the_mode(prior) -> None:
    # There the Gaussian has the density's value, slope and curvature: R has none of its own.
    posterior = some_posterior(prior)
    nodes = np.arange(len(posterior.nodes))
    at_mode = posterior.evaluate(nodes, np.zeros((*posterior.shape, len(nodes))))
    assert np.abs(at_mode.force).max() < 2e-3
    if isinstance(
        prior, pb.models.TemporalPrior
    ):  # the evidence under a Dirichlet prior is not Laplace's but the sticks'
        assert np.ptp(at_mode.residual - [node.log_density for node in posterior.nodes]) < 1e-4
    rng = np.random.default_rng(3)
    direction = rng.standard_normal((*posterior.shape, len(nodes)))
    step = 1e-3
    ahead, behind = (posterior.evaluate(nodes, sign * step * direction).residual for sign in (1, -1))
    bend = (ahead + behind - 2 * at_mode.residual) / step**2
    np.testing.assert_allclose(bend, 0.0, atol=2e-2)


@for_every_prior
def test_points_at_different_nodes_together_equal_each_one_alone(prior) -> None:
    posterior = some_posterior(prior)
    rng = np.random.default_rng(4)
    node = rng.integers(len(posterior.nodes), size=6)
    white = rng.standard_normal((*posterior.shape, 6))
    together = posterior.evaluate(node, white)
    for i in range(6):
        alone = posterior.evaluate(node[[i]], white[..., [i]])
        for name in ("utilities", "hyperparameters", "residual", "force"):
            np.testing.assert_allclose(getattr(together, name)[..., [i]], getattr(alone, name), rtol=1e-9, atol=1e-9)


def test_residual_is_the_exact_density_over_the_normal() -> None:
    prior, choices = pb.RandomWalk(), duel([(5, 2), (3, 4), (2, 1)])
    posterior = whitened_posterior(choices, prior)
    rng = np.random.default_rng(5)
    node = rng.integers(len(posterior.nodes), size=8)
    points = posterior.evaluate(node, rng.standard_normal((*posterior.shape, 8)))
    for i, index in enumerate(node):
        sigma = posterior.nodes[index].hyperparameters[0]
        difference = points.utilities[:, 0, i] - points.utilities[:, 1, i]
        eta, steps = difference / math.sqrt(2), sigma**2 * np.array([1.0, 0.5, 0.5])
        log_prior = -0.5 * ((np.diff(eta, prepend=0.0) ** 2 / steps) + np.log(2 * np.pi * steps)).sum()
        log_joint = log_likelihood_of(difference, choices) + log_prior
        log_joint += prior.amplitude.log_density(math.log(sigma))
        # Colouring multiplies volumes by |H|^−½, and R leaves out the normal's constant.
        volume = -0.5 * posterior.conditional(int(index)).factor.log_determinant
        expected = log_joint + volume + 0.5 * (points.white[..., i] ** 2).sum()
        assert points.residual[i] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize(
    ("prior", "wins"),
    [
        (pb.RandomWalk(), [(5, 2), (3, 4)]),
        (pb.RandomWalk(), [(6, 0), (3, 0), (0, 2)]),
        (pb.RandomWalk(), [(0.4, 0.1), (0.3, 0.9)]),
    ],
    ids=["two budgets", "three budgets, one-sided", "fractions"],
)
def test_importance_estimate_of_the_evidence_is_exact(prior, wins: list[tuple[float, float]]) -> None:
    choices = duel(wins)
    posterior = whitened_posterior(choices, prior)
    log_amplitudes = np.log([node.hyperparameters[0] for node in posterior.nodes])
    spacing = np.diff(np.sort(log_amplitudes))[0]
    rng = np.random.default_rng(6)
    draws = 40_000
    means, errors = [], []
    for index in range(len(posterior.nodes)):
        white = rng.standard_normal((*posterior.shape, draws))
        weights = np.exp(posterior.evaluate(np.full(draws, index), white).residual)
        means.append(weights.mean())
        errors.append(weights.std() / np.sqrt(draws))
    constant = math.log(spacing) + 0.5 * math.prod(posterior.shape) * math.log(2 * math.pi)
    exact = exact_duel(prior, choices, points=41).log_evidence
    # Monte Carlo error, and two thousandths for the lattice: its tails, and its spacing of 1.2 standard deviations.
    allowed = 5 * float(np.linalg.norm(errors)) / sum(means) + 2e-3
    assert constant + math.log(sum(means)) == pytest.approx(exact, abs=allowed)


@for_every_prior
def test_shifting_by_the_mean_white_noise_makes_weights_more_even(prior) -> None:
    # One-sided data make the posterior skewed.
    values = np.tile([1.0, 2.0, 3.0], (4, 4, 1))
    posterior = whitened_posterior(pb.Choices.from_values(values, grid=[1, 2, 4, 7]), prior)
    rng = np.random.default_rng(7)
    shift = posterior.mean_white_noise(rng)
    noise = rng.standard_normal((*posterior.shape, 2000))
    heaviest = np.full(2000, np.argmax(posterior.masses))
    spreads = []
    for centre in (np.zeros_like(shift), shift):
        white = centre[..., None] + noise
        density = posterior.evaluate(heaviest, white).residual - 0.5 * (white**2).sum(axis=(0, 1))
        spreads.append((density + 0.5 * (noise**2).sum(axis=(0, 1))).std())
    assert spreads[1] < 0.9 * spreads[0]


def test_masses_follow_the_marginal_of_the_hyperparameters() -> None:
    prior, choices = pb.RandomWalk(), duel([(30, 10), (25, 15)])
    posterior = whitened_posterior(choices, prior)
    amplitudes = np.array([node.hyperparameters[0] for node in posterior.nodes])
    ((mean, deviation),) = exact_duel(prior, choices).hyperparameters
    # With that many data Laplace's approximation is right to a few hundredths of a standard deviation.
    assert posterior.masses @ amplitudes == pytest.approx(mean, abs=0.1 * deviation)
