"""Choices against the paper's own expansion of ties into all orderings, and their laws."""

import math
from collections import Counter
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarbear.observe import ABSENT, UNRANKED, Choices, Grid, Ranking, Rankings, linear_grid, rank_values

law = settings(deadline=None, max_examples=60)


def expanded(ranks, weight=1.0):
    """Every ordering of a weak ranking, tied algorithms in all k! orders, with its weight."""
    groups = [[i for i, rank in enumerate(ranks) if rank == r] for r in range(len(ranks))]
    orders = list(product(*(permutations(group) for group in groups)))
    for order in orders:
        yield [i for group in order for i in group], weight / len(orders)


def naive_tally(ranks, weights):
    """Wins and sets of one time, from the definition of a ranking's likelihood."""
    wins, sets = np.zeros(len(ranks[0])), Counter()
    for row, weight in zip(ranks, weights, strict=True):
        unranked = {i for i, rank in enumerate(row) if rank == UNRANKED}
        for order, share in expanded(row, weight):
            for position, chosen in enumerate(order):
                left = unranked | set(order[position:])
                if len(left) > 1:
                    wins[chosen] += share
                    sets[frozenset(left)] += share
    return wins, {members: count for members, count in sets.items() if count > 0}


def as_dictionary(choices, time=0):
    pairs = zip(choices.members[time], choices.counts[time], strict=True)
    return {frozenset(np.flatnonzero(members).tolist()): count for members, count in pairs if count > 0}


def assert_equal(left, right, rtol=1e-12):
    assert left.names == right.names
    assert left.grid == right.grid
    np.testing.assert_allclose(left.wins, right.wins, rtol=rtol, atol=1e-12)
    np.testing.assert_array_equal(left.members, right.members)
    np.testing.assert_allclose(left.counts, right.counts, rtol=rtol, atol=1e-12)


def identical(left, right):
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in ("wins", "members", "counts"))


def ranks_of(rows):
    """Dense ranks from whole numbers, None for absent and "rest" for unranked."""
    numbers = np.array([[np.nan if not isinstance(v, int) else v for v in row] for row in rows])
    dense = rank_values(numbers)
    return np.where(np.array([[v == "rest" for v in row] for row in rows]), UNRANKED, dense).astype(np.int16)


@st.composite
def weak_rankings(draw, partial=True):
    n = draw(st.integers(2, 6))
    value = st.one_of(st.integers(0, 4), st.none(), st.just("rest") if partial else st.none())
    rows = draw(st.lists(st.lists(value, min_size=n, max_size=n), min_size=1, max_size=6))
    weights = draw(st.lists(st.sampled_from([0.0, 0.25, 1.0, 1.0, 3.0]), min_size=len(rows), max_size=len(rows)))
    weights[0] = weights[0] or 1.0
    return ranks_of(rows), np.array(weights)


@st.composite
def values_with_ties(draw, instances=6, times=3, algorithms=5):
    shape = tuple(draw(st.integers(low, high)) for low, high in ((2, instances), (1, times), (2, algorithms)))
    cell = st.one_of(st.integers(-3, 3).map(float), st.just(math.nan), st.just(math.inf))
    cells = draw(st.lists(cell, min_size=math.prod(shape), max_size=math.prod(shape)))
    values = np.array(cells).reshape(shape)
    values[0, 0] = np.arange(shape[2])  # everybody is seen at least once
    return values


def grid_for(values):
    return linear_grid(1, values.shape[1], values.shape[1])


@settings(deadline=None, max_examples=150)
@given(weak_rankings())
def test_choices_equal_the_expansion_of_all_orderings(data):
    ranks, weights = data
    choices = Choices.from_rankings(Rankings(ranks[:, None], None, [1], weights))
    wins, sets = naive_tally(ranks.tolist(), weights.tolist())
    np.testing.assert_allclose(choices.wins[0], wins, rtol=1e-12, atol=1e-12)
    ours = as_dictionary(choices)
    assert ours.keys() == sets.keys()
    for members, count in sets.items():
        assert ours[members] == pytest.approx(count, rel=1e-12)


@law
@given(weak_rankings(), st.integers(0, 2**31))
def test_the_log_likelihood_is_that_of_all_orderings(data, seed):
    ranks, weights = data
    choices = Choices.from_rankings(Rankings(ranks[:, None], None, [1], weights))
    utilities = np.random.default_rng(seed).normal(size=ranks.shape[1])
    direct = 0.0
    for row, weight in zip(ranks.tolist(), weights, strict=True):
        rest = [i for i, rank in enumerate(row) if rank == UNRANKED]
        for order, share in expanded(row, weight):
            for position, chosen in enumerate(order):
                left = order[position:] + rest
                direct += share * (utilities[chosen] - math.log(np.exp(utilities[left]).sum()))
    masses = choices.members[0] @ np.exp(utilities)
    np.testing.assert_allclose(choices.wins[0] @ utilities - choices.counts[0] @ np.log(masses), direct, atol=1e-11)


@law
@given(values_with_ties())
def test_the_arrays_keep_their_promises(values):
    choices = Choices.from_values(values, grid=grid_for(values))
    times, sets, algorithms = choices.members.shape
    assert choices.wins.shape == (times, algorithms)
    assert choices.counts.shape == (times, sets)
    assert sets >= 1
    np.testing.assert_allclose(choices.wins.sum(axis=1), choices.counts.sum(axis=1), rtol=1e-13)
    assert choices.instances == len(values)
    for time in range(times):
        real = choices.counts[time] > 0
        used = int(real.sum())
        assert real[:used].all()  # padding comes last
        assert choices.members[time, used:].all()
        rows = [tuple(row) for row in choices.members[time, :used].tolist()]
        assert rows == sorted(set(rows))
        assert all(sum(row) >= 2 for row in rows)
    assert max((choices.counts > 0).sum(axis=1)) in (sets, 0)
    for array in (choices.wins, choices.members, choices.counts):
        assert not array.flags.writeable


@law
@given(values_with_ties(), st.randoms(use_true_random=False))
def test_the_order_of_instances_changes_nothing(values, random):
    order = list(range(len(values)))
    random.shuffle(order)
    one, other = (Choices.from_values(v, grid=grid_for(values)) for v in (values, values[order]))
    assert identical(one, other)  # bit for bit
    weights = np.linspace(0.1, 1.7, len(values))
    weighted = Choices.from_values(values, grid=grid_for(values), weights=weights)
    assert_equal(weighted, Choices.from_values(values[order], grid=grid_for(values), weights=weights[order]))


@law
@given(values_with_ties(), st.randoms(use_true_random=False))
def test_permuting_names_permutes_the_choices(values, random):
    order = list(range(values.shape[2]))
    random.shuffle(order)
    one, other = (Choices.from_values(v, grid=grid_for(values)) for v in (values, values[:, :, order]))
    np.testing.assert_allclose(other.wins, one.wins[:, order], rtol=1e-12)
    for time in range(values.shape[1]):
        renamed = {frozenset(order[i] for i in s): count for s, count in as_dictionary(other, time).items()}
        assert renamed == pytest.approx(as_dictionary(one, time), rel=1e-12)


@law
@given(
    values_with_ties(),
    st.sampled_from(
        [
            lambda y: np.exp(y),
            lambda y: 1e300 * y,
            lambda y: 1e-300 * y,
            lambda y: (y / 3).astype(np.float32),
            lambda y: np.where(np.isfinite(y), np.nextafter(1.0, 2.0) + y * 2.0**-52, y),
        ]
    ),
)
def test_a_monotone_transformation_changes_nothing(values, transform):
    grid = grid_for(values)
    assert identical(Choices.from_values(values, grid=grid), Choices.from_values(transform(values), grid=grid))


@law
@given(st.lists(st.integers(-3, 3), min_size=12, max_size=12))
def test_integers_and_floats_agree(numbers):
    integers = np.array(numbers).reshape(2, 2, 3)
    floats = Choices.from_values(integers.astype(float), grid=[1, 2])
    for same in (integers, integers.astype(np.int8), integers + 2**62, integers.astype(object) * 10**30):
        assert identical(Choices.from_values(same, grid=[1, 2]), floats)
    assert identical(Choices.from_values(-integers, grid=[1, 2], maximise=True), floats)


@law
@given(values_with_ties(), st.integers(0, 10))
def test_splitting_a_batch_changes_nothing(values, where):
    grid, cut = grid_for(values), 1 + where % (len(values) - 1)
    ranks = rank_values(values)
    whole = Choices.from_values(values, grid=grid)
    parts = [Choices.from_rankings(Rankings(part, None, grid)) for part in (ranks[:cut], ranks[cut:])]
    assert_equal(whole, parts[0] + parts[1])
    assert identical(parts[0] + parts[1], parts[1] + parts[0])
    assert sum(parts).instances == len(values)


@law
@given(values_with_ties(), st.sampled_from([0.5, 2, np.float64(3.0), np.int64(4)]))
def test_weights_scale(values, factor):
    grid = grid_for(values)
    choices = Choices.from_values(values, grid=grid)
    weighted = Choices.from_values(values, grid=grid, weights=np.full(len(values), factor))
    assert_equal(weighted, factor * choices)
    assert_equal(weighted, choices * factor)
    repeated = Choices.from_values(np.concatenate([values] * 3), grid=grid)
    assert_equal(repeated, 3 * choices)
    each = np.full(values.shape[:2], float(factor))
    assert_equal(weighted, Choices.from_values(values, grid=grid, weights=each))


@law
@given(values_with_ties(), st.integers(0, 10))
def test_an_absent_algorithm_is_as_if_it_were_not_there(values, which):
    # IIA: the choices among the others do not know it. It is seen once, alone, which says nothing.
    n, times = values.shape[2], values.shape[1]
    gone = which % n
    if n < 3:
        return
    others = [i for i in range(n) if i != gone]
    without = Choices.from_values(values[:, :, others], grid=grid_for(values))
    hidden = values.copy()
    hidden[:, :, gone] = np.nan
    alone = np.full((1, times, n), np.nan)
    alone[:, :, gone] = 1.0
    absent = Choices.from_values(np.concatenate([hidden, alone]), grid=grid_for(values))
    np.testing.assert_allclose(absent.wins[:, others], without.wins, rtol=1e-12)
    assert (absent.wins[:, gone] == 0).all()
    for time in range(times):
        named = {frozenset(others[i] for i in s): count for s, count in as_dictionary(without, time).items()}
        assert as_dictionary(absent, time) == pytest.approx(named, rel=1e-12)


@law
@given(values_with_ties())
def test_zero_weight_is_absence(values):
    grid = grid_for(values)
    weights = np.ones(len(values))
    weights[1] = 0
    kept = Choices.from_values(np.delete(values, 1, axis=0), grid=grid)
    assert identical(Choices.from_values(values, grid=grid, weights=weights), kept)


@law
@given(values_with_ties())
def test_instances_add_up_to_the_whole(values):
    weights = np.linspace(0, 2, values.shape[0] * values.shape[1]).reshape(values.shape[:2])
    choices = Choices.from_values(values, grid=grid_for(values), weights=weights + 0.1, per_instance=True)
    each = choices.by_instance()
    assert len(each) == len(values)
    assert all(one.instances == 1 for one in each)
    assert_equal(sum(each), choices)
    for index, one in enumerate(each):
        direct = Rankings(choices.rankings.ranks[[index]], None, choices.grid, choices.rankings.weights[[index]])
        assert_equal(one, Choices.from_rankings(direct))
    twice = (choices + choices).by_instance()
    assert len(twice) == 2 * len(values)
    assert_equal(sum(twice), 2 * choices)
    assert_equal(sum((3 * choices).by_instance()), 3 * choices)


def test_nothing_observed_at_a_time():
    values = np.array([[[1.0, 2.0], [np.nan, 1.0], [np.nan, np.nan]]])
    choices = Choices.from_values(values, grid=[1, 2, 3])
    assert choices.counts.tolist() == [[1.0], [0.0], [0.0]]
    assert choices.wins.tolist() == [[1.0, 0.0], [0.0, 0.0], [0.0, 0.0]]
    assert choices.members.all()
    never = Choices.from_values([[[np.nan, 1.0]], [[1.0, np.nan]]], grid=[1])
    assert never.counts.tolist() == [[0.0]]
    assert (never + never).members.shape == (1, 1, 2)


def test_only_unranked_algorithms_say_nothing():
    choices = Choices.from_rankings(Rankings([[[UNRANKED, UNRANKED, ABSENT]]], None, [1]))
    assert choices.counts.tolist() == [[0.0]]


def test_the_top_of_a_ranking_is_a_partial_ranking():
    choices = Choices.from_rankings([Ranking(1, ["a", "b"], others=["c", "d"])])
    assert choices.wins.tolist() == [[1, 1, 0, 0]]
    assert as_dictionary(choices) == {frozenset({0, 1, 2, 3}): 1, frozenset({1, 2, 3}): 1}


def test_nothing_times_choices_is_nothing():
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
    for time in range(2):
        wins, sets = naive_tally(ranks[:, time].tolist(), np.ones(4)) if n < 34 else (None, None)
        if wins is not None:
            np.testing.assert_allclose(choices.wins[time], wins, atol=1e-12)
            assert as_dictionary(choices, time) == pytest.approx(sets, rel=1e-12)
    np.testing.assert_allclose(choices.wins.sum(axis=1), choices.counts.sum(axis=1), rtol=1e-12)
    seen = (ranks >= 0).sum(axis=2)
    np.testing.assert_allclose(choices.wins.sum(axis=1), (seen - 1).sum(axis=0))
    assert_equal(sum(choices.by_instance()), choices)


def test_many_blocks_of_many_algorithms():
    # So many times that the words of the code are shorter than 32 digits; the first algorithm wins every time.
    values = np.tile(np.arange(40.0), (1, 5000, 1))
    choices = Choices.from_values(values[:, :, :34], grid=linear_grid(1, 5000, 5000))
    assert (choices.wins[:, :-1] == 1).all()
    assert choices.counts.sum() == 5000 * 33
    assert_equal(choices + choices, 2 * choices)


def test_parts_of_the_data_do_not_show(monkeypatch):
    rng = np.random.default_rng(3)
    values = rng.integers(0, 4, (20, 7, 6))
    grid = linear_grid(1, 7, 7)
    whole = Choices.from_values(values, grid=grid, per_instance=True)
    monkeypatch.setattr("polarbear.observe.tally._ELEMENTS", 250)
    small = Choices.from_values(values, grid=grid, per_instance=True)
    np.testing.assert_array_equal(small.rankings.ranks, whole.rankings.ranks)
    assert_equal(small, whole)
    assert_equal(sum(small.by_instance()), whole)


def test_inputs_stay_as_they_were():
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


def test_names_are_kept_or_made_up():
    values = np.random.default_rng(0).random((4, 2, 3))
    assert Choices.from_values(values, grid=[1, 2]).names == ("A", "B", "C")
    assert Choices.from_values(values, grid=[1, 2], names=iter("xyz")).names == ("x", "y", "z")


def test_tolerances_reach_the_ranks():
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
    # A round of a race in which an eliminated algorithm does not run.
    choices = Choices.from_rankings(Rankings([[[0, ABSENT, 1]]], ["a", "gone", "b"], [1]))
    assert choices.wins.tolist() == [[1.0, 0.0, 0.0]]


def test_choices_print_short():
    assert repr(Choices.from_values([[[1, 2]]], grid=[1])) == (
        "Choices(2 algorithms, 1 times, 1 instances, at most 1 sets a time)"
    )
