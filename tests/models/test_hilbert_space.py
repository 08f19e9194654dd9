"""The Hilbert-space approximation converges to the exact Gaussian process."""

import numpy as np
import pytest

from polarbear import GaussianProcess, HilbertSpaceGP, InverseGamma, linear_grid
from tests.models.latent_functions import covariance


def hilbert_error(kernel, basis, boundary=8.0, lengthscale=0.4):
    grid = linear_grid(0, 1, 15)
    exact = covariance(GaussianProcess(kernel), grid, 1.0, lengthscale)
    return np.abs(covariance(HilbertSpaceGP(basis, boundary, kernel), grid, 1.0, lengthscale) - exact).max()


@pytest.mark.parametrize(("kernel", "order"), [("matern32", 3), ("matern52", 5)])
def test_the_hilbert_space_process_converges_at_the_order_of_its_spectrum(kernel, order):
    """The error of m functions is the tail of S(ω) ~ ω^(−2ν − 1): twice as many divide it by 2^(2ν).

    The images beyond the boundary, at a distance of 7 or 17 lengthscales, are below 1e-11.
    """
    errors = [hilbert_error(kernel, basis) for basis in (100, 200, 400)]
    assert errors[0] / errors[1] == pytest.approx(2**order, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(2**order, rel=0.1)
    assert hilbert_error(kernel, 3200) < 1e-6


def test_for_the_squared_exponential_150_functions_are_exact():
    assert hilbert_error("squared-exponential", 150) < 1e-11  # the exact one has a jitter of 1e-12


@pytest.mark.parametrize("kernel", ["matern32", "matern52", "squared-exponential"])
@pytest.mark.parametrize("probability", [0.05, 0.5, 0.95])
def test_the_default_hilbert_space_process_is_accurate_for_probable_lengthscales(kernel, probability):
    """Riutort-Mayol et al. choose m and c so that the posterior is accurate; the covariance is within 2 %."""
    grid, lengthscale = linear_grid(0, 1, 40), InverseGamma().quantile(probability)
    exact = covariance(GaussianProcess(kernel), grid, 1.0, lengthscale)
    approximate = covariance(HilbertSpaceGP(kernel=kernel), grid, 1.0, lengthscale)
    np.testing.assert_allclose(approximate, exact, atol=0.02)


def test_the_size_of_the_hilbert_space_follows_the_lengthscales_prior():
    usual, boundary = HilbertSpaceGP().size()
    shorter, _ = HilbertSpaceGP(boundary=boundary, lengthscale=InverseGamma(5, 1)).size()
    assert shorter == pytest.approx(3 * usual, abs=3)  # one wave is a third as long
    assert HilbertSpaceGP(lengthscale=InverseGamma(5, 1e-3)).size()[1] == 1.2  # the smallest boundary of the paper
    assert HilbertSpaceGP(basis=7, boundary=3.0).size() == (7, 3.0)
