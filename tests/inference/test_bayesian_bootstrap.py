"""The Bayesian bootstrap is exact where its posterior is known, uncertain with little data, and rejects bad requests."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from tests.inference.bootstrap_data import OUTCOMES, rankings, wins_of


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


def test_three_clusters_give_the_uncertainty_of_three():
    labels = np.repeat(["x", "y", "z"], 40)
    choices = wins_of(80, 120, clusters=pb.Clusters(tuple(labels), "data set", "run"))
    clustered = pb.fit(choices, prior=OUTCOMES, draws=4000)
    single = pb.fit(choices, prior=replace(OUTCOMES, generalise_to="instances"), draws=4000)
    assert clustered.scope == "to new data sets, based on 3 data sets with 120 repetitions"
    assert single.scope == "to new runs on these 3 data sets, based on 120 repetitions"
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
