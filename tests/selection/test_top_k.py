"""Places in the top k equal counts over instances and over rankings of Plackett-Luce."""

from itertools import permutations

import numpy as np
import pytest

from polarbear import Choices, FirstPlace, TopK, fit
from polarbear.observe.rankings import ABSENT, UNRANKED
from polarbear.selection.criterion import plackett_luce_top
from tests.selection.posteriors import everybody, posterior_of, random_posterior
from tests.selection.weighted_outcomes import MANY, bootstrap_of, bootstrap_of_ranks, many, random_values, weights_of


def curves_of(criterion, posterior):
    return criterion.curves(posterior, everybody(posterior))


def top_by_loops(values, weights, k):
    """Break ties in all possible orders, which are equally likely, and count which algorithms are among the first k."""
    rows, budgets, algorithms = values.shape
    result = np.zeros((weights.shape[1], budgets, algorithms))
    orders = list(permutations(range(algorithms)))
    for p in range(rows):
        for t in range(budgets):
            for order in orders:
                ranked = sorted(range(algorithms), key=lambda a, p=p, t=t, order=order: (values[p, t, a], order[a]))
                for a in ranked[:k]:
                    result[:, t, a] += weights[p] / len(orders)
    return result


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("k", [2, 3])
def test_top_k_counts_instances(k, ties):
    """Weighted places, and a prior instance whose first place is divided at random and whose other places are even."""
    values = random_values(7, 2, 4, ties=ties)
    posterior = bootstrap_of(values, draws=100)
    weights, prior = weights_of(posterior)
    mass = prior.sum(axis=1, keepdims=True)
    prior_places = (prior + (k - 1) / 3 * (mass - prior))[:, None]
    expected = (top_by_loops(values, weights, k) + prior_places) / (weights.sum(axis=0) + mass[:, 0])[:, None, None]
    curves = curves_of(TopK(k), posterior)
    np.testing.assert_allclose(curves, expected, atol=1e-6)
    np.testing.assert_allclose(curves.sum(axis=2), k, atol=1e-5)


def test_the_top_of_many_instances_is_their_share():
    values = random_values(5, 2, 4)
    posterior = bootstrap_of(many(values))
    for k in (1, 2, 3):
        expected = top_by_loops(values, np.full((5, 1), 1 / 5), k)[0]
        np.testing.assert_allclose(curves_of(TopK(k), posterior).mean(axis=0), expected, atol=MANY)


def test_instances_where_an_algorithm_is_missing_are_left_out_of_the_top():
    """On the third instance C was not observed: whether A is among the first two is open."""
    ranks = np.array([[[0, 1, 2]], [[2, 0, 1]], [[0, 1, ABSENT]]], dtype=np.int16)
    curves = curves_of(TopK(2), bootstrap_of_ranks(many(ranks)))
    np.testing.assert_allclose(curves[:, 0].mean(axis=0), [1 / 2, 1.0, 1 / 2], atol=2 * MANY)


def test_unranked_algorithms_share_the_places_that_are_left():
    ranks = np.array([[[0, UNRANKED, UNRANKED, UNRANKED]]], dtype=np.int16)
    curves = curves_of(TopK(2), bootstrap_of_ranks(np.tile(ranks, (2000, 1, 1))))
    np.testing.assert_allclose(curves[:, 0].mean(axis=0), [1, 1 / 3, 1 / 3, 1 / 3], atol=MANY)


def test_places_sum_to_k_and_never_exceed_one():
    values = random_values(3, 3, 5, ties=False)
    posterior = fit(Choices.from_values(values.astype(float), grid=[1, 2, 3]), draws=2000, seed=0)
    for k in (2, 4, 5):
        curves = curves_of(TopK(k), posterior)
        np.testing.assert_allclose(curves.sum(axis=2), k, atol=1e-4)
        assert curves.max() <= 1
    np.testing.assert_array_equal(curves_of(TopK(1), posterior), curves_of(FirstPlace(), posterior))


def top_by_permutations(theta, k):
    """Sum the Plackett-Luce probabilities of all rankings with an algorithm among the first k."""
    orders = np.array(list(permutations(range(len(theta)))))
    remaining = np.cumsum(theta[orders][:, ::-1], axis=1)[:, ::-1]
    probability = np.prod(theta[orders] / remaining, axis=1)
    return np.array([probability[(orders[:, :k] == a).any(axis=1)].sum() for a in range(len(theta))])


@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("unevenness", [10.0, 1.0, 0.2])
def test_the_top_of_plackett_luce(k, unevenness):
    theta = np.random.default_rng(k).dirichlet(np.full(6, unevenness), size=(2, 5)).transpose(0, 2, 1)
    theta = np.maximum(theta, 1e-9)
    found = plackett_luce_top(theta, k)
    for t in range(2):
        for d in range(5):
            np.testing.assert_allclose(found[t, :, d], top_by_permutations(theta[t, :, d], k), atol=1e-5)


@pytest.mark.parametrize("algorithms", [4, 10, 20, 40])
def test_equal_algorithms_have_equal_places(algorithms):
    for k in {2, 3, algorithms // 2, algorithms - 1}:
        found = plackett_luce_top(np.full((1, algorithms, 1), 1 / algorithms), k)
        np.testing.assert_allclose(found, k / algorithms, atol=1e-5)


def test_the_top_of_a_simulated_plackett_luce_race():
    rng = np.random.default_rng(0)
    theta = np.array([0.4, 0.25, 0.2, 0.1, 0.05])
    arrival = rng.exponential(1 / theta, size=(200_000, 5))
    rank = arrival.argsort(axis=1).argsort(axis=1)
    for k in (2, 3):
        curves = curves_of(TopK(k), posterior_of(theta[None, None]))
        np.testing.assert_allclose(curves[0, 0], (rank < k).mean(axis=0), atol=5 * 0.5 / np.sqrt(200_000))


def test_ratings_of_zero_have_a_top_too():
    curves = curves_of(TopK(2), posterior_of([[[0.0, 0.0, 1.0]]]))
    np.testing.assert_allclose(curves[0, 0], [0.5, 0.5, 1.0], atol=1e-5)


def test_draws_are_taken_a_few_at_a_time(monkeypatch):
    posterior = random_posterior()
    whole = curves_of(TopK(2), posterior)
    monkeypatch.setattr("polarbear.selection.criterion._AT_ONCE", 1)
    np.testing.assert_allclose(curves_of(TopK(2), posterior), whole, rtol=1e-12)


def test_the_first_is_the_top_one_and_everything_is_in_the_top_of_all():
    posterior = random_posterior()
    np.testing.assert_array_equal(curves_of(TopK(1), posterior), curves_of(FirstPlace(), posterior))
    assert (curves_of(TopK(4), posterior) == 1).all()
    np.testing.assert_allclose(curves_of(TopK(4), bootstrap_of(random_values(5, 2, 4))), 1, atol=1e-6)


@pytest.mark.parametrize("k", [0, -1, 1.5, "3", None, True])
def test_places_are_whole_numbers(k):
    with pytest.raises(ValueError, match="expected TopK of a whole number of places, at least 1, got"):
        TopK(k)


def test_numpy_numbers_are_whole_numbers():
    assert TopK(np.int64(3)) == TopK(3)
