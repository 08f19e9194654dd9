"""Bounds of the worst-case loss: brute force below, random preferences in between, nothing for a point posterior."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarbear import At, Choices, Custom, fit, select, worst_case_loss
from tests.selection.posteriors import posterior_of, random_posterior


def value_of_knowing(values):
    """E[max_B V_B] − max_A E[V_A] of values (draw, algorithm), by loops."""
    draws = [max(row) for row in values]
    return sum(draws) / len(draws) - max(sum(column) / len(column) for column in values.T)


@pytest.mark.parametrize("seed", range(6))
def test_the_lower_bound_is_the_worst_single_budget_or_average_of_neighbours(seed):
    posterior = random_posterior(draws=50, budgets=9, seed=seed)
    bounds = worst_case_loss(posterior)
    single = [value_of_knowing(posterior.ratings[:, t]) for t in range(9)]
    windows = [
        value_of_knowing(posterior.ratings[:, first : first + width].mean(axis=1))
        for width in (2, 4, 8)
        for first in range(9 - width + 1)
    ]
    assert bounds.lower == pytest.approx(max(single + windows), rel=1e-10)
    assert bounds.budget == posterior.grid.budgets[np.argmax(single)]
    # Selection reports the same loss at a single budget.
    assert max(single) == pytest.approx(select(posterior, At(bounds.budget)).loss, rel=1e-9)


def test_without_joint_draws_the_lower_bound_is_the_worst_single_budget():
    posterior = random_posterior(draws=50, budgets=9, seed=1)
    alone = posterior_of(posterior.ratings, posterior.grid, joint=False)
    single = [value_of_knowing(posterior.ratings[:, t]) for t in range(9)]
    assert worst_case_loss(alone).lower == pytest.approx(max(single), rel=1e-10)


def test_an_average_over_time_may_risk_more_than_any_single_budget():
    """A is probably better than B at first, and probably worse later; over both budgets it is an open question."""
    rng = np.random.default_rng(0)
    ratings = np.full((400, 2, 2), 0.5)
    common = rng.normal(scale=0.05, size=400)
    ratings[:, 0, 0] += 0.03 + common
    ratings[:, 1, 0] += -0.03 + common
    posterior = posterior_of(ratings)
    assert worst_case_loss(posterior).lower > max(value_of_knowing(ratings[:, t]) for t in range(2)) + 1e-3


def lipschitz_preferences(budgets, rng):
    """Monotone preferences that change no faster than the ratings."""
    weights = rng.dirichlet(np.full(budgets, 0.3))
    shift = rng.uniform(-0.2, 0.2, size=budgets)
    level, cut = rng.uniform(), rng.uniform(0.05, 0.5)
    yield lambda c: c @ weights
    yield lambda c: (c + shift).min(axis=-1)
    yield lambda c: (c + shift).max(axis=-1)
    yield lambda c: np.quantile(c, level, axis=-1)
    yield lambda c: np.minimum(c, cut) @ weights
    yield lambda c: 0.5 * c.min(axis=-1) + 0.5 * c.max(axis=-1)
    yield lambda c: np.sin(c) @ weights  # slope at most one, increasing on [0, 1]
    yield lambda c: -np.log(np.exp(-20 * c).mean(axis=-1)) / 20  # a soft minimum


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 2**32 - 1), st.integers(1, 7), st.integers(2, 5), st.floats(0.05, 3))
def test_the_upper_bound_holds_for_random_preferences(seed, budgets, algorithms, spread):
    posterior = random_posterior(draws=40, budgets=budgets, algorithms=algorithms, seed=seed, spread=spread)
    bounds = worst_case_loss(posterior)
    assert 0 <= bounds.lower <= bounds.upper
    for function in lipschitz_preferences(budgets, np.random.default_rng(seed)):
        values = function(np.moveaxis(posterior.ratings, -1, 1))
        # Exact for the posterior of these forty draws, apart from rounding.
        assert value_of_knowing(values) <= bounds.upper + 1e-12


def test_the_upper_bound_by_loops():
    posterior = random_posterior(draws=12, budgets=5, algorithms=3)
    theta = posterior.ratings
    total = 0.0
    for i in range(12):
        above = [sum(max(0.0, *(theta[i, :, b] - theta[j, :, b])) for j in range(12) if j != i) / 11 for b in range(3)]
        total += max(above) / 12
    assert worst_case_loss(posterior).upper == pytest.approx(total, rel=1e-12)


def test_loss_of_selection_under_such_a_preference_lies_below():
    posterior = random_posterior(draws=100, budgets=6, seed=4)
    selection = select(posterior, Custom(lambda c: c.min(axis=-1)))
    assert selection.loss <= worst_case_loss(posterior).upper


def test_a_point_posterior_has_none():
    ratings = np.random.default_rng(0).dirichlet(np.ones(4), size=(1, 6)).repeat(30, axis=0)
    bounds = worst_case_loss(posterior_of(ratings))
    assert (bounds.lower, bounds.upper) == pytest.approx((0, 0), abs=1e-15)  # the rounding of means
    assert worst_case_loss(posterior_of(ratings[:1])).upper == 0


def test_a_single_candidate_has_none():
    bounds = worst_case_loss(random_posterior(), among="B")
    assert (bounds.lower, bounds.upper) == (0, 0)


def test_it_shrinks_as_the_posterior_concentrates():
    posteriors = [random_posterior(draws=150, budgets=6, seed=3, spread=spread) for spread in (1, 0.3, 0.1, 0.01, 1e-4)]
    bounds = [worst_case_loss(posterior) for posterior in posteriors]
    uppers, lowers = [each.upper for each in bounds], [each.lower for each in bounds]
    assert uppers == sorted(uppers, reverse=True)
    assert lowers == sorted(lowers, reverse=True)
    assert uppers[-1] < 1e-3


def test_only_the_requested_candidates_are_compared():
    posterior = random_posterior(seed=6)
    smaller = posterior_of(posterior.ratings[..., [1, 3]], posterior.grid, names=["B", "D"])
    assert worst_case_loss(posterior, among=["D", "B"]) == worst_case_loss(smaller)
    with pytest.raises(ValueError, match="expected different candidates among A, B, C, D, got 'X'"):
        worst_case_loss(posterior, among=["X"])


def test_the_order_of_algorithms_does_not_matter():
    posterior, order = random_posterior(seed=2), [3, 1, 0, 2]
    shuffled = posterior_of(posterior.ratings[..., order], posterior.grid, names=[posterior.names[k] for k in order])
    ours, theirs = (vars(worst_case_loss(each)) for each in (posterior, shuffled))
    assert ours.pop("choice") == theirs.pop("choice")
    assert theirs == pytest.approx(ours, rel=1e-12)


def test_the_irreducible_loss_is_that_of_the_best_fixed_choice_at_its_worst_budget():
    """A leads at first and B afterwards; C is second everywhere and loses least at its worst budget."""
    ratings = np.array([[[0.6, 0.1, 0.3], [0.1, 0.5, 0.4]]]).repeat(30, axis=0)
    bounds = worst_case_loss(posterior_of(ratings, names=["A", "B", "C"]))
    assert (bounds.lower, bounds.upper) == pytest.approx((0, 0), abs=1e-15)
    assert (bounds.choice, bounds.irreducible) == ("C", pytest.approx(0.3))


def rival_curves(posterior, preference):
    """The lowest value over rivals of a preference of each pair's win rates, (draw, algorithm), by loops."""
    number = len(posterior.names)
    rates = {(a, b): posterior.win_rates(a, b).T.astype(float) for a in range(number) for b in range(number) if a != b}
    return np.array(
        [[min(preference(rates[a, b][d]) for b in range(number) if b != a) for a in range(number)] for d in range(200)]
    )


@pytest.mark.parametrize("seed", range(3))
def test_under_the_default_belief_the_bounds_enclose_preferences_of_win_rates(seed):
    values = np.random.default_rng(seed).normal(size=(12, 4, 3)) + np.linspace(0, 0.5, 3)
    posterior = fit(Choices.from_values(values, grid=[1, 2, 3, 4]), draws=200, seed=seed)
    bounds = worst_case_loss(posterior, among=posterior.names)
    weights = np.random.default_rng(seed).dirichlet(np.ones(4))
    for preference in (lambda c: c @ weights, np.min, np.max, *(lambda c, t=t: c[t] for t in range(4))):
        assert value_of_knowing(rival_curves(posterior, preference)) <= bounds.upper + 1e-6
    single = [value_of_knowing(rival_curves(posterior, lambda c, t=t: c[t])) for t in range(4)]
    assert max(single) - 1e-6 <= bounds.lower <= bounds.upper
    expected = np.array([rival_curves(posterior, lambda c, t=t: c[t]).mean(axis=0) for t in range(4)])
    assert bounds.irreducible == pytest.approx(
        (expected.max(axis=1, keepdims=True) - expected).max(axis=0).min(), abs=1e-6
    )


def test_some_of_many_draws_are_enough():
    """200 of 3000 draws: the bound moves by Monte Carlo error alone."""
    posterior = random_posterior(draws=3000, budgets=5, seed=1)
    others = posterior_of(posterior.ratings[::-7], posterior.grid)
    first, second = worst_case_loss(posterior).upper, worst_case_loss(others).upper
    assert first == pytest.approx(second, rel=0.15)  # 200 draws: relative errors of 5 % or so


def test_nothing_changes_its_inputs():
    posterior = random_posterior()
    before = posterior.ratings.copy()
    worst_case_loss(posterior)
    worst_case_loss(posterior, among=["A", "C"])
    np.testing.assert_array_equal(posterior.ratings, before)
