"""The Plackett-Luce likelihood and its derivatives equal plain loops, choix and finite differences, even at extremes."""

from itertools import permutations

import numpy as np
import pytest
from scipy.special import logsumexp

from polarbear.models.plackett_luce import (
    derivatives,
    log_likelihood,
    log_likelihood_and_gradient,
    log_likelihood_by_budget,
)
from polarbear.observe import Choices, Ranking
from tests.models.plain_plackett_luce import Data, by_choix, by_loop, expected, grid_of, of_values, stages

NAMES = ["a", "b", "c", "d", "e", "f"]


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
    for instance, budget in np.ndindex(8, 3):
        order, known = rng.permutation(6), int(rng.integers(1, 6))
        names = [NAMES[i] for i in order]
        rankings.append(Ranking(budget + 1, names[:known], others=names[known:], instance=instance))
        observed.append((budget, 1.0, stages(order, known)))
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


@pytest.mark.parametrize("oracle", [by_loop, by_choix])
def test_derivatives_equal_the_oracles(data, utilities, oracle):
    for ours, theirs in zip(derivatives(utilities, data.choices), expected(data, utilities, oracle), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def test_all_likelihood_functions_agree(data):
    utilities = np.random.default_rng(9).normal(scale=2.0, size=(4, *data.choices.wins.shape))
    draws_last = np.moveaxis(utilities, 0, -1)
    one_by_one = [derivatives(each, data.choices) for each in utilities]
    by_budget = np.array([each[0] for each in one_by_one]).T
    value, gradient = log_likelihood_and_gradient(draws_last, data.choices)
    np.testing.assert_allclose(log_likelihood_by_budget(draws_last, data.choices), by_budget, rtol=1e-12)
    np.testing.assert_allclose(log_likelihood(utilities, data.choices), by_budget.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(value, by_budget.sum(axis=0), rtol=1e-12)
    np.testing.assert_allclose(np.moveaxis(gradient, -1, 0), [each[1] for each in one_by_one], atol=1e-12)


@pytest.mark.parametrize("scale", [2.0, 2000.0])
def test_derivatives_of_few_budgets_at_once_are_the_same(data, utilities, scale, monkeypatch):
    whole = derivatives(scale * utilities, data.choices)
    monkeypatch.setattr("polarbear.models.plackett_luce._NUMBERS_AT_ONCE", 1)
    for ours, theirs in zip(derivatives(scale * utilities, data.choices), whole, strict=True):
        assert ours.tobytes() == theirs.tobytes()


def test_derivatives_equal_finite_differences(data, utilities):
    # Central differences of step 1e-5 err by about 1e-10 times the third derivative (below 100 here) and by the
    # rounding of the value, 1e-14 / 1e-5.
    _, gradient, curvature = derivatives(utilities, data.choices)
    for budget, algorithm in np.ndindex(utilities.shape):
        step = np.zeros_like(utilities)
        step[budget, algorithm] = 1e-5
        up, down = derivatives(utilities + step, data.choices), derivatives(utilities - step, data.choices)
        np.testing.assert_allclose((up[0] - down[0])[budget] / 2e-5, gradient[budget, algorithm], rtol=1e-6, atol=1e-6)
        np.testing.assert_allclose(
            (up[1] - down[1])[budget] / 2e-5, -curvature[budget, algorithm], rtol=1e-6, atol=1e-6
        )


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
