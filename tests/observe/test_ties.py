"""Weighted subsets of ties: exact up to twelve algorithms, sampled and unbiased above."""

from itertools import combinations
from math import comb

import numpy as np
import pytest

from polarbear.observe import Choices, Rankings, linear_grid
from polarbear.observe.ties import LARGEST_EXACT, shuffle_ties, tie_subsets


@pytest.mark.parametrize("size", [1, 2, 3, 5, LARGEST_EXACT])
def test_up_to_twelve_every_subset_occurs_once(size):
    members, weights = tie_subsets(size)
    assert len({tuple(row) for row in members.tolist()}) == len(members) == 2**size - 1
    np.testing.assert_allclose(weights, [1 / comb(size, u) for u in members.sum(axis=1)], rtol=1e-15)


@pytest.mark.parametrize("size", [13, 14, 20, 33, 64, 65, 200])
def test_above_twelve_every_size_has_weight_one(size):
    members, weights = tie_subsets(size)
    chosen = members.sum(axis=1)
    np.testing.assert_allclose(np.bincount(chosen, weights)[1:], 1, rtol=1e-12)
    assert (chosen[:size] == 1).all()  # `tally` leaves these out if no algorithm is worse
    assert (members[:size].sum(axis=0) == 1).all()
    assert len(members) < 5000


@pytest.mark.parametrize("size", [13, 20, 24, 33, 64])
def test_a_sampled_tie_treats_its_algorithms_equally(size):
    members, weights = tie_subsets(size)
    for chosen in range(1, size + 1):
        of_size = members.sum(axis=1) == chosen
        one_window = 1 / np.count_nonzero(of_size)
        slack = 1e-12 if size <= 24 else one_window  # larger ties: numbers of windows that differ by at most one
        np.testing.assert_allclose(weights[of_size] @ members[of_size], chosen / size, atol=slack, rtol=0)


def test_small_sizes_of_a_large_tie_are_exact():
    members, weights = tie_subsets(13)
    for chosen in (1, 2, 11, 12, 13):
        rows = members[members.sum(axis=1) == chosen]
        assert {tuple(np.flatnonzero(row)) for row in rows} == set(combinations(range(13), chosen))
        assert len(rows) == comb(13, chosen)
    sampled = members.sum(axis=1) == 6
    assert sampled.sum() < comb(13, 6)
    assert len(set(weights[sampled])) == 1


def test_the_shuffle_of_a_tie_depends_on_the_tie_alone():
    rng = np.random.default_rng(0)
    tied = np.sort(rng.permuted(np.tile(np.arange(30), (50, 1)), axis=1)[:, :15], axis=1)
    key = rng.integers(0, 256, (50, 8)).astype(np.uint8)
    key[0], tied[0] = key[1], tied[1]
    shuffled = shuffle_ties(tied, key)
    np.testing.assert_array_equal(np.sort(shuffled, axis=1), tied)
    np.testing.assert_array_equal(shuffled[0], shuffled[1])
    np.testing.assert_array_equal(shuffle_ties(tied[10:20], key[10:20]), shuffled[10:20])
    assert len({tuple(row) for row in (shuffled - tied).tolist()}) > 45


def test_shuffles_are_uniform():
    # Position of the first algorithm over many ties: a chi-square with 12 degrees of freedom stays below 32.9 with
    # probability 0.999; the seeds are fixed.
    ties = np.arange(20_000, dtype=np.uint32).view(np.uint8).reshape(-1, 4)
    shuffled = shuffle_ties(np.tile(np.arange(13), (len(ties), 1)), ties)
    observed = np.bincount(np.argmax(shuffled == 0, axis=1), minlength=13)
    expected = len(ties) / 13
    assert ((observed - expected) ** 2 / expected).sum() < 32.9


def exact_log_masses(masses, worse_masses):
    """Sum over sizes of the mean of log(mass of subset and worse) over all subsets of the size."""
    table = (np.arange(1, 2 ** len(masses))[:, None] >> np.arange(len(masses))) & 1
    weights = np.array([1 / comb(len(masses), u) for u in table.sum(axis=1)])
    subset_masses = table @ masses
    return np.array([weights @ np.log(subset_masses + worse) for worse in worse_masses])


def test_sampled_ties_are_unbiased():
    # 200 different ties (they differ in which algorithms are worse) are summed exactly and as sampled, at a few random
    # masses. The mean error of 200 independent unbiased estimates exceeds 4 standard errors in one of 16,000 cases.
    size, ties = 13, 200
    n, rng = size + 12, np.random.default_rng(size)
    ranks = np.full((ties, 1, n), 0, dtype=np.int16)
    worse = np.zeros((ties, 12), dtype=bool)
    for tie in range(ties):
        worse[tie, rng.permutation(12)[: rng.integers(1, 12)]] = True
    ranks[:, 0, size:] = np.where(worse, 1, -1)
    single = [Choices.from_rankings(Rankings(ranks[[tie]], None, [1])) for tie in range(ties)]
    for _ in range(3):
        masses = np.exp(rng.normal(size=n))
        sampled = []
        for choices in single:
            inside = choices.members[0, :, :size].any(axis=1)  # not the choices among the worse
            sampled.append(choices.counts[0, inside] @ np.log(choices.members[0, inside] @ masses))
        errors = sampled - exact_log_masses(masses[:size], worse @ masses[size:])
        standard_error = np.std(errors) / np.sqrt(ties)
        assert abs(np.mean(errors)) < 4 * standard_error
        assert np.std(errors) < 0.05  # of a sum of 13 logarithms


def test_in_a_large_tie_of_all_algorithms_the_last_choice_is_left_out():
    choices = Choices.from_values(np.zeros((3, 1, 20)), grid=[1])
    np.testing.assert_allclose(choices.wins, 3 * (1 - 1 / 20))
    np.testing.assert_allclose(choices.counts.sum(), 3 * 19)
    assert (choices.members.sum(axis=2) >= 2).all()


def test_large_ties_do_not_depend_on_order_or_batches():
    rng = np.random.default_rng(5)
    values = rng.integers(0, 2, (16, 2, 28)).astype(float)
    grid = linear_grid(1, 2, 2)
    whole = Choices.from_values(values, grid=grid)
    again = Choices.from_values(values[rng.permutation(16)], grid=grid)
    np.testing.assert_array_equal(whole.members, again.members)
    np.testing.assert_array_equal(whole.counts, again.counts)
    split = sum(Choices.from_values(part, grid=grid) for part in np.array_split(values, 3))
    np.testing.assert_array_equal(whole.members, split.members)
    np.testing.assert_allclose(whole.counts, split.counts, rtol=1e-12)
    for budget in range(2):  # nor on the number of blocks that are tallied together
        alone = Choices.from_values(values[:, [budget]], grid=[1])
        sets = alone.members.shape[1]
        np.testing.assert_array_equal(alone.counts[0], whole.counts[budget, :sets])
