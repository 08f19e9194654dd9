"""Non-inferiority at all budgets at once: the two probabilities against their definitions."""

import math

import numpy as np
import pytest

import polarbear as pb
from polarbear.calibration.simulator import Simulator
from polarbear.posterior.non_inferiority import non_inferiority
from polarbear.race.version_comparison import PRIOR

NAMES = ("old", "new")


def posterior_of(utility, instances, *, budgets=20, seed=0, autocorrelation=0.0):
    """The posterior after simulated instances on which the new version has this utility at each budget."""
    utilities = np.stack([np.zeros(budgets), np.broadcast_to(utility, budgets)], axis=1)
    values = Simulator(autocorrelation).values(utilities, instances, rng=np.random.default_rng(seed))
    return pb.fit(pb.Choices.from_values(values, grid=np.arange(1, budgets + 1), names=NAMES), prior=PRIOR, draws=1000)


def test_at_a_single_budget_both_probabilities_are_those_of_the_win_rate():
    posterior = posterior_of(-0.3, 60, budgets=1)
    rates = pb.win_rates(posterior, "new", "old")[:, 0]
    compared = non_inferiority(posterior, "old", "new", margin=0.1)
    assert compared.nowhere_worse == np.mean(rates >= 0.4)
    assert compared.worse_somewhere == pytest.approx(np.mean(rates < 0.4), abs=1e-9)
    assert compared.mean[0] == pytest.approx(rates.mean())


def test_nowhere_worse_is_about_all_budgets_at_once():
    posterior = posterior_of(0.2, 60)
    rates = pb.win_rates(posterior, "new", "old")
    compared = non_inferiority(posterior, "old", "new", margin=0.1)
    assert compared.nowhere_worse == np.mean((rates >= 0.4).all(axis=1)) < np.mean(rates >= 0.4, axis=0).min()


def test_equal_algorithms_on_few_instances_are_not_worse_somewhere():
    """The naive probability that the win rate is low at some budget is high, however equal the two are."""
    posterior = posterior_of(0.0, 8)
    assert np.mean((pb.win_rates(posterior, "new", "old") < 0.45).any(axis=1)) > 0.7
    assert non_inferiority(posterior, "old", "new").worse_somewhere < 0.9


def test_the_worst_budget_is_where_the_new_one_loses():
    utility = np.zeros(20)
    utility[7] = -2.0
    compared = non_inferiority(posterior_of(utility, 150), "old", "new")
    assert compared.budgets[compared.worst] == 8
    assert compared.worse_somewhere > 0.95
    assert compared.nowhere_worse < 0.05
    assert compared.lower[7] < compared.mean[7] < compared.upper[7] < 0.45


def test_budgets_at_which_one_was_not_observed_do_not_count():
    values = np.random.default_rng(0).random((40, 3, 2))
    values[:, 2, 1] = np.nan
    choices = pb.Choices.from_values(np.minimum.accumulate(values, axis=1), grid=[1, 2, 3], names=NAMES)
    assert non_inferiority(pb.fit(choices, prior=PRIOR, draws=500), "old", "new").budgets.tolist() == [1, 2]


def test_more_data_are_needed_the_closer_the_margin_is():
    needed = [
        non_inferiority(posterior_of(0.0, 60, budgets=1), "old", "new", margin=margin).growth_to(0.99)
        for margin in (0.3, 0.1, 0.05)
    ]
    assert sorted(needed) == needed
    assert 1 < needed[1] < needed[2] < math.inf


def test_a_difference_at_the_margin_is_never_decided():
    even = np.tile([[[0.0, 1.0]], [[1.0, 0.0]]], (20, 1, 1))
    posterior = pb.fit(pb.Choices.from_values(even, grid=[1], names=NAMES), prior=PRIOR, draws=4000)
    assert non_inferiority(posterior, "old", "new", margin=0.0).growth_to(0.999) > 100


def test_impossible_requests_are_refused():
    with pytest.raises(ValueError, match=r"expected margin in \[0, 0.5\), got 0.7"):
        non_inferiority(posterior_of(0.0, 8), "old", "new", margin=0.7)
