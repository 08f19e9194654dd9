"""`Choices` by hand: partial rankings, missing data, many algorithms, and what the constructors keep."""

import pickle

import numpy as np
import pytest

from polarbear.observe import ABSENT, UNRANKED, Choices, Grid, Ranking, Rankings, linear_grid, rank_values
from tests.observe.orderings import assert_equal, sets_of, stages_of_orderings, tally_of_stages


def test_a_budget_without_observations_has_no_counts():
    values = np.array([[[1.0, 2.0], [np.nan, 1.0], [np.nan, np.nan]]])
    choices = Choices.from_values(values, grid=[1, 2, 3])
    assert choices.counts.tolist() == [[1.0], [0.0], [0.0]]
    assert choices.wins.tolist() == [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert choices.members.all()
    never = Choices.from_values([[[np.nan, 1.0]], [[1.0, np.nan]]], grid=[1])
    assert never.counts.tolist() == [[0.0]]
    assert (never + never).members.shape == (1, 1, 2)


def test_a_ranking_of_only_unranked_algorithms_has_no_choices():
    choices = Choices.from_rankings(Rankings([[[UNRANKED, UNRANKED, ABSENT]]], None, [1]))
    assert choices.counts.tolist() == [[0.0]]


def test_the_top_of_a_ranking_is_a_partial_ranking():
    choices = Choices.from_rankings([Ranking(1, ["a", "b"], others=["c", "d"])])
    assert choices.wins.tolist() == [[1, 1, 0, 0]]
    assert sets_of(choices) == {frozenset({0, 1, 2, 3}): 1, frozenset({1, 2, 3}): 1}


def test_zero_times_choices_has_no_counts_and_no_rankings():
    choices = Choices.from_values(np.random.default_rng(0).random((5, 2, 3)), grid=[1, 2], per_instance=True)
    zero = 0 * choices
    assert zero.counts.tolist() == [[0.0], [0.0]]
    assert zero.members.all()
    assert_equal(zero + choices, choices)
    assert zero.rankings is None


@pytest.mark.parametrize("n", [32, 33, 64, 65, 200])
def test_many_algorithms(n):
    rng = np.random.default_rng(n)
    values = rng.integers(0, 2 * n, (4, 2, n)).astype(float)
    values[rng.random(values.shape) < 0.2] = np.nan
    values[0, :, 1] = values[0, :, 2] = values[1, :, 0] = 0.0
    grid = linear_grid(1, 2, 2)
    choices = Choices.from_values(values, grid=grid, per_instance=True)
    ranks = rank_values(values)
    if n < 34:
        for budget in range(2):
            wins, sets = tally_of_stages(stages_of_orderings(ranks[:, budget].tolist(), np.ones(4)), n)
            np.testing.assert_allclose(choices.wins[budget], wins, atol=1e-12)
            assert sets_of(choices, budget) == pytest.approx(sets, rel=1e-12)
    np.testing.assert_allclose(choices.wins.sum(axis=1), choices.counts.sum(axis=1), rtol=1e-12)
    observed = (ranks >= 0).sum(axis=2)
    np.testing.assert_allclose(choices.wins.sum(axis=1), (observed - 1).sum(axis=0))
    assert_equal(sum(choices.by_instance()), choices)


def test_many_blocks_of_many_algorithms():
    # From 2,500 budgets on the words of the code are shorter than 32 digits. The first algorithm always wins.
    values = np.tile(np.arange(34.0), (1, 2600, 1))
    choices = Choices.from_values(values, grid=linear_grid(1, 2600, 2600))
    assert (choices.wins[:, :-1] == 1).all()
    assert choices.counts.sum() == 2600 * 33
    assert_equal(choices + choices, 2 * choices)


def test_processing_in_parts_changes_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    values = rng.integers(0, 4, (20, 7, 6))
    grid = linear_grid(1, 7, 7)
    whole = Choices.from_values(values, grid=grid, per_instance=True)
    assert whole.counts.any()  # counts now, before parts become small
    monkeypatch.setattr("polarbear.observe.tally._ELEMENTS", 250)
    small = Choices.from_values(values, grid=grid, per_instance=True)
    np.testing.assert_array_equal(small.rankings.ranks, whole.rankings.ranks)
    assert_equal(small, whole)
    assert_equal(sum(small.by_instance()), whole)


def test_choices_that_keep_their_rankings_are_counted_when_first_read():
    values = np.random.default_rng(4).integers(0, 3, (9, 4, 15)).astype(float)  # with large ties
    values[:3, 1, 2] = np.nan
    now = Choices.from_values(values, grid=[1, 2, 3, 4], per_instance=False)
    later = Choices.from_values(values, grid=[1, 2, 3, 4], per_instance=True)
    copied = pickle.loads(pickle.dumps(later))
    for choices in (later, copied):
        assert not {"wins", "members", "counts"} & vars(choices).keys()
        for field in ("members", "wins", "counts"):
            assert getattr(choices, field).tobytes() == getattr(now, field).tobytes()
            assert not getattr(choices, field).flags.writeable
        assert repr(choices) == repr(now)
        np.testing.assert_array_equal(choices.comparisons, now.comparisons)
    with pytest.raises(AttributeError, match="'Choices' object has no attribute 'winds'"):
        _ = later.winds


def test_inputs_are_not_changed():
    values = np.random.default_rng(0).random((4, 2, 3))
    weights = np.ones(4)
    before = values.copy()
    choices = Choices.from_values(values, grid=[1, 2], weights=weights, per_instance=True)
    assert values.flags.writeable
    assert weights.flags.writeable
    np.testing.assert_array_equal(values, before)
    assert not choices.rankings.ranks.flags.writeable
    own = np.array(choices.wins)
    again = Choices(choices.grid, choices.names, own, choices.members, choices.counts, 4)
    own[0] = -1
    assert (again.wins >= 0).all()


def test_names_are_kept_or_default_to_letters():
    values = np.random.default_rng(0).random((4, 2, 3))
    assert Choices.from_values(values, grid=[1, 2]).names == ("A", "B", "C")
    assert Choices.from_values(values, grid=[1, 2], names=iter("xyz")).names == ("x", "y", "z")


def test_tolerances_make_ties():
    values = [[[1.0, 1.05, 2.0]]]
    assert Choices.from_values(values, grid=[1]).wins.tolist() == [[1, 1, 0]]
    np.testing.assert_allclose(Choices.from_values(values, grid=[1], absolute_tolerance=0.1).wins, [[1, 1, 0]])
    assert Choices.from_values(values, grid=[1], absolute_tolerance=0.1).counts.tolist() == [[0.5, 0.5, 1.0]]
    assert Choices.from_values(values, grid=[1], relative_tolerance=0.1).counts.tolist() == [[0.5, 0.5, 1.0]]


def test_rankings_bring_their_grid_and_names():
    rankings = Rankings([[[0, 1]]], ["a", "b"], [5], [2.0])
    choices = Choices.from_rankings(rankings, grid=[5], names=["a", "b"], per_instance=True)
    assert choices.wins.tolist() == [[2.0, 0.0]]
    assert choices.rankings is rankings
    assert choices.grid == Grid([5])
    assert Choices.from_rankings(rankings, weights=[4.0]).wins.tolist() == [[4.0, 0.0]]


def test_rankings_may_leave_an_algorithm_out():
    # A round of a race in which a dropped algorithm does not run.
    choices = Choices.from_rankings(Rankings([[[0, ABSENT, 1]]], ["a", "dropped", "b"], [1]))
    assert choices.wins.tolist() == [[1.0, 0.0, 0.0]]


def test_the_representation_gives_the_sizes():
    assert repr(Choices.from_values([[[1, 2]]], grid=[1])) == (
        "Choices(2 algorithms, 1 budgets, 1 instances, at most 1 sets per budget)"
    )
