"""Fewer coefficients, the same distribution of the latent functions."""

import itertools

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.fields.reduced_prior import reduced_prior


@pytest.mark.parametrize("budgets", [6, 300])
@pytest.mark.parametrize("hyperparameters", [(0.5, 0.1), (1.0, 0.5), (2.0, 5.0)])
def test_the_covariance_is_the_same(budgets, hyperparameters):
    prior, grid = pb.HilbertSpaceGP(), pb.log_grid(1, 1000, budgets)
    reduced = reduced_prior(prior, grid)
    many, few = prior.factor(grid, *hyperparameters), reduced.factor(grid, *hyperparameters)
    assert few.shape[1] <= 20 < many.shape[1]
    total = np.trace(many @ many.T)  # 1e-10 of which is the jitter; the rest is rounding
    np.testing.assert_allclose(few @ few.T, many @ many.T, rtol=0, atol=1e-9 * total)


def test_coefficients_keep_their_meaning_when_hyperparameters_change():
    # One shift of the white noise serves all nodes of the lattice, so that no coefficient may change its sign.
    grid = pb.log_grid(1, 1000, 8)
    prior = reduced_prior(pb.HilbertSpaceGP(), grid)
    maps = [prior.factor(grid, 1.0, scale) for scale in np.geomspace(0.2, 8, 20)]
    for here, there in itertools.pairwise(maps):
        assert (np.sum(here * there, axis=0) > 0).all()


def test_more_functions_than_budgets_are_reduced_too_but_bands_are_kept():
    prior, grid = pb.BSpline(basis=15), pb.log_grid(1, 1000, 8)
    reduced = reduced_prior(prior, grid)
    assert reduced.factor(grid, 1.0).shape == (8, 8)
    np.testing.assert_array_equal(reduced.banded(grid, 1.0).precision, prior.banded(grid, 1.0).precision)


def test_the_hyperpriors_are_the_same():
    prior = pb.HilbertSpaceGP(lengthscale=pb.InverseGamma(5.0, 2.0))
    assert reduced_prior(prior, pb.log_grid(1, 1000, 30)).hyperpriors == prior.hyperpriors


@pytest.mark.parametrize("prior", [pb.BSpline(), pb.RandomWalk(), pb.GaussianProcess(), pb.SparseGaussianProcess()])
def test_priors_without_redundant_coefficients_are_unchanged(prior):
    assert reduced_prior(prior, pb.log_grid(1, 1000, 30)) is prior
