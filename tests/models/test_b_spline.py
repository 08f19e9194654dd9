"""The B-spline basis: its size, its knots, and SciPy's basis functions."""

import numpy as np
import pytest

from polarbear import BSpline, Grid, linear_grid
from tests.models.latent_functions import basis_elements


@pytest.mark.parametrize("budgets", [2, 5, 8, 9, 12, 50])
def test_by_default_there_are_half_as_many_basis_functions_as_budgets_and_at_least_four(budgets):
    grid = linear_grid(0, 1, budgets)
    assert BSpline().factor(grid, 1.0).shape == (budgets, max(4, budgets // 2))


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 5])
@pytest.mark.parametrize("extra", [1, 2, 6])
def test_the_basis_is_scipys_and_sums_to_one(degree, extra, grid):
    """There are K + d + 1 knots, and the basis is a partition of unity."""
    basis = degree + extra
    prior = BSpline(basis=basis, degree=degree)
    knots = prior.knots(grid)
    assert len(knots) == basis + degree + 1
    assert (np.diff(knots) >= 0).all()
    B = prior.factor(grid, 1.0)
    np.testing.assert_allclose(B, basis_elements(prior, grid), atol=1e-12)
    np.testing.assert_allclose(B.sum(axis=1), 1, rtol=1e-12)


def test_inner_knots_lie_at_quantiles_of_the_budgets():
    grid = Grid([0, 1, 2, 3, 4, 5, 6, 7, 8, 100])
    knots = BSpline(basis=6).knots(grid)
    np.testing.assert_allclose(knots[4:-4], np.quantile(grid.scaled, [1 / 3, 2 / 3]))
    np.testing.assert_array_equal(knots[:4], 0)
    np.testing.assert_array_equal(knots[-4:], 1)
