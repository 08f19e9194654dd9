"""The number of comparisons: on how many instances an algorithm was observed together with another one."""

import numpy as np
import pytest

from polarbear import Choices, Ranking
from polarbear.observe.rankings import ABSENT, UNRANKED, Rankings, were_compared

NAMES = ("a", "b", "c")


@pytest.fixture
def values():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(30, 4, 3))
    values[rng.random(values.shape) < 0.5] = np.nan
    return values


def count_by_loop(values):
    counts = np.zeros(values.shape[1:], dtype=int)
    for instance in values:
        for budget, row in enumerate(instance):
            for algorithm, value in enumerate(row):
                others = [other for k, other in enumerate(row) if k != algorithm and not np.isnan(other)]
                counts[budget, algorithm] += not np.isnan(value) and bool(others)
    return counts


@pytest.mark.parametrize("per_instance", [True, False])
def test_comparisons_are_those_of_a_loop_over_instances(values, per_instance):
    choices = Choices.from_values(values, grid=[1, 2, 3, 4], per_instance=per_instance)
    np.testing.assert_array_equal(choices.comparisons, count_by_loop(values))


def test_comparisons_of_parts_add_up(values):
    whole, first, second = (
        Choices.from_values(part, grid=[1, 2, 3, 4], names=NAMES) for part in (values, values[:11], values[11:])
    )
    np.testing.assert_array_equal((first + second).comparisons, whole.comparisons)
    np.testing.assert_array_equal(sum(whole.by_instance()).comparisons, whole.comparisons)
    np.testing.assert_array_equal(whole.at_budgets([1, 3]).comparisons, whole.comparisons[[1, 3]])
    np.testing.assert_array_equal((2.5 * whole).comparisons, whole.comparisons)
    assert not (0 * whole).comparisons.any()


def test_instances_of_weight_zero_do_not_count(values):
    weights = np.arange(30) % 2
    weighted = Choices.from_values(values, grid=[1, 2, 3, 4], weights=weights)
    np.testing.assert_array_equal(weighted.comparisons, count_by_loop(values[1::2]))


def test_unranked_algorithms_are_compared_with_ranked_ones_only():
    ranks = [[[0, UNRANKED, UNRANKED]], [[UNRANKED, UNRANKED, ABSENT]], [[ABSENT, 0, ABSENT]]]
    compared = were_compared(Rankings(ranks, NAMES, [1]))
    assert compared[:, 0].tolist() == [[True] * 3, [False] * 3, [False] * 3]
    top = Choices.from_rankings([Ranking(10, ["a"], others=["b", "c"])])
    assert top.comparisons.tolist() == [[1, 1, 1]]


def test_choices_without_known_comparisons_stay_so(values):
    known = Choices.from_values(values, grid=[1, 2, 3, 4])
    unknown = Choices(known.grid, known.names, known.wins, known.members, known.counts, known.instances)
    assert unknown.comparisons is None
    assert (known + unknown).comparisons is None
    assert (2 * unknown).comparisons is None
    assert unknown.at_budgets([0]).comparisons is None
