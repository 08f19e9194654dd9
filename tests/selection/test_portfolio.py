"""Portfolios: sums of ratings, all of them or a search, and who wins."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from polarbear import (
    At,
    Custom,
    Expected,
    Final,
    LogUniform,
    ProbabilityBest,
    Quantile,
    Regret,
    Uniform,
    portfolio_win_probability,
    select,
    win_probability,
)
from polarbear.selection import portfolio as portfolios
from tests.selection.beliefs import posterior_of, random_posterior

RISKS = [Expected(), ProbabilityBest(), Quantile(0.05), Regret()]
WORST = Custom(lambda curves: curves.min(axis=-1))
SATURATING = Custom(lambda curves: np.sqrt(curves).mean(axis=-1))

# The probability of being the best of all portfolios under a custom preference needs all of them, and is not searched.
SEARCHED = [(Uniform(), risk) for risk in RISKS]
SEARCHED += [(each, risk) for each in (WORST, SATURATING) for risk in RISKS if not isinstance(risk, ProbabilityBest)]


def by_loops(posterior, function, risk, size):
    """Every multiset, its curve summed member by member, its value draw by draw."""
    names = posterior.names
    members = list(combinations_with_replacement(range(len(names)), size))
    values = np.array(
        [[function(sum(draw[:, m] for m in each)) for each in members] for draw in posterior.ratings]
    )  # (draw, portfolio)
    scores = risk.score(values)
    return {tuple(names[m] for m in each): score for each, score in zip(members, scores, strict=True)}


@pytest.mark.parametrize("risk", RISKS, ids=str)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_every_multiset_is_compared(risk, size):
    posterior = random_posterior(draws=30, times=5, algorithms=3, seed=size)
    for preference, function in ((Final(), lambda curve: curve[-1]), (WORST, np.min)):
        selection = select(posterior, preference, risk, portfolio=size)
        expected = by_loops(posterior, function, risk, size)
        assert {each.members: each.score for each in selection.candidates} == pytest.approx(expected, abs=1e-12)
        assert selection.candidates[0].score == pytest.approx(max(expected.values()), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("preference", [Uniform(), LogUniform(), At(300)], ids=str)
@pytest.mark.parametrize("risk", [Expected(), ProbabilityBest(), Regret()], ids=str)
def test_for_a_linear_preference_the_best_portfolio_is_the_best_algorithm_repeated(preference, risk, seed):
    posterior = random_posterior(seed=seed)
    alone = select(posterior, preference, risk)
    for size in (2, 3, 4):
        selection = select(posterior, preference, risk, portfolio=size)
        assert selection.choice == size * (alone.choice,)
        assert selection.probability_best == pytest.approx(alone.probability_best)
        assert selection.regret == pytest.approx(size * alone.regret)
        if not isinstance(risk, Regret):
            assert "copies of the best algorithm are the best portfolio" in selection.sentence


def test_for_a_nonlinear_preference_it_is_not():
    """A is good early, B late, C never much: whoever wants the worst time to be good takes one of each."""
    early = np.array([0.7, 0.45, 0.1])
    ratings = np.stack([early, early[::-1], 1 - early - early[::-1]], axis=1)
    posterior = posterior_of(ratings[None])
    assert select(posterior, WORST).candidates[0].score == pytest.approx(0.2 - 0.1)
    assert select(posterior, WORST, portfolio=2).choice == ("A", "B")
    assert select(posterior, WORST, portfolio=4).choice == ("A", "A", "B", "B")
    assert "copies" not in select(posterior, WORST, portfolio=2).sentence
    assert len(set(select(posterior, Uniform(), portfolio=2).choice)) == 1


def test_for_a_quantile_it_is_not():
    """Two equally good but opposite ones: together they are never bad."""
    luck = np.linspace(-0.2, 0.2, 41)
    ratings = np.stack([0.4 + luck, 0.4 - luck, np.full(41, 0.2)], axis=1)[:, None, :]
    selection = select(posterior_of(ratings), At(1), Quantile(0.05), portfolio=2)
    assert selection.choice == ("A", "B")
    assert selection.candidates[0].score == pytest.approx(0.8)


@pytest.fixture
def searching(monkeypatch):
    monkeypatch.setattr(portfolios, "_COMPARED", 0)


def both_ways(posterior, preference, risk, size, monkeypatch):
    all_compared = select(posterior, preference, risk, portfolio=size)
    with monkeypatch.context() as patch:
        patch.setattr(portfolios, "_COMPARED", 0)
        searched = select(posterior, preference, risk, portfolio=size)
    assert "a search met" in searched.sentence
    assert "a search met" not in all_compared.sentence
    return all_compared, searched


@pytest.mark.parametrize("size", [2, 3, 4])
@pytest.mark.parametrize(("preference", "risk"), SEARCHED, ids=str)
def test_search_and_exhaustive_comparison_agree(preference, risk, size, monkeypatch):
    for seed in range(12):
        posterior = random_posterior(draws=40, times=6, algorithms=5, seed=seed)
        everything, searched = both_ways(posterior, preference, risk, size, monkeypatch)
        assert searched.choice == everything.choice
        assert searched.candidates[0].expected == pytest.approx(everything.candidates[0].expected)
        assert {each.members for each in searched.candidates} <= {each.members for each in everything.candidates}


@pytest.mark.parametrize("risk", RISKS, ids=str)
def test_for_a_linear_preference_a_search_knows_probability_and_regret(risk, monkeypatch):
    """The best portfolio of a draw is one algorithm repeated, and a search meets all of these."""
    for seed in range(5):
        everything, searched = both_ways(random_posterior(seed=seed), Uniform(), risk, 3, monkeypatch)
        assert searched.regret == pytest.approx(everything.regret, abs=1e-12)
        assert searched.probability_best == pytest.approx(everything.probability_best)


@pytest.mark.usefixtures("searching")
def test_a_search_for_the_probability_of_a_custom_preference_is_refused_with_advice():
    with pytest.raises(
        ValueError, match=r"needs all of them, and there are too many; use Expected\(\) or Quantile\(\)"
    ):
        select(random_posterior(), WORST, ProbabilityBest(), portfolio=3)


def test_many_portfolios_are_searched_and_not_listed():
    """Of ten machines and twenty algorithms there are twenty million portfolios, few draws or not."""
    posterior = random_posterior(draws=1, algorithms=20)
    selection = select(posterior, Uniform(), Quantile(0.05), portfolio=10)
    assert "too many portfolios" in selection.sentence
    assert len(selection.choice) == 10
    assert set(selection.choice) == {select(posterior, Uniform()).choice}


def test_curves_are_held_a_few_at_a_time(monkeypatch):
    posterior = random_posterior()
    whole = select(posterior, WORST, portfolio=3)
    seen = []

    def watched(curves):
        seen.append(curves.shape[1] if curves.ndim == 3 else 0)
        return curves.min(axis=-1)

    monkeypatch.setattr(portfolios, "_AT_ONCE", 5 * posterior.ratings[..., 0].size)
    in_parts = select(posterior, Custom(watched), portfolio=3)
    assert max(seen) == 5
    assert [each.members for each in in_parts.candidates] == [each.members for each in whole.candidates]
    np.testing.assert_array_equal(in_parts.values, whole.values)


def test_all_portfolios_are_all_multisets():
    counts = portfolios.all_portfolios(4, 3)
    assert {tuple(row) for row in counts.tolist()} == {
        tuple(each.count(a) for a in range(4)) for each in combinations_with_replacement(range(4), 3)
    }
    assert len(counts) == 20
    assert portfolios.all_portfolios(3, 1).tolist() == np.eye(3).tolist()


def test_win_probability_is_that_of_plackett_luce_counted():
    """Sample who comes first: the best member of either portfolio, machines being separate entrants."""
    posterior = random_posterior(draws=3, times=2, algorithms=4)
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
    posterior = random_posterior(draws=20, times=4, algorithms=3)
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
    [(["A", "X"], "expected one of A, B, C, D, got 'X'"), ("AB", "got 'AB'"), ([], "needs at least one member")],
)
def test_unknown_members_are_refused(first, message):
    with pytest.raises(ValueError, match=message):
        portfolio_win_probability(random_posterior(), first, ["A"])
