"""Weighted quantiles agree with NumPy, and with Kaplan and Meier's estimator where values are censored."""

import numpy as np
import pytest

from polarbear.magnitude.instance_weights import draw_instance_weights
from polarbear.magnitude.quantiles import central_interval, weighted_quantile


@pytest.mark.parametrize("share", [0.25, 0.5, 0.75])
@pytest.mark.parametrize("number", [1, 2, 7, 20])
def test_with_equal_weights_they_are_numpys(share, number):
    values = np.random.default_rng(number).normal(size=number)
    expected = np.quantile(values, share, method="averaged_inverted_cdf")
    assert weighted_quantile(values, np.ones((number, 1)), share)[0] == pytest.approx(expected)


def test_with_random_weights_they_are_numpys():
    rng = np.random.default_rng(1)
    values, weights = rng.normal(size=15), rng.exponential(size=(15, 40))
    expected = [np.quantile(values, 0.5, weights=each, method="inverted_cdf") for each in weights.T]
    np.testing.assert_array_equal(weighted_quantile(values, weights, 0.5), expected)


def test_the_censored_median_is_that_of_scipy():
    from scipy.stats import CensoredData, ecdf

    rng = np.random.default_rng(2)
    truth, limit = rng.exponential(size=41), rng.exponential(3.0, size=41)
    values, censored = np.minimum(truth, limit), truth > limit
    assert 5 < censored.sum() < 20
    survival = ecdf(CensoredData(values[~censored], right=values[censored])).sf
    expected = survival.quantiles[np.argmax(survival.probabilities <= 0.5)]
    assert weighted_quantile(values, np.ones((41, 1)), 0.5, censored=censored)[0] == expected
    assert expected != np.median(values)


def test_a_median_is_undetermined_if_most_values_are_censored():
    values, censored = np.array([1.0, 2.0, 2.0, 2.0]), np.array([False, True, True, True])
    assert weighted_quantile(values, np.ones((4, 1)), 0.5, censored=censored)[0] == np.inf
    assert np.isnan(weighted_quantile(values, np.zeros((4, 1)), 0.5)[0])


def test_mass_beyond_all_values_moves_the_median_to_infinity():
    weights = np.ones((2, 3))
    found = weighted_quantile(
        np.array([1.0, 2.0]), weights, 0.5, below=np.array([5.0, 0.0, 0.0]), above=np.array([0.0, 5.0, 0.5])
    )
    assert found.tolist() == [-np.inf, np.inf, 2.0]
    assert central_interval(np.array([-np.inf, 1.0, 2.0, np.inf]), 0.9) == (-np.inf, np.inf)


def test_instances_of_a_cluster_share_one_weight():
    weights = draw_instance_weights(np.array([0, 0, 1]), 2000, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(weights.draws[0], weights.draws[1])
    # Means of exponential variables over 2,000 draws: standard errors are below 0.025.
    np.testing.assert_allclose(weights.draws.mean(axis=1), weights.expected, atol=0.08)
    np.testing.assert_allclose([weights.below.mean(), weights.above.mean()], 0.5, atol=0.08)
