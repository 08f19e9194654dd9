"""Newton's method finds the one mode, and Laplace's approximation there is near the exact integral."""

from __future__ import annotations

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.fields.dirichlet_field import DirichletField
from polarbear.inference.fields.latent_field import latent_field
from polarbear.inference.laplace.conditional import laplace_approximation
from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import derivatives, sample_rankings
from tests.inference.exact import duel, log_evidence_given

GRID = pb.log_grid(1, 100, 6)
FIELDS = {
    "random walk": latent_field(pb.RandomWalk(), GRID, (1.5,), 3),
    "b-spline": latent_field(pb.BSpline(), GRID, (0.8,), 3),
    "markov": latent_field(pb.GaussianProcess(), GRID, (1.0, 0.7), 3),
    "dense": latent_field(pb.SparseGaussianProcess(inducing=4), GRID, (2.0, 0.3), 3),
    "dirichlet": DirichletField(0.5, len(GRID), 4),
}
DATA = {
    "ordinary": sample_rankings(np.tile([1.0, 0.5, 0.0, -1.5], (6, 1)), 20, rng=np.random.default_rng(1)),
    "always the same order": np.tile(np.arange(4.0), (50, 6, 1)),
    "one instance": sample_rankings(np.zeros((6, 4)), 1, rng=np.random.default_rng(2)),
}
Q = helmert(4)


@pytest.fixture(params=FIELDS)
def field(request):
    return FIELDS[request.param]


@pytest.fixture(params=DATA)
def choices(request) -> pb.Choices:
    return pb.Choices.from_values(DATA[request.param], grid=GRID)


def test_gradient_is_zero_at_the_mode(field, choices: pb.Choices) -> None:
    found = laplace_approximation(field, choices, Q)
    gradient = derivatives(field.latent(found.mode) @ Q.T, choices)[1]
    force = field.pull_back(gradient @ Q) + field.log_prior(found.mode)[1]
    # In units of posterior standard deviations; Newton stops where a full step gains less than 1e-6 in log-density.
    assert np.linalg.norm(found.factor.colour_transposed(force)) < 2e-3


def test_mode_is_higher_than_its_surroundings(field, choices: pb.Choices) -> None:
    found = laplace_approximation(field, choices, Q)
    rng = np.random.default_rng(3)
    for _ in range(20):
        x = found.coefficients(0.3 * rng.standard_normal((*field.shape, 1)))[..., 0]
        elsewhere = derivatives(field.latent(x) @ Q.T, choices)[0].sum() + field.log_prior(x)[0]
        assert elsewhere < found.log_joint


def test_mode_does_not_depend_on_the_start(field, choices: pb.Choices) -> None:
    found = laplace_approximation(field, choices, Q)
    rng = np.random.default_rng(4)
    # Far out a Dirichlet posterior is nearly flat, and Newton's steps are too long for the line search.
    for spread in (0.3, 1.0) if isinstance(field, DirichletField) else (1.0, 10.0):
        again = laplace_approximation(field, choices, Q, start=spread * rng.standard_normal(field.shape))
        assert again.log_joint == pytest.approx(found.log_joint, abs=1e-5)
        assert again.log_evidence == pytest.approx(found.log_evidence, abs=1e-2)


def test_start_at_the_mode_stays_there(field, choices: pb.Choices) -> None:
    found = laplace_approximation(field, choices, Q)
    np.testing.assert_array_equal(laplace_approximation(field, choices, Q, start=found.mode).mode, found.mode)


def test_without_data_the_posterior_is_the_prior(field) -> None:
    if isinstance(field, DirichletField):  # not a Gaussian: its mode is at equal ratings
        field = latent_field(pb.RandomWalk(), GRID, (0.3,), 3)
    nothing = pb.Choices(GRID, tuple("abcd"), np.zeros((6, 4)), np.ones((6, 1, 4), dtype=bool), np.zeros((6, 1)), 0)
    found = laplace_approximation(field, nothing, Q)
    np.testing.assert_array_equal(found.mode, 0.0)
    assert found.log_evidence == pytest.approx(0.0, abs=1e-8)


@pytest.mark.parametrize("prior", [pb.RandomWalk(), pb.BSpline(degree=1, basis=2)])
# The error of Laplace's approximation falls as the reciprocal of the number of instances.
@pytest.mark.parametrize(("instances", "largest_error"), [(1, 0.1), (8, 0.1), (80, 0.01), (800, 0.001)])
def test_laplace_evidence_nears_the_exact_one(prior, instances: int, largest_error: float) -> None:
    choices = duel([(0.7 * instances, 0.3 * instances), (0.4 * instances, 0.6 * instances)])
    field = latent_field(prior, choices.grid, (1.0,), 1)
    approximate = laplace_approximation(field, choices, helmert(2)).log_evidence
    assert approximate == pytest.approx(log_evidence_given(prior, choices, 1.0, points=401), abs=largest_error)


def test_newton_arrives_with_many_algorithms_of_uneven_strength() -> None:
    # Full steps from zero overshoot at some budgets to where nothing curves, and one length for all budgets then gets stuck.
    rng = np.random.default_rng(1)
    utilities = 4 * rng.standard_normal((12, 20))
    choices = pb.Choices.from_values(sample_rankings(utilities, 60, rng=rng), grid=np.arange(12) + 1)
    field = DirichletField(1.0, budgets=12, algorithms=20)
    found = laplace_approximation(field, choices, helmert(20))
    _, gradient, _ = derivatives(field.latent(found.mode) @ helmert(20).T, choices)
    force = gradient @ helmert(20) + field.log_prior(found.mode)[1]
    gain = 0.5 * (force * found.factor.solve(force)).sum(axis=1)
    assert gain.max() < 1e-5
