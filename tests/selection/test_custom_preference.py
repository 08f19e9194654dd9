"""Custom preferences: their values, and the test that they increase with the ratings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarbear import Custom, select
from polarbear.selection.custom_preference import require_monotone
from tests.selection.posteriors import random_posterior


def test_a_custom_preference_takes_curves_to_values():
    curves = np.random.default_rng(0).uniform(size=(5, 3, 10))
    np.testing.assert_array_equal(Custom(lambda c: c.min(axis=-1))(curves), curves.min(axis=-1))


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (
            lambda c: c.min(axis=0),
            r"to values of shape \(...\), got \(4,\) from \(6, 4\); use operations along the last axis",
        ),
        (lambda c: c.sum(), "to values of shape"),
        (lambda c: np.log(c[..., 0] - 1), "a function with finite values"),
        (lambda c: c[..., 0] * np.inf, "a function with finite values"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_custom_functions_that_do_not_fit_are_refused(function, message):
    with pytest.raises(ValueError, match=message):
        Custom(function)(np.random.default_rng(0).uniform(size=(6, 4)))


def test_a_custom_preference_is_a_function():
    with pytest.raises(ValueError, match=r"expected a function of rating curves \(\.\.\., budget\) for Custom, got 3"):
        Custom(3)


def require_monotone_on_draws(function, *, budgets=30, highest=1.0):
    curves = highest * np.random.default_rng(1).dirichlet(np.ones(5), size=(100, budgets))[..., 0]
    require_monotone(Custom(function), curves, highest=highest, rng=np.random.default_rng(0))


MONOTONE = {
    "mean": lambda c: c.mean(axis=-1),
    "minimum": lambda c: c.min(axis=-1),
    "maximum": lambda c: c.max(axis=-1),
    "logs": lambda c: np.log(c).mean(axis=-1),
    "huge": lambda c: 1e12 * c.mean(axis=-1) + 1e15,
    "last": lambda c: c[..., -1],
    "median": lambda c: np.median(c, axis=-1),
}
NOT_MONOTONE = {
    "minus": lambda c: -c.mean(axis=-1),
    "spread": lambda c: c.max(axis=-1) - c.min(axis=-1),
    "slope": lambda c: c[..., -1] - c[..., 0],
    "one budget of thirty": lambda c: c.mean(axis=-1) - 0.05 * c[..., 17],
    "the second half": lambda c: c[..., :15].sum(axis=-1) - 0.5 * c[..., 15:].sum(axis=-1),
    "a target": lambda c: -np.abs(c - 0.4).mean(axis=-1),
    "a variance": lambda c: c.mean(axis=-1) - 5 * c.var(axis=-1),
}


@pytest.mark.parametrize("function", MONOTONE.values(), ids=MONOTONE)
def test_monotone_preferences_pass(function):
    require_monotone_on_draws(function)


@pytest.mark.parametrize("function", NOT_MONOTONE.values(), ids=NOT_MONOTONE)
def test_preferences_that_do_not_increase_with_the_ratings_are_refused(function):
    with pytest.raises(ValueError, match="increases with the ratings, got one whose value falls from"):
        require_monotone_on_draws(function)


def test_monotone_up_to_one_is_not_enough_for_portfolios():
    def saturating(curves):
        return (1 - (1 - curves) ** 2).mean(axis=-1)

    require_monotone_on_draws(saturating)
    with pytest.raises(ValueError, match="increases with the ratings, got one whose value falls"):
        require_monotone_on_draws(saturating, highest=3.0)


@settings(deadline=None, max_examples=50)
@given(st.lists(st.floats(0, 10), min_size=10, max_size=10).filter(lambda w: sum(w) > 0.1), st.floats(0.2, 5))
def test_positive_weights_of_powers_pass(weights, power):
    curves = np.random.default_rng(1).dirichlet(np.ones(3), size=(40, 10))[..., 0]
    require_monotone(Custom(lambda c: c**power @ np.array(weights)), curves, rng=np.random.default_rng(0))


@pytest.mark.parametrize("function", [lambda c: np.zeros(c.shape[:-1]), lambda c: (c > 0.5).mean(axis=-1)])
def test_a_preference_that_does_not_rise_with_the_whole_curve_is_refused(function):
    with pytest.raises(ValueError, match=r"one whose value stays .* when a rating curve rises at every budget; change"):
        select(random_posterior(), Custom(function))
