"""Portfolios: the probability that the best member is first, all portfolios or a search, and win rates."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from polarbear import (
    At,
    BayesianBootstrap,
    Choices,
    Custom,
    Expected,
    Final,
    LogUniform,
    ProbabilityBest,
    Quantile,
    Regret,
    TopK,
    Uniform,
    fit,
    portfolio_win_probability,
    select,
    win_probability,
)
from polarbear.selection import portfolio as portfolios
from tests.selection.beliefs import posterior_of, random_posterior

RISKS = [Expected(), ProbabilityBest(), Quantile(0.05), Regret()]
WORST = Custom(lambda curves: curves.min(axis=-1))
SATURATING = Custom(lambda curves: np.sqrt(curves).mean(axis=-1))

# The probability of being the best of all portfolios needs all of them, and is not searched.
SEARCHED = [
    (each, risk) for each in (Uniform(), WORST, SATURATING) for risk in RISKS if not isinstance(risk, ProbabilityBest)
]


def curve_of(draw, members):
    """s / (s + r) at each time, of ratings (time, algorithm) and the members with their copies."""
    inside = sum(draw[:, m] for m in members)
    outside = sum((draw[:, m] for m in range(draw.shape[1]) if m not in members), np.zeros(len(draw)))
    return inside / (inside + outside)


def by_loops(posterior, function, risk, size):
    """Every multiset, its curve by the formula, its value draw by draw."""
    names = posterior.names
    members = list(combinations_with_replacement(range(len(names)), size))
    values = np.array(
        [[function(curve_of(draw, each)) for each in members] for draw in posterior.ratings]
    )  # (draw, portfolio)
    values[np.abs(values - 1) < 1e-12] = 1.0  # so that portfolios of all algorithms tie
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


@pytest.mark.parametrize("preference", [Uniform(), LogUniform(), At(300), WORST], ids=str)
@pytest.mark.parametrize("seed", range(3))
def test_values_are_never_above_one(preference, seed):
    posterior = random_posterior(seed=seed, spread=3.0)
    for size in (2, 3, 5):
        values = select(posterior, preference, portfolio=size).values
        assert values.max() <= 1
        assert values.min() >= 0


@pytest.mark.parametrize("preference", [Uniform(), LogUniform(), At(300)], ids=str)
def test_different_members_have_the_sum_of_their_values(preference):
    posterior = random_posterior()
    alone = select(posterior, preference)
    of_single = {each.members[0]: alone.values[:, k] for k, each in enumerate(alone.candidates)}
    selection = select(posterior, preference, portfolio=3)
    different = [k for k, each in enumerate(selection.candidates) if len(set(each.members)) == 3]
    assert len(different) == 4
    for k in different:
        members = selection.candidates[k].members
        np.testing.assert_allclose(selection.values[:, k], sum(of_single[m] for m in members), rtol=1e-12)


def test_copies_have_the_value_of_a_plackett_luce_race():
    """Run the race: every copy is an entrant of its own, and algorithms that are not in the portfolio enter once."""
    rng = np.random.default_rng(0)
    theta = np.array([0.5, 0.2, 0.2, 0.1])
    selection = select(posterior_of(theta[None, None]), At(1), portfolio=3)
    races = 200_000
    for each in selection.candidates:
        inside = [each.members.count(name) for name in "ABCD"]
        entrants = [a for a in range(4) for _ in range(max(inside[a], 1))]
        arrival = rng.exponential(1 / theta[entrants], size=(races, len(entrants)))
        won = np.array([inside[a] > 0 for a in entrants])[arrival.argmin(axis=1)].mean()
        assert each.expected == pytest.approx(won, abs=5 * 0.5 / np.sqrt(races)), each.members  # five standard errors


@pytest.mark.parametrize(("first", "choice"), [(0.3, ("A", "B")), (0.7, ("A", "A"))])
def test_copies_are_best_where_all_others_are_weak(first, choice):
    """2 θ_A / (1 + θ_A) is above θ_A + θ_B if and only if θ_B (1 + θ_A) is below θ_A (1 − θ_A)."""
    rest = np.array([0.4, 0.3, 0.3]) if first == 0.3 else np.array([0.2, 0.2, 0.2, 0.2, 0.2])
    theta = np.array([first, *((1 - first) * rest)])
    assert (theta[1] * (1 + first) < first * (1 - first)) == (choice == ("A", "A"))
    selection = select(posterior_of(theta[None, None]), At(1), portfolio=2)
    assert selection.choice == choice
    told = "The value of copies of one algorithm is computed from Plackett-Luce; repeated runs with virtual_portfolio "
    assert (told in selection.sentence) == (choice == ("A", "A"))


def test_whoever_is_not_a_candidate_still_competes():
    posterior = posterior_of(np.array([[[0.3, 0.2, 0.5]]]))
    selection = select(posterior, At(1), among=["A", "B"], portfolio=2)
    values = {each.members: each.expected for each in selection.candidates}
    assert values == pytest.approx({("A", "B"): 0.5, ("A", "A"): 0.6 / 1.3, ("B", "B"): 0.4 / 1.2})


def test_a_portfolio_of_all_algorithms_is_always_first():
    posterior = random_posterior(algorithms=3)
    for preference in (Uniform(), WORST):
        selection = select(posterior, preference, portfolio=4)
        everything = [k for k, each in enumerate(selection.candidates) if len(set(each.members)) == 3]
        assert (selection.values[:, everything] == 1).all()
        assert [selection.candidates[k].probability_best for k in everything] == pytest.approx([1 / 3] * 3)


def test_for_the_worst_time_the_members_complement_one_another():
    """A is good early, B late, C never much: whoever wants the worst time to be good takes one of each."""
    early = np.array([0.7, 0.45, 0.1])
    ratings = np.stack([early, early[::-1], 1 - early - early[::-1]], axis=1)
    posterior = posterior_of(ratings[None])
    assert select(posterior, WORST).candidates[0].score == pytest.approx(0.2 - 0.1)
    assert select(posterior, WORST, portfolio=2).choice == ("A", "B")
    four = select(posterior, WORST, portfolio=4)
    assert four.choice == ("A", "A", "B", "C")  # with all three algorithms one is always first
    assert four.candidates[0].score == 1


def two_kinds(instances=40):
    """A and B each win by far on one half of the instances and lose to all on the other; C and D are in between."""
    rng = np.random.default_rng(3)
    values = np.empty((instances, 2, 4))
    values[:, :, 2:] = rng.normal(5.0, 1.0, size=(instances, 1, 2))
    values[: instances // 2, :, 0], values[instances // 2 :, :, 0] = 0.0, 20.0
    values[: instances // 2, :, 1], values[instances // 2 :, :, 1] = 20.0, 0.0
    return Choices.from_values(values, grid=[10, 100])


def test_algorithms_that_fail_on_different_instances_beat_copies():
    posterior = fit(two_kinds(), prior=BayesianBootstrap(plackett_luce=0, shrink=False), draws=500, seed=1)
    selection = select(posterior, Uniform(), portfolio=2)
    assert selection.choice == ("A", "B")
    values = {each.members: each.expected for each in selection.candidates}
    assert values["A", "B"] > 0.9
    assert values["A", "A"] < 0.75
    assert selection.probability_best == 1
    # Each alone wins half of the instances; together they win nearly all, half of them with the single's own run.
    single = selection.best_single
    assert single in ("A", "B")
    members = [posterior.names.index(name) for name in selection.choice]
    rates = posterior.outcomes.best_of(members, [posterior.names.index(single)]).mean(axis=1)
    assert selection.win_rate_against_best_single == pytest.approx(Uniform().weights(posterior.grid) @ rates, rel=1e-6)
    assert selection.win_rate_against_best_single == pytest.approx(0.75, abs=0.03)
    assert f"It beats the best single algorithm, {single}, on 7" in selection.sentence
    assert f"counting one half where {single} is its best member" in selection.sentence


def test_win_rates_by_outcomes_see_what_plackett_luce_does_not():
    posterior = fit(two_kinds(), prior=BayesianBootstrap(plackett_luce=0, shrink=False), draws=500, seed=1)
    together = portfolio_win_probability(posterior, ["A", "B"], ["C", "D"])
    assert (together > 0.95).all()
    strengths = posterior.ratings @ np.array([[1, 0], [1, 0], [0, 1], [0, 1]])
    np.testing.assert_array_less(0.9, strengths[..., 0].mean(axis=0))
    alone = portfolio_win_probability(posterior, ["A"], ["C", "D"])
    np.testing.assert_allclose(alone, 0.5, atol=0.05)
    theta = posterior.ratings.mean(axis=0)[0]
    assert theta[0] / (theta[0] + theta[2] + theta[3]) > 0.8  # what odds of ratings would claim
    # Copies have no outcomes: Plackett-Luce.
    a, c = posterior.ratings[..., 0], posterior.ratings[..., 2]
    np.testing.assert_allclose(
        portfolio_win_probability(posterior, ["A", "A"], ["C"]), (2 * a / (2 * a + c)).mean(axis=0), rtol=1e-10
    )


def test_win_rate_against_the_best_single_without_outcomes():
    theta = np.array([[[0.5, 0.3, 0.2]], [[0.4, 0.5, 0.1]], [[0.6, 0.3, 0.1]]])
    selection = select(posterior_of(theta), At(1), portfolio=2)
    assert (selection.choice, selection.best_single) == (("A", "B"), "A")
    # A's own run is in the portfolio: a tie where it is the best one, and B beats it otherwise.
    expected = np.mean([b / (a + b) + a / (a + b) / 2 for a, b, _ in theta[:, 0]])
    assert selection.win_rate_against_best_single == pytest.approx(expected)


def test_win_rate_against_a_single_that_is_no_member():
    posterior = posterior_of(np.array([[[0.4, 0.3, 0.3]]]))
    rates = portfolios.win_rate_against(posterior, [1, 2], 0)
    assert rates.tolist() == pytest.approx([0.6])
    assert portfolios.win_rate_against(posterior, [0, 0], 0).tolist() == pytest.approx([0.75])


def test_a_single_algorithm_has_no_win_rate_against_itself():
    selection = select(random_posterior())
    assert selection.win_rate_against_best_single is None
    assert selection.best_single is None
    assert "best single" not in selection.sentence


def test_win_rates_are_weighted_over_time_by_the_preference():
    posterior = random_posterior()
    for preference in (Uniform(), At(300), Final()):
        selection = select(posterior, preference, portfolio=2)
        members = [posterior.names.index(name) for name in selection.choice]
        rates = portfolios.win_rate_against(posterior, members, posterior.names.index(selection.best_single))
        weights = preference.weights(posterior.grid)
        assert selection.win_rate_against_best_single == pytest.approx(weights @ rates)
        assert rates.std() > 0
    selection = select(posterior, WORST, portfolio=2)
    members = [posterior.names.index(name) for name in selection.choice]
    rates = portfolios.win_rate_against(posterior, members, posterior.names.index(selection.best_single))
    assert selection.win_rate_against_best_single == pytest.approx(rates.mean())
    assert selection.best_single == select(posterior, WORST).choice


def test_portfolios_are_compared_by_first_places_only():
    with pytest.raises(
        ValueError, match=r"expected FirstPlace\(\) as the criterion of a portfolio, got TopK\(k=2\) for 3"
    ):
        select(random_posterior(), portfolio=3, criterion=TopK(2))


def test_for_a_quantile_opposite_algorithms_go_together():
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


@pytest.mark.usefixtures("searching")
@pytest.mark.parametrize("preference", [WORST, Uniform()], ids=str)
def test_a_search_for_the_probability_of_being_the_best_is_refused_with_advice(preference):
    with pytest.raises(
        ValueError, match=r"needs all of them, and there are too many; use Expected\(\) or Quantile\(\)"
    ):
        select(random_posterior(), preference, ProbabilityBest(), portfolio=3)


def test_a_search_on_some_draws_finds_the_best_of_all(monkeypatch):
    posterior = random_posterior(draws=2000, times=6, algorithms=5, seed=3)
    everything = select(posterior, Uniform(), portfolio=3)
    monkeypatch.setattr(portfolios, "_COMPARED", 0)
    monkeypatch.setattr(portfolios, "_SEARCHED", 1)
    monkeypatch.setattr(portfolios, "_FEWEST", 4)
    drawn = []
    monkeypatch.setattr(
        portfolios.Expected, "score", lambda _, values: drawn.append(len(values)) or values.mean(axis=0)
    )
    searched = select(posterior, Uniform(), portfolio=3)
    assert {200, 2000} == set(drawn)
    assert len(searched.candidates) == 4
    assert searched.choice == everything.choice


def test_many_portfolios_are_searched_and_not_listed():
    """Of ten machines and twenty algorithms there are twenty million portfolios, few draws or not."""
    posterior = random_posterior(draws=1, algorithms=20)
    selection = select(posterior, Uniform(), Quantile(0.05), portfolio=10)
    assert "too many portfolios" in selection.sentence
    assert len(selection.choice) == 10
    assert select(posterior, Uniform()).choice in selection.choice


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
    counts = portfolios.enumerate_portfolios(4, 3)
    assert {tuple(row) for row in counts.tolist()} == {
        tuple(each.count(a) for a in range(4)) for each in combinations_with_replacement(range(4), 3)
    }
    assert len(counts) == 20
    assert portfolios.enumerate_portfolios(3, 1).tolist() == np.eye(3).tolist()


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
