"""Each risk attitude against counting and plain loops."""

import numpy as np
import pytest
from scipy import stats

from polarbear import Expected, ExpectedLoss, ProbabilityBest, Quantile

VALUES = np.random.default_rng(0).normal(loc=[0, 0.2, -0.1, 0.1], scale=[1, 0.3, 2, 0.1], size=(300, 4))


def test_expected_is_the_mean():
    np.testing.assert_allclose(Expected().score(VALUES), [sum(column) / 300 for column in VALUES.T])


def test_probability_best_counts():
    wins = np.zeros(4)
    for row in VALUES:
        wins[row.tolist().index(max(row))] += 1
    np.testing.assert_allclose(ProbabilityBest().score(VALUES), wins / 300)


def test_ties_share_the_draw():
    values = np.array([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0], [0.0, 3.0, 1.0]])
    np.testing.assert_allclose(ProbabilityBest().score(values), [(1 / 2 + 1 / 3) / 3, (1 / 2 + 1 / 3 + 1) / 3, 1 / 9])


@pytest.mark.parametrize("level", [0.01, 0.05, 0.5, 0.9])
def test_quantiles_are_quantiles(level):
    np.testing.assert_allclose(
        Quantile(level).score(VALUES), [stats.mstats.mquantiles(c, level, alphap=1, betap=1)[0] for c in VALUES.T]
    )


def test_quantiles_of_normal_values_are_those_of_the_normal():
    values = 0.3 + 0.02 * stats.norm.ppf((np.arange(4000) + 0.5) / 4000)[:, None]  # evenly spread, to half a step
    assert Quantile(0.05).score(values) == pytest.approx(
        stats.norm(0.3, 0.02).ppf(0.05), abs=3e-5
    )  # half a step between draws


def test_loss_is_the_mean_loss_against_the_best():
    losses = np.array([[max(row) - each for each in row] for row in VALUES])
    np.testing.assert_allclose(ExpectedLoss().score(VALUES), -losses.mean(axis=0))


def test_loss_and_expectation_give_the_same_order():
    np.testing.assert_array_equal(ExpectedLoss().score(VALUES).argsort(), Expected().score(VALUES).argsort())


def test_attitudes_differ_where_they_should():
    """Mostly best but at times terrible; best on average; safe."""
    values = np.column_stack([np.repeat([1.0, -3.0], [70, 30]), np.repeat([0.9, -0.5], [70, 30]), np.full(100, 0.3)])
    assert ProbabilityBest().score(values).argmax() == 0
    assert Expected().score(values).argmax() == 1
    assert Quantile(0.05).score(values).argmax() == 2


@pytest.mark.parametrize("risk", [Expected(), ProbabilityBest(), Quantile(0.05), ExpectedLoss()], ids=str)
def test_scores_follow_the_order_of_candidates_and_leave_values_alone(risk):
    order = np.array([2, 0, 3, 1])
    before = VALUES.copy()
    np.testing.assert_allclose(risk.score(VALUES[:, order]), risk.score(VALUES)[order], rtol=1e-12)
    np.testing.assert_array_equal(VALUES, before)


@pytest.mark.parametrize("level", [0, 1, -0.1, 5, np.nan])
def test_a_level_that_is_no_probability_is_refused(level):
    with pytest.raises(ValueError, match="expected the level of a quantile between 0 and 1, got"):
        Quantile(level)


@pytest.mark.parametrize(
    ("risk", "words"),
    [
        (Expected(), "the expected value"),
        (ProbabilityBest(), "the probability of being the best"),
        (Quantile(), "the 5 % quantile of the value"),
        (Quantile(0.025), "the 2.5 % quantile of the value"),
        (ExpectedLoss(), "the expected loss"),
    ],
)
def test_every_attitude_has_a_description(risk, words):
    assert str(risk) == words
