"""E-values keep their bound on false claims in simulations (Ville's inequality), and bound wrong drops."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.observe import ABSENT
from polarbear.posterior.e_values import corrections, error_bounds, evidence
from tests.posterior.plain_e_values import SHARES, STAKES, choices_of

# Validity


def running_capital(signs):
    """The e-value after each outcome of each sequence of -1, 0 and 1, shape (sequence, outcome)."""
    wins, losses = np.cumsum(signs == 1, axis=1), np.cumsum(signs == -1, axis=1)
    counts = np.arange(signs.shape[1] + 1)
    by_stake = counts[:, None, None] * np.log1p(STAKES) + counts[:, None] * np.log1p(-STAKES)
    return (np.exp(by_stake) @ SHARES)[wins, losses]


def test_ville_under_a_win_rate_of_one_half():
    """Of 2,000 sequences of 300 outcomes, at most 5 % ever reach 20, with an analysis after each outcome.

    Two standard errors of 5 % in 2,000 trials are 1 point. Ties are as probable as wins and losses.
    """
    signs = np.random.default_rng(1).integers(-1, 2, size=(2000, 300))
    running = running_capital(signs)
    # Some sequences as budgets: the last value of each is the e-value of all its data.
    ranks = np.stack([signs[:200].T < 0, signs[:200].T > 0], axis=-1).astype(int)
    np.testing.assert_allclose(evidence(choices_of(ranks))[:, 0, 1], running[:200, -1], rtol=1e-9)
    share = (running.max(axis=1) >= 20).mean()
    assert 0.01 < share < 0.05 + 0.01  # without bets no sequence would reach it
    assert (running[:, -1] >= 20).mean() < share  # repeated analyses matter, and the bound covers them


def test_ville_with_clusters():
    """Clusters whose members resemble one another: at most 5 % of 400 sequences of 60 clusters ever reach 20."""
    rng = np.random.default_rng(2)
    rates = rng.choice([0.1, 0.9], size=(400, 60, 1))  # of a cluster; one half on average
    beaten = rng.random((400, 60, 3)) < rates
    means = (2.0 * beaten - 1).mean(axis=2)
    running = np.exp(np.cumsum(np.log1p(means[..., None] * STAKES), axis=1)) @ SHARES
    ranks = np.stack([~beaten, beaten], axis=-1).reshape(400, 180, 2).transpose(1, 0, 2).astype(int)
    e = evidence(choices_of(ranks, clusters=np.repeat(np.arange(60), 3)))
    np.testing.assert_allclose(e[:, 0, 1], running[:, -1], rtol=1e-9)
    assert 0 < (running.max(axis=1) >= 20).mean() < 0.05 + 0.022  # two standard errors


def test_without_clusters_repetitions_would_break_the_bound():
    """Repetitions that count as instances reach 20 in a large share of sequences."""
    beaten = np.repeat(np.random.default_rng(3).random((100, 10)) < 0.5, 20, axis=1)
    assert (running_capital(2 * beaten - 1).max(axis=1) >= 20).mean() > 0.3


# Bounds on errors


def test_the_bound_of_a_drop_is_that_of_its_least_certain_budget():
    ranks = np.array([[[0, 1, 2]] * 2] * 12)
    ranks[0, 1] = [1, 0, 2]  # one loss at the second budget
    choices = choices_of(ranks)
    e = evidence(choices)
    bounds = error_bounds(choices)
    assert e[1, 0, 1] < e[0, 0, 1]
    assert bounds[0, 1] == pytest.approx(6 / e[1, 0, 1])
    assert bounds[0, 2] == pytest.approx(6 / e[0, 0, 2])
    assert bounds[1, 0] == 1
    assert np.diag(bounds).tolist() == [1, 1, 1]
    assert error_bounds(choices, correction=1)[0, 2] == pytest.approx(1 / e[0, 0, 2])


def test_a_budget_without_outcomes_leaves_the_bound_at_one():
    ranks = [[[0, 1], [ABSENT, ABSENT]]] * 30
    assert error_bounds(choices_of(ranks))[0, 1] == 1


@pytest.mark.parametrize("founders", [2, 4, 7])
def test_corrections_spend_at_most_one_however_many_join(founders):
    before = corrections(founders, founders)
    for algorithms in (founders, founders + 1, 300):
        k = corrections(algorithms, founders)
        pairs = ~np.eye(algorithms, dtype=bool)
        assert (1 / k[pairs]).sum() == pytest.approx(1 - 1 / algorithms)
        np.testing.assert_array_equal(k[:founders, :founders], before)  # the shares of present pairs do not change
        np.testing.assert_array_equal(k, k.T)
    assert (before == founders**2).all()


def test_the_bound_holds_for_all_pairs_at_once():
    """Four equal algorithms, 300 data sets, analyses at 10 to 100 instances: some bound is at most 0.2 in at most 20 %.

    Without the correction for twelve pairs the share would be larger.
    """
    ranks = pb.rank_values(np.random.default_rng(5).random((100, 300, 4)))  # data sets as budgets
    most = np.max([evidence(choices_of(ranks[:size])).max(axis=(1, 2)) for size in range(10, 101, 10)], axis=0)
    assert (12 / most <= 0.2).mean() <= 0.2
    assert (1 / most <= 0.2).mean() > 0.2
    alone = choices_of(ranks[:, [0]])
    assert error_bounds(alone).min() == pytest.approx(min(1, 12 / evidence(alone).max()))
