"""Banded and dense algebra give the same posterior."""

from __future__ import annotations

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.fields.latent_field import BandedField, DenseField
from polarbear.inference.laplace.whitened_posterior import LaplaceSurface, whitened_posterior
from polarbear.models.plackett_luce import sample_rankings

PRIORS = [pb.RandomWalk(), pb.BSpline(), pb.GaussianProcess(), pb.GaussianProcess(kernel="matern52")]
GRIDS = [pb.linear_grid(0, 10, 8), pb.log_grid(1, 1000, 7), pb.Grid([1.0, 2.5, 4.0, 7.0, 9.0, 20.0])]


def without_banded_form(prior):
    """Return the same prior, of a class without a banded form."""
    kind = type(prior)
    dense = type(f"Dense{kind.__name__}", (kind,), {"banded": lambda self, grid, *hyperparameters: None})
    return dense(**vars(prior))


# Every prior and every grid; the algebra of a prior does not depend on the others.
CASES = [*zip(PRIORS, [*GRIDS, GRIDS[0]], strict=True), (pb.GaussianProcess(), GRIDS[0]), (pb.BSpline(), GRIDS[2])]


@pytest.fixture(params=CASES, ids=str)
def surfaces(request) -> tuple[LaplaceSurface, LaplaceSurface]:
    prior, grid = request.param
    values = sample_rankings(np.tile([1.0, 0.0, 0.0, -1.0], (len(grid), 1)), 9, rng=np.random.default_rng(1))
    values[3, 2:, 1] = np.nan
    choices = pb.Choices.from_values(values, grid=grid)
    return LaplaceSurface(choices, prior), LaplaceSurface(choices, without_banded_form(prior))


def test_modes_and_evidences_are_the_same(surfaces: tuple[LaplaceSurface, LaplaceSurface]) -> None:
    for scale in (0.5, 1.0, 2.0):
        hyperparameters = tuple(scale * value for value in surfaces[0].start)
        one, two = (surface.conditional(hyperparameters, None) for surface in surfaces)
        assert isinstance(one.field, BandedField)
        assert isinstance(two.field, DenseField)
        # Newton's method takes the same steps in any coordinates, so that only rounding is left.
        np.testing.assert_allclose(one.log_evidence, two.log_evidence, atol=1e-8)
        np.testing.assert_allclose(one.field.latent(one.mode), two.field.latent(two.mode), atol=1e-8)


def test_marginals_of_the_hyperparameters_are_the_same(surfaces: tuple[LaplaceSurface, LaplaceSurface]) -> None:
    moments = []
    for surface in surfaces:
        posterior = whitened_posterior(surface.choices, surface.prior)
        points = np.log([node.hyperparameters for node in posterior.nodes])
        mean = posterior.masses @ points
        moments.append((mean, np.sqrt(posterior.masses @ (points - mean) ** 2)))
    (one, spread), (two, other_spread) = moments
    # The lattices are laid by finite differences, which magnify where Newton stopped; what they integrate is the same.
    assert (np.abs(one - two) < 0.02 * spread).all()
    np.testing.assert_allclose(spread, other_spread, rtol=0.02)
