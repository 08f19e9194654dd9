"""Ratings of the default belief: first places, redistributed where algorithms were not run."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.observe.rankings import ABSENT
from polarbear.posterior.first_places import first_shares

MANY = 300  # copies of each instance, so that means over draws are means over instances
TOLERANCE = 5 * 0.5 / np.sqrt(MANY * 3 * 400) + 1 / (MANY * 3)  # of 400 draws, and a prior of one instance


def mean_ratings(ranks):
    """The mean ratings of ranks (instance, algorithm) at one budget, each of which occurs many times."""
    rankings = pb.Rankings(np.tile(ranks, (MANY, 1))[:, None], None, [1.0])
    return pb.fit(pb.Choices.from_rankings(rankings), draws=400).ratings.mean(axis=0)[0]


def test_first_shares_divide_ties():
    shares = first_shares(np.array([[[0, 1, 2], [1, 0, 0], [ABSENT, 0, 1]]], dtype=np.int16))
    assert shares.tolist() == [[[1, 0, 0], [0, 0.5, 0.5], [0, 1, 0]]]
    assert first_shares(np.full((1, 1, 3), ABSENT, dtype=np.int16)).tolist() == [[[0, 0, 0]]]


def test_first_places_of_complete_instances_are_shares():
    ranks = [[0, 1, 2]] * 5 + [[1, 0, 0]] * 3 + [[2, 1, 0]] * 2
    np.testing.assert_allclose(mean_ratings(ranks), [0.5, 0.15, 0.35], atol=TOLERANCE)


def test_a_first_place_among_observed_algorithms_is_redistributed_as_on_complete_instances():
    # B and C share the places that A leaves: where A was not run, B is first on four of five instances, but on complete
    # instances on which B is first among B and C, A takes three of four of them.
    complete = [[0, 1, 2]] * 3 + [[1, 0, 2]] + [[2, 1, 0]] * 4
    partial = [[ABSENT, 0, 1]] * 4 + [[ABSENT, 1, 0]]
    b_among_two, c_among_two = 8 / 13, 5 / 13
    expected = [b_among_two * 3 / 4, b_among_two / 4, c_among_two]
    np.testing.assert_allclose(mean_ratings(complete + partial), expected, atol=TOLERANCE)


def test_ratings_sum_to_one_and_are_the_same_whenever_they_are_read():
    values = np.random.default_rng(0).normal(size=(12, 3, 4))
    values[3:7, 1, 2] = np.nan
    values[:, 2, 3] = np.nan  # never observed at the last budget
    posterior, again = (pb.fit(pb.Choices.from_values(values, grid=[1, 2, 3]), draws=200) for _ in range(2))
    np.testing.assert_allclose(posterior.ratings.sum(axis=2), 1, rtol=1e-6)
    assert (posterior.ratings[:, 2, 3] < 1e-10).all()
    posterior.win_rates(0, 1)
    np.testing.assert_array_equal(posterior.ratings, again.ratings)


@pytest.mark.parametrize("weights", [None, [2.0] * 30])
def test_eight_first_places_of_eight_are_no_certainty(weights):
    values = np.tile([[0.0, 1.0]], (30, 1))[:, None]
    choices = pb.Choices.from_values(values[:8], grid=[1], weights=None if weights is None else weights[:8])
    ratings = pb.fit(choices, draws=2000).ratings[:, 0, 0]
    assert 0.9 < ratings.mean() < 0.99


def test_a_weight_spreads_ratings_like_as_many_copies_of_the_instance():
    values = np.random.default_rng(1).normal(size=(9, 1, 2))
    weights = np.array([1, 2, 3] * 3)
    options = {"draws": 4000}
    weighted = pb.fit(pb.Choices.from_values(values, grid=[1], weights=weights), **options).ratings[:, 0, 0]
    copied = pb.fit(pb.Choices.from_values(np.repeat(values, weights, axis=0), grid=[1]), **options).ratings[:, 0, 0]
    assert weighted.mean() == pytest.approx(copied.mean(), abs=0.01)
    assert weighted.std() == pytest.approx(copied.std(), rel=0.06)
