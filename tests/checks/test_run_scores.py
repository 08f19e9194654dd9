"""Scores of single instances are the gradients of their log-likelihood."""

import numpy as np

import polarbear as pb
from polarbear.checks.run_scores import scores_by_instance
from polarbear.models.plackett_luce import derivatives
from polarbear.observe.rankings import ABSENT, UNRANKED


def exact_scores(utilities, choices):
    return np.array([derivatives(utilities, one)[1] for one in choices.by_instance()])


def test_scores_are_the_gradients_of_single_rankings():
    rng = np.random.default_rng(1)
    values = rng.normal(size=(7, 3, 5))
    values[rng.random(values.shape) < 0.3] = np.nan
    choices = pb.Choices.from_values(values, grid=[1, 2, 3], weights=rng.random(7), per_instance=True)
    utilities = rng.normal(size=(3, 5))
    scores = scores_by_instance(utilities, choices.rankings)
    np.testing.assert_allclose(scores, exact_scores(utilities, choices), atol=1e-12)


def test_scores_of_unknown_tails_are_exact():
    ranks = [[[0, 1, UNRANKED, UNRANKED]], [[ABSENT, 0, UNRANKED, 1]], [[UNRANKED, UNRANKED, UNRANKED, 0]]]
    choices = pb.Choices.from_rankings(pb.Rankings(ranks, None, [1.0]), per_instance=True)
    utilities = np.array([[0.3, -1.0, 0.5, 0.2]])
    scores = scores_by_instance(utilities, choices.rankings)
    np.testing.assert_allclose(scores, exact_scores(utilities, choices), atol=1e-12)


def test_scores_of_ties_are_close_to_the_average_over_their_orders():
    rng = np.random.default_rng(2)
    values = rng.integers(0, 3, size=(40, 2, 5)).astype(float)
    choices = pb.Choices.from_values(values, grid=[1, 2], per_instance=True)
    utilities = rng.normal(size=(2, 5))
    exact, efron = exact_scores(utilities, choices), scores_by_instance(utilities, choices.rankings)
    np.testing.assert_allclose(efron.sum(axis=2), 0, atol=1e-12)
    # Two of three values are tied here, and the approximation differs by an eighth of a score.
    assert np.sqrt(np.mean((efron - exact) ** 2)) < 0.15 * np.sqrt(np.mean(exact**2))


def test_all_tied_and_utilities_far_apart_give_finite_scores():
    upwards = np.arange(8)
    rankings = pb.Rankings([[np.zeros(8, int)], [upwards], [upwards[::-1]]], None, [1.0])
    scores = scores_by_instance(np.array([[0.0, -400.0, *np.linspace(-760, -900, 6)]]), rankings)
    assert np.isfinite(scores).all()
    np.testing.assert_allclose(scores.sum(axis=2), 0, atol=1e-9)
    np.testing.assert_allclose(scores_by_instance(np.zeros((1, 8)), rankings)[0], 0, atol=1e-12)
