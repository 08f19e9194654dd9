"""A distribution of budgets against numerical integration, and the errors for unsuitable ones."""

import numpy as np
import pytest
from scipy import integrate, stats

from polarbear import BudgetDistribution, Grid, linear_grid
from tests.selection.posteriors import GRIDS

UNEVEN = GRIDS["uneven"]


@pytest.mark.parametrize("name", ["even", "uneven", "uneven log"])
@pytest.mark.parametrize(
    "budget", [stats.lognorm(0.8, scale=9), stats.expon(scale=7), stats.norm(12, 3)], ids=lambda d: d.dist.name
)
def test_a_distribution_of_budgets_is_an_expectation_given_the_grid(name, budget):
    grid = GRIDS[name]
    curve = np.cos(np.arange(len(grid)))
    axis = np.log if grid.axis == "log" else np.asarray

    def theta(t):
        return np.interp(axis(t), axis(grid.budgets), curve) * budget.pdf(t)

    edges = grid.budgets
    total = sum(
        integrate.quad(theta, a, b, epsabs=0, epsrel=1e-11)[0]
        for a, b in zip(edges[:-1], edges[1:], strict=True)  # noqa: RUF007
    )
    mass = budget.cdf(edges[-1]) - budget.cdf(edges[0])
    assert BudgetDistribution(budget).weights(grid) @ curve == pytest.approx(total / mass, rel=1e-6)
    assert BudgetDistribution(budget).mass_within(grid) == pytest.approx(mass, rel=1e-9)


def test_samples_are_averaged():
    grid = Grid([0, 10, 100])
    samples = np.random.default_rng(0).uniform(-20, 120, 500)
    inside = samples[(samples >= 0) & (samples <= 100)]
    curve = np.array([0.1, 0.7, 0.3])
    preference = BudgetDistribution(samples)
    assert preference.weights(grid) @ curve == pytest.approx(np.interp(inside, grid.budgets, curve).mean(), rel=1e-12)
    assert preference.mass_within(grid) == pytest.approx(len(inside) / 500)
    assert BudgetDistribution(10).weights(grid).tolist() == [0, 1, 0]


def test_many_samples_need_little_memory():
    samples = np.random.default_rng(0).uniform(0, 100, 1_000_000)  # one weight per sample and budget would need 8 GB
    weights = BudgetDistribution(samples).weights(linear_grid(0, 100, 1000))
    assert weights[1:-1] == pytest.approx(1 / 999, rel=0.2)  # a thousand samples each: six standard errors


def test_a_mixture_is_a_weighted_mean_of_its_parts():
    parts = [stats.norm(10, 2), [2, 3, 4], 20.5]
    alone = [BudgetDistribution(part).weights(UNEVEN) * BudgetDistribution(part).mass_within(UNEVEN) for part in parts]
    mixed = BudgetDistribution(list(zip([6, 3, 1], parts, strict=True)))
    expected = 0.6 * alone[0] + 0.3 * alone[1] + 0.1 * alone[2]
    np.testing.assert_allclose(mixed.weights(UNEVEN), expected / expected.sum(), rtol=1e-12)
    assert mixed.mass_within(UNEVEN) == pytest.approx(expected.sum())


def test_mixtures_nest():
    inner = [(1, 2.0), (1, 4.0)]
    nested, flat = [(0.8, 10.0), (0.2, inner)], [(0.8, 10.0), (0.1, 2.0), (0.1, 4.0)]
    np.testing.assert_allclose(
        BudgetDistribution(nested).weights(UNEVEN), BudgetDistribution(flat).weights(UNEVEN), rtol=1e-13
    )


def test_a_whole_number_of_evaluations_may_be_distributed():
    grid = linear_grid(0, 40, 41)
    np.testing.assert_allclose(
        BudgetDistribution(stats.poisson(12)).weights(grid), stats.poisson(12).pmf(np.arange(41)), atol=1e-9
    )


def test_distributions_without_closed_quantiles_are_accepted():
    weights = BudgetDistribution(stats.exponnorm(2, 8, 2)).weights(UNEVEN)
    assert weights.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (stats.norm(500, 1), "mass within the grid, from 1 to 21, got none there; check its unit"),
        (stats.norm(-500, 1), "mass within the grid"),
        ([100, 200], "mass within the grid"),
        ([np.inf], "mass within the grid"),
        ([(1.0, 100), (2.0, 0.5)], "mass within the grid"),
        ([(0.0, 5), (0.0, 6)], "not all zero, got"),
        ([(1.0, 5), (-0.5, 6)], "that are finite, not negative"),
        ([(np.nan, 5)], "that are finite, not negative"),
        ([], "expected a SciPy distribution, budgets, or pairs"),
        ([1, np.nan], "expected a SciPy distribution, budgets, or pairs"),
        ("soon", "expected a SciPy distribution, budgets, or pairs .*got 'soon'"),
        (None, "expected a SciPy distribution, budgets, or pairs"),
        (object(), "expected a SciPy distribution, budgets, or pairs"),
        ([[0.5, stats.norm(5)], [0.5, 3]], "expected a SciPy distribution, budgets, or pairs"),
        (stats.lognorm(-1), "expected a distribution with probabilities, got NaN from .*; check its parameters"),
    ],
)
def test_bad_distributions_are_refused(budget, message):
    with pytest.raises(ValueError, match=message):
        BudgetDistribution(budget).weights(UNEVEN)
