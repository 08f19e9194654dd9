"""Each part of the Bayesian bootstrap, from pseudo-instances to shrinkage, equals an independent computation."""

import numpy as np
import pytest
from scipy.optimize import minimize

import polarbear as pb
from polarbear.inference.bootstrap import weighted_plackett_luce
from polarbear.inference.bootstrap.blend import CANDIDATES, PRIOR, ModelWeight, leave_one_out_scores, weigh_model
from polarbear.inference.bootstrap.first_places import first_places
from polarbear.inference.bootstrap.instance_weights import draw_weights, pseudo_ranks, weighted_rows
from polarbear.inference.bootstrap.near_equality import shrink_ratings
from polarbear.inference.bootstrap.weighted_plackett_luce import _PENALTY, weighted_utilities
from polarbear.observe.rankings import ABSENT
from polarbear.observe.tally import tally
from tests.inference.bootstrap_data import OUTCOMES, rankings


@pytest.mark.parametrize("algorithms", [2, 3, 5, 12, 40])
def test_pseudo_instances_favour_no_algorithm(algorithms):
    ranks = pseudo_ranks(algorithms)
    assert len(ranks) >= 64
    assert (np.sort(ranks, axis=1) == np.arange(algorithms)).all()
    assert len(set(np.count_nonzero(ranks == 0, axis=0).tolist())) == 1
    for a in range(algorithms):
        for b in range(a):
            assert 2 * np.count_nonzero(ranks[:, a] < ranks[:, b]) == len(ranks)


def test_the_weighted_fit_does_not_depend_on_the_number_of_times_at_once(monkeypatch):
    values = np.random.default_rng(6).integers(0, 3, (8, 4, 16)).astype(float)  # ties of up to 16, sampled from 13 on
    values[0] = 0.0
    rows = weighted_rows(pb.Choices.from_values(values, grid=[1, 2, 3, 4]).rankings, OUTCOMES)
    weights = draw_weights(rows, 20, rng=np.random.default_rng(7))
    tallied = []
    monkeypatch.setattr(weighted_plackett_luce, "tally", lambda *data: tallied.append(1) or tally(*data))
    fitted = []
    for limit in (2**40, 1):
        monkeypatch.setattr(weighted_plackett_luce, "_SETS_AT_ONCE", limit)
        fitted.append(weighted_utilities(rows, weights).tobytes())
    assert len(tallied) == 1 + 4
    assert fitted[0] == fitted[1]


def test_equal_neighbouring_times_are_fitted_once(monkeypatch):
    values = np.random.default_rng(8).normal([0.0, 0.5, 1.0], 1.0, (9, 3, 3))
    rows, repeated = (
        weighted_rows(pb.Choices.from_values(each, grid=np.arange(1, each.shape[1] + 1)).rankings, OUTCOMES)
        for each in (values, values[:, [0, 0, 1, 2, 2, 2]])
    )
    weights = draw_weights(rows, 20, rng=np.random.default_rng(7))
    sizes = []
    monkeypatch.setattr(weighted_plackett_luce, "tally", lambda *data: sizes.append(data[0].size) or tally(*data))
    once, several = weighted_utilities(rows, weights), weighted_utilities(repeated, weights)
    assert sizes[0] == sizes[1]
    assert np.array_equal(several, once[[0, 0, 1, 2, 2, 2]])


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("missing", [False, True])
def test_the_weighted_fit_is_the_maximum_of_the_weighted_likelihood(ties, missing):
    rng = np.random.default_rng(5)
    values = rng.normal([0.0, 0.5, 1.0, 1.5], 1.0, (12, 2, 4))
    if ties:
        values = np.round(values)
    if missing:
        values[3:6, :, 2] = np.nan
    choices = pb.Choices.from_values(values, grid=[1, 2])
    rows = weighted_rows(choices.rankings, OUTCOMES)
    weights = draw_weights(rows, 40, rng=rng)
    fitted = weighted_utilities(rows, weights, exact=True)
    parts = pb.Choices.from_rankings(pb.Rankings(rows.ranks, choices.names, choices.grid)).by_instance()
    total = rows.sizes.sum()
    for draw in range(0, 40, 5):
        whole = sum(float(total * weight) * part for weight, part in zip(weights[:, draw], parts, strict=True))
        for t in range(2):

            def loss(mu, whole=whole, t=t):
                masses = whole.members[t] @ np.exp(mu)
                return -(whole.wins[t] @ mu - whole.counts[t] @ np.log(masses)) + 0.5 * _PENALTY * mu @ mu

            best = minimize(loss, np.zeros(4), method="BFGS", options={"gtol": 1e-6}).x
            # A draw stops within 3 % of its standard deviation, some hundredths of a utility here.
            np.testing.assert_allclose(fitted[t, :, draw], best - best.mean(), atol=0.05)


def test_many_algorithms_in_a_fixed_order_have_utilities_in_that_order():
    """Their utilities lie so far apart that powers of e exceed the range of single precision."""
    rows = weighted_rows(pb.Choices.from_values(np.tile(np.arange(60.0), (200, 1, 1)), grid=[1]).rankings, OUTCOMES)
    fitted = weighted_utilities(rows, draw_weights(rows, 50, rng=np.random.default_rng(4)), exact=True)
    assert np.ptp(fitted) > 100
    assert (np.diff(fitted, axis=1) < 0).all()


def test_first_places_of_complete_instances_are_weighted_shares():
    ranks = np.array([[[0, 1, 2]], [[1, 0, 0]], [[2, 1, 0]]], dtype=np.int16)
    weights = np.array([[0.5], [0.3], [0.2]], dtype=np.float32)
    np.testing.assert_allclose(first_places(ranks, weights)[0, :, 0], [0.5, 0.15, 0.35], atol=1e-6)


def test_a_first_place_among_observed_algorithms_is_redistributed_as_on_complete_instances():
    # B and C share the places that A leaves: where A was not run, B is first on four of five instances, but on complete
    # instances on which B is first among B and C, A takes three of four of them.
    complete = [[0, 1, 2]] * 3 + [[1, 0, 2]] + [[2, 1, 0]] * 4
    partial = [[ABSENT, 0, 1]] * 4 + [[ABSENT, 1, 0]]
    ranks = np.array(complete + partial, dtype=np.int16)[:, None]
    weights = np.full((13, 1), 1 / 13, dtype=np.float32)
    b_among_two, c_among_two = 8 / 13, 5 / 13
    expected = [b_among_two * 3 / 4, b_among_two / 4, c_among_two]
    np.testing.assert_allclose(first_places(ranks, weights)[0, :, 0], expected, atol=1e-6)


def test_an_algorithm_that_no_instance_observes_is_left_out_of_the_ratings():
    """On four instances a beats b three times; c is on one pseudo-instance alone, on which it beats a and a beats b."""
    ranks = np.array([[0, 1, ABSENT]] * 3 + [[1, 0, ABSENT], [1, 2, 0]], dtype=np.int16)[:, None]
    weights = np.array([[0.2]] * 5, dtype=np.float32)
    ratings = first_places(ranks, weights, instances=4)[0, :, 0]
    np.testing.assert_allclose(ratings, [4 / 5, 1 / 5, 0], atol=1e-6)


def test_the_blend_lies_between_outcomes_and_model():
    choices = rankings(np.tile([1.0, 0.5, 0.0], (3, 1)), 25, seed=1)
    of = {
        weight: pb.win_rates(pb.fit(choices, prior=pb.BayesianBootstrap(plackett_luce=weight, shrink=False), draws=400))
        for weight in (0, 26.0, np.inf)
    }
    # 25 instances and one pseudo-instance: a weight of 26 is half and half.
    np.testing.assert_allclose(of[26.0], (of[0] + of[np.inf]) / 2, atol=1e-5)


def test_the_blend_follows_the_data():
    one_kind = rankings(np.tile([0.3, 0.2, 0.1, 0.0], (3, 1)), 60, seed=2)
    kinds = np.where(np.arange(300)[:, None, None] % 2, [0.0, 2.0, 4.0], [4.0, 0.0, 2.0])
    noise = np.random.default_rng(0).gumbel(0, 0.3, (300, 1, 3))
    mixed = pb.Choices.from_values(kinds + noise, grid=[1])
    many, none = (
        weigh_model(weighted_rows(each.rankings, OUTCOMES), rng=np.random.default_rng(0)) for each in (one_kind, mixed)
    )
    assert many.best > none.best
    assert many.probabilities @ CANDIDATES > 20
    assert none.probabilities[0] > 0.9


def test_few_instances_say_nothing_about_the_blend():
    model = weigh_model(weighted_rows(rankings(np.zeros((3, 4)), 3, seed=2).rankings, OUTCOMES), rng=None)
    np.testing.assert_array_equal(model.probabilities, PRIOR)


def test_each_draw_of_the_ratings_has_its_own_blend():
    choices = rankings(np.tile([1.0, 0.5, 0.0], (3, 1)), 12, seed=1)
    drawn = pb.fit(choices, draws=4000, seed=0).outcomes.model_weights_in_ratings
    model = weigh_model(weighted_rows(choices.rankings, OUTCOMES), rng=np.random.default_rng(0))
    shares = [np.mean(drawn == each) for each in CANDIDATES]
    assert np.count_nonzero(shares) > 3
    np.testing.assert_allclose(shares, model.probabilities, atol=0.03)  # four standard errors of 4,000 draws


def test_repetitions_do_not_multiply_the_evidence_about_the_blend():
    """Five copies of each instance, as clusters, are as much evidence as the instances."""
    values = np.random.default_rng(5).gumbel(np.array([0.0, 0.5, 1.0, 2.0]), size=(10, 3, 4))
    once = pb.Choices.from_values(values, grid=[1, 2, 3])
    copied = pb.Choices.from_values(np.repeat(values, 5, axis=0), grid=[1, 2, 3], clusters=np.repeat(np.arange(10), 5))
    models = [
        weigh_model(weighted_rows(each.rankings, OUTCOMES), rng=np.random.default_rng(0)) for each in (once, copied)
    ]
    np.testing.assert_allclose(models[0].probabilities, models[1].probabilities, atol=1e-3)


def test_a_cluster_with_many_repetitions_is_one_piece_of_evidence_about_the_blend():
    """Fifty copies of one instance, as a cluster, and an instance without weight leave everything as it is."""
    values = np.random.default_rng(5).gumbel(np.array([0.0, 0.5, 1.0, 2.0]), size=(10, 3, 4))
    once = pb.Choices.from_values(values, grid=[1, 2, 3])
    copies = np.r_[np.zeros(49, dtype=int), np.arange(10)]
    copied = pb.Choices.from_values(values[copies], grid=[1, 2, 3], clusters=copies)
    weighted = pb.Choices.from_values(
        np.concatenate([values, values[:1, :, ::-1]]), grid=[1, 2, 3], weights=np.r_[np.ones(10), 1e-9]
    )
    models = [
        weigh_model(weighted_rows(each.rankings, OUTCOMES), rng=np.random.default_rng(0))
        for each in (once, copied, weighted)
    ]
    for other in models[1:]:
        assert other.best == models[0].best
        np.testing.assert_allclose(other.probabilities, models[0].probabilities, atol=2e-3)


def test_win_rates_do_not_depend_on_the_blend_of_the_ratings(monkeypatch):
    choices = rankings(np.tile([1.0, 0.5, 0.0], (3, 1)), 12, seed=1)
    posterior = pb.fit(choices, seed=0)
    monkeypatch.setattr(ModelWeight, "draw", lambda self, draws, *, rng: np.full(draws, self.best))
    other = pb.fit(choices, seed=0)
    np.testing.assert_array_equal(pb.win_rates(posterior), pb.win_rates(other))
    assert not np.array_equal(posterior.ratings, other.ratings)


def test_each_group_draws_its_own_blend():
    groups = {name: rankings(np.tile([1.0, 0.5, 0.0], (3, 1)), 12, seed=seed) for seed, name in enumerate("ab")}
    for group in pb.fit_groups(groups, draws=400).values():
        assert np.ptp(group.posterior.outcomes.model_weights_in_ratings) > 0


def test_a_model_that_does_not_hold_leaves_ratings_uncertain():
    """The first algorithm varies much more than the others, so it comes first or last; no Plackett-Luce model does."""
    rng = np.random.default_rng(5)
    values = np.concatenate([rng.normal(0, 5, (12, 1, 1)), rng.normal(0, 0.3, (12, 1, 4))], axis=2)
    choices = pb.Choices.from_values(values, grid=[1])
    upper = [
        np.quantile(pb.fit(choices, prior=pb.BayesianBootstrap(plackett_luce=weight)).ratings[:, 0, 0], 0.975)
        for weight in (0, "auto", 20.0)
    ]
    assert upper[1] > 0.5  # its true rating, almost
    assert upper[2] < 0.4


def test_leave_one_out_scores_are_those_of_refitting():
    choices = rankings(np.tile([1.0, 0.0, 0.5], (2, 1)), 6, seed=3)
    rows = weighted_rows(choices.rankings, OUTCOMES)
    scores = leave_one_out_scores(rows, rng=np.random.default_rng(0))
    expected = []
    for left_out in range(6):
        keep = np.arange(len(rows.ranks)) != left_out
        weights = (rows.sizes * keep)[:, None]
        ratings = first_places(rows.ranks, (weights / weights.sum()).astype(np.float32))[..., 0]
        for t in range(2):
            expected.append(np.log(ratings[t, rows.ranks[left_out, t] == 0]).item())
    assert scores[0, 1] == pytest.approx(np.mean(expected), rel=1e-4)


@pytest.fixture(scope="module")
def near_and_far():
    """Fit eight equal and eight different algorithms, without and with shrinkage; both are (near, far)."""
    rng = np.random.default_rng(4)
    near = pb.Choices.from_values(rng.random((40, 1, 8)), grid=[1])
    far = pb.Choices.from_values(np.arange(8) + rng.normal(0, 1.5, (40, 1, 8)), grid=[1])
    return [
        [pb.fit(choices, prior=pb.BayesianBootstrap(shrink=shrink), draws=1000) for choices in (near, far)]
        for shrink in (False, True)
    ]


def test_win_rates_of_near_equal_algorithms_are_shrunk_and_others_are_not(near_and_far):
    off = ~np.eye(8, dtype=bool)
    plain, shrunk = (
        [np.abs(pb.win_probability(each)[0, off] - 0.5).mean() for each in posteriors] for posteriors in near_and_far
    )
    assert shrunk[0] < 0.5 * plain[0]
    assert shrunk[1] > 0.9 * plain[1]


def test_ratings_of_near_equal_algorithms_are_shrunk_and_others_are_not(near_and_far):
    plain, shrunk = ([each.ratings[:, 0] for each in posteriors] for posteriors in near_and_far)
    assert np.ptp(shrunk[0].mean(axis=0)) < 0.6 * np.ptp(plain[0].mean(axis=0))
    np.testing.assert_allclose(shrunk[1].mean(axis=0), plain[1].mean(axis=0), atol=0.05)
    for ratings in shrunk:
        assert (ratings > 0).all()
        np.testing.assert_allclose(ratings.sum(axis=1), 1.0, rtol=1e-12)


def test_ratings_of_near_equal_algorithms_shrink_to_their_mean():
    """Ratings that are equal but for noise move to their mean; one that differs stays."""
    rng = np.random.default_rng(0)
    noise = rng.normal(0, 0.02, (1, 4, 2000)).astype(np.float32)
    ratings = np.array([0.1, 0.1, 0.1, 0.7], dtype=np.float32)[:, None] + noise
    ratings /= ratings.sum(axis=1, keepdims=True)
    shrunk = shrink_ratings(ratings, rng=rng)
    assert (shrunk[0, 0] - shrunk[0, 1]).std() < 0.85 * (ratings[0, 0] - ratings[0, 1]).std()
    np.testing.assert_allclose(shrunk[0, 3].mean(), ratings[0, 3].mean(), atol=0.01)
    np.testing.assert_allclose(shrunk[0, 3].std(), ratings[0, 3].std(), rtol=0.15)


def test_ratings_are_not_shrunk_at_a_time_at_which_they_differ():
    """Two algorithms are equal at 19 of 20 times and far apart at the last."""
    rng = np.random.default_rng(0)
    means = np.full((20, 1, 1), 0.5)
    means[-1] = 0.88
    first = means + rng.normal(0, 0.02, (20, 1, 2000))
    ratings = np.concatenate([first, 1 - first], axis=1).astype(np.float32)
    shrunk = shrink_ratings(ratings, rng=rng)
    assert shrunk[-1, 0].mean() == pytest.approx(0.88, abs=0.01)  # it would be 0.849 if every time were shrunk equally
    assert shrunk[0, 0].std() < ratings[0, 0].std()
