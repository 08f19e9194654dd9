"""No recommendation, leader or expected loss rests on budgets at which an algorithm was not observed."""

from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code
from polarbear.posterior.findings import observation_findings
from polarbear.selection.observed_budgets import (
    NotObservedError,
    describe_unobserved,
    unobserved_sentence,
)
from tests.selection.posteriors import posterior_of, random_posterior
from tests.selection.short_runs import GRID, short_posterior

LATE = [pb.At(100), pb.At(1000), pb.Final(), pb.Uniform(), pb.Between(50, 1000), pb.Weighted([0, 0, 0, 1])]


@pytest.fixture(scope="module")
def two():
    """`short` and long, never observed together after 10."""
    return short_posterior("long")


@pytest.fixture(scope="module")
def three():
    """`short`, and two algorithms that were observed at all budgets."""
    return short_posterior("long", "last")


def masked(posterior, **gaps):
    """The posterior with algorithms unobserved at the positions of some budgets."""
    comparisons = np.full(posterior.ratings.shape[1:], 9)
    for name, places in gaps.items():
        comparisons[places, posterior.names.index(name)] = 0
    return replace(posterior, comparisons=comparisons)


def left_out(selection):
    """The algorithms that the finding names as left out; None if there is none."""
    return {each.code: each.subject for each in selection.findings}.get(Code.LEFT_OUT)


def test_the_map_has_no_leader_where_nothing_was_compared(two):
    found = pb.decision_map(two)
    assert found.best == ("short", "short", None, None)
    assert found.observed.tolist() == [[True, True]] * 2 + [[False, False]] * 2
    assert found.probability_best.sum(axis=1).tolist() == pytest.approx([1, 1, 0, 0])
    assert found.leader_changes == ()
    assert str(found).splitlines() == [
        "1 to 10       short         over 99 % sure at 1",
        "100 to 1,000  not observed  no algorithm was observed together with another",
    ]


def test_only_observed_algorithms_lead(three):
    found = pb.decision_map(three)
    assert found.best == ("short", "short", "long", "long")
    assert (found.probability_best[2:, 0] == 0).all()
    np.testing.assert_allclose(found.probability_best.sum(axis=1), 1)
    assert found.leader_changes == ()  # short is unknown after 10, so nothing overtakes it


def test_of_several_candidates_the_only_observed_one_has_no_competitor(three):
    found = pb.decision_map(three, among=["short", "long"])
    assert found.best == ("short", "short", "long", "long")
    assert str(found).splitlines()[1] == "10 to 1,000  long   the only one observed"


def test_changes_of_leader_are_found_beside_gaps():
    first = np.linspace(0.7, 0.3, 9)
    posterior = posterior_of(np.stack([first, 1 - first], axis=1)[None])
    (whole,) = pb.decision_map(posterior).leader_changes
    (change,) = pb.decision_map(masked(posterior, A=[0, 1, 8])).leader_changes
    assert change == whole


@pytest.mark.parametrize("preference", LATE, ids=str)
@pytest.mark.parametrize(
    "criterion", [None, pb.FirstPlace(), pb.MeanRank(), pb.TopK(1), pb.WinRateAgainst("last")], ids=str
)
def test_an_algorithm_is_not_recommended_where_it_was_not_observed(three, preference, criterion):
    selection = pb.select(three, preference, criterion=criterion, among=three.names)
    assert selection.recommendation == "long"
    assert selection.not_observed == ("short",)
    assert [each.name for each in selection.candidates] == ["long", "last"]
    assert left_out(selection) == ("short",)


@pytest.mark.parametrize("preference", [pb.At(1), pb.At(10), pb.Between(1, 10), pb.BudgetDistribution([2, 5])], ids=str)
def test_where_it_was_observed_it_is_recommended(three, preference):
    selection = pb.select(three, preference)
    assert selection.recommendation == "short"
    assert selection.not_observed == ()
    assert left_out(selection) is None


def test_a_share_of_five_percent_of_the_weight_may_be_unobserved(three):
    assert pb.select(three, pb.Weighted([0.5, 0.46, 0.04, 0])).recommendation == "short"
    assert pb.select(three, pb.Weighted([0.5, 0.44, 0.06, 0])).recommendation == "long"


def test_a_custom_preference_needs_every_budget(three):
    selection = pb.select(three, pb.Custom(lambda curves: curves.mean(axis=-1)))
    assert (selection.recommendation, selection.not_observed) == ("long", ("short",))


def test_portfolios_have_observed_members_only(three):
    selection = pb.select(three, pb.Final(), portfolio=2, among=three.names)
    assert {name for each in selection.candidates for name in each.members} == {"long", "last"}
    assert selection.best_single == "long"
    assert "short" in pb.select(three, pb.At(1), portfolio=2, among=three.names).recommendation


@pytest.mark.parametrize("preference", LATE, ids=str)
def test_where_nothing_was_compared_nothing_is_recommended(two, preference):
    with pytest.raises(NotObservedError, match=r"for which there is none .*: short and long after 10"):
        pb.select(two, preference)


def test_a_win_rate_needs_the_other_algorithm(three):
    with pytest.raises(NotObservedError, match="expected budgets at which both a candidate and short were observed"):
        pb.select(three, pb.Final(), criterion=pb.WinRateAgainst("short"))
    assert pb.select(three, pb.At(1), criterion=pb.WinRateAgainst("short"), among=["long", "last"]).not_observed == ()


def test_the_mean_rank_is_among_observed_algorithms(three):
    selection = pb.select(three, pb.Final(), criterion=pb.MeanRank(), among=three.names)
    rates = pb.win_rates(three, "long", "last")[:, -1]
    assert selection.candidates[0].expected == pytest.approx(rates.mean())
    assert selection.algorithms == 2  # and not 3


def test_times_without_data_add_no_loss(two):
    assert pb.worst_case_loss(two).budget in (1, 10)
    posterior = random_posterior(budgets=6, algorithms=3, seed=4)
    unknown = masked(posterior, A=[3, 4, 5], B=[3, 4, 5], C=[3, 4, 5])
    early = posterior_of(posterior.ratings[:, :3], pb.Grid(posterior.grid.budgets[:3], posterior.grid.axis))
    assert pb.worst_case_loss(unknown).upper == pytest.approx(pb.worst_case_loss(early).upper)
    assert pb.worst_case_loss(unknown).budget == pb.worst_case_loss(early).budget


def test_gaps_are_described_by_group():
    posterior = masked(random_posterior(budgets=4, grid=GRID), A=[0], B=[0], C=[1, 3], D=[0, 1, 2, 3])
    assert describe_unobserved(posterior) == [
        "A and B before 10",
        "C between 1 and 100 and after 100",
        "D at any budget",
    ]
    assert describe_unobserved(posterior, among=["B"]) == ["B before 10"]
    assert unobserved_sentence(posterior, among=["A"]) == ("Not observed together with another algorithm: A before 10.")
    assert unobserved_sentence(random_posterior()) == ""


def test_of_many_groups_some_are_counted():
    posterior = random_posterior(budgets=20, algorithms=15)
    many = masked(posterior, **{name: [k] for k, name in enumerate(posterior.names)})
    assert describe_unobserved(many)[10:] == ["5 more algorithms at some budgets"]


def test_few_data_are_named_with_their_budgets():
    values = np.ones((20, 4, 2)) * [1.0, 2.0]
    values[2:, 2:] = np.nan
    choices = pb.Choices.from_values(values, grid=[1, 10, 100, 1000], names=["a", "b"])
    (found,) = observation_findings(pb.fit(choices, draws=100))
    assert found.code is Code.FEW_AT_BUDGETS
    assert found.numbers == {"start": 100, "stop": 1000, "instances": 2, "elsewhere": 20}
    assert observation_findings(pb.fit(choices, draws=100), may_end_early=True) == []
    whole = pb.Choices.from_values(np.ones((20, 4, 2)) * [1.0, 2.0], grid=[1, 10, 100, 1000])
    assert observation_findings(pb.fit(whole, draws=100)) == []


def test_ratings_of_observed_algorithms_sum_to_one(three):
    observed = three.observed
    assert not observed.all()
    sums = np.where(observed, three.ratings, 0.0).sum(axis=2)
    np.testing.assert_allclose(sums[:, observed.any(axis=1)], 1.0, atol=1e-6)


def test_the_default_candidates_are_not_dominated_at_the_budgets_at_which_they_were_compared(three):
    """`short` was never seen losing, and `last` loses to `long` at every budget."""
    assert {each.name for each in pb.select(three, pb.At(1)).candidates} == {"short", "long"}
    late = pb.select(three, pb.Final())
    assert ([each.name for each in late.candidates], late.not_observed) == (["long"], ("short",))
    assert (late.rival.name, late.rival.is_dropped) == ("last", True)
    assert left_out(late) == ("short",)
