"""Each preference against its closed form, and the errors for unsuitable arguments."""

import numpy as np
import pytest
from scipy import stats

from polarbear import (
    At,
    Between,
    BudgetDistribution,
    Custom,
    Final,
    Grid,
    LogUniform,
    Uniform,
    Weighted,
    log_grid,
)
from tests.selection.posteriors import GRIDS

UNEVEN = GRIDS["uneven"]
LINEAR = [
    At(6),
    At(9.3),
    Final(),
    Uniform(),
    LogUniform(),
    Between(2.5, 17),
    Between(4, 4),
    Weighted(lambda t: np.exp(-t / 5)),
    Weighted(np.arange(10.0)),
    BudgetDistribution(stats.expon(scale=10)),
    BudgetDistribution([1, 3, 3, 20.5]),
    BudgetDistribution([(0.7, stats.norm(10, 2)), (0.2, [2, 3]), (0.1, 20)]),
]


@pytest.mark.parametrize("preference", LINEAR, ids=lambda preference: type(preference).__name__)
def test_weights_are_not_negative_and_sum_to_one(preference):
    weights = preference.weights(UNEVEN)
    assert weights.shape == (len(UNEVEN),)
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-14)


@pytest.mark.parametrize("grid", GRIDS.values(), ids=GRIDS)
def test_final_and_at_a_grid_budget_read_one_budget(grid):
    for k, budget in enumerate(grid.budgets):
        assert At(budget).weights(grid).tolist() == np.eye(len(grid))[k].tolist()
    assert Final().weights(grid).tolist() == At(grid.budgets[-1]).weights(grid).tolist()


def test_between_grid_budgets_a_curve_is_read_on_the_grids_axis():
    assert At(2.5).weights(Grid([1, 2, 4])).tolist() == [0, 0.75, 0.25]
    np.testing.assert_allclose(At(10**1.5).weights(log_grid(1, 1000, 4)), [0, 0.5, 0.5, 0], atol=1e-15)


def test_uniform_is_the_mean_of_the_curve():
    """θ(t) = t/60 on a linear grid has mean 1/2; θ = log t / log 100 on a log grid has ∫ θ dt / 99 in closed form."""
    even = GRIDS["even"]
    assert Uniform().weights(even) @ (even.budgets / 60) == pytest.approx(0.5, abs=1e-14)
    log = log_grid(1, 100, 7)
    closed = (100 * np.log(100) - 99) / np.log(100) / 99
    assert Uniform().weights(log) @ (np.log(log.budgets) / np.log(100)) == pytest.approx(closed, rel=1e-12)


def test_log_uniform_is_the_mean_over_orders_of_magnitude():
    log = Grid([1, 3, 7, 100], "log")
    assert LogUniform().weights(log) @ (np.log(log.budgets) / np.log(100)) == pytest.approx(0.5, abs=1e-14)
    linear = Grid([1, 3, 7, 100])  # θ = t/100: ∫ θ/t dt / log 100
    assert LogUniform().weights(linear) @ (linear.budgets / 100) == pytest.approx(0.99 / np.log(100), rel=1e-12)
    steep = Grid([1, 1e5])  # 1/t falls by five orders of magnitude between two budgets
    assert LogUniform().weights(steep) @ (steep.budgets / 1e5) == pytest.approx((1 - 1e-5) / np.log(1e5), rel=1e-12)


def test_between_is_the_mean_over_a_part():
    grid = Grid([0, 1, 10, 30])
    assert Between(2, 20).weights(grid) @ grid.budgets == pytest.approx(11, rel=1e-14)
    assert Between(0, 30).weights(grid).tolist() == pytest.approx(Uniform().weights(grid).tolist(), abs=1e-15)
    assert Between(5, 5).weights(grid).tolist() == pytest.approx(At(5).weights(grid).tolist(), abs=1e-15)


def test_weights_over_time_by_function_and_by_array():
    grid = Grid([0, 1, 4, 10])
    # Σ and ∫ of t · t: the first over budgets of the grid, the second over all.
    assert Weighted(grid.budgets).weights(grid) @ grid.budgets == pytest.approx(117 / 15)
    assert Weighted(lambda t: t).weights(grid) @ grid.budgets == pytest.approx((1000 / 3) / 50, rel=1e-13)
    assert Weighted(lambda t: 3.0).weights(grid).tolist() == pytest.approx(Uniform().weights(grid).tolist())
    assert Weighted([0, 0, 7, 0]).weights(grid).tolist() == [0, 0, 1, 0]
    assert Weighted([1e308, 1e308, 1e308, 0]).weights(grid).tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_the_scale_of_weights_does_not_matter():
    np.testing.assert_allclose(
        Weighted(lambda t: 1e9 * np.exp(-t)).weights(UNEVEN), Weighted(lambda t: np.exp(-t)).weights(UNEVEN), rtol=1e-12
    )


@pytest.mark.parametrize("budget", [0.5, 21.5, np.nan, np.inf, -3])
def test_budgets_outside_the_grid_are_refused(budget):
    with pytest.raises(ValueError, match=r"expected the budget from 1 to 21, got .*; choose a budget in this range"):
        At(budget).weights(UNEVEN)


@pytest.mark.parametrize("ends", [(0.5, 4), (4, 22), (30, 40)])
def test_ranges_outside_the_grid_are_refused(ends):
    with pytest.raises(ValueError, match="expected the budgets from 1 to 21, got"):
        Between(*ends).weights(UNEVEN)


@pytest.mark.parametrize("ends", [(4, 3), (np.nan, 3), (3, np.nan)])
def test_ranges_the_wrong_way_round_are_refused(ends):
    with pytest.raises(ValueError, match=r"expected a range from a lower to a higher budget, got"):
        Between(*ends)


def test_log_uniform_needs_positive_budgets():
    with pytest.raises(ValueError, match=r"expected a grid of positive budgets .*, got a grid from 0; use Uniform\(\)"):
        LogUniform().weights(GRIDS["even"])


@pytest.mark.parametrize("grid", [UNEVEN, Grid([5.0])], ids=["uneven", "one budget"])
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (lambda t: 3 - t, "that are finite and not negative, got -"),
        (lambda t: np.full_like(t, np.nan), "that are finite and not negative, got nan"),
        (lambda t: np.inf * t, "that are finite and not negative, got inf"),
        (lambda t: -1.0, "that are finite and not negative, got -1"),
        (lambda t: 0 * t, "expected a positive weight over time, got only zeros; give some budget a positive weight"),
        (lambda t: np.ones((len(t), 2)), r"one number for each of \d+ budgets, got shape \(\d+, 2\)"),
    ],
)
def test_bad_weight_functions_are_refused(grid, weight, message):
    with pytest.raises(ValueError, match=message):
        Weighted(weight).weights(grid)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -0.1, 1], "that are finite and not negative, got -0.1"),
        ([1, np.nan, 1], "that are finite and not negative, got nan"),
        ([0, 0, 0], "got only zeros"),
        ([1, 1], r"one weight for each of the 3 budgets of the grid, got shape \(2,\)"),
        (1.0, r"one weight for each of the 3 budgets of the grid, got shape \(\)"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        Weighted(weight).weights(Grid([1, 2, 3]))


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        (1000, "1,000"),
        (60_000, "60,000"),
        (2_500_000, "2,500,000"),
        (0.125, "0.125"),
        (1 / 3, "0.333"),
        (12345678, "12,345,678"),
    ],
)
def test_budgets_are_written_without_powers_of_ten(budget, words):
    assert str(At(budget)) == f"a budget of {words}"


@pytest.mark.parametrize(
    ("preference", "words"),
    [
        (At(1_000_000), "a budget of 1,000,000"),
        (Final(), "the longest budget"),
        (Uniform(), "any budget, all equally likely"),
        (LogUniform(), "any budget, all orders of magnitude equally likely"),
        (Between(10, 2000), "a budget between 10 and 2,000"),
        (Weighted([1]), "the weights over time that you gave"),
        (BudgetDistribution([1]), "the distribution of budgets that you gave"),
        (Custom(np.min), "the preference that you gave"),
    ],
)
def test_every_preference_has_a_description(preference, words):
    assert str(preference) == words
