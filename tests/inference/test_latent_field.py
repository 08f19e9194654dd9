"""Banded and dense algebra give the same posterior of the latent functions."""

from __future__ import annotations

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.fields.latent_field import BandedField, DenseField, latent_field
from polarbear.models.kernels import get_kernel

GRIDS = {
    "even": pb.linear_grid(0, 10, 9),
    "log": pb.log_grid(1, 1000, 8),
    "uneven": pb.Grid([1.0, 2.5, 4.0, 7.0, 9.0, 20.0, 23.0]),
}
PRIORS = {
    "random walk": (pb.RandomWalk(), (0.7,)),
    "b-spline": (pb.BSpline(basis=6), (1.3,)),
    "b-spline, many functions": (pb.BSpline(basis=15), (0.4,)),
    "b-spline, linear": (pb.BSpline(basis=5, degree=1), (1.3,)),
    "matern32": (pb.GaussianProcess(), (1.2, 0.6)),
    "matern32, long": (pb.GaussianProcess(), (0.8, 4.0)),
    "matern52": (pb.GaussianProcess(kernel="matern52"), (1.2, 0.6)),
}
CLOSE = {"rtol": 1e-8, "atol": 1e-8}


class Fields:
    """The two fields of one prior, and a likelihood's curvature."""

    def __init__(self, prior: str, grid: str, algorithms: int) -> None:
        model, self.hyperparameters = PRIORS[prior]
        self.grid, self.functions = GRIDS[grid], algorithms - 1
        banded = latent_field(model, self.grid, self.hyperparameters, self.functions)
        assert isinstance(banded, BandedField)
        self.banded = banded
        self.dense = DenseField(model.factor(self.grid, *self.hyperparameters), self.functions)
        self.rng = np.random.default_rng(1)
        root = self.rng.standard_normal((len(self.grid), self.functions, self.functions))
        self.curvature = root @ root.transpose(0, 2, 1)
        self.curvature[2] = 0.0  # a budget without data

    def factors(self, curvature: np.ndarray):
        return [field.factorise(curvature, np.zeros(field.shape)) for field in (self.banded, self.dense)]

    def coefficients(self, *draws: int) -> np.ndarray:
        return self.rng.standard_normal((*self.banded.shape, *draws))


# Every prior, with grids and numbers of algorithms in turn: the algebra of a prior does not depend on the others.
CASES = [
    ("random walk", "even", 2),
    ("random walk", "uneven", 5),
    ("b-spline", "log", 3),
    ("b-spline, many functions", "uneven", 2),
    ("b-spline, linear", "even", 5),
    ("matern32", "log", 2),
    ("matern32, long", "even", 3),
    ("matern52", "uneven", 3),
    ("matern52", "log", 5),
]


@pytest.fixture(params=CASES, ids=str)
def fields(request) -> Fields:
    return Fields(*request.param)


def response(field, factor, gradient: np.ndarray) -> np.ndarray:
    """Covariance of η times a gradient in η."""
    return field.latent(factor.solve(field.pull_back(gradient)))


def test_prior_covariances_agree(fields: Fields) -> None:
    nothing = np.zeros_like(fields.curvature)
    gradient = fields.rng.standard_normal((len(fields.grid), fields.functions))
    banded, dense = fields.factors(nothing)
    expected = fields.dense.map @ fields.dense.map.T @ gradient
    np.testing.assert_allclose(response(fields.banded, banded, gradient), expected, **CLOSE)
    np.testing.assert_allclose(response(fields.dense, dense, gradient), expected, **CLOSE)


def test_posterior_covariances_agree(fields: Fields) -> None:
    banded, dense = fields.factors(fields.curvature)
    gradient = fields.rng.standard_normal((len(fields.grid), fields.functions))
    np.testing.assert_allclose(
        response(fields.banded, banded, gradient), response(fields.dense, dense, gradient), **CLOSE
    )


def test_log_determinants_grow_equally_with_the_data(fields: Fields) -> None:
    without, with_data = fields.factors(np.zeros_like(fields.curvature)), fields.factors(fields.curvature)
    banded, dense = (a.log_determinant - b.log_determinant for a, b in zip(with_data, without, strict=True))
    np.testing.assert_allclose(banded, dense, **CLOSE)
    np.testing.assert_allclose(
        without[0].log_determinant, fields.functions * fields.banded.gaussian.log_determinant, **CLOSE
    )


def test_coloured_noise_has_the_posterior_covariance(fields: Fields) -> None:
    size = fields.banded.shape[0] * fields.functions
    factor = fields.factors(fields.curvature)[0]
    eta = fields.banded.latent(factor.colour(np.eye(size).reshape(*fields.banded.shape, size))).reshape(-1, size)
    gradients = np.eye(len(eta)).reshape(-1, len(fields.grid), fields.functions)
    expected = [response(fields.banded, factor, gradient).ravel() for gradient in gradients]
    np.testing.assert_allclose(eta @ eta.T, expected, **CLOSE)


def test_colour_transposed_is_the_adjoint_of_colour(fields: Fields) -> None:
    for field, factor in zip((fields.banded, fields.dense), fields.factors(fields.curvature), strict=True):
        white, gradient = fields.rng.standard_normal((2, *field.shape, 3))
        left = (factor.colour(white) * gradient).sum(axis=(0, 1))
        np.testing.assert_allclose(left, (white * factor.colour_transposed(gradient)).sum(axis=(0, 1)), **CLOSE)


def test_colour_does_not_depend_on_the_layout_in_memory(fields: Fields) -> None:
    factor, white = fields.factors(fields.curvature)[0], fields.coefficients(40)
    for method in (factor.colour, factor.colour_transposed):
        np.testing.assert_array_equal(method(white[..., np.arange(40)]), method(white))
        np.testing.assert_array_equal(method(np.asfortranarray(white)), method(white))


def test_pull_back_is_the_adjoint_of_latent(fields: Fields) -> None:
    for field in (fields.banded, fields.dense):
        x = fields.rng.standard_normal((*field.shape, 2))
        gradient = fields.rng.standard_normal((len(fields.grid), fields.functions, 2))
        left = (field.latent(x) * gradient).sum(axis=(0, 1))
        np.testing.assert_allclose(left, (x * field.pull_back(gradient)).sum(axis=(0, 1)), **CLOSE)


def test_several_draws_together_equal_each_one_alone(fields: Fields) -> None:
    x = fields.coefficients(3)
    density, force = (lambda x: fields.banded.log_prior(x)[0]), (lambda x: fields.banded.log_prior(x)[1])
    for method in (fields.banded.latent, density, force):
        together = method(x)
        np.testing.assert_allclose(together, np.stack([method(x[..., i]) for i in range(3)], axis=-1), **CLOSE)


def test_log_prior_is_the_density_of_the_stated_precision(fields: Fields) -> None:
    x, bands = fields.coefficients(), fields.banded.gaussian.precision
    lower = sum(np.diag(band[: len(band) - offset], -offset) for offset, band in enumerate(bands))
    precision = lower + np.tril(lower, -1).T
    quadratic = np.einsum("jq,jk,kq->", x, precision, x)
    log_determinant = fields.functions * np.linalg.slogdet(precision)[1]
    expected = 0.5 * (log_determinant - quadratic - x.size * np.log(2 * np.pi))
    np.testing.assert_allclose(fields.banded.log_prior(x)[0], expected, **CLOSE)


def test_prior_force_is_the_gradient_of_the_log_prior(fields: Fields) -> None:
    for field in (fields.banded, fields.dense):
        x, direction = fields.rng.standard_normal((2, *field.shape))
        # The log-prior is quadratic, so that central differences are exact but for rounding.
        slope = (field.log_prior(x + direction)[0] - field.log_prior(x - direction)[0]) / 2
        np.testing.assert_allclose(slope, (field.log_prior(x)[1] * direction).sum(), rtol=1e-8)


@pytest.mark.parametrize("prior", ["random walk", "b-spline", "matern32", "matern52"])
def test_bands_wider_than_the_smallest_block_are_solved_too(prior: str) -> None:
    fields = Fields(prior, "even", algorithms=16)
    factor, white = fields.factors(fields.curvature)[0], fields.coefficients(3)
    solved = factor.colour(factor.colour_transposed(white))
    expected = np.stack([factor.solve(white[..., draw]) for draw in range(3)], axis=-1)
    np.testing.assert_allclose(solved, expected, **CLOSE)


def test_kernels_without_a_markov_form_are_dense() -> None:
    prior = pb.GaussianProcess(kernel="squared-exponential")
    assert isinstance(latent_field(prior, GRIDS["even"], (1.0, 0.5), 2), DenseField)


@pytest.mark.parametrize(
    ("kernel", "grid"),
    [
        ("matern32", pb.Grid([0.0, 1e-9, 0.5, 1.0])),
        ("matern32", pb.linear_grid(0, 1, 2500)),
        ("matern52", pb.linear_grid(0, 1, 50)),
    ],
)
def test_budgets_too_close_for_the_markov_form_are_dense(kernel: str, grid: pb.Grid) -> None:
    assert pb.GaussianProcess(kernel=kernel).banded(grid, 1.0, 0.5) is None


# The lattice of hyperparameters reaches lengthscales of 20 and more where utilities hardly change over time.
@pytest.mark.parametrize("lengthscale", [0.2, 1.0, 4.0, 12.0, 20.0])
@pytest.mark.parametrize(
    ("kernel", "budgets"),
    [("matern32", 50), ("matern32", 1500), ("matern52", 15)],
)
def test_the_markov_form_is_accurate_wherever_it_is_used(kernel: str, budgets: int, lengthscale: float) -> None:
    prior, grid = pb.GaussianProcess(kernel=kernel), pb.linear_grid(0, 1, budgets)
    field = latent_field(prior, grid, (1.0, lengthscale), 1)
    assert isinstance(field, BandedField)
    # The field computes its determinant from small blocks, and the factor from the whole: they differ by rounding. A tenth
    # in the log-evidence shifts the lattice's masses by a tenth.
    factor = field.factorise(np.zeros((budgets, 1, 1)), np.zeros(field.shape))
    assert factor.log_determinant == pytest.approx(field.gaussian.log_determinant, abs=0.1)
    gradient = np.zeros((budgets, 1))
    gradient[0] = 1.0
    correlation = np.exp(-(root := np.sqrt(2 * {"matern32": 1.5, "matern52": 2.5}[kernel]) * grid.scaled / lengthscale))
    correlation *= 1 + root + (root**2 / 3 if kernel == "matern52" else 0.0)
    # Rounding grows with the largest precision, and depends on the processor: up to 0.012 was observed at 1500 budgets and a
    # lengthscale of 20, where this allows 0.03, and 0.006 at a lengthscale of 12, where it allows 0.009.
    rounding = np.finfo(float).eps * get_kernel(kernel).largest_precision(root[1])
    got = field.latent(factor.solve(field.pull_back(gradient)))[:, 0]
    np.testing.assert_allclose(got, correlation, rtol=0, atol=1e-3 + 10 * rounding)
