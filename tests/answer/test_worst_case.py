"""How much a fixed choice can lose, against loops over budgets, rivals and sets."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import polarbear as pb
from polarbear.answer.worst_case import Exposures, exposures, simplest_set

SEEDS = st.integers(0, 2**32 - 1)


def crossing(algorithms, *, instances=25, budgets=5, seed=0, missing=0.0, prior=None):
    """A posterior of algorithms that cross, of which some runs may be missing."""
    rng = np.random.default_rng(seed)
    slope = np.linspace(-1, 1, budgets)[:, None] * rng.normal(size=algorithms)
    values = rng.normal(size=(instances, budgets, algorithms)) + slope + rng.normal(scale=0.3, size=algorithms)
    values[rng.random((instances, budgets, algorithms)) < missing] = np.nan
    names = [f"a{k}" for k in range(algorithms)]
    return pb.fit(
        pb.Choices.from_values(values, grid=pb.log_grid(1, 100, budgets), names=names), prior=prior, draws=300
    )


def random_exposures(seed, budgets, algorithms):
    """Exposures at least one half, of algorithms that are good at different budgets."""
    rng = np.random.default_rng(seed)
    wins = 0.5 + 0.5 * rng.random((budgets, algorithms)) ** 2
    wins[rng.random((budgets, algorithms)) < 0.3] = 0.5
    rival = rng.integers(algorithms, size=(budgets, algorithms))
    names = tuple(f"a{k}" for k in range(algorithms))
    return Exposures(names, np.arange(1.0, budgets + 1), wins, rival)


def loss_by_loop(found, columns):
    """The largest exposure over budgets of the best member at each budget."""
    return max(min(found.wins[t, column] for column in columns) for t in range(len(found.budgets)))


@pytest.mark.parametrize("prior", [None, pb.RandomWalk()], ids=["bootstrap", "random walk"])
def test_the_exposure_is_the_largest_quantile_over_rivals(prior):
    posterior = crossing(4, prior=prior)
    names = ("a3", "a0", "a2")
    found = exposures(posterior, names)
    assert (found.names, found.budgets.tolist()) == (names, posterior.grid.budgets.tolist())
    for t in range(len(posterior.grid)):
        for column, name in enumerate(names):
            losses = {}
            for rival in names:
                if rival != name:
                    rates = posterior.win_rates(posterior.names.index(rival), posterior.names.index(name))[t]
                    losses[rival] = np.quantile(rates, 0.8)
            assert found.wins[t, column] == pytest.approx(max(0.5, *losses.values()), abs=1e-6)
            if max(losses.values()) > 0.5:
                assert names[found.rival[t, column]] == max(losses, key=losses.get)


def test_pairs_that_were_not_compared_expose_nobody():
    values = np.random.default_rng(0).normal(size=(30, 2, 3)) + np.array([0, 5, 10])
    values[:, 1, 0] = np.nan  # the best one has no results at the second budget
    posterior = pb.fit(pb.Choices.from_values(values, grid=[1, 10], names=list("abc")), draws=300)
    found = exposures(posterior, "abc")
    assert found.wins[0, 1] > 0.9
    assert found.wins[1, :2].tolist() == [0.5, 0.5]
    assert found.wins[1, 2] > 0.9
    assert found.names[found.rival[1, 2]] == "b"


def test_a_tie_counts_as_half_a_win():
    values = np.zeros((40, 1, 2))
    values[:, :, 1] = 1.0
    values[:20] = 7.0  # both have the same value on half of the instances
    found = exposures(pb.fit(pb.Choices.from_values(values, grid=[1], names=list("ab"))), "ab")
    assert found.wins[0, 1] == pytest.approx(0.75, abs=0.08)


@given(seed=SEEDS, budgets=st.integers(1, 12), algorithms=st.integers(1, 6), data=st.data())
def test_the_worst_case_of_a_set_is_that_of_its_best_member_at_the_worst_budget(seed, budgets, algorithms, data):
    found = random_exposures(seed, budgets, algorithms)
    columns = data.draw(st.lists(st.integers(0, algorithms - 1), min_size=1, unique=True))
    case = found.of(columns)
    assert case.wins == loss_by_loop(found, columns)
    assert case.names == tuple(found.names[column] for column in columns)
    place = found.budgets.tolist().index(case.budget)
    member = min(columns, key=lambda column: found.wins[place, column])
    assert found.wins[place, member] == case.wins
    assert case.rival == found.names[found.rival[place, member]]


@given(seed=SEEDS, budgets=st.integers(1, 12), algorithms=st.integers(1, 6), data=st.data())
def test_the_best_set_is_the_best_of_all_sets_of_its_size(seed, budgets, algorithms, data):
    found = random_exposures(seed, budgets, algorithms)
    size = data.draw(st.integers(1, algorithms))
    best = found.best_set(size)
    assert len(set(best.names)) == size
    assert best.wins == min(loss_by_loop(found, columns) for columns in combinations(range(algorithms), size))


@given(
    seed=SEEDS, budgets=st.integers(1, 12), algorithms=st.integers(1, 7), tolerance=st.floats(0, 0.49), data=st.data()
)
def test_the_simplest_set_is_the_smallest_that_suffices(seed, budgets, algorithms, tolerance, data):
    found = random_exposures(seed, budgets, algorithms)
    single = data.draw(st.sampled_from(found.names))
    case = simplest_set(found, single, tolerance=tolerance)
    sufficient = [
        columns
        for size in range(1, algorithms + 1)
        for columns in combinations(range(algorithms), size)
        if loss_by_loop(found, columns) <= 0.5 + tolerance
    ]
    assert case.suffices == bool(sufficient)
    assert case.wins == loss_by_loop(found, [found.names.index(name) for name in case.names])
    if not sufficient:
        assert case.names == (single,)
    elif len(sufficient[0]) <= 4:  # larger sets grow one by one and may not be the smallest
        assert len(case.names) == len(sufficient[0])
        assert case.wins <= 0.5 + tolerance
    if (found.names.index(single),) in sufficient:
        assert case.names == (single,)


def test_a_set_of_more_than_four_still_suffices():
    """Each of seven algorithms is the only one that is good at its budget."""
    wins = np.where(np.eye(7), 0.5, 0.9)
    found = Exposures(tuple("abcdefg"), np.arange(1.0, 8), wins, np.zeros((7, 7), dtype=int))
    case = simplest_set(found, "a", tolerance=0.1)
    assert (case.names, case.wins, case.suffices) == (tuple("abcdefg"), 0.5, True)


@given(seed=SEEDS, budgets=st.integers(1, 12), algorithms=st.integers(2, 6))
def test_a_larger_tolerance_never_needs_more_algorithms(seed, budgets, algorithms):
    found = random_exposures(seed, budgets, algorithms)
    cases = [simplest_set(found, found.names[0], tolerance=each) for each in np.linspace(0, 0.49, 12)]
    sizes = [len(case.names) for case in cases if case.suffices]
    assert sizes == sorted(sizes, reverse=True)
    assert [case.suffices for case in cases] == sorted(case.suffices for case in cases)


def test_adding_an_algorithm_never_makes_a_set_better_or_a_choice_safer():
    """Its own exposure can only rise with a further rival, and that of a set only fall with a further member."""
    posterior = crossing(5, seed=3)
    few, all_of_them = (exposures(posterior, posterior.names[:k]) for k in (4, 5))
    assert (all_of_them.wins[:, :4] >= few.wins).all()
    assert all_of_them.best_set(3).wins <= all_of_them.best_set(2).wins <= all_of_them.best_set(1).wins


def test_many_algorithms_need_little_time_and_memory():
    """Of 150 algorithms there are 20 million sets of four."""
    found = random_exposures(0, 30, 150)
    assert 0.5 <= found.best_set(3).wins <= found.best_set(1).wins
    found.wins[:, :] = 0.9
    found.wins[np.arange(30), np.arange(30)] = 0.5
    case = simplest_set(found, "a0", tolerance=0.1)
    assert (len(case.names), case.wins, case.suffices) == (30, 0.5, True)
