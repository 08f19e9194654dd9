"""The correlation of scores over time, and the effective number of independent budgets."""

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear.checks.run_scores import MOST_INSTANCES, standard_scores
from polarbear.checks.score_correlation import independent_budgets, score_correlation
from polarbear.models.plackett_luce import sample_rankings


def correlation_of(values, utilities):
    choices = pb.Choices.from_values(values, grid=np.arange(1.0, values.shape[1] + 1), per_instance=True)
    return score_correlation(standard_scores(utilities, choices)[0])


def test_independent_rankings_are_hardly_correlated_and_equal_ones_fully():
    rng = np.random.default_rng(3)
    utilities = np.tile([[0.5, 0.0, -0.5]], (12, 1))
    independent = correlation_of(sample_rankings(utilities, 200, rng=rng), utilities)
    # The measured correlation has a standard error of (200 · 2)^−½ = 0.05, and nearly all of it is shrunk away.
    assert np.abs(independent - np.eye(12)).max() < 0.05
    assert independent_budgets(independent) > 11
    once = sample_rankings(utilities[:1], 30, rng=rng)
    same = correlation_of(np.repeat(once, 12, axis=1), utilities)
    np.testing.assert_allclose(same, 1, atol=0.02)
    assert independent_budgets(same) == pytest.approx(1, abs=0.05)


def test_the_matrix_is_a_correlation_matrix():
    rng = np.random.default_rng(4)
    values = np.cumsum(rng.normal(size=(8, 15, 4)), axis=1)
    values[:3, 10:, 1] = np.nan  # three runs ended early
    values[:, 5] = 0.0  # and all are tied at one budget
    correlation = correlation_of(values, np.zeros((15, 4)))
    np.testing.assert_allclose(np.diag(correlation), 1)
    np.testing.assert_allclose(correlation, correlation.T, atol=1e-12)
    assert np.linalg.eigvalsh(correlation).min() > -1e-10


@pytest.mark.parametrize("seed", range(5))
def test_the_matrix_is_a_correlation_matrix_with_few_observations(seed):
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(12, 2, 4)) + rng.normal(size=(1, 2, 4))
    scores = np.where(rng.random((12, 1, 4)) < 0.4, 0.0, scores)
    correlation = score_correlation(scores)
    np.testing.assert_allclose(np.diag(correlation), 1)
    assert np.linalg.eigvalsh(correlation).min() > -1e-10


def test_a_precise_measurement_outweighs_the_stationary_target():
    rng = np.random.default_rng(6)
    # Two halves of the run, each perfectly correlated, which no function of the distance describes.
    block = np.kron(np.eye(2), np.ones((6, 6)))
    alike = np.linalg.cholesky(block + 1e-6 * np.eye(12)) @ rng.standard_normal((12, 3 * 30))
    # Standard errors are 0.1, most of which is shrunk away.
    np.testing.assert_allclose(score_correlation(alike.reshape(12, 3, 30)), block, atol=0.15)
    drawn = score_correlation(rng.standard_normal((12, 3, 30)))
    assert np.abs(drawn - np.eye(12)).max() < 0.06  # the standard error of the measurement is 0.1


def test_correlations_of_few_instances_are_shrunk_more():
    rng = np.random.default_rng(7)
    scores = rng.standard_normal((12, 2, 100))
    scores[::2, :, 5:] = 0.0  # half of the budgets were observed by five instances only
    # Correlations of five have an error of a third; counted like those of a hundred, they would hardly be shrunk.
    assert np.abs(score_correlation(scores) - np.eye(12)).max() < 0.15


@pytest.fixture
def once():
    """Twelve runs whose order never changes, at 30 budgets."""
    return np.repeat(np.random.default_rng(8).normal(size=(12, 1, 3)), 30, axis=1)


UNOBSERVED = {"the first half": slice(15), "all but three": slice(27), "every second": slice(None, None, 2)}


@pytest.mark.parametrize("instances", [1, 12])
@pytest.mark.parametrize("budgets", UNOBSERVED)
def test_unobserved_budgets_add_no_independent_budgets(once, budgets, instances):
    once[:, UNOBSERVED[budgets], 1:] = np.nan  # a single algorithm has no ranking
    correlation = correlation_of(once[:instances], np.zeros((30, 3)))
    np.testing.assert_allclose(correlation, 1, atol=0.02)
    assert independent_budgets(correlation) == pytest.approx(1, abs=0.02)


def test_budgets_without_a_common_instance_are_uncorrelated(once):
    once[:6, 15:, 1:] = once[6:, :15, 1:] = np.nan
    correlation = correlation_of(once, np.zeros((30, 3)))
    np.testing.assert_allclose(correlation, np.kron(np.eye(2), np.ones((15, 15))), atol=0.05)
    assert independent_budgets(correlation) == pytest.approx(2, abs=0.1)


def test_thinned_instances_give_nearly_the_same_correlation():
    rng = np.random.default_rng(5)
    walks = np.cumsum(rng.normal(size=(3 * MOST_INSTANCES, 6, 3)), axis=1)
    few = correlation_of(walks[:MOST_INSTANCES], np.zeros((6, 3)))
    many = correlation_of(walks, np.zeros((6, 3)))
    np.testing.assert_allclose(few, many, atol=0.15)  # four standard errors of the difference


@pytest.mark.parametrize(
    ("budgets", "autocorrelation"), [(20, 0.0), (20, 0.5), (20, 0.9), (20, 0.95), (20, 0.99), (200, 0.5), (200, 0.99)]
)
def test_the_largest_deviation_has_the_nominal_error_rate(budgets, autocorrelation):
    # The nominal rate is 1 %, with a standard error of 0.05 % from 40,000 draws; Galwey's approximation gives up to 1.5 %.
    R = autocorrelation ** np.abs(np.subtract.outer(np.arange(budgets), np.arange(budgets)))
    scores = np.linalg.cholesky(R) @ np.random.default_rng(5).standard_normal((budgets, 40_000))
    threshold = stats.norm.isf(0.01 / (2 * independent_budgets(R)))
    assert 0.0085 < (np.abs(scores).max(axis=0) > threshold).mean() < 0.0165
