"""Pareto smoothing distinguishes good weights from bad ones, truncation bounds them, and resampling is unbiased."""

from __future__ import annotations

import numpy as np
import pytest
from arviz_stats.base import array_stats

from polarbear.inference.importance import pareto_smooth, resample, systematic_counts, truncate_weights


def pareto_log_weights(shape: float, size: int, seed: int) -> np.ndarray:
    """Weights U^−k, whose upper tail is a Pareto tail of shape k."""
    return shape * np.random.default_rng(seed).standard_exponential(size)


def test_equal_weights_are_fully_effective() -> None:
    smoothed = pareto_smooth(np.zeros(1000))
    np.testing.assert_allclose(smoothed.weights, 1e-3)
    assert smoothed.effective_share == pytest.approx(1.0)


def test_nearly_equal_weights_are_good() -> None:
    smoothed = pareto_smooth(0.1 * np.random.default_rng(1).standard_normal(4000))
    assert smoothed.good
    assert smoothed.pareto_k < 0.3
    assert smoothed.effective_share == pytest.approx(np.exp(-0.01), abs=0.005)


@pytest.mark.parametrize("seed", range(3))
def test_heavy_tails_are_not_good(seed: int) -> None:
    smoothed = pareto_smooth(pareto_log_weights(0.9, 20_000, seed))
    # The fit rests on some 400 weights: a standard error of (1 + k) / √400, and the smaller of two estimates is used.
    assert smoothed.pareto_k == pytest.approx(0.9, abs=0.3)
    assert not smoothed.good


@pytest.mark.parametrize("shape", [0.2, 0.5, 1.5])
def test_the_shape_of_the_tail_is_estimated(shape: float) -> None:
    k = np.mean([pareto_smooth(pareto_log_weights(shape, 20_000, seed)).pareto_k for seed in range(5)])
    assert k == pytest.approx(shape, abs=0.15)


def test_larger_log_weights_give_larger_weights() -> None:
    log_weights = np.random.default_rng(2).normal(0, 1, 5000)
    weights = pareto_smooth(log_weights).weights
    order = np.argsort(log_weights)
    assert (np.diff(weights[order]) >= 0).all()
    assert weights.sum() == pytest.approx(1.0)
    # Below the tail, weights are as they were.
    low = order[:4000]
    np.testing.assert_allclose(weights[low] / weights[low[-1]], np.exp(log_weights[low] - log_weights[low[-1]]))


def test_a_constant_added_changes_nothing() -> None:
    log_weights = pareto_log_weights(0.4, 2000, 3)
    one, two = pareto_smooth(log_weights), pareto_smooth(log_weights - 1e4)
    np.testing.assert_allclose(one.weights, two.weights, rtol=1e-6)
    assert one.pareto_k == pytest.approx(two.pareto_k)


def test_few_effective_draws_are_not_good() -> None:
    log_weights = np.concatenate([np.zeros(3900), np.full(100, 20.0)])
    assert pareto_smooth(log_weights).effective_share == pytest.approx(0.025, rel=0.01)
    assert not pareto_smooth(log_weights).good


def test_one_draw_with_all_the_weight_is_not_good() -> None:
    log_weights = np.zeros(1000)
    log_weights[7] = 500.0
    smoothed = pareto_smooth(log_weights)
    assert not smoothed.good
    assert smoothed.weights[7] == pytest.approx(1.0)
    assert np.isfinite(smoothed.weights).all()


def test_impossible_draws_get_no_weight() -> None:
    log_weights = np.random.default_rng(4).normal(0, 0.2, 1000)
    log_weights[:10] = -np.inf
    smoothed = pareto_smooth(log_weights)
    np.testing.assert_array_equal(smoothed.weights[:10], 0.0)
    assert smoothed.weights.sum() == pytest.approx(1.0)


def test_weighted_average_of_a_known_target_is_right() -> None:
    # Student t draws weighted to a standard normal.
    draws = np.random.default_rng(5).standard_t(4, 20_000)
    smoothed = pareto_smooth(-0.5 * draws**2 + 2.5 * np.log1p(draws**2 / 4))
    assert smoothed.good
    error = 1 / np.sqrt(smoothed.effective_share * len(draws))
    assert smoothed.weights @ draws == pytest.approx(0.0, abs=5 * error)
    assert smoothed.weights @ draws**2 == pytest.approx(1.0, abs=5 * np.sqrt(2) * error)


def test_counts_sum_to_the_draws_and_differ_from_expected_numbers_by_less_than_one() -> None:
    rng = np.random.default_rng(6)
    for size in (1, 2, 17, 300):
        weights = rng.dirichlet(np.full(size, 0.3))
        counts = systematic_counts(weights, 100, rng=rng)
        assert counts.sum() == 100
        assert (np.abs(counts - 100 * weights) < 1 + 1e-9).all()


def test_counts_are_unbiased() -> None:
    rng = np.random.default_rng(7)
    weights = np.array([0.0, 0.123, 0.5, 0.002, 0.375])
    counts = np.mean([systematic_counts(weights, 10, rng=rng) for _ in range(20_000)], axis=0)
    # A count varies by less than one half about its mean.
    np.testing.assert_allclose(counts, 10 * weights, atol=5 * 0.5 / np.sqrt(20_000))


def test_resampling_keeps_shares_in_random_order() -> None:
    rng = np.random.default_rng(8)
    weights = np.array([0.5, 0.25, 0.25])
    chosen = resample(weights, 4000, rng=rng)
    np.testing.assert_array_equal(np.bincount(chosen), [2000, 1000, 1000])
    assert abs(np.corrcoef(chosen[1:], chosen[:-1])[0, 1]) < 5 / np.sqrt(4000)


@pytest.mark.parametrize("draws", [100, 225, 1000, 4000])
@pytest.mark.parametrize("spread", [0.8, 3.0])
def test_smoothing_only_the_largest_weights_equals_smoothing_all(draws, spread):
    log_weights = np.random.default_rng(draws).normal(scale=spread, size=draws)
    smoothed, k = array_stats.psislw(-log_weights)
    importance = pareto_smooth(log_weights)
    if k < 0.7:
        assert importance.pareto_k == pytest.approx(float(k), rel=1e-9)
        np.testing.assert_allclose(importance.weights, np.exp(smoothed), rtol=1e-9)
    else:
        assert importance.pareto_k <= k


def test_weights_near_their_mean_are_unchanged():
    # The largest is below three times the mean; smoothing would change the few largest by some per cent, and find no tail.
    log_weights = np.random.default_rng(9).normal(scale=0.25, size=4000)
    assert np.exp(log_weights).max() < 3 * np.exp(log_weights).mean()
    smoothed, k = array_stats.psislw(-log_weights)
    importance = pareto_smooth(log_weights)
    assert importance.pareto_k == 0.0
    assert k < 0.2
    np.testing.assert_allclose(importance.weights, np.exp(log_weights) / np.exp(log_weights).sum())
    np.testing.assert_allclose(importance.weights, np.exp(smoothed), rtol=0.1)


def test_weights_with_a_bound_that_many_reach_are_unchanged():
    log_weights = np.minimum(np.random.default_rng(1).normal(size=4000), 1.0)
    importance = pareto_smooth(log_weights)
    assert importance.good
    np.testing.assert_allclose(importance.weights, np.exp(log_weights) / np.exp(log_weights).sum())


@pytest.mark.parametrize("share", [0.05, 0.2, 1.0])
@pytest.mark.parametrize("spread", [0.0, 1.0, 1000.0])
def test_truncated_weights_are_equal_at_the_top_and_untouched_below(share, spread):
    log_weights = spread * np.random.default_rng(3).standard_normal(1000)
    weights = truncate_weights(log_weights, share=share)
    top, below = np.split(np.argsort(-log_weights), [round(1000 * share)])
    np.testing.assert_allclose(weights[top], weights.max())
    ratios = np.exp(log_weights[below] - log_weights[top[-1]])
    np.testing.assert_allclose(weights[below] / weights.max(), ratios, atol=1e-300)  # smaller ones are not normal
    assert weights.sum() == pytest.approx(1)
    assert 1 / (weights @ weights) >= 1000 * share - 1e-6
