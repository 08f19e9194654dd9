"""Each preference against its closed form, and what is refused."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

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
    linear_grid,
    log_grid,
)
from polarbear.selection.preference import format_budget, require_monotone
from tests.selection.beliefs import GRIDS

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
def test_final_and_at_a_grid_time_read_one_time(grid):
    for k, time in enumerate(grid.times):
        assert At(time).weights(grid).tolist() == np.eye(len(grid))[k].tolist()
    assert Final().weights(grid).tolist() == At(grid.times[-1]).weights(grid).tolist()


def test_between_grid_times_a_curve_is_read_on_the_grids_axis():
    assert At(2.5).weights(Grid([1, 2, 4])).tolist() == [0, 0.75, 0.25]
    np.testing.assert_allclose(At(10**1.5).weights(log_grid(1, 1000, 4)), [0, 0.5, 0.5, 0], atol=1e-15)


def test_uniform_is_the_mean_of_the_curve():
    """θ(t) = t/60 on a linear grid has mean 1/2; θ = log t / log 100 on a log grid has ∫ θ dt / 99 in closed form."""
    even = GRIDS["even"]
    assert Uniform().weights(even) @ (even.times / 60) == pytest.approx(0.5, abs=1e-14)
    log = log_grid(1, 100, 7)
    closed = (100 * np.log(100) - 99) / np.log(100) / 99
    assert Uniform().weights(log) @ (np.log(log.times) / np.log(100)) == pytest.approx(closed, rel=1e-12)


def test_log_uniform_is_the_mean_over_orders_of_magnitude():
    log = Grid([1, 3, 7, 100], "log")
    assert LogUniform().weights(log) @ (np.log(log.times) / np.log(100)) == pytest.approx(0.5, abs=1e-14)
    linear = Grid([1, 3, 7, 100])  # θ = t/100: ∫ θ/t dt / log 100
    assert LogUniform().weights(linear) @ (linear.times / 100) == pytest.approx(0.99 / np.log(100), rel=1e-12)
    steep = Grid([1, 1e5])  # 1/t falls by five orders of magnitude between two times
    assert LogUniform().weights(steep) @ (steep.times / 1e5) == pytest.approx((1 - 1e-5) / np.log(1e5), rel=1e-12)


def test_between_is_the_mean_over_a_part():
    grid = Grid([0, 1, 10, 30])
    assert Between(2, 20).weights(grid) @ grid.times == pytest.approx(11, rel=1e-14)
    assert Between(0, 30).weights(grid).tolist() == pytest.approx(Uniform().weights(grid).tolist(), abs=1e-15)
    assert Between(5, 5).weights(grid).tolist() == pytest.approx(At(5).weights(grid).tolist(), abs=1e-15)


def test_weights_over_time_by_function_and_by_array():
    grid = Grid([0, 1, 4, 10])
    # Σ and ∫ of t · t: the first over grid times, the second over all.
    assert Weighted(grid.times).weights(grid) @ grid.times == pytest.approx(117 / 15)
    assert Weighted(lambda t: t).weights(grid) @ grid.times == pytest.approx((1000 / 3) / 50, rel=1e-13)
    assert Weighted(lambda t: 3.0).weights(grid).tolist() == pytest.approx(Uniform().weights(grid).tolist())
    assert Weighted([0, 0, 7, 0]).weights(grid).tolist() == [0, 0, 1, 0]
    assert Weighted([1e308, 1e308, 1e308, 0]).weights(grid).tolist() == pytest.approx([1 / 3, 1 / 3, 1 / 3, 0])


def test_the_scale_of_weights_does_not_matter():
    np.testing.assert_allclose(
        Weighted(lambda t: 1e9 * np.exp(-t)).weights(UNEVEN), Weighted(lambda t: np.exp(-t)).weights(UNEVEN), rtol=1e-12
    )


@pytest.mark.parametrize("name", ["even", "uneven", "uneven log"])
@pytest.mark.parametrize(
    "budget", [stats.lognorm(0.8, scale=9), stats.expon(scale=7), stats.norm(12, 3)], ids=lambda d: d.dist.name
)
def test_a_distribution_of_budgets_is_an_expectation_given_the_grid(name, budget):
    grid = GRIDS[name]
    curve = np.cos(np.arange(len(grid)))
    axis = np.log if grid.axis == "log" else np.asarray

    def theta(t):
        return np.interp(axis(t), axis(grid.times), curve) * budget.pdf(t)

    edges = grid.times
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
    assert preference.weights(grid) @ curve == pytest.approx(np.interp(inside, grid.times, curve).mean(), rel=1e-12)
    assert preference.mass_within(grid) == pytest.approx(len(inside) / 500)
    assert BudgetDistribution(10).weights(grid).tolist() == [0, 1, 0]


def test_many_samples_need_little_memory():
    samples = np.random.default_rng(0).uniform(0, 100, 1_000_000)  # one weight a sample and time would be 8 GB
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


def test_distributions_without_closed_quantiles_are_served():
    weights = BudgetDistribution(stats.exponnorm(2, 8, 2)).weights(UNEVEN)
    assert weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("time", [0.5, 21.5, np.nan, np.inf, -3])
def test_budgets_outside_the_grid_are_refused(time):
    with pytest.raises(
        ValueError, match=r"the budget must lie within the grid, from 1 to 21, got .*nothing was observed"
    ):
        At(time).weights(UNEVEN)


@pytest.mark.parametrize("ends", [(0.5, 4), (4, 22), (30, 40)])
def test_ranges_outside_the_grid_are_refused(ends):
    with pytest.raises(ValueError, match="the budgets must lie within the grid, from 1 to 21"):
        Between(*ends).weights(UNEVEN)


@pytest.mark.parametrize("ends", [(4, 3), (np.nan, 3), (3, np.nan)])
def test_ranges_the_wrong_way_round_are_refused(ends):
    with pytest.raises(ValueError, match="Between needs start <= stop, got"):
        Between(*ends)


def test_log_uniform_needs_positive_times():
    with pytest.raises(ValueError, match=r"needs a grid of positive times, got one from 0; use Uniform\(\)"):
        LogUniform().weights(GRIDS["even"])


@pytest.mark.parametrize("grid", [UNEVEN, Grid([5.0])], ids=["uneven", "one time"])
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        (lambda t: 3 - t, "must be finite and not negative, got -"),
        (lambda t: np.full_like(t, np.nan), "must be finite and not negative, got nan"),
        (lambda t: np.inf * t, "must be finite and not negative, got inf"),
        (lambda t: -1.0, "must be finite and not negative, got -1"),
        (lambda t: 0 * t, "weights over time are all zero; give some time a positive weight"),
        (lambda t: np.ones((len(t), 2)), r"one number for each time, got shape \(\d+, 2\)"),
    ],
)
def test_bad_weight_functions_are_refused(grid, weight, message):
    with pytest.raises(ValueError, match=message):
        Weighted(weight).weights(grid)


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([1, -0.1, 1], "must be finite and not negative, got -0.1"),
        ([1, np.nan, 1], "must be finite and not negative, got nan"),
        ([0, 0, 0], "weights over time are all zero"),
        ([1, 1], r"one weight for each of the 3 times of the grid, got shape \(2,\)"),
        (1.0, r"one weight for each of the 3 times of the grid, got shape \(\)"),
    ],
)
def test_bad_weights_are_refused(weight, message):
    with pytest.raises(ValueError, match=message):
        Weighted(weight).weights(Grid([1, 2, 3]))


@pytest.mark.parametrize(
    ("budget", "message"),
    [
        (stats.norm(500, 1), "mass within the grid, from 1 to 21, got none there; check its unit"),
        (stats.norm(-500, 1), "mass within the grid"),
        ([100, 200], "mass within the grid"),
        ([np.inf], "mass within the grid"),
        ([(1.0, 100), (2.0, 0.5)], "mass within the grid"),
        ([(0.0, 5), (0.0, 6)], "not all zero, got"),
        ([(1.0, 5), (-0.5, 6)], "must be finite, not negative"),
        ([(np.nan, 5)], "must be finite, not negative"),
        ([], "expected a SciPy distribution, budgets, or pairs"),
        ([1, np.nan], "expected a SciPy distribution, budgets, or pairs"),
        ("soon", "expected a SciPy distribution, budgets, or pairs .*got 'soon'"),
        (None, "expected a SciPy distribution, budgets, or pairs"),
        (object(), "expected a SciPy distribution, budgets, or pairs"),
        ([[0.5, stats.norm(5)], [0.5, 3]], "expected a SciPy distribution, budgets, or pairs"),
        (stats.lognorm(-1), "probabilities that are not numbers; check its parameters"),
    ],
)
def test_bad_distributions_are_refused(budget, message):
    with pytest.raises(ValueError, match=message):
        BudgetDistribution(budget).weights(UNEVEN)


def test_a_custom_preference_takes_curves_to_values():
    curves = np.random.default_rng(0).uniform(size=(5, 3, 10))
    np.testing.assert_array_equal(Custom(lambda c: c.min(axis=-1))(curves), curves.min(axis=-1))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda c: c.min(axis=0),
            r"values of shape \(...\), got \(4,\) from \(6, 4\); use operations along the last axis",
        ),
        (lambda c: c.sum(), "into values of shape"),
        (lambda c: np.log(c[..., 0] - 1), "not finite"),
        (lambda c: c[..., 0] * np.inf, "not finite"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_custom_functions_that_do_not_fit_are_refused(function, message):
    with pytest.raises(ValueError, match=message):
        Custom(function)(np.random.default_rng(0).uniform(size=(6, 4)))


def test_a_custom_preference_is_a_function():
    with pytest.raises(ValueError, match=r"Custom needs a function of rating curves \(\.\.\., time\), got 3"):
        Custom(3)


def tried(function, *, times=30, highest=1.0):
    curves = highest * np.random.default_rng(1).dirichlet(np.ones(5), size=(100, times))[..., 0]
    require_monotone(Custom(function), curves, highest=highest, rng=np.random.default_rng(0))


MONOTONE = {
    "mean": lambda c: c.mean(axis=-1),
    "minimum": lambda c: c.min(axis=-1),
    "maximum": lambda c: c.max(axis=-1),
    "logs": lambda c: np.log(c).mean(axis=-1),
    "huge": lambda c: 1e12 * c.mean(axis=-1) + 1e15,
    "steps": lambda c: (c > 0.5).mean(axis=-1),
    "last": lambda c: c[..., -1],
    "median": lambda c: np.median(c, axis=-1),
}
NOT_MONOTONE = {
    "minus": lambda c: -c.mean(axis=-1),
    "spread": lambda c: c.max(axis=-1) - c.min(axis=-1),
    "slope": lambda c: c[..., -1] - c[..., 0],
    "one time of thirty": lambda c: c.mean(axis=-1) - 0.05 * c[..., 17],
    "the second half": lambda c: c[..., :15].sum(axis=-1) - 0.5 * c[..., 15:].sum(axis=-1),
    "a target": lambda c: -np.abs(c - 0.4).mean(axis=-1),
    "a variance": lambda c: c.mean(axis=-1) - 5 * c.var(axis=-1),
}


@pytest.mark.parametrize("function", MONOTONE.values(), ids=MONOTONE)
def test_monotone_preferences_pass(function):
    tried(function)


@pytest.mark.parametrize("function", NOT_MONOTONE.values(), ids=NOT_MONOTONE)
def test_preferences_that_reward_being_worse_are_refused(function):
    with pytest.raises(
        ValueError, match="rewards being worse: raising a rating curve at every time lowered its value from"
    ):
        tried(function)


def test_monotone_up_to_one_is_not_enough_for_portfolios():
    def saturating(curves):
        return (1 - (1 - curves) ** 2).mean(axis=-1)

    tried(saturating)
    with pytest.raises(ValueError, match="rewards being worse"):
        tried(saturating, highest=3.0)


@settings(deadline=None, max_examples=100)
@given(st.lists(st.floats(0, 10), min_size=10, max_size=10).filter(lambda w: sum(w) > 0.1), st.floats(0.2, 5))
def test_positive_weights_of_powers_pass(weights, power):
    curves = np.random.default_rng(1).dirichlet(np.ones(3), size=(40, 10))[..., 0]
    require_monotone(Custom(lambda c: c**power @ np.array(weights)), curves, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    ("time", "words"),
    [
        (1000, "1,000"),
        (60_000, "60,000"),
        (2_500_000, "2,500,000"),
        (0.125, "0.125"),
        (1 / 3, "0.333333"),
        (12345678, "12,345,700"),
    ],
)
def test_budgets_are_spoken_without_powers_of_ten(time, words):
    assert format_budget(time) == words


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
def test_every_preference_has_words(preference, words):
    assert str(preference) == words
