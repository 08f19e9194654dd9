"""Fewer coefficients, the same distribution of the latent functions."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.reduced_prior import reduced_prior


@pytest.mark.parametrize("times", [6, 100])
@pytest.mark.parametrize("hyperparameters", [(0.5, 0.1), (1.0, 0.5), (2.0, 5.0)])
def test_the_covariance_is_the_same(times, hyperparameters):
    prior, grid = pb.HilbertSpaceGP(), pb.log_grid(1, 1000, times)
    reduced = reduced_prior(prior, grid)
    many, few = prior.factor(grid, *hyperparameters), reduced.factor(grid, *hyperparameters)
    assert few.shape[1] <= 20 < many.shape[1]
    variance = hyperparameters[0] ** 2
    np.testing.assert_allclose(few @ few.T, many @ many.T, rtol=0, atol=1e-7 * times * variance)  # the jitter


def test_it_says_the_same_hyperpriors():
    prior = pb.HilbertSpaceGP(lengthscale=pb.InverseGamma(5.0, 2.0))
    assert reduced_prior(prior, pb.log_grid(1, 1000, 30)).hyperpriors == prior.hyperpriors


@pytest.mark.parametrize("prior", [pb.BSpline(), pb.RandomWalk(), pb.GaussianProcess(), pb.Dirichlet()])
def test_priors_without_needless_coefficients_stay_as_they_are(prior):
    assert reduced_prior(prior, pb.log_grid(1, 1000, 30)) is prior
