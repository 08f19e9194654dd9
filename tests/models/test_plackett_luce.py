"""The likelihood and its derivatives: against a plain loop over orderings, against choix, and their laws."""

from collections import Counter
from itertools import pairwise, permutations, product
from math import factorial

import numpy as np
import pytest
from choix.opt import Top1Fcts
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from polarbear.models.plackett_luce import (
    derivatives,
    log_likelihood,
    log_likelihood_and_gradient,
    log_likelihood_by_time,
    log_ratings,
    sample_rankings,
)
from polarbear.observe import Choices, Grid, Ranking, Rankings, rank_values

law = settings(deadline=None, max_examples=60)

NAMES = ["a", "b", "c", "d", "e", "f"]


def grid_of(times):
    return Grid(np.arange(1.0, times + 1))


def orderings(row):
    """All orders, best first, that are compatible with a row of values; NaN is absent."""
    present = [i for i, value in enumerate(row) if not np.isnan(value)]
    groups = [[i for i in present if row[i] == value] for value in sorted({row[i] for i in present})]
    return [[i for group in parts for i in group] for parts in product(*map(permutations, groups))]


def stages(order, known=None):
    """The choices of one order, (winner, losers), of its first `known` positions."""
    pairs = [(winner, list(order[place + 1 :])) for place, winner in enumerate(order)]
    return [(winner, losers) for winner, losers in pairs[:known] if losers]


class Data:
    """Choices, and the weight of each single choice (time, winner, losers) that they stand for."""

    def __init__(self, choices, observed):
        self.choices, self.weights = choices, Counter()
        for time, weight, stages in observed:
            for winner, losers in stages:
                self.weights[time, winner, tuple(sorted(losers))] += weight


def of_values(values, weights=None):
    instances, times, _ = values.shape
    each = np.ones((instances, times)) if weights is None else weights
    observed = []
    for instance, time in np.ndindex(instances, times):
        orders = orderings(values[instance, time])
        observed += [(time, each[instance, time] / len(orders), stages(order)) for order in orders]
    return Data(Choices.from_values(values, grid=grid_of(times), weights=weights), observed)


def full(rng):
    return of_values(rng.normal(size=(9, 3, 5)))


def subsets(rng):
    values = rng.normal(size=(12, 3, 6))
    values[rng.random(values.shape) < 0.4] = np.nan
    return of_values(values)


def weighted(rng):
    return of_values(rng.normal(size=(9, 3, 5)), weights=rng.gamma(1.0, size=(9, 3)))


def partial(rng):
    """Only the best m of six are known."""
    rankings, observed = [], []
    for instance, time in np.ndindex(8, 3):
        order, known = rng.permutation(6), int(rng.integers(1, 6))
        names = [NAMES[i] for i in order]
        rankings.append(Ranking(time + 1, names[:known], others=names[known:], instance=instance))
        observed.append((time, 1.0, stages(order, known)))
    return Data(Choices.from_rankings(rankings, grid=grid_of(3), names=NAMES), observed)


def ties(rng):
    """Ties of up to six, each as all of its k! orderings."""
    values = rng.integers(0, 4, size=(4, 3, 6)).astype(float)
    values[0, 0] = 1.0
    return of_values(values)


def everything(rng):
    values = rng.integers(0, 4, size=(12, 3, 6)).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    return of_values(values, weights=rng.gamma(1.0, size=(12, 3)))


@pytest.fixture(params=[full, subsets, weighted, partial, ties, everything], ids=lambda kind: kind.__name__)
def data(request):
    return request.param(np.random.default_rng(7))


@pytest.fixture
def utilities(data):
    return np.random.default_rng(8).normal(scale=2.0, size=data.choices.wins.shape)


def by_loop(choice, mu):
    """Value, gradient and negative Hessian of one choice, from the definition."""
    winner, losers = choice
    chosen_from = [winner, *losers]
    p = np.zeros(len(mu))
    p[chosen_from] = np.exp(mu[chosen_from]) / np.exp(mu[chosen_from]).sum()
    return np.log(p[winner]), np.eye(len(mu))[winner] - p, np.diag(p) - np.outer(p, p)


def by_choix(choice, mu):
    functions = Top1Fcts([choice], penalty=0.0)
    return -functions.objective(mu), -functions.gradient(mu), functions.hessian(mu)


def expected(data, utilities, oracle):
    times, n = utilities.shape
    value, gradient, curvature = np.zeros(times), np.zeros((times, n)), np.zeros((times, n, n))
    for (time, winner, losers), weight in data.weights.items():
        of_choice = oracle((winner, list(losers)), utilities[time])
        value[time] += weight * of_choice[0]
        gradient[time] += weight * of_choice[1]
        curvature[time] += weight * of_choice[2]
    return value, gradient, curvature


@pytest.mark.parametrize("oracle", [by_loop, by_choix])
def test_derivatives_equal_the_oracles(data, utilities, oracle):
    for ours, theirs in zip(derivatives(utilities, data.choices), expected(data, utilities, oracle), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def test_all_likelihood_functions_agree(data):
    utilities = np.random.default_rng(9).normal(scale=2.0, size=(4, *data.choices.wins.shape))
    draws_last = np.moveaxis(utilities, 0, -1)
    one_by_one = [derivatives(each, data.choices) for each in utilities]
    by_time = np.array([each[0] for each in one_by_one]).T
    value, gradient = log_likelihood_and_gradient(draws_last, data.choices)
    np.testing.assert_allclose(log_likelihood_by_time(draws_last, data.choices), by_time, rtol=1e-12)
    np.testing.assert_allclose(log_likelihood(utilities, data.choices), by_time.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(value, by_time.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(np.moveaxis(gradient, -1, 0), [each[1] for each in one_by_one], atol=1e-12)


def test_derivatives_equal_finite_differences(data, utilities):
    # Central differences of step 1e-5 err by about 1e-10 times the third derivative (below 100 here) and by the
    # rounding of the value, 1e-14 / 1e-5.
    _, gradient, curvature = derivatives(utilities, data.choices)
    for time, algorithm in np.ndindex(utilities.shape):
        step = np.zeros_like(utilities)
        step[time, algorithm] = 1e-5
        up, down = derivatives(utilities + step, data.choices), derivatives(utilities - step, data.choices)
        np.testing.assert_allclose((up[0] - down[0])[time] / 2e-5, gradient[time, algorithm], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose((up[1] - down[1])[time] / 2e-5, -curvature[time, algorithm], rtol=1e-6, atol=1e-6)


def test_the_curvature_is_positive_semi_definite_with_constants_in_its_null_space(data, utilities):
    _, gradient, curvature = derivatives(utilities, data.choices)
    assert np.linalg.eigvalsh(curvature).min() > -1e-12 * np.abs(curvature).max()
    np.testing.assert_allclose(curvature.sum(axis=-1), 0, atol=1e-12)
    np.testing.assert_allclose(gradient.sum(axis=-1), 0, atol=1e-12)


def test_a_constant_changes_nothing(data, utilities):
    shifted = derivatives(utilities + np.array([[-3.0], [50.0], [1e4]]), data.choices)
    for one, other in zip(derivatives(utilities, data.choices), shifted, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-9)  # adding 1e4 costs four of sixteen digits


def test_permuting_the_algorithms_permutes_the_derivatives():
    rng = np.random.default_rng(3)
    values = rng.integers(0, 5, size=(10, 2, 5)).astype(float)
    utilities, order = rng.normal(size=(2, 5)), rng.permutation(5)
    value, gradient, curvature = derivatives(utilities, Choices.from_values(values, grid=grid_of(2)))
    there = derivatives(utilities[:, order], Choices.from_values(values[..., order], grid=grid_of(2)))
    np.testing.assert_allclose(there[0], value, rtol=1e-12)
    np.testing.assert_allclose(there[1], gradient[:, order], atol=1e-12)
    np.testing.assert_allclose(there[2], curvature[:, order][:, :, order], atol=1e-12)


def test_leading_axes_are_kept():
    choices = of_values(np.random.default_rng(0).normal(size=(4, 3, 5))).choices
    utilities = np.random.default_rng(1).normal(size=(2, 7, 3, 5))
    result = log_likelihood(utilities, choices)
    assert result.shape == (2, 7)
    assert result[1, 4] == pytest.approx(float(log_likelihood(utilities[1, 4], choices)), rel=1e-13)
    assert log_likelihood(utilities[0, 0], choices).shape == ()


@pytest.mark.parametrize("shape", [(5, 3), (3,), (3, 4), (2, 5)])
def test_utilities_of_another_shape_are_refused(shape):
    choices = of_values(np.random.default_rng(0).normal(size=(4, 3, 5))).choices
    with pytest.raises(ValueError, match=r"3 times, 5 algorithms.*got"):
        log_likelihood(np.zeros(shape), choices)


finite = st.floats(-8, 8)


@law
@given(st.data(), st.integers(3, 6))
def test_an_algorithm_that_was_not_observed_changes_nothing(data, n):
    """IIA: a further algorithm of any utility, which was absent, does not change the others' likelihood."""
    absent = data.draw(st.integers(0, n - 1))
    others = [i for i in range(n) if i != absent]
    rows = data.draw(st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), min_size=1, max_size=5))
    utilities = np.array([data.draw(st.lists(finite, min_size=n, max_size=n))])
    values = np.array(rows, dtype=float)[:, None, :]
    values[..., absent] = np.nan
    with_it = Choices.from_rankings(Rankings(rank_values(values), None, [1.0]))
    without = Choices.from_values(values[..., others], grid=[1.0])
    value, gradient, curvature = derivatives(utilities, with_it)
    alone = derivatives(utilities[:, others], without)
    np.testing.assert_allclose(value, alone[0], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(gradient[:, others], alone[1], atol=1e-12)
    np.testing.assert_allclose(curvature[:, others][:, :, others], alone[2], atol=1e-12)
    assert not gradient[:, absent].any()
    assert not curvature[:, absent].any()


@law
@given(st.data(), st.integers(3, 6))
def test_the_sum_over_the_positions_of_one_algorithm_is_the_likelihood_without_it(data, n):
    """IIA: removing an algorithm from the ranking gives the probability of the others' order."""
    order = data.draw(st.permutations(range(1, n)))
    utilities = np.array([data.draw(st.lists(finite, min_size=n, max_size=n))])
    orders = [[*order[:place], 0, *order[place:]] for place in range(n)]
    choices = Choices.from_values(np.argsort(orders, axis=1)[None].astype(float), grid=grid_of(n))  # one per time
    total = np.exp(log_likelihood_by_time(np.repeat(utilities, n, axis=0)[..., None], choices)).sum()
    alone = np.argsort(np.array(order) - 1)[None, None].astype(float)
    left = np.exp(log_likelihood(utilities[:, 1:], Choices.from_values(alone, grid=[1.0])))
    assert total == pytest.approx(float(left), rel=1e-10)


def test_probabilities_of_all_rankings_sum_to_one():
    utilities = np.random.default_rng(0).normal(scale=2, size=(1, 5))
    orders = np.array([list(permutations(range(5)))])  # one per time
    choices = Choices.from_values(orders, grid=grid_of(factorial(5)))
    probabilities = np.exp(log_likelihood_by_time(np.repeat(utilities, factorial(5), axis=0)[..., None], choices))
    assert probabilities.sum() == pytest.approx(1, rel=1e-12)


def exact_value(order, mu):
    mu = np.subtract(mu, max(mu))  # with large numbers the oracle would lose digits
    return sum(mu[order[place]] - logsumexp([mu[i] for i in order[place:]]) for place in range(len(order)))


@pytest.mark.parametrize("order", list(permutations(range(3))))
@pytest.mark.parametrize("mu", [(1000.0, 0.0, 500.0), (0.0, 1000.0, 999.0), (0.0, -1000.0, 0.5), (1e6, 1e6, 1e6 - 600)])
def test_extreme_utilities_stay_exact(order, mu):
    choices = Choices.from_values(np.argsort(order)[None, None].astype(float), grid=[1.0])
    utilities = np.array([mu])
    value, gradient, curvature = derivatives(utilities, choices)
    value_too, gradient_too = log_likelihood_and_gradient(utilities[..., None], choices)
    assert value[0] == pytest.approx(exact_value(order, mu), rel=1e-12, abs=1e-12)
    assert value_too[0] == pytest.approx(value[0], rel=1e-12, abs=1e-12)
    assert log_likelihood(utilities, choices) == pytest.approx(value[0], rel=1e-12, abs=1e-12)
    assert np.isfinite(gradient).all()
    assert np.isfinite(curvature).all()
    np.testing.assert_allclose(gradient_too[..., 0], gradient, atol=1e-12)


@pytest.mark.parametrize("mu", [(0.0, -1000.0, -1001.0), (0.0, -800.0, -2000.0), (3000.0, 0.0, 1.0)])
@pytest.mark.parametrize("order", [(0, 1, 2), (0, 2, 1)])
def test_a_choice_between_two_very_weak_algorithms_stays_exact(order, mu):
    """Relative to the best, the exponentials of the other utilities may underflow to zero."""
    choices = Choices.from_values(np.argsort(order)[None, None].astype(float), grid=[1.0])
    utilities = np.array([mu])
    _, gradient, _ = expected(Data(choices, [(0, 1.0, stages(order[1:]))]), utilities, by_choix)
    value, ours, curvature = derivatives(utilities, choices)
    exact = pytest.approx(exact_value(order, mu), rel=1e-12, abs=1e-12)
    assert value[0] == exact
    assert log_likelihood(utilities, choices) == exact
    np.testing.assert_allclose(ours, gradient, atol=1e-12)
    assert np.isfinite(curvature).all()
    # A draw that is not extreme beside it does not change.
    usual = np.array([[0.3, -0.2, 0.1]])
    values, gradients = log_likelihood_and_gradient(np.stack([usual, utilities], axis=-1), choices)
    assert values[0] == pytest.approx(float(log_likelihood(usual, choices)), rel=1e-12)
    assert values[1] == exact
    np.testing.assert_allclose(gradients[..., 0], derivatives(usual, choices)[1], atol=1e-12)
    np.testing.assert_allclose(gradients[..., 1], gradient, atol=1e-12)


def test_log_ratings_are_the_logarithms_of_the_softmax():
    utilities = np.random.default_rng(0).normal(scale=30, size=(4, 3, 5))
    utilities[0, 0] = [1000, 0, -1000, 999, 1000]
    for axis in (0, 1, -1):
        expected_value = utilities - logsumexp(utilities, axis=axis, keepdims=True)
        before = utilities.copy()
        np.testing.assert_allclose(log_ratings(utilities, axis=axis), expected_value, rtol=1e-13, atol=1e-13)
        np.testing.assert_array_equal(utilities, before)


def test_sampled_rankings_follow_the_model():
    """All 3! rankings at two times against the formula, 20,000 of each."""
    ratings = np.array([[0.5, 0.3, 0.2], [0.05, 0.15, 0.8]])
    values = sample_rankings(np.log(ratings), 20_000, rng=np.random.default_rng(5))
    assert values.shape == (20_000, 2, 3)
    for time, theta in enumerate(ratings):
        orders = list(permutations(range(3)))
        probability = [theta[a] * theta[b] / (1 - theta[a]) for a, b, _ in orders]
        drawn = [tuple(order) for order in np.argsort(values[:, time], axis=1).tolist()]
        counts = [drawn.count(order) for order in orders]
        # Below the 99.9 % quantile (20.5 at 5 degrees of freedom); the seed is fixed.
        assert stats.chisquare(counts, np.multiply(probability, 20_000)).statistic < stats.chi2.ppf(0.999, 5)


def test_sampled_rankings_of_different_times_are_independent():
    values = sample_rankings(np.zeros((4, 2)), 10_000, rng=np.random.default_rng(6))
    first = (values[..., 0] < values[..., 1]).astype(float)
    # Correlations of 10,000 independent pairs have standard error 0.01.
    for one, other in pairwise(first.T):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.04


def test_sampled_rankings_repeat_with_the_generator():
    one, other = (sample_rankings(np.zeros((2, 3)), 4, rng=np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
