"""Simulated runs have the stated utilities, autocorrelation and ties."""

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear.calibration.simulator import Simulator

BUDGETS, ALGORITHMS, INSTANCES = 10, 3, 4000
UTILITIES = np.tile(np.log([4.0, 2.0, 1.0]), (BUDGETS, 1))


def noise(**behaviour):
    return Simulator(**behaviour).noise_of(INSTANCES, BUDGETS, ALGORITHMS, rng=np.random.default_rng(0))


@pytest.mark.parametrize(
    "behaviour",
    [
        {},
        {"autocorrelation": 0.9},
        {"autocorrelation": 1.0},
        {"autocorrelation": 0.5, "lasting": 0.4},
        {"autocorrelation": 0.9, "dependence": "renewal"},
    ],
)
def test_at_each_budget_rankings_follow_plackett_luce(behaviour):
    values = Simulator(**behaviour).values(UTILITIES, INSTANCES, rng=np.random.default_rng(1))
    first = values.argmin(axis=2)
    for t in (0, BUDGETS - 1):
        counts = np.bincount(first[:, t], minlength=3)
        assert stats.chisquare(counts, INSTANCES * np.array([4, 2, 1]) / 7).pvalue > 1e-4
    assert stats.kstest(noise(**behaviour)[:, -1, 0], stats.gumbel_r.cdf).pvalue > 1e-4


@pytest.mark.parametrize("dependence", ["copula", "renewal"])
@pytest.mark.parametrize("autocorrelation", [0.0, 0.5, 0.9, 1.0])
def test_neighbouring_budgets_have_the_stated_autocorrelation(dependence, autocorrelation):
    drawn = noise(autocorrelation=autocorrelation, dependence=dependence)
    correlation = stats.spearmanr(drawn[:, 3, 0], drawn[:, 4, 0]).statistic
    # Spearman's correlation of a Gaussian copula is (6 / π) arcsin(ρ / 2); standard errors are below 0.016.
    expected = 6 / np.pi * np.arcsin(autocorrelation / 2) if dependence == "copula" else autocorrelation
    assert correlation == pytest.approx(expected, abs=0.06)


def test_lasting_noise_is_correlated_from_first_to_last_budget():
    drawn = noise(lasting=0.6)
    assert stats.spearmanr(drawn[:, 0, 0], drawn[:, -1, 0]).statistic == pytest.approx(0.58, abs=0.06)


def test_renewed_noise_is_constant_in_between():
    drawn = noise(autocorrelation=0.9, dependence="renewal")
    assert (drawn[:, 1:] == drawn[:, :-1]).mean() == pytest.approx(0.9, abs=0.02)


def test_gaussian_noise_has_the_variance_of_gumbel_noise():
    assert noise(noise="gaussian").std() == pytest.approx(np.pi / np.sqrt(6), rel=0.02)


def test_values_are_best_so_far_and_rankings_do_not_depend_on_the_difficulty():
    easy, hard = (
        Simulator(0.5, difficulty=difficulty).values(UTILITIES, 20, rng=np.random.default_rng(2))
        for difficulty in (0, 50)
    )
    assert (np.diff(hard, axis=1) < 0).all()
    np.testing.assert_array_equal(pb.rank_values(easy), pb.rank_values(hard))


def test_a_growing_share_of_runs_is_tied_at_the_optimum():
    values = Simulator(solved=0.5).values(UTILITIES, 1000, rng=np.random.default_rng(3))
    at_best = (values == values.min(axis=(0, 2), keepdims=True)).mean(axis=(0, 2))
    np.testing.assert_allclose(at_best, 0.5 * np.arange(1, BUDGETS + 1) / BUDGETS, atol=0.01)


@pytest.mark.parametrize(
    ("behaviour", "message"),
    [
        ({"autocorrelation": 1.1}, r"expected autocorrelation in \[0, 1\], got 1.1"),
        ({"difficulty": -1}, "expected a difficulty of at least 0"),
        ({"noise": "cauchy"}, "expected noise to be one of 'gumbel', 'gaussian'; got 'cauchy'"),
        ({"dependence": "renewal", "lasting": 0.5}, "raise the autocorrelation"),
    ],
)
def test_impossible_settings_are_rejected(behaviour, message):
    with pytest.raises(ValueError, match=message):
        Simulator(**behaviour)
