"""Gaussian processes: inducing points, and the limits of the Markov form."""

import numpy as np
import pytest

from polarbear import GaussianProcess, Grid, SparseGaussianProcess, linear_grid
from polarbear.models.kernels import get_kernel
from tests.models.latent_functions import covariance, dense

KERNELS = ["matern32", "matern52", "squared-exponential"]


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("inducing", [12, 50])
def test_with_an_inducing_point_at_each_budget_the_sparse_process_is_exact(kernel, inducing):
    grid = linear_grid(0, 1, 12)
    for hyperparameters in [(0.7, 0.2), (2.0, 0.64)]:
        exact = covariance(GaussianProcess(kernel), grid, *hyperparameters)
        sparse = covariance(SparseGaussianProcess(inducing, kernel), grid, *hyperparameters)
        np.testing.assert_allclose(sparse, exact, atol=1e-8 * exact.max())


@pytest.mark.parametrize("kernel", KERNELS[:2])
def test_budgets_too_close_for_the_markov_form_use_the_factor(kernel):
    """The precision would lose its digits in double precision, so the prior has only a factor."""
    prior, grid = GaussianProcess(kernel), Grid([0, 0.3, 0.3 + 1e-7, 1])
    assert prior.banded(grid, 1.0, 0.64) is None
    exact = get_kernel(kernel).correlation(np.abs(grid.scaled[:, None] - grid.scaled) / 0.64)
    np.testing.assert_allclose(covariance(prior, grid, 1.0, 0.64), exact, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS[:2])
@pytest.mark.parametrize(("budgets", "lengthscale"), [(50, 0.64), (50, 3.0), (200, 0.64), (300, 20.0), (600, 4.0)])
def test_the_markov_form_is_accurate_or_missing(kernel, budgets, lengthscale):
    """The precision grows as (budgets · lengthscale)^3 or ^5, and every digit of it costs one of the covariance.

    A thousandth of the prior's variance is far below what rankings can resolve.
    """
    prior, grid = GaussianProcess(kernel), linear_grid(0, 1, budgets)
    banded = prior.banded(grid, 1.0, lengthscale)
    if banded is not None:
        precision, design = dense(banded)
        exact = get_kernel(kernel).correlation(np.abs(grid.scaled[:, None] - grid.scaled) / lengthscale)
        np.testing.assert_allclose(design @ np.linalg.solve(precision, design.T), exact, atol=1e-3)


@pytest.mark.parametrize("kernel", KERNELS[:2])
def test_nearly_equal_budgets_have_no_markov_form(kernel):
    assert GaussianProcess(kernel).banded(Grid([0, 1e-120, 1]), 1.0, 0.64) is None


def test_a_singular_correlation_gets_a_small_jitter():
    """With many budgets of a very smooth process the jitter stays below 1e-8."""
    grid = linear_grid(0, 1, 300)
    ours = covariance(GaussianProcess("squared-exponential"), grid, 1.0, 2.0)
    exact = np.exp(-0.5 * (np.abs(grid.scaled[:, None] - grid.scaled) / 2) ** 2)
    np.testing.assert_allclose(ours, exact, atol=2e-8)
