"""Portfolios: the probability that the best member comes first, against loops and simulation."""

from itertools import combinations_with_replacement

import numpy as np
import pytest

from polarbear import (
    At,
    Custom,
    Final,
    LogUniform,
    Quantile,
    TopK,
    Uniform,
    select,
)
from polarbear.selection import portfolio as portfolios
from tests.selection.posteriors import posterior_of, random_posterior
from tests.selection.queries import RISKS

WORST = Custom(lambda curves: curves.min(axis=-1))


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
    assert selection.recommendation == choice
    remark = (
        "The value of copies of one algorithm is computed from Plackett-Luce, since the posterior has no repeated runs"
    )
    assert (remark in selection.sentence) == (choice == ("A", "A"))


def test_an_algorithm_that_is_no_candidate_still_competes():
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
    """A is good early, B late, C is never good: the best worst case is one of each."""
    early = np.array([0.7, 0.45, 0.1])
    ratings = np.stack([early, early[::-1], 1 - early - early[::-1]], axis=1)
    posterior = posterior_of(ratings[None])
    assert select(posterior, WORST).candidates[0].score == pytest.approx(0.2 - 0.1)
    assert select(posterior, WORST, portfolio=2).recommendation == ("A", "B")
    four = select(posterior, WORST, portfolio=4)
    assert four.recommendation == ("A", "A", "B", "C")  # with all three algorithms one is always first
    assert four.candidates[0].score == 1


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
    assert selection.recommendation == ("A", "B")
    assert selection.candidates[0].score == pytest.approx(0.8)


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
    np.testing.assert_array_equal(in_parts.values, whole.values)


def test_all_portfolios_are_all_multisets():
    counts = portfolios.enumerate_portfolios(4, 3)
    assert {tuple(row) for row in counts.tolist()} == {
        tuple(each.count(a) for a in range(4)) for each in combinations_with_replacement(range(4), 3)
    }
    assert len(counts) == 20
    assert portfolios.enumerate_portfolios(3, 1).tolist() == np.eye(3).tolist()
