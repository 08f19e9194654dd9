import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear.checks.run_scores import MOST_INSTANCES, standard_scores
from polarbear.checks.score_correlation import independent_times, score_correlation
from polarbear.models.plackett_luce import sample_rankings


def correlation_of(values, utilities):
    choices = pb.Choices.from_values(values, grid=np.arange(1.0, values.shape[1] + 1), per_instance=True)
    return score_correlation(standard_scores(utilities, choices)[0])


def test_independent_rankings_are_hardly_correlated_and_equal_ones_fully():
    rng = np.random.default_rng(3)
    utilities = np.tile([[0.5, 0.0, -0.5]], (12, 1))
    independent = correlation_of(sample_rankings(utilities, 200, rng=rng), utilities)
    # What was measured has a standard error of (200 · 2)^−½ = 0.05, and sampling explains nearly all of it.
    assert np.abs(independent - np.eye(12)).max() < 0.05
    assert independent_times(independent) > 11
    once = sample_rankings(utilities[:1], 30, rng=rng)
    same = correlation_of(np.repeat(once, 12, axis=1), utilities)
    np.testing.assert_allclose(same, 1, atol=0.02)
    assert independent_times(same) == pytest.approx(1, abs=0.05)


def test_the_correlation_is_one_of_a_distribution():
    rng = np.random.default_rng(4)
    values = np.cumsum(rng.normal(size=(8, 15, 4)), axis=1)
    values[:3, 10:, 1] = np.nan  # three runs ended early
    values[:, 5] = 0.0  # and nothing was known at one time
    correlation = correlation_of(values, np.zeros((15, 4)))
    np.testing.assert_allclose(np.diag(correlation), 1)
    np.testing.assert_allclose(correlation, correlation.T, atol=1e-12)
    assert np.linalg.eigvalsh(correlation).min() > -1e-10


@pytest.mark.parametrize("seed", range(20))
def test_it_is_one_of_a_distribution_also_where_little_was_seen(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(12, 2, 4)) + rng.normal(size=(1, 2, 4))
    scores = np.where(rng.random((12, 1, 4)) < 0.4, 0.0, scores)
    correlation = score_correlation(scores)
    np.testing.assert_allclose(np.diag(correlation), 1)
    assert np.linalg.eigvalsh(correlation).min() > -1e-10


def test_what_is_measured_counts_where_it_is_known():
    rng = np.random.default_rng(6)
    # Two halves of the run, each alike, which no function of distance tells.
    block = np.kron(np.eye(2), np.ones((6, 6)))
    alike = np.linalg.cholesky(block + 1e-6 * np.eye(12)) @ rng.standard_normal((12, 3 * 30))
    # Standard errors are 0.1, of which sampling explains most.
    np.testing.assert_allclose(score_correlation(alike.reshape(12, 3, 30)), block, atol=0.15)
    drawn = score_correlation(rng.standard_normal((12, 3, 30)))
    assert np.abs(drawn - np.eye(12)).max() < 0.06  # a standard error of what was measured is 0.1


def test_an_instance_that_was_seen_at_some_times_counts_at_these():
    rng = np.random.default_rng(7)
    scores = rng.standard_normal((12, 2, 100))
    scores[::2, :, 5:] = 0.0  # half of the times were seen by five instances only
    # Correlations of five are off by a third; they would hardly be drawn to zero if they counted as those of a hundred.
    assert np.abs(score_correlation(scores) - np.eye(12)).max() < 0.15


@pytest.fixture
def once():
    """Twelve runs whose order never changes, at 30 times."""
    return np.repeat(np.random.default_rng(8).normal(size=(12, 1, 3)), 30, axis=1)


UNSEEN = {"the first half": slice(15), "all but three": slice(27), "every second": slice(None, None, 2)}


@pytest.mark.parametrize("instances", [1, 12])
@pytest.mark.parametrize("times", UNSEEN)
def test_times_at_which_nothing_was_seen_count_for_nothing(once, times, instances):
    once[:, UNSEEN[times], 1:] = np.nan  # of one alone there is no ranking
    correlation = correlation_of(once[:instances], np.zeros((30, 3)))
    np.testing.assert_allclose(correlation, 1, atol=0.02)
    assert independent_times(correlation) == pytest.approx(1, abs=0.02)


def test_times_without_a_common_instance_have_nothing_in_common(once):
    once[:6, 15:, 1:] = once[6:, :15, 1:] = np.nan
    correlation = correlation_of(once, np.zeros((30, 3)))
    np.testing.assert_allclose(correlation, np.kron(np.eye(2), np.ones((15, 15))), atol=0.05)
    assert independent_times(correlation) == pytest.approx(2, abs=0.1)


def test_more_instances_than_are_looked_at_tell_the_same():
    rng = np.random.default_rng(5)
    walks = np.cumsum(rng.normal(size=(3 * MOST_INSTANCES, 6, 3)), axis=1)
    few = correlation_of(walks[:MOST_INSTANCES], np.zeros((6, 3)))
    many = correlation_of(walks, np.zeros((6, 3)))
    np.testing.assert_allclose(few, many, atol=0.15)  # four standard errors of the difference


@pytest.mark.parametrize("autocorrelation", [0.0, 0.5, 0.9, 0.95, 0.99])
@pytest.mark.parametrize("times", [20, 200])
def test_the_largest_deviation_exceeds_its_threshold_as_rarely_as_it_says(times, autocorrelation):
    # One in a hundred; 40,000 draws know that to 0.05 %, and Galwey's rule, which is no theorem, was seen to give 1.5 %.
    R = autocorrelation ** np.abs(np.subtract.outer(np.arange(times), np.arange(times)))
    scores = np.linalg.cholesky(R) @ np.random.default_rng(5).standard_normal((times, 40_000))
    threshold = stats.norm.isf(0.01 / (2 * independent_times(R)))
    assert 0.0085 < (np.abs(scores).max(axis=0) > threshold).mean() < 0.0165
