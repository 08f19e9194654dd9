"""Win rates of portfolios: from outcomes, from Plackett-Luce, and against the best single algorithm."""

import numpy as np
import pytest

from polarbear import (
    At,
    Choices,
    Custom,
    Final,
    Uniform,
    fit,
    portfolio_win_probability,
    select,
    win_probability,
)
from polarbear.selection import portfolio as portfolios
from tests.selection.posteriors import posterior_of, random_posterior

WORST = Custom(lambda curves: curves.min(axis=-1))


def two_kinds(instances=40):
    """A and B each win by far on one half of the instances and lose to all on the other; C and D are in between."""
    rng = np.random.default_rng(3)
    values = np.empty((instances, 2, 4))
    values[:, :, 2:] = rng.normal(5.0, 1.0, size=(instances, 1, 2))
    values[: instances // 2, :, 0], values[instances // 2 :, :, 0] = 0.0, 20.0
    values[: instances // 2, :, 1], values[instances // 2 :, :, 1] = 20.0, 0.0
    return Choices.from_values(values, grid=[10, 100])


def test_win_rates_are_shares_of_instances():
    """Each alone wins half of the instances; together they win nearly all, half of them with the single's own run."""
    posterior = fit(two_kinds(), draws=500, seed=1)
    together = portfolio_win_probability(posterior, ["A", "B"], ["C", "D"])
    assert (together > 0.95).all()
    alone = portfolio_win_probability(posterior, ["A"], ["C", "D"])
    np.testing.assert_allclose(alone, 0.5, atol=0.05)
    selection = select(posterior, Uniform(), among=posterior.names, portfolio=2)
    single = selection.best_single
    members = [posterior.names.index(name) for name in selection.recommendation]
    assert selection.recommendation == ("A", "B")
    rates = portfolios.win_rate_against(posterior, members, posterior.names.index(single))
    assert selection.win_rate_against_best_single == pytest.approx(Uniform().weights(posterior.grid) @ rates, rel=1e-6)
    of_a = portfolios.win_rate_against(posterior, members, 0)  # a tie where A itself is the best
    np.testing.assert_allclose(of_a, 0.75, atol=0.03)


@pytest.mark.parametrize(("first", "second"), [(["B", "C"], ["A"]), (["A"], ["D", "A"]), (["A", "B"], ["B", "A"])])
def test_the_two_directions_of_a_win_rate_sum_to_one(first, second):
    posterior = fit(two_kinds(15), draws=100)
    there, back = (portfolio_win_probability(posterior, *pair) for pair in ((first, second), (second, first)))
    if sorted(first) == sorted(second):
        np.testing.assert_allclose(there, 0.5, atol=0.05)
    else:
        np.testing.assert_array_equal(there, 1 - back)
    own, rivals = ([posterior.names.index(name) for name in each] for each in (first, second))
    wins = posterior.beliefs.best_of(own, rivals).mean(axis=1, dtype=float)
    np.testing.assert_allclose(there, wins, atol=0.02)  # the prior of either direction has draws of its own


@pytest.mark.parametrize(("first", "second"), [(["A", "A"], ["B"]), (["C"], ["B", "B"])])
def test_copies_without_repeated_runs_are_refused(first, second):
    posterior = fit(two_kinds(), draws=100)
    names = " and ".join(sorted({*first, *second}))
    with pytest.raises(ValueError, match=f"expected repeated runs of {names} on the same instances, .* got none; name"):
        portfolio_win_probability(posterior, first, second)


def test_win_rate_against_the_best_single_without_outcomes():
    theta = np.array([[[0.5, 0.3, 0.2]], [[0.4, 0.5, 0.1]], [[0.6, 0.3, 0.1]]])
    selection = select(posterior_of(theta), At(1), portfolio=2, copies=False)
    assert (selection.recommendation, selection.best_single) == (("A", "B"), "A")
    # A's own run is in the portfolio: a tie where it is the best one, and B beats it otherwise.
    expected = np.mean([b / (a + b) + a / (a + b) / 2 for a, b, _ in theta[:, 0]])
    assert selection.win_rate_against_best_single == pytest.approx(expected)
    twice = select(posterior_of(theta), At(1), portfolio=2)
    assert (twice.recommendation, twice.best_single) == (("A", "A"), "A")
    assert twice.win_rate_against_best_single == pytest.approx(0.75)  # the first run is the best of two on half


def test_win_rate_against_a_single_that_is_no_member():
    posterior = posterior_of(np.array([[[0.4, 0.3, 0.3]]]))
    rates = portfolios.win_rate_against(posterior, [1, 2], 0)
    assert rates.tolist() == pytest.approx([0.6])
    assert portfolios.win_rate_against(posterior, [0, 0], 0).tolist() == pytest.approx([0.75])


def test_a_single_algorithm_has_no_win_rate_against_itself():
    selection = select(random_posterior())
    assert selection.win_rate_against_best_single is None
    assert selection.best_single is None


def test_win_rates_are_weighted_over_time_by_the_preference():
    posterior = random_posterior()
    for preference in (Uniform(), At(300), Final()):
        selection = select(posterior, preference, portfolio=2, copies=False)
        members = [posterior.names.index(name) for name in selection.recommendation]
        rates = portfolios.win_rate_against(posterior, members, posterior.names.index(selection.best_single))
        weights = preference.weights(posterior.grid)
        assert selection.win_rate_against_best_single == pytest.approx(weights @ rates)
        assert rates.std() > 0
    selection = select(posterior, WORST, portfolio=2)
    members = [posterior.names.index(name) for name in selection.recommendation]
    rates = portfolios.win_rate_against(posterior, members, posterior.names.index(selection.best_single))
    assert selection.win_rate_against_best_single == pytest.approx(rates.mean())
    assert selection.best_single == select(posterior, WORST).recommendation


def test_win_probability_is_that_of_plackett_luce_counted():
    """Simulate races in which every machine is an entrant, and count the wins of the first portfolio."""
    posterior = random_posterior(draws=3, budgets=2, algorithms=4)
    rng = np.random.default_rng(0)
    first, second = ["A", "B", "B"], ["C", "D"]
    columns = [0, 1, 1, 2, 3]
    exact = portfolio_win_probability(posterior, first, second)
    instances = 40_000
    for t in range(2):
        wins = 0
        for draw in posterior.ratings[:, t]:
            # Plackett-Luce: the smallest of exponential times with the ratings as rates comes first.
            arrival = rng.exponential(1 / draw[columns], size=(instances, 5))
            wins += (arrival[:, :3].min(axis=1) < arrival[:, 3:].min(axis=1)).sum()
        share = wins / (3 * instances)
        assert share == pytest.approx(exact[t], abs=5 * 0.5 / np.sqrt(3 * instances))  # five standard errors


def test_win_probability_by_loops():
    posterior = random_posterior(draws=20, budgets=4, algorithms=3)
    won = portfolio_win_probability(posterior, ["A", "A", "C"], ["B"])
    for t in range(4):
        shares = [(2 * a + c) / (2 * a + c + b) for a, b, c in posterior.ratings[:, t]]
        assert won[t] == pytest.approx(np.mean(shares), rel=1e-12)


def test_single_members_win_like_algorithms():
    posterior = random_posterior()
    np.testing.assert_allclose(
        portfolio_win_probability(posterior, "A", ["C"]), win_probability(posterior)[:, 0, 2], rtol=1e-12
    )
    one_way = portfolio_win_probability(posterior, ["A", "B"], ["C"])
    np.testing.assert_allclose(portfolio_win_probability(posterior, ["C"], ["B", "A"]), 1 - one_way, rtol=1e-12)
    assert portfolio_win_probability(posterior, ["A", "A"], ["A"]) == pytest.approx(2 / 3)


def test_ratings_of_zero_leave_a_win_open():
    posterior = posterior_of([[[0.0, 0.0, 1.0]]])
    assert portfolio_win_probability(posterior, "A", "B").tolist() == [0.5]
    assert portfolio_win_probability(posterior, "A", "C").tolist() == [0]


@pytest.mark.parametrize(
    ("first", "message"),
    [(["A", "X"], "expected one of A, B, C, D, got 'X'"), ("AB", "got 'AB'"), ([], "expected at least one member")],
)
def test_unknown_members_are_refused(first, message):
    with pytest.raises(ValueError, match=message):
        portfolio_win_probability(random_posterior(), first, ["A"])
