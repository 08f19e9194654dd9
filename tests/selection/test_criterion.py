"""Criteria: against brute force over instances and rankings, and their sentences."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest

from polarbear import (
    At,
    BayesianBootstrap,
    Choices,
    Custom,
    Expected,
    Final,
    FirstPlace,
    MeanRank,
    ProbabilityBest,
    Quantile,
    Regret,
    TopK,
    Uniform,
    WinRateAgainst,
    fit,
    select,
    win_rates,
)
from polarbear.observe.rankings import ABSENT, UNRANKED
from polarbear.posterior.outcome_draws import OutcomeDraws
from polarbear.selection.criterion import plackett_luce_top
from tests.selection.posteriors import posterior_of, random_posterior

CRITERIA = [FirstPlace(), TopK(2), MeanRank(), WinRateAgainst("B")]
RISKS = [Expected(), ProbabilityBest(), Quantile(0.05), Regret()]


def random_values(instances, times, algorithms, *, seed=0, ties=True):
    """Whole numbers, few of them so that ties happen, or so many that they do not."""
    return np.random.default_rng(seed).integers(0, 4 if ties else 10**6, size=(instances, times, algorithms))


def dense(values):
    """Dense ranks along the last axis."""
    return np.array([[np.unique(row, return_inverse=True)[1] for row in rows] for rows in values], dtype=np.int16)


def weighted_posterior(values, *, weights=None, utilities=None, model_weight=0.0, ranks=None):
    """A posterior by outcomes with the given weights (row, draw), equal ones by default, and its ratings by loops."""
    ranks = dense(values) if ranks is None else ranks
    rows, times, algorithms = ranks.shape
    weights = np.full((rows, 2), 1 / rows, dtype=np.float32) if weights is None else weights.astype(np.float32)
    ratings = np.zeros((weights.shape[1], times, algorithms))
    for d in range(weights.shape[1]):
        for p in range(rows):
            for t in range(times):
                best = ranks[p, t] == ranks[p, t][ranks[p, t] != ABSENT].min()
                ratings[d, t] += weights[p, d] * best / best.sum()
    outcomes = OutcomeDraws(ranks, weights, np.ones(rows), rows, None, utilities, model_weight)
    return replace(posterior_of(ratings), outcomes=outcomes)


def top_by_loops(values, weights, k):
    """Break ties in all possible orders, which are equally likely, and count which algorithms are among the first k."""
    rows, times, algorithms = values.shape
    result = np.zeros((weights.shape[1], times, algorithms))
    orders = list(permutations(range(algorithms)))
    for p in range(rows):
        for t in range(times):
            for order in orders:
                ranked = sorted(range(algorithms), key=lambda a, p=p, t=t, order=order: (values[p, t, a], order[a]))
                for a in ranked[:k]:
                    result[:, t, a] += weights[p] / len(orders)
    return result


@pytest.mark.parametrize("ties", [True, False])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_top_k_counts_instances(k, ties):
    values = random_values(7, 2, 4, ties=ties)
    weights = np.random.default_rng(1).dirichlet(np.ones(7), size=3).T
    posterior = weighted_posterior(values, weights=weights)
    curves = TopK(k).curves(posterior)
    np.testing.assert_allclose(curves, top_by_loops(values, weights, k), atol=1e-6)
    np.testing.assert_allclose(curves.sum(axis=2), k, atol=1e-5)


def test_mean_rank_counts_instances():
    """By the average of tied ranks on each instance."""
    values = random_values(9, 2, 4)
    posterior = weighted_posterior(values)
    better = (values[..., None, :] < values[..., :, None]).sum(axis=-1)
    tied = (values[..., None, :] == values[..., :, None]).sum(axis=-1)
    rank = (better + (tied + 1) / 2).mean(axis=0)
    curves = MeanRank().curves(posterior)
    np.testing.assert_allclose(curves, np.broadcast_to((4 - rank) / 3, curves.shape), atol=1e-6)


def test_win_rates_against_a_baseline_count_instances():
    values = random_values(9, 2, 4)
    posterior = weighted_posterior(values)
    rates = ((values < values[..., [1]]) + 0.5 * (values == values[..., [1]])).mean(axis=0)
    curves = WinRateAgainst("B").curves(posterior)
    np.testing.assert_allclose(curves, np.broadcast_to(rates, curves.shape), atol=1e-6)
    assert (curves[..., 1] == 0.5).all()


def test_criteria_of_a_fitted_bootstrap_are_those_of_the_data():
    """Without model, shrinkage and hardly any pseudo-instances, means over draws are means over instances."""
    values = random_values(30, 2, 4, ties=False)
    prior = BayesianBootstrap(pseudo_instances=1e-4, plackett_luce=0, shrink=False)
    posterior = fit(Choices.from_values(values.astype(float), grid=[10, 100]), prior=prior, draws=4000, seed=0)
    rank = values.argsort(axis=-1).argsort(axis=-1)
    by_instances = {
        FirstPlace(): rank == 0,
        TopK(2): rank < 2,
        TopK(3): rank < 3,
        MeanRank(): (3 - rank) / 3,
        WinRateAgainst("B"): np.where(np.arange(4) == 1, 0.5, values < values[..., [1]]),
    }
    for criterion, shares in by_instances.items():
        curves = criterion.curves(posterior)
        # Five standard errors of the mean of 4000 draws, whose deviation is at most 0.5 / √31.
        np.testing.assert_allclose(curves.mean(axis=0), shares.mean(axis=0), atol=5 * 0.09 / np.sqrt(4000))
        assert curves.shape == posterior.ratings.shape


def test_instances_where_an_algorithm_is_missing_are_left_out_of_the_top():
    """On the third instance C was not observed: whether A is among the first two is open."""
    ranks = np.array([[[0, 1, 2]], [[2, 0, 1]], [[0, 1, ABSENT]]], dtype=np.int16)
    weights = np.array([[0.2], [0.3], [0.5]])
    curves = TopK(2).curves(weighted_posterior(None, ranks=ranks, weights=weights))
    np.testing.assert_allclose(curves[0, 0], [0.2 / 0.5, 1.0, 0.3 / 0.5], atol=1e-6)


def test_unranked_algorithms_share_the_places_that_are_left():
    ranks = np.array([[[0, UNRANKED, UNRANKED, UNRANKED]]], dtype=np.int16)
    curves = TopK(2).curves(weighted_posterior(None, ranks=ranks))
    np.testing.assert_allclose(curves[0, 0], [1, 1 / 3, 1 / 3, 1 / 3], atol=1e-6)


@pytest.mark.parametrize("model_weight", [5.0, np.inf])
def test_the_top_is_blended_with_the_model_as_ratings_are(model_weight):
    values = random_values(15, 2, 4)
    weights = np.random.default_rng(1).dirichlet(np.ones(15), size=3).T
    utilities = np.random.default_rng(2).normal(size=(2, 4, 3)).astype(np.float32)
    posterior = weighted_posterior(values, weights=weights, utilities=utilities, model_weight=model_weight)
    ratings = np.exp(utilities) / np.exp(utilities).sum(axis=1, keepdims=True)
    model = plackett_luce_top(ratings.astype(float), 2).transpose(2, 0, 1)
    share = 1.0 if np.isinf(model_weight) else 5 / (5 + 15)
    expected = share * model + (1 - share) * top_by_loops(values, weights, 2)
    np.testing.assert_allclose(TopK(2).curves(posterior), expected, atol=1e-5)


def test_places_of_a_blended_fit_sum_to_k():
    values = random_values(20, 3, 5, ties=False)
    prior = BayesianBootstrap(plackett_luce=20)
    posterior = fit(Choices.from_values(values.astype(float), grid=[1, 2, 3]), prior=prior, draws=200, seed=0)
    for k in (2, 4):
        np.testing.assert_allclose(TopK(k).curves(posterior).sum(axis=2), k, atol=1e-4)
    np.testing.assert_array_equal(TopK(1).curves(posterior), posterior.ratings)


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
        curves = TopK(k).curves(posterior_of(theta[None, None]))
        np.testing.assert_allclose(curves[0, 0], (rank < k).mean(axis=0), atol=5 * 0.5 / np.sqrt(200_000))


def test_ratings_of_zero_have_a_top_too():
    curves = TopK(2).curves(posterior_of([[[0.0, 0.0, 1.0]]]))
    np.testing.assert_allclose(curves[0, 0], [0.5, 0.5, 1.0], atol=1e-5)


def test_draws_are_taken_a_few_at_a_time(monkeypatch):
    posterior = random_posterior()
    whole = TopK(2).curves(posterior)
    monkeypatch.setattr("polarbear.selection.criterion._AT_ONCE", 1)
    np.testing.assert_allclose(TopK(2).curves(posterior), whole, rtol=1e-12)


def test_the_first_is_the_top_one_and_everything_is_in_the_top_of_all():
    posterior = random_posterior()
    np.testing.assert_array_equal(TopK(1).curves(posterior), FirstPlace().curves(posterior))
    assert (TopK(4).curves(posterior) == 1).all()
    values = random_values(5, 2, 4)
    np.testing.assert_allclose(TopK(4).curves(weighted_posterior(values)), 1, atol=1e-6)


def test_of_two_algorithms_the_mean_rank_is_the_rating():
    posterior = random_posterior(algorithms=2)
    np.testing.assert_allclose(MeanRank().curves(posterior), posterior.ratings, rtol=1e-12)
    np.testing.assert_allclose(WinRateAgainst("B").curves(posterior)[..., 0], posterior.ratings[..., 0], rtol=1e-12)


def test_mean_ranks_follow_from_win_rates():
    posterior = random_posterior()
    rates = win_rates(posterior)
    ranks = 1 + (1 - rates).sum(axis=3) - 0.5  # it is not compared with itself
    np.testing.assert_allclose(MeanRank().curves(posterior), (4 - ranks) / 3, rtol=1e-10)
    assert ranks.sum(axis=2) == pytest.approx(1 + 2 + 3 + 4)


@pytest.mark.parametrize("criterion", CRITERIA, ids=str)
@pytest.mark.parametrize("preference", [Uniform(), At(300), Final(), Custom(lambda c: c.min(axis=-1))], ids=str)
def test_every_criterion_preference_and_risk_go_together(criterion, preference):
    posterior = random_posterior()
    curves = criterion.curves(posterior)
    if isinstance(preference, Custom):
        values = curves.min(axis=1)
    else:
        values = np.einsum("t,dta->da", preference.weights(posterior.grid), curves)
    for risk in RISKS:
        scores = risk.score(values)
        selection = select(posterior, preference, risk, criterion=criterion)
        assert selection.recommendation == posterior.names[scores.argmax()]
        assert {each.members[0]: each.score for each in selection.candidates} == pytest.approx(
            dict(zip(posterior.names, scores, strict=True)), abs=1e-9
        )
        assert selection.criterion == str(criterion)
        assert selection.values.min() >= 0
        assert selection.values.max() <= 1


def test_criteria_disagree_on_a_specialist():
    """A is first on 40 % of instances and last on the others; B is second, third or first on all of them."""
    orders = ["ABCD"] * 4 + ["BCDA"] * 2 + ["CBDA"] * 2 + ["DBCA"] * 2
    values = np.array([[[order.index(name) for name in "ABCD"]] for order in orders], dtype=float)
    posterior = weighted_posterior(values)
    assert select(posterior).recommendation == "A"
    assert select(posterior, criterion=TopK(2)).recommendation == "B"
    assert select(posterior, criterion=MeanRank()).recommendation == "B"
    assert select(posterior, criterion=WinRateAgainst("A")).recommendation == "B"


def test_places_are_those_among_all_algorithms():
    posterior = random_posterior()
    for criterion in CRITERIA:
        everything = select(posterior, criterion=criterion)
        some = select(posterior, criterion=criterion, among=["A", "C"])
        values = {each.members: each.expected for each in everything.candidates}
        assert {each.members: each.expected for each in some.candidates} == pytest.approx(
            {key: values[key] for key in [("A",), ("C",)]}
        )


@pytest.mark.parametrize(
    ("criterion", "words"),
    [
        (TopK(2), "by the expected value, where the value is the probability of being in the top 2, choose A: it is"),
        (TopK(2), "It is in the top 2 on 81 % of instances."),
        (MeanRank(), "where the value is the mean rank, choose A"),
        (MeanRank(), "It has a mean rank of 1.74 among 4."),
        (WinRateAgainst("C"), "where the value is the win rate against C, choose A"),
        (WinRateAgainst("C"), "It beats C on 71 % of instances."),
    ],
)
def test_values_in_words(criterion, words):
    """By Plackett-Luce: 0.5 (1 + 2 · 0.2 / 0.8 + 0.1 / 0.9) = 0.806, 1 + 2 · 0.2 / 0.7 + 0.1 / 0.6 = 1.738, 0.5 / 0.7."""
    theta = np.array([0.5, 0.2, 0.2, 0.1])
    assert words in select(posterior_of(theta[None, None]), At(1), criterion=criterion).sentence


def test_averages_over_budgets_are_named_as_such():
    posterior = random_posterior()
    assert "of instances on average over these budgets." in select(posterior, criterion=TopK(2)).sentence
    assert "on average" not in select(posterior, Final(), criterion=TopK(2)).sentence
    custom = select(posterior, Custom(lambda c: 5 * c.mean(axis=-1)), criterion=TopK(2)).sentence
    assert "of instances" not in custom  # five times a share is none
    assert "the value is the probability of being in the top 2" in custom
    assert "value is" not in select(posterior).sentence


@pytest.mark.parametrize("k", [0, -1, 1.5, "3", None, True])
def test_places_are_whole_numbers(k):
    with pytest.raises(ValueError, match="expected TopK of a whole number of places, at least 1, got"):
        TopK(k)


@pytest.mark.parametrize(
    ("criterion", "message"),
    [
        (TopK(5), "expected TopK of at most 4, the number of algorithms, got 5"),
        (WinRateAgainst("X"), "expected one of A, B, C, D, got 'X'"),
        (MeanRank, r"expected a criterion such as TopK\(3\), got the class MeanRank; add parentheses"),
        ("rank", r"expected a criterion such as TopK\(3\), got 'rank'"),
        (At(3), r"expected a criterion such as TopK\(3\), got At\(time=3\)"),
    ],
)
def test_anything_but_a_criterion_is_refused(criterion, message):
    with pytest.raises(ValueError, match=message):
        select(random_posterior(), criterion=criterion)


def test_numpy_numbers_are_whole_numbers():
    assert TopK(np.int64(3)) == TopK(3)
