"""Portfolios under the paper's priors: θ_S = Σ θ_a with multiplicity, against loops over all multisets."""

from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from polarbear import (
    At,
    Custom,
    Expected,
    ExpectedLoss,
    Final,
    LogUniform,
    ProbabilityBest,
    Quantile,
    TopK,
    Weighted,
    portfolio_win_probability,
    select,
)
from polarbear.findings import Code
from polarbear.selection import portfolio as portfolios
from polarbear.selection import portfolio_search
from tests.selection.posteriors import posterior_of, random_posterior
from tests.selection.queries import RISKS

WORST = Custom(lambda curves: curves.min(axis=-1))


def by_loops(posterior, function, risk, size, choose=combinations_with_replacement):
    """Every multiset, its rating as a sum over its members, its value draw by draw."""
    names = posterior.names
    members = list(choose(range(len(names)), size))
    values = np.array(
        [[function(sum(draw[:, m] for m in each)) for each in members] for draw in posterior.ratings]
    )  # (draw, portfolio)
    scores = risk.score(values)
    return {tuple(names[m] for m in each): score for each, score in zip(members, scores, strict=True)}


@pytest.mark.parametrize("risk", RISKS, ids=str)
@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("copies", [True, False], ids=["multisets", "sets"])
def test_values_are_those_of_the_sum_of_the_ratings(risk, size, copies):
    posterior = random_posterior(draws=30, budgets=5, algorithms=3, seed=size)
    for preference, function in ((Final(), lambda curve: curve[-1]), (WORST, np.min)):
        selection = select(posterior, preference, risk, portfolio=size, copies=copies)
        choose = combinations_with_replacement if copies else combinations
        expected = by_loops(posterior, function, risk, size, choose)
        found = {each.members: each.score for each in selection.candidates}
        if preference is WORST or isinstance(risk, Quantile) or not copies:
            assert found == pytest.approx(expected, abs=1e-12)
        elif not isinstance(risk, ExpectedLoss):  # only copies of one algorithm are listed
            assert found == pytest.approx({key: expected[key] for key in found}, abs=1e-12)
        assert selection.candidates[0].score == pytest.approx(max(expected.values()), abs=1e-12)


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 6), st.sampled_from(RISKS), st.integers(0, 2**32 - 1))
def test_for_linear_preferences_the_best_multiset_is_the_best_algorithm_on_every_machine(
    algorithms, size, budgets, risk, seed
):
    """The paper states it for the expected value and the probability of being best; it holds for the expected loss, too."""
    posterior = random_posterior(draws=15, budgets=budgets, algorithms=algorithms, seed=seed)
    weights = np.random.default_rng(seed).exponential(size=budgets)
    selection = select(posterior, Weighted(weights), risk, portfolio=size)
    expected = by_loops(posterior, lambda curve: curve @ weights / weights.sum(), risk, size)
    assert selection.candidates[0].score == pytest.approx(max(expected.values()), abs=1e-10)
    assert expected[selection.candidates[0].members] == pytest.approx(max(expected.values()), abs=1e-10)
    if not isinstance(risk, Quantile):
        assert (
            selection.candidates[0].members == size * select(posterior, Weighted(weights), risk).candidates[0].members
        )


def test_three_copies_of_the_best_beat_three_good_algorithms():
    """An audit found bcd recommended, with 0.901 of the first places, where ddd has a rating of 1.149."""
    posterior = posterior_of([[[0.099, 0.28, 0.238, 0.383]]], names="abcd")
    bcd, ddd = ["b", "c", "d"], ["d", "d", "d"]
    selection = select(posterior, portfolio=3)
    assert selection.recommendation == tuple(ddd)
    assert selection.candidates[0].expected == pytest.approx(1.149)
    for risk in RISKS:
        assert select(posterior, risk=risk, portfolio=3).recommendation == tuple(ddd)
    every = {each.members: each.expected for each in select(posterior, risk=Quantile(0.5), portfolio=3).candidates}
    assert every[tuple(bcd)] == pytest.approx(0.901)
    assert every[tuple(ddd)] == pytest.approx(1.149)
    assert portfolio_win_probability(posterior, bcd, ddd) == pytest.approx([0.901 / (0.901 + 1.149)])
    assert select(posterior, portfolio=3, copies=False).recommendation == tuple(bcd)


def summed(selection):
    """The numbers of the finding that ratings are summed; None if there is none."""
    return {each.code: dict(each.numbers) for each in selection.findings}.get(Code.SUMMED_RATINGS)


@pytest.mark.parametrize("risk", [Expected(), ProbabilityBest(), ExpectedLoss()], ids=str)
def test_linear_preferences_need_no_list_of_portfolios(risk, monkeypatch):
    posterior = random_posterior(draws=4000, budgets=6, algorithms=12)

    def listed(*_):
        raise AssertionError("no portfolio but copies of one algorithm is needed")

    monkeypatch.setattr(portfolios, "list_portfolios", listed)
    monkeypatch.setattr(portfolios, "search_portfolios", listed)
    selection = select(posterior, LogUniform(), risk, portfolio=5)
    single = select(posterior, LogUniform(), risk)
    assert selection.recommendation == 5 * (single.recommendation,)
    assert len(selection.candidates) == 12
    assert selection.probability_best == pytest.approx(single.probability_best)
    assert selection.loss == pytest.approx(5 * single.loss)
    assert summed(selection) == {"only_copies": True}


def test_ratings_are_no_per_cents():
    selection = select(posterior_of([[[0.6, 0.4]], [[0.8, 0.2]]]), At(1), portfolio=2)
    assert selection.valued == "ratings"
    assert selection.candidates[0].expected == pytest.approx(1.4)
    heads, rows = selection.shown_table()
    assert heads[1] == "rating"
    assert [row[1:3] for row in rows] == [["1.4", "1.21 to 1.59"], ["0.6", "0.41 to 0.79"]]
    distinct = select(random_posterior(), At(300), portfolio=2, copies=False)  # the probability of having the winner
    assert distinct.shown_table()[0][1] == "comes first"
    assert distinct.valued == "criterion"
    custom = select(random_posterior(), WORST, portfolio=2)
    assert custom.shown_table()[0][1] == "value"


def test_an_algorithm_that_is_no_candidate_does_not_change_ratings():
    posterior = posterior_of(np.array([[[0.3, 0.2, 0.5]]]))
    selection = select(posterior, At(1), Quantile(0.5), among=["A", "B"], portfolio=2)
    values = {each.members: each.expected for each in selection.candidates}
    assert values == pytest.approx({("A", "B"): 0.5, ("A", "A"): 0.6, ("B", "B"): 0.4})


def test_for_the_worst_budget_the_members_complement_one_another():
    """A is good early, B late, C is never good: the best worst case is one of each."""
    early = np.array([0.7, 0.45, 0.1])
    ratings = np.stack([early, early[::-1], 1 - early - early[::-1]], axis=1)
    posterior = posterior_of(ratings[None])
    assert select(posterior, WORST).candidates[0].score == pytest.approx(0.2 - 0.1)
    two, four = (select(posterior, WORST, portfolio=size) for size in (2, 4))
    assert (two.recommendation, four.recommendation) == (("A", "B"), ("A", "A", "B", "B"))
    assert four.candidates[0].score == pytest.approx(1.6)
    assert summed(four) == {"only_copies": False}
    assert summed(two) is None


def test_for_a_quantile_opposite_algorithms_go_together():
    """Two equally good but opposite ones: together they are never bad."""
    luck = np.linspace(-0.2, 0.2, 41)
    ratings = np.stack([0.4 + luck, 0.4 - luck, np.full(41, 0.2)], axis=1)[:, None, :]
    selection = select(posterior_of(ratings), At(1), Quantile(0.05), portfolio=2)
    assert selection.recommendation == ("A", "B")
    assert selection.candidates[0].score == pytest.approx(0.8)


def test_portfolios_are_compared_by_first_places_only():
    with pytest.raises(
        ValueError, match=r"expected FirstPlace\(\) as the criterion of a portfolio, got TopK\(k=2\) for 3"
    ):
        select(random_posterior(), portfolio=3, criterion=TopK(2))


def test_different_algorithms_on_more_machines_than_algorithms_are_refused():
    message = (
        "expected at most 4 machines, 1 for each candidate, got 5; use fewer machines or more candidates, or allow copies "
        "of one algorithm$"
    )
    with pytest.raises(ValueError, match=message):
        select(random_posterior(), portfolio=5, copies=False)
    assert len(select(random_posterior(), portfolio=5).recommendation) == 5


def test_curves_are_held_a_few_at_a_time(monkeypatch):
    posterior = random_posterior()
    whole = select(posterior, WORST, portfolio=3)
    portfolios_at_once = []

    def worst(curves):
        portfolios_at_once.append(curves.shape[1] if curves.ndim == 3 else 0)
        return curves.min(axis=-1)

    monkeypatch.setattr(portfolios, "_AT_ONCE", 5 * posterior.ratings[..., 0].size)
    in_parts = select(posterior, Custom(worst), portfolio=3)
    assert max(portfolios_at_once) == 5
    assert [each.members for each in in_parts.candidates] == [each.members for each in whole.candidates]
    np.testing.assert_allclose(in_parts.values, whole.values, rtol=1e-12)


@pytest.mark.parametrize(("size", "most"), [(1, 1), (3, 1), (3, 2), (3, 3)])
def test_all_portfolios_are_all_multisets_with_so_many_copies(size, most):
    valuation = portfolios._Sums(np.ones((1, 1, 4)), np.ones(1))
    counts = portfolio_search.list_portfolios(valuation, size, most)
    every = {tuple(each.count(a) for a in range(4)) for each in combinations_with_replacement(range(4), size)}
    assert {tuple(row) for row in counts.tolist()} == {each for each in every if max(each) <= most}
    assert len(counts) == len(set(map(tuple, counts.tolist())))
