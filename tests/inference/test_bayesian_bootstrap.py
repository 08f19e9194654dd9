"""The Bayesian bootstrap: exact cases, its parts against independent computations, and requests that it rejects."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import minimize

import polarbear as pb
from polarbear.calibration.simulator import Simulator
from polarbear.inference.bootstrap.blend import CANDIDATES, leave_one_out_scores, model_weight
from polarbear.inference.bootstrap.first_places import first_places
from polarbear.inference.bootstrap.instance_weights import draw_weights, pseudo_ranks, weighted_rows
from polarbear.inference.bootstrap.near_equality import shrink_ratings
from polarbear.inference.bootstrap.weighted_plackett_luce import _PENALTY, weighted_utilities
from polarbear.observe.rankings import ABSENT

OUTCOMES = pb.BayesianBootstrap(plackett_luce=0, shrink=False)


def wins_of(wins, instances, **options):
    """Return choices at one time in which A beats B on the first `wins` of the instances."""
    values = np.where(np.arange(instances) < wins, 1.0, 3.0)
    return pb.Choices.from_values(np.stack([values, np.full(instances, 2.0)], axis=1)[:, None], grid=[1], **options)


def rankings(utilities, instances, *, seed, autocorrelation=0.9):
    values = Simulator(autocorrelation).values(np.asarray(utilities), instances, rng=np.random.default_rng(seed))
    return pb.Choices.from_values(values, grid=np.arange(1, len(utilities) + 1))


@pytest.mark.parametrize(("wins", "instances", "mass"), [(8, 8, 1.0), (3, 8, 2.0), (25, 40, 1.0)])
def test_two_algorithms_have_the_beta_posterior(wins, instances, mass):
    prior = replace(OUTCOMES, pseudo_instances=mass)
    rates = pb.win_rates(pb.fit(wins_of(wins, instances), prior=prior, draws=20000), "A", "B")[:, 0]
    exact = stats.beta(wins + mass / 2, instances - wins + mass / 2)
    # 20,000 draws: three standard errors of mean and quantiles; the mass lies on 64 atoms instead of infinitely many.
    assert rates.mean() == pytest.approx(exact.mean(), abs=0.004)
    for level in (0.025, 0.2, 0.8, 0.975):
        assert exact.cdf(np.quantile(rates, level)) == pytest.approx(level, abs=0.012)


def test_ratings_and_win_rates_of_two_agree():
    posterior = pb.fit(wins_of(5, 9), prior=OUTCOMES, draws=500)
    np.testing.assert_allclose(posterior.ratings[..., 0], pb.win_rates(posterior, "A", "B"), atol=1e-6)


@pytest.mark.parametrize("algorithms", [2, 3, 5, 12, 40])
def test_pseudo_instances_favour_no_algorithm(algorithms):
    ranks = pseudo_ranks(algorithms)
    assert len(ranks) >= 64
    assert (np.sort(ranks, axis=1) == np.arange(algorithms)).all()
    assert len(set(np.count_nonzero(ranks == 0, axis=0).tolist())) == 1
    for a in range(algorithms):
        for b in range(a):
            assert 2 * np.count_nonzero(ranks[:, a] < ranks[:, b]) == len(ranks)


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


def test_three_clusters_give_the_uncertainty_of_three():
    labels = np.repeat(["x", "y", "z"], 40)
    choices = wins_of(80, 120, clusters=pb.Clusters(tuple(labels), "data set", "run"))
    clustered = pb.fit(choices, prior=OUTCOMES, draws=4000)
    single = pb.fit(choices, prior=replace(OUTCOMES, generalise_to="instances"), draws=4000)
    assert clustered.scope == "to new data sets, based on 3"
    assert single.scope == "to new runs on these 3 data sets"
    # Two wins of three, as Beta(2.5, 1.5): 0.83 standard deviations from even.
    assert pb.dominance(clustered)[0, 0, 1] == pytest.approx(stats.beta(2.5, 1.5).sf(0.5), abs=0.03)
    assert pb.dominance(single)[0, 0, 1] > 0.999


def test_the_scale_of_weights_does_not_matter_and_zero_weights_leave_instances_out():
    values = np.random.default_rng(0).random((9, 2, 3))
    weights = np.linspace(1, 2, 9)
    several = [pb.Choices.from_values(values, grid=[1, 2], weights=factor * weights) for factor in (1.0, 7.0)]
    one, other = (pb.fit(each, prior=pb.BayesianBootstrap(), draws=300) for each in several)
    np.testing.assert_allclose(one.ratings, other.ratings, atol=1e-5)
    weights[6:] = 0
    kept = pb.Choices.from_values(values[:6], grid=[1, 2], weights=weights[:6])
    left_out = pb.Choices.from_values(values, grid=[1, 2], weights=weights)
    one, other = (pb.fit(each, prior=pb.BayesianBootstrap(), draws=300) for each in (kept, left_out))
    np.testing.assert_array_equal(one.ratings, other.ratings)


def test_one_heavy_instance_counts_as_one():
    heavy = wins_of(1, 30, weights=[1e6] + [1.0] * 29)
    # One win of one: Beta(1.5, 0.5).
    beats = pb.dominance(pb.fit(heavy, prior=OUTCOMES, draws=4000))[0, 0, 1]
    assert beats == pytest.approx(stats.beta(1.5, 0.5).sf(0.5), abs=0.03)


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
    chosen = [
        model_weight(weighted_rows(each.rankings, OUTCOMES), rng=np.random.default_rng(0)) for each in (one_kind, mixed)
    ]
    assert chosen[0] > chosen[1]


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
    assert scores[CANDIDATES.index(0.0), 1] == pytest.approx(np.mean(expected), rel=1e-4)


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


def test_first_places_are_compared_where_both_ran():
    """The third algorithm takes no part in the last twenty instances, and the lead of the first two uses them all."""
    values = np.tile([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]], (20, 1))[:, None]
    values[20:, :, 2] = np.nan
    values[20:, 0, :2] = [1.0, 2.0]
    choices = pb.Choices.from_values(values, grid=[1])
    prior = pb.BayesianBootstrap(plackett_luce=0, shrink=False)
    outcomes = pb.fit(choices, prior=prior, draws=4000).outcomes
    lead = outcomes.first_place_lead(0, 1)
    # Ten and twenty first places against ten, and one pseudo-instance that favours neither.
    assert lead.mean() == pytest.approx(20 / 41, abs=0.01)
    np.testing.assert_allclose(lead, -outcomes.first_place_lead(1, 0), atol=1e-6)
    # Where the third ran it never came first.
    assert outcomes.first_place_lead(2, 0).mean() == pytest.approx(-10 / 21, abs=0.02)


def test_threads_of_blas_do_not_change_a_byte():
    """Each number of threads needs a new process, since the library reads it when it is loaded."""
    lines = """
import hashlib, numpy as np, polarbear as pb
values = np.random.default_rng(0).random((120, 12, 8)) + 0.1 * np.arange(8)
posterior = pb.fit(pb.Choices.from_values(values, grid=pb.linear_grid(1, 12, 12)), draws=1000)
rates = np.ascontiguousarray(pb.win_rates(posterior))
print(hashlib.sha256(posterior.ratings.tobytes() + rates.tobytes()).hexdigest())
"""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    digests = {
        threads: subprocess.run(
            [sys.executable, "-c", lines],
            env=os.environ | dict.fromkeys(names, str(threads)),
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for threads in (1, 2)
    }
    assert digests[1] == digests[2]
    assert len(digests[1]) == 65


@pytest.mark.parametrize("draws", [None, 150])
def test_a_saved_posterior_has_the_same_win_rates(tmp_path, draws):
    choices = rankings(np.tile([0.5, 0.0, 0.2], (3, 1)), 12, seed=6)
    posterior = pb.fit(choices, prior=pb.BayesianBootstrap(), draws=200)
    posterior.save(tmp_path / "posterior", draws=draws)
    loaded = pb.Posterior.load(tmp_path / "posterior")
    kept = posterior if draws is None else posterior.thin(draws)
    # A thinned file stores weights with three digits.
    np.testing.assert_allclose(pb.win_rates(loaded), pb.win_rates(kept), atol=1e-6 if draws is None else 2e-3)
    assert loaded.scope == posterior.scope


def test_an_unobserved_algorithm_stays_uncertain():
    values = np.random.default_rng(1).random((30, 3, 3)) + np.array([0.0, 0.3, 0.6])
    values[:, 2, 0] = np.nan
    choices = pb.Choices.from_values(values, grid=[1, 2, 3])
    beats = pb.dominance(pb.fit(choices, prior=pb.BayesianBootstrap(), draws=4000))
    assert beats[0, 0, 1] > 0.9
    assert 0.35 < beats[2, 0, 1] < 0.65
    assert beats[2, 1, 2] > 0.9


@pytest.mark.parametrize(
    "values",
    [
        np.array([[[1.0, 2.0, 3.0]]]),  # a single instance
        np.ones((20, 2, 3)),  # ties everywhere
        np.array([[[1.0, 2.0, np.nan]], [[np.nan, 1.0, 2.0]]]),  # two that never meet
    ],
)
def test_little_information_gives_no_confident_answer(values):
    choices = pb.Choices.from_values(values, grid=np.arange(1, values.shape[1] + 1))
    posterior = pb.fit(choices, prior=pb.BayesianBootstrap(), draws=2000)
    assert np.isfinite(posterior.ratings).all()
    assert pb.dominance(posterior).max() < 0.99


def test_bad_parameters_are_rejected():
    for options, words in (
        ({"plackett_luce": -1.0}, "a weight of at least 0"),
        ({"plackett_luce": "all"}, "a weight of at least 0"),
        ({"pseudo_instances": 0.0}, "above 0"),
        ({"generalise_to": "functions"}, "'clusters' or 'instances'"),
    ):
        with pytest.raises(ValueError, match=words):
            pb.BayesianBootstrap(**options)


def test_it_needs_rankings_and_its_own_method():
    choices = wins_of(3, 5)
    with pytest.raises(ValueError, match="only their counts"):
        pb.fit(replace(choices, rankings=None), prior=pb.BayesianBootstrap())
    with pytest.raises(ValueError, match="which draws its posterior directly, got 'hmc'"):
        pb.fit(choices, prior=pb.BayesianBootstrap(), method="hmc")
