"""The win rate against the strongest rival."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.selection.criterion import StrongestRival
from tests.selection.posteriors import random_posterior


def test_curves_are_the_lowest_win_rates():
    posterior = random_posterior()
    rates = pb.win_rates(posterior)
    rates[..., np.arange(4), np.arange(4)] = 1
    np.testing.assert_allclose(StrongestRival().curves(posterior), rates.min(axis=-1), rtol=1e-12)
    one = StrongestRival().curves(posterior, slice(1, 2))
    np.testing.assert_array_equal(one, StrongestRival().curves(posterior)[:, 1:2])


def test_win_rates_are_averaged_over_budgets_before_the_minimum():
    """`a` always beats `b` early and `c` late, and otherwise wins half of the time."""
    half = np.random.default_rng(0).permuted(np.tile([0.0, 3.0], (2, 100)), axis=1)
    values = np.tile([1.0, 2.0, 2.0], (200, 2, 1))
    values[:, 0, 2], values[:, 1, 1] = half
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2], names=["a", "b", "c"]), draws=500)
    weights = np.array([0.5, 0.5])
    assert (StrongestRival().curves(posterior).mean(axis=0)[:, 0] < 0.55).all()
    assert StrongestRival().averages(posterior, weights).mean(axis=0)[0] == pytest.approx(0.74, abs=0.03)


def test_rivals_are_the_algorithms_that_were_observed_at_the_budget():
    values = np.array([[[1.0, 2.0, 0.0], [1.0, 2.0, np.nan]]] * 30)
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 2], names=["a", "b", "c"]), draws=200)
    expected = StrongestRival().curves(posterior).mean(axis=0)[:, 0]
    assert expected[0] < 0.1
    assert expected[1] > 0.9


def test_its_value_has_words():
    assert StrongestRival().describe(0.614, 3) == "wins on 61 % of instances against its strongest rival"
    assert str(StrongestRival()) == "the win rate against the strongest rival"
