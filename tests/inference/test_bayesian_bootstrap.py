"""The Bayesian bootstrap is exact where its posterior is known, uncertain with little data, and rejects bad requests."""

import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from scipy import special, stats

import polarbear as pb
from polarbear.calibration.simulator import Simulator
from polarbear.posterior.first_places import first_place_lead


def wins_of(wins, instances, **options):
    """Return choices at one budget in which A beats B on the first `wins` of the instances."""
    values = np.where(np.arange(instances) < wins, 1.0, 3.0)
    return pb.Choices.from_values(np.stack([values, np.full(instances, 2.0)], axis=1)[:, None], grid=[1], **options)


def textbook(wins, losses, level, near_equal=0.4):
    """P(win rate ≤ level) after wins and losses under the mixture of symmetric Beta priors."""
    concentrations = np.array([0.1, 0.5, 2, 8, 32, 128])
    prior = np.array([(1 - near_equal) / 3, 2 * (1 - near_equal) / 3, *[near_equal / 4] * 4])
    a, b = concentrations + wins, concentrations + losses
    weights = prior * np.exp(special.betaln(a, b) - special.betaln(concentrations, concentrations))
    return weights @ stats.beta(a, b).cdf(level) / weights.sum()


@pytest.mark.parametrize("near_equal", [0.0, 0.4, 0.9])
@pytest.mark.parametrize(("wins", "instances"), [(8, 8), (3, 8), (25, 40)])
def test_two_algorithms_have_the_textbook_posterior(wins, instances, near_equal):
    prior = pb.BayesianBootstrap(near_equal=near_equal)
    posterior = pb.fit(wins_of(wins, instances), prior=prior, draws=20000)
    assert pb.dominance(posterior)[0, 0, 1] == pytest.approx(
        1 - textbook(wins, instances - wins, 0.5, near_equal), abs=1e-12
    )
    rates = pb.win_rates(posterior, "A", "B")[:, 0]
    for level in (0.1, 0.3, 0.4, 0.5, 0.6, 0.8, 0.95, 0.99):  # four standard errors of a share of 20,000 draws
        expected = textbook(wins, instances - wins, level, near_equal)
        assert np.mean(rates <= level) == pytest.approx(expected, abs=0.014)


@pytest.mark.parametrize(("wins", "instances"), [(8, 8), (3, 8), (25, 40)])
def test_ratings_of_two_are_shares_of_first_places_with_a_prior_of_one_instance(wins, instances):
    ratings = pb.fit(wins_of(wins, instances), draws=20000).ratings[:, 0, 0]
    exact = stats.beta(wins + 0.5, instances - wins + 0.5)
    assert ratings.mean() == pytest.approx(exact.mean(), abs=0.004)
    for level in (0.025, 0.2, 0.8, 0.975):
        assert exact.cdf(np.quantile(ratings, level)) == pytest.approx(level, abs=0.012)


def test_three_clusters_give_the_uncertainty_of_three():
    labels = np.repeat(["x", "y", "z"], 40)
    choices = wins_of(80, 120, clusters=pb.Clusters(tuple(labels), "data set", "run"))
    clustered = pb.fit(choices, draws=4000)
    single = pb.fit(choices, prior=pb.BayesianBootstrap(generalise_to="instances"), draws=4000)
    assert str(clustered.scope) == "to new data sets, based on 3 data sets with 120 repetitions"
    assert str(single.scope) == "to new runs on these 3 data sets, based on 120 repetitions"
    # Two wins of three. A share of 4,000 draws has a standard error of 0.007.
    assert pb.dominance(clustered)[0, 0, 1] == pytest.approx(1 - textbook(2, 1, 0.5), abs=0.03)
    assert pb.dominance(single)[0, 0, 1] == pytest.approx(1 - textbook(80, 40, 0.5), abs=1e-12)


def test_a_weight_counts_instances_and_zero_leaves_them_out():
    values = np.random.default_rng(0).random((9, 2, 3))
    copies = np.array([1, 2, 3, 1, 2, 3, 1, 2, 3])
    weighted = pb.Choices.from_values(values, grid=[1, 2], weights=copies)
    repeated = pb.Choices.from_values(values.repeat(copies, axis=0), grid=[1, 2])
    one, other = (pb.fit(each, draws=4000) for each in (weighted, repeated))
    for statement in (pb.dominance, pb.win_probability, pb.equivalence):
        np.testing.assert_allclose(statement(one), statement(other), atol=1e-12)
    weights = copies.astype(float)
    weights[6:] = 0
    kept = pb.Choices.from_values(values[:6], grid=[1, 2], weights=weights[:6])
    left_out = pb.Choices.from_values(values, grid=[1, 2], weights=weights)
    one, other = (pb.fit(each, draws=300) for each in (kept, left_out))
    np.testing.assert_array_equal(one.ratings, other.ratings)
    np.testing.assert_array_equal(pb.win_rates(one), pb.win_rates(other))


def test_first_places_are_compared_where_both_ran():
    """The third algorithm takes no part in the last twenty instances, and the lead of the first two uses them all."""
    values = np.tile([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]], (20, 1))[:, None]
    values[20:, :, 2] = np.nan
    values[20:, 0, :2] = [1.0, 2.0]
    beliefs = pb.fit(pb.Choices.from_values(values, grid=[1]), draws=4000).beliefs
    lead = first_place_lead(beliefs, 0, 1)
    # Thirty first places against ten, and a prior of one instance that favours neither.
    assert lead.mean() == pytest.approx(20 / 41, abs=0.01)
    # Where the third ran it never came first.
    assert first_place_lead(beliefs, 2, 0).mean() == pytest.approx(-10 / 21, abs=0.02)


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
    values = Simulator(0.9).values(np.tile([0.5, 0.0, 0.2], (3, 1)), 12, rng=np.random.default_rng(6))
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2, 3]), draws=200)
    posterior.save(tmp_path / "posterior", draws=draws)
    loaded = pb.Posterior.load(tmp_path / "posterior")
    kept = posterior if draws is None else posterior.thin(draws)
    np.testing.assert_array_equal(pb.win_rates(loaded), pb.win_rates(kept))
    np.testing.assert_array_equal(loaded.ratings, kept.ratings)
    np.testing.assert_array_equal(pb.dominance(loaded), pb.dominance(posterior))
    assert loaded.scope == posterior.scope


def test_an_unobserved_algorithm_stays_uncertain():
    values = np.random.default_rng(1).random((30, 3, 3)) + np.array([0.0, 0.3, 0.6])
    values[:, 2, 0] = np.nan
    beats = pb.dominance(pb.fit(pb.Choices.from_values(values, grid=[1, 2, 3]), draws=4000))
    assert beats[0, 0, 1] > 0.9
    assert beats[2, 0, 1] == beats[2, 1, 0] == 0.5
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
    posterior = pb.fit(choices, draws=2000)
    assert np.isfinite(posterior.ratings).all()
    assert pb.dominance(posterior).max() < 0.95


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"near_equal": 1.0}, "near_equal from 0 up to, but not including, 1, got 1.0"),
        ({"near_equal": -0.1}, "got -0.1"),
        ({"near_equal": "auto"}, "got 'auto'"),
        ({"generalise_to": "functions"}, "'clusters' or 'instances'"),
        (
            {"plackett_luce": 0},
            "no longer has the parameter plackett_luce: each pair of algorithms now has a",
        ),
        ({"shrink": False, "pseudo_instances": 1.0}, "the parameters shrink and pseudo_instances: .*; leave them out"),
    ],
)
def test_bad_and_former_parameters_are_rejected(options, words):
    with pytest.raises(ValueError, match=words):
        pb.BayesianBootstrap(**options)


def test_it_needs_rankings_and_its_own_method():
    choices = wins_of(3, 5)
    with pytest.raises(ValueError, match="only their counts"):
        pb.fit(replace(choices, rankings=None), prior=pb.BayesianBootstrap())
    with pytest.raises(ValueError, match="which draws its posterior directly, got 'hmc'"):
        pb.fit(choices, prior=pb.BayesianBootstrap(), method="hmc")
