"""Algorithms that tie on every instance are one candidate, named together."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code
from polarbear.selection.recommendation import Rival
from tests.selection.weighted_outcomes import random_values

QUERIES = {
    "at": pb.At(2),
    "uniform": pb.Uniform(),
    "custom": pb.Custom(lambda curves: curves.min(axis=-1) + curves.mean(axis=-1)),
}


def posterior_with(values, names):
    return pb.fit(pb.Choices.from_values(values, grid=[1, 2, 3], names=list(names)), draws=150, seed=2)


def with_copy(values, of=0):
    return np.concatenate([values, values[..., [of]]], axis=-1)


@pytest.fixture
def values():
    return random_values(15, 3, 3, seed=1).astype(float)


@pytest.mark.parametrize("preference", QUERIES.values(), ids=QUERIES)
@pytest.mark.parametrize("criterion", [None, pb.FirstPlace(), pb.TopK(2), pb.MeanRank(), pb.WinRateAgainst("C")])
def test_a_copy_changes_no_number(values, preference, criterion):
    alone = pb.select(posterior_with(values, "ABC"), preference, among=list("ABC"), criterion=criterion)
    both = pb.select(posterior_with(with_copy(values), "ABCX"), preference, among=list("ABCX"), criterion=criterion)
    assert [each.members for each in both.candidates] == [each.members for each in alone.candidates]
    np.testing.assert_array_equal(both.values, alone.values)
    for here, there in zip(both.candidates, alone.candidates, strict=True):
        assert here.same_as == (("X",) if here.members == ("A",) else ())
        assert vars(here) | {"same_as": ()} == vars(there)


def test_they_are_named_together(values):
    posterior = posterior_with(with_copy(with_copy(values), 1), ["A", "B", "C", "X", "Y"])
    selection = pb.select(posterior, among=posterior.names)
    assert {each.name for each in selection.candidates} == {"A = X", "B = Y", "C"}
    assert sum(each.probability_best for each in selection.candidates) == pytest.approx(1)
    assert set(selection.to_table()["choice"]) == {"A = X", "B = Y", "C"}
    assert selection.not_observed == ()
    assert Code.LEFT_OUT not in {each.code for each in selection.findings}
    assert str(selection).startswith(selection.candidates[0].name)


def test_the_first_in_the_posterior_stands_for_all(values):
    posterior = posterior_with(with_copy(values)[..., [3, 1, 2, 0]], ["X", "B", "C", "A"])
    assert "X = A" in {each.name for each in pb.select(posterior, among=posterior.names).candidates}
    assert pb.select(posterior, among=["A", "B"]).recommendation in ("A", "B")


def test_two_copies_are_one_candidate():
    values = np.tile([1.0, 1.0, 2.0], (20, 3, 1))
    posterior = posterior_with(values, ["a", "b", "c"])
    selection = pb.select(posterior)
    assert [each.name for each in selection.candidates] == ["a = b"]
    assert (selection.recommendation, selection.is_sure, selection.probability_best) == ("a", True, 1)
    rate = posterior.expected_win_rate(0, 2).mean()
    assert selection.rival == Rival("c", pytest.approx(rate, abs=1e-6), is_dropped=True)
    assert (selection.name, selection.runner_up) == ("a = b", "")
    everybody_ties = posterior_with(np.ones((20, 3, 3)), ["a", "b", "c"])
    assert [each.name for each in pb.select(everybody_ties, pb.At(2)).candidates] == ["a = b = c"]
    assert pb.select(everybody_ties, pb.At(2)).rival is None


def test_an_algorithm_that_differs_on_one_instance_is_a_rival(values):
    copied = with_copy(values)
    copied[3, 1, 3] -= 10
    posterior = posterior_with(copied, "ABCX")
    for preference in (pb.At(1), pb.At(2), pb.Uniform()):  # also at budgets at which the two tie
        selection = pb.select(posterior, preference, among=list("ABCX"))
        assert {each.name for each in selection.candidates} == set("ABCX")
    assert len(pb.decision_map(posterior, among=list("ABCX")).names) == 4


@pytest.mark.parametrize("places", [(3,), (3, 1), (slice(None), 2)], ids=["an instance", "a budget of one", "a budget"])
def test_an_algorithm_without_the_same_instances_is_a_rival(values, places):
    copied = with_copy(values)
    copied[(*places, ...)][..., 3] = np.nan
    selection = pb.select(posterior_with(copied, "ABCX"), pb.At(1), among=list("ABCX"))
    assert {each.name for each in selection.candidates} == set("ABCX")


def test_without_a_common_instance_two_algorithms_are_not_the_same():
    values = np.tile([1.0, 1.0, 2.0, 3.0], (20, 3, 1))
    values[:10, :, 0] = np.nan
    values[10:, :, 1] = np.nan
    selection = pb.select(posterior_with(values, ["a", "b", "c", "d"]), among=["a", "b", "c", "d"])
    assert {each.name for each in selection.candidates} == {"a", "b", "c", "d"}


def test_ties_within_the_tolerance_are_ties():
    values = np.tile([1.0, 1.0 + 1e-9, 2.0], (20, 3, 1))
    loose = pb.Choices.from_values(values, grid=[1, 2, 3], absolute_tolerance=1e-6, relative_tolerance=0.0)
    assert pb.select(pb.fit(loose, draws=100)).candidates[0].name == "A = B"
    strict = pb.Choices.from_values(values, grid=[1, 2, 3], absolute_tolerance=0.0, relative_tolerance=0.0)
    assert pb.select(pb.fit(strict, draws=100)).candidates[0].name == "A"


def test_the_map_counts_them_once(values):
    posterior = posterior_with(with_copy(values), "ABCX")
    here = pb.decision_map(posterior, among=list("ABCX"))
    there = pb.decision_map(posterior_with(values, "ABC"), among=list("ABC"))
    assert here.names == there.names
    assert here.best == there.best
    assert here.ranges == there.ranges
    assert here.leader_changes == there.leader_changes
    np.testing.assert_array_equal(here.probability_best, there.probability_best)


def test_under_the_papers_priors_every_algorithm_is_a_candidate():
    choices = pb.Choices.from_values(np.tile([1.0, 1.0, 2.0], (20, 3, 1)), grid=[1, 2, 3])
    posterior = pb.fit(choices, prior=pb.Dirichlet(1), draws=100)
    assert {each.name for each in pb.select(posterior, pb.At(1)).candidates} == {"A", "B", "C"}
