"""The Plackett-Luce likelihood is a probability that ignores irrelevant alternatives, and sampled rankings follow it."""

from itertools import pairwise, permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import logsumexp

from polarbear.models.plackett_luce import (
    derivatives,
    log_likelihood,
    log_likelihood_by_budget,
    log_ratings,
    sample_rankings,
)
from polarbear.observe import Choices, Rankings, rank_values
from tests.models.plain_plackett_luce import grid_of, of_values

law = settings(deadline=None, max_examples=60)


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
    with pytest.raises(ValueError, match=r"3 budgets, 5 algorithms.*got"):
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
    choices = Choices.from_values(np.argsort(orders, axis=1)[None].astype(float), grid=grid_of(n))  # one per budget
    total = np.exp(log_likelihood_by_budget(np.repeat(utilities, n, axis=0)[..., None], choices)).sum()
    alone = np.argsort(np.array(order) - 1)[None, None].astype(float)
    left = np.exp(log_likelihood(utilities[:, 1:], Choices.from_values(alone, grid=[1.0])))
    assert total == pytest.approx(float(left), rel=1e-10)


def test_probabilities_of_all_rankings_sum_to_one():
    utilities = np.random.default_rng(0).normal(scale=2, size=(1, 5))
    orders = np.array([list(permutations(range(5)))])  # one per budget
    choices = Choices.from_values(orders, grid=grid_of(factorial(5)))
    probabilities = np.exp(log_likelihood_by_budget(np.repeat(utilities, factorial(5), axis=0)[..., None], choices))
    assert probabilities.sum() == pytest.approx(1, rel=1e-12)


def test_log_ratings_are_the_logarithms_of_the_softmax():
    utilities = np.random.default_rng(0).normal(scale=30, size=(4, 3, 5))
    utilities[0, 0] = [1000, 0, -1000, 999, 1000]
    for axis in (0, 1, -1):
        expected_value = utilities - logsumexp(utilities, axis=axis, keepdims=True)
        before = utilities.copy()
        np.testing.assert_allclose(log_ratings(utilities, axis=axis), expected_value, rtol=1e-13, atol=1e-13)
        np.testing.assert_array_equal(utilities, before)


def test_sampled_rankings_follow_the_model():
    """All 3! rankings at two budgets against the formula, 20,000 of each."""
    ratings = np.array([[0.5, 0.3, 0.2], [0.05, 0.15, 0.8]])
    values = sample_rankings(np.log(ratings), 20_000, rng=np.random.default_rng(5))
    assert values.shape == (20_000, 2, 3)
    for budget, theta in enumerate(ratings):
        orders = list(permutations(range(3)))
        probability = [theta[a] * theta[b] / (1 - theta[a]) for a, b, _ in orders]
        drawn = [tuple(order) for order in np.argsort(values[:, budget], axis=1).tolist()]
        counts = [drawn.count(order) for order in orders]
        # Below the 99.9 % quantile (20.5 at 5 degrees of freedom); the seed is fixed.
        assert stats.chisquare(counts, np.multiply(probability, 20_000)).statistic < stats.chi2.ppf(0.999, 5)


def test_sampled_rankings_of_different_budgets_are_independent():
    values = sample_rankings(np.zeros((4, 2)), 10_000, rng=np.random.default_rng(6))
    first = (values[..., 0] < values[..., 1]).astype(float)
    # Correlations of 10,000 independent pairs have standard error 0.01.
    for one, other in pairwise(first.T):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.04


def test_sampled_rankings_repeat_with_the_generator():
    one, other = (sample_rankings(np.zeros((2, 3)), 4, rng=np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(one, other)
