"""Integrals over uneven and log grids, against SciPy's adaptive quadrature of the interpolated curve."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate, stats

from polarbear import Grid, log_grid
from polarbear.selection.quadrature import (
    expectation_weights,
    integration_weights,
    interpolation_weights,
    require_within,
)
from tests.selection.posteriors import GRIDS


def interpolated(grid, curve):
    """The curve between budgets of the grid, by NumPy's own interpolation on the grid's axis."""
    if grid.axis == "log":
        return lambda t: np.interp(np.log(t), np.log(grid.budgets), curve)
    return lambda t: np.interp(t, grid.budgets, curve)


def adaptive(grid, density, curve, start, stop):
    """∫ density · curve dt piece by piece: kinks of the curve are ends of pieces, and so are a few more budgets."""
    edges = np.unique([start, *grid.budgets, 10, 20, 50, 100, 200, 500, 1e3, 1e4, 1e5, stop])
    edges = edges[(edges >= start) & (edges <= stop)]
    at = interpolated(grid, curve)

    def integrand(t):
        return density(t) * at(t)

    return sum(integrate.quad(integrand, a, b, epsabs=1e-100, epsrel=1e-11)[0] for a, b in pairwise(edges))


@pytest.fixture(params=GRIDS.values(), ids=GRIDS)
def grid(request):
    return request.param


@pytest.fixture
def curve(grid):
    return np.random.default_rng(len(grid)).uniform(size=len(grid))


DENSITIES = {
    "one": np.ones_like,
    "falling": lambda t: np.exp(-t / 10),
    "rising": lambda t: t**1.5,
    "hyperbolic": lambda t: 1 / (t + 0.5),
}


@pytest.mark.parametrize("density", DENSITIES.values(), ids=DENSITIES)
def test_integrals_are_those_of_the_interpolated_curve(grid, curve, density):
    first, last = grid.budgets[0], grid.budgets[-1]
    weights = integration_weights(grid, density, first, last)
    exact = adaptive(grid, density, curve, first, last)
    np.testing.assert_allclose(weights @ curve, exact, rtol=1e-8)  # in [64, 256] exp(-t/10) is not so smooth


def test_integrals_between_any_two_budgets(grid, curve):
    first, last = grid.budgets[0], grid.budgets[-1]
    rng = np.random.default_rng(3)
    for start, stop in np.sort(rng.uniform(first, last, size=(10, 2)), axis=1):
        weights = integration_weights(grid, np.ones_like, start, stop)
        np.testing.assert_allclose(weights.sum(), stop - start, rtol=1e-9)
        np.testing.assert_allclose(weights @ curve, adaptive(grid, np.ones_like, curve, start, stop), rtol=1e-10)
        assert (weights >= 0).all()


def test_integrals_add_up(grid):
    first, last = grid.budgets[0], grid.budgets[-1]
    middle = 0.3 * first + 0.7 * last
    parts = integration_weights(grid, np.ones_like, first, middle) + integration_weights(
        grid, np.ones_like, middle, last
    )
    np.testing.assert_allclose(
        parts, integration_weights(grid, np.ones_like, first, last), rtol=1e-10, atol=1e-12 * last
    )


def test_on_a_linear_grid_the_weights_are_the_trapezoidal_rule():
    budgets = np.array([1.0, 2.0, 4.0, 9.0])
    np.testing.assert_allclose(
        integration_weights(Grid(budgets), np.ones_like, 1.0, 9.0), [0.5, 1.5, 3.5, 2.5], rtol=1e-14
    )


def test_on_a_log_grid_weight_1_over_t_is_the_trapezoidal_rule_in_log_t():
    weights = integration_weights(log_grid(1, 100, 3), lambda t: 1 / t, 1.0, 100.0)
    np.testing.assert_allclose(weights, np.log(10) * np.array([0.5, 1, 0.5]), rtol=1e-14)


def test_reading_is_linear_on_the_axis(grid, curve):
    rng = np.random.default_rng(1)
    budgets = np.concatenate([grid.budgets, rng.uniform(grid.budgets[0], grid.budgets[-1], 50)])
    for budget in budgets:
        np.testing.assert_allclose(
            interpolation_weights(grid, np.array([budget]), np.ones(1)) @ curve,
            interpolated(grid, curve)(budget),
            rtol=1e-9,
        )
    masses = rng.uniform(size=len(budgets))
    np.testing.assert_allclose(
        interpolation_weights(grid, budgets, masses) @ curve, masses @ interpolated(grid, curve)(budgets)
    )


def test_a_budget_of_the_grid_is_read_exactly(grid):
    for k, budget in enumerate(grid.budgets):
        assert interpolation_weights(grid, np.array([budget]), np.ones(1)).tolist() == np.eye(len(grid))[k].tolist()


def test_a_grid_of_one_budget():
    grid = Grid([5.0])
    assert interpolation_weights(grid, np.array([5.0, 5.0]), np.array([1.0, 2.0])).tolist() == [3]
    assert integration_weights(grid, lambda t: 2 * t, 5.0, 5.0).tolist() == [10]
    np.testing.assert_allclose(
        expectation_weights(grid, stats.norm(5, 1).cdf), [0], atol=1e-15
    )  # a density has no atoms
    np.testing.assert_allclose(expectation_weights(grid, stats.poisson(5).cdf), stats.poisson(5).pmf([5]))


@pytest.mark.parametrize(
    "distribution",
    [
        stats.uniform(0, 100),
        stats.expon(scale=8),
        stats.lognorm(1, scale=12),
        stats.norm(10, 4),
        stats.gamma(3, scale=5),
    ],
    ids=lambda d: d.dist.name,
)
@pytest.mark.parametrize("name", ["even", "uneven", "uneven log"])
def test_expectations_of_continuous_distributions(name, distribution):
    grid = GRIDS[name]
    curve = np.random.default_rng(5).uniform(size=len(grid))
    first, last = grid.budgets[0], grid.budgets[-1]
    weights = expectation_weights(grid, distribution.cdf)
    np.testing.assert_allclose(weights.sum(), distribution.cdf(last) - distribution.cdf(first), rtol=1e-12)
    exact = adaptive(grid, distribution.pdf, curve, first, last)
    # The kink of a uniform distribution's function within an interval is met to a 64th of that interval.
    np.testing.assert_allclose(weights @ curve, exact, rtol=2e-3 if distribution.dist.name == "uniform" else 1e-7)
    assert (weights >= 0).all()


def test_expectations_of_atoms_on_grid_budgets_are_exact():
    grid = GRIDS["uneven"]
    chosen, masses = grid.budgets[[0, 3, 9]], np.array([0.2, 0.5, 0.3])
    distribution = stats.rv_discrete(values=(chosen, masses))
    expected = np.zeros(len(grid))
    expected[[0, 3, 9]] = masses
    np.testing.assert_allclose(expectation_weights(grid, distribution.cdf), expected, atol=1e-12)


def test_expectations_of_atoms_between_grid_budgets_are_near():
    """An atom is misplaced by half the largest node weight at most, 1.2 % of its interval."""
    grid, curve = Grid([0.0, 10.0, 40.0]), np.array([0.0, 1.0, 0.0])
    for budget in np.linspace(0.1, 39.9, 41):
        weights = expectation_weights(grid, lambda t, budget=budget: np.where(t >= budget, 1.0, 0.0))
        assert abs(weights @ curve - np.interp(budget, grid.budgets, curve)) < 0.0125
        assert weights.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("budget", [0.99, 21.01, -1, np.nan, np.inf])
def test_times_outside_are_refused_with_advice(budget):
    with pytest.raises(ValueError, match=r"expected the budget from 1 to 21, got .*; choose a budget in this range"):
        require_within(GRIDS["uneven"], np.array([3.0, budget]), "the budget")
