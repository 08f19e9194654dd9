"""The ranges of budgets with one answer: what each says, where it starts and stops, and which are joined."""

from collections import Counter
from dataclasses import replace
from itertools import groupby, pairwise

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import polarbear as pb
from polarbear.answer.ranges import Range, all_ranges, contenders, join_ranges
from tests.answer.told import random_probabilities, told

FIXED = ("no results", "not observed", "alone")
SEEDS = st.integers(0, 2**32 - 1)


def ranges_of(probability, *, margin=0.05, has_results=None, joined=True, **options):
    """The ranges of these probabilities of being best; with `joined`, at most five."""
    posterior = told(probability, **options)
    ranges = all_ranges(
        posterior, posterior.names, np.asarray(probability, dtype=float), margin=margin, has_results=has_results
    )
    return join_ranges(posterior.grid, ranges) if joined else ranges


def said(ranges):
    """What ranges say: the kind, the algorithms and the number of budgets of each."""
    return [(each.kind, "".join(each.names), each.length) for each in ranges]


def rows(*spans):
    """Probabilities (budget, algorithm) of spans, each given as a row and the number of its budgets."""
    return np.array([row for row, length in spans for _ in range(length)])


A, B, C = [0.9, 0.06, 0.04], [0.06, 0.9, 0.04], [0.05, 0.05, 0.9]
OPEN = [0.5, 0.3, 0.2]


# Named algorithms


def named_by_hand(column):
    """Whether an algorithm is named at each budget: from 0.8 on, and on both sides for as long as it has 0.6."""
    named = []
    for here in range(len(column)):
        reach = [
            other
            for other in range(len(column))
            if column[other] >= 0.8 and all(column[t] >= 0.6 for t in range(min(here, other), max(here, other) + 1))
        ]
        named.append(bool(reach))
    return named


@given(seed=SEEDS, algorithms=st.integers(2, 5), pairs=st.integers(1, 18))
def test_an_algorithm_is_named_from_080_on_and_kept_down_to_060(seed, algorithms, pairs):
    """Each row counts for two budgets, and at most 36 budgets have no span that is too short."""
    probability = np.repeat(random_probabilities(seed, pairs, algorithms), 2, axis=0)
    by_hand = np.array([named_by_hand(column) for column in probability.T])  # (algorithm, budget)
    expected = [("best", "ABCDE"[leaders.argmax()]) if leaders.any() else ("unclear", "") for leaders in by_hand.T]
    ranges = ranges_of(probability, joined=False)
    found = [(each.kind, each.names[0] if each.kind == "best" else "") for each in ranges for _ in range(each.length)]
    assert found == expected


@pytest.mark.parametrize(
    ("leader", "expected"),
    [
        ([0.8, 0.8, 0.6, 0.6, 0.59, 0.59], [("best", "A", 4), ("unclear", "AB", 2)]),
        ([0.79] * 6, [("unclear", "AB", 6)]),
        ([0.6, 0.6, 0.7, 0.8, 0.6, 0.6], [("best", "A", 6)]),
        ([0.7, 0.7, 0.59, 0.59, 0.7, 0.8], [("unclear", "AB", 4), ("best", "A", 2)]),
    ],
)
def test_where_a_named_range_starts_and_stops(leader, expected):
    assert said(ranges_of([[each, 1 - each] for each in leader])) == expected


# Contenders


@given(seed=SEEDS, algorithms=st.integers(1, 12))
def test_contenders_are_the_fewest_that_sum_to_095(seed, algorithms):
    row = random_probabilities(seed, 1, algorithms)[0]
    found = contenders(row)
    smallest = min(size for size in range(1, algorithms + 1) if np.sort(row)[::-1][:size].sum() >= 0.95)
    assert len(found) == smallest
    assert row[found].sum() >= 0.95
    assert [float(row[column]) for column in found] == sorted(row, reverse=True)[: len(found)]


def test_an_unclear_range_names_at_most_four_contenders_by_their_mean_probability():
    (only,) = ranges_of([[0.1, 0.3, 0.2, 0.15, 0.25], [0.1, 0.2, 0.4, 0.15, 0.15]])
    assert (only.kind, only.names) == ("unclear", ("C", "B", "E", "D"))
    assert only.probabilities == pytest.approx((0.3, 0.25, 0.2, 0.15))


# Short spans


@pytest.mark.parametrize(
    ("spans", "expected"),
    [
        ([(A, 5), (OPEN, 1), (B, 4)], [("best", "A", 6), ("best", "B", 4)]),  # the longer neighbour
        ([(A, 4), (OPEN, 1), (B, 5)], [("best", "A", 4), ("best", "B", 6)]),
        ([(A, 8), (C, 1), (OPEN, 2)], [("best", "A", 8), ("unclear", "CAB", 3)]),  # a named one: the unclear neighbour
        ([(A, 8), (C, 1), (B, 3)], [("best", "A", 9), ("best", "B", 3)]),
        ([(C, 1), (OPEN, 4), (A, 1)], [("best", "C", 1), ("unclear", "ABC", 4), ("best", "A", 1)]),  # ends stay
        ([(OPEN, 1), (A, 4)], [("best", "A", 5)]),  # but not unclear ones
        ([(A, 50), (OPEN, 3), (B, 7)], [("best", "A", 50), ("unclear", "ABC", 3), ("best", "B", 7)]),  # 5 % of 60
        ([(A, 51), (OPEN, 3), (B, 7)], [("best", "A", 54), ("best", "B", 7)]),  # less than 5 % of 61
        ([(OPEN, 1)], [("unclear", "ABC", 1)]),
    ],
)
def test_a_short_span_joins_a_neighbour(spans, expected):
    assert said(ranges_of(rows(*spans))) == expected


@given(seed=SEEDS, budgets=st.integers(1, 90), algorithms=st.integers(2, 5))
def test_only_named_ranges_at_an_end_and_what_was_not_observed_are_short(seed, budgets, algorithms):
    probability, options = random_case(seed, budgets, algorithms)
    ranges = ranges_of(probability, joined=False, **options)
    for place, each in enumerate(ranges):
        beside = [ranges[k].kind for k in (place - 1, place + 1) if 0 <= k < len(ranges)]
        others = [kind for kind in beside if kind not in FIXED]
        at_end = each.kind == "best" and len(others) < 2
        assert each.length >= max(2, 0.05 * budgets) or each.kind in FIXED or at_end or not others


# What ranges say


EQUAL = {"equal": {(0, 1): 0.95, (0, 2): 0.95, (1, 2): 0.95}}


def test_contenders_that_are_all_within_the_margin_are_equal_even_if_one_would_be_named():
    assert said(ranges_of(rows(([0.5, 0.3, 0.2], 3)), **EQUAL)) == [("equal", "ABC", 3)]
    assert said(ranges_of(rows(([0.85, 0.15, 0.0], 3)), **EQUAL)) == [("equal", "AB", 3)]
    (only,) = ranges_of(rows(([0.98, 0.01, 0.01], 3)), **EQUAL)  # a single contender is equal to nobody
    assert (only.kind, only.names) == ("best", ("A",))


def test_an_equal_range_is_equal_between_the_algorithms_that_it_names():
    """A and B are equal first, then C and D; nothing is known about A against C."""
    probability = rows(([0.5, 0.48, 0.01, 0.01], 4), ([0.01, 0.01, 0.48, 0.5], 4))
    (only,) = ranges_of(probability, equal={(0, 1): 0.97, (2, 3): 0.97})
    assert only.kind == "unclear"
    every_pair = {(a, b): 0.97 for a in range(4) for b in range(a + 1, 4)}
    assert said(ranges_of(probability, equal=every_pair)) == [("equal", "DABC", 8)]


def test_one_pair_of_contenders_that_may_differ_is_enough_for_unclear():
    told_equal = {(0, 1): 0.99, (0, 2): 0.94, (1, 2): 0.99}
    assert said(ranges_of(rows((OPEN, 3)), equal=told_equal)) == [("unclear", "ABC", 3)]
    # C is no contender, so that it does not matter.
    assert said(ranges_of(rows(([0.6, 0.38, 0.02], 3)), equal=told_equal)) == [("equal", "AB", 3)]


def test_leaders_that_tie_on_more_than_half_of_the_instances_are_tied():
    (only,) = ranges_of(rows((OPEN, 4)), ties={(0, 1): [0.6, 0.7, 0.8, 0.9]})
    assert (only.kind, only.names, only.tied) == ("tied", ("A", "B"), pytest.approx(0.75))
    assert said(ranges_of(rows((OPEN, 4)), ties={(0, 1): 0.5})) == [("unclear", "ABC", 4)]
    assert said(ranges_of(rows((OPEN, 4)), ties={(0, 2): 0.9})) == [("unclear", "ABC", 4)]  # not of the two leaders
    assert said(ranges_of(rows((A, 4)), ties={(0, 1): 0.9})) == [("best", "A", 4)]


def test_a_tied_range_is_tied_between_the_algorithms_that_it_names():
    """Each half ties on 90 %, of another pair; over both halves the leaders A and B tie on less than half."""
    probability = rows(([0.5, 0.4, 0.1], 3), ([0.45, 0.2, 0.35], 4))
    (only,) = ranges_of(probability, ties={(0, 1): [0.9] * 3 + [0.0] * 4, (0, 2): [0.0] * 3 + [0.9] * 4})
    assert only.kind == "unclear"
    assert only.tied is None


def test_budgets_at_which_one_algorithm_or_none_was_observed():
    seen = [[False, False, False]] * 2 + [[False, True, False]] * 2 + [[True, True, True]] * 3
    probability = rows(([0.0] * 3, 2), ([0.0, 1.0, 0.0], 2), (OPEN, 3))
    expected = [("not observed", "", 2), ("alone", "B", 2), ("unclear", "ABC", 3)]
    assert said(ranges_of(probability, observed=seen)) == expected


def test_an_only_algorithm_is_not_alone():
    assert said(ranges_of([[1.0]] * 3)) == [("best", "A", 3)]


def test_the_first_budgets_without_results_and_no_later_ones():
    results = np.array([False, False, True, True, False, True])
    assert said(ranges_of(rows((A, 6)), has_results=results)) == [("no results", "", 2), ("best", "A", 4)]
    assert said(ranges_of(rows((A, 6)), has_results=np.zeros(6, dtype=bool))) == [("no results", "", 6)]
    assert said(ranges_of(rows((A, 6)), has_results=np.ones(6, dtype=bool))) == [("best", "A", 6)]


# Ends


@given(seed=SEEDS, budgets=st.integers(1, 90), algorithms=st.integers(1, 5), axis=st.sampled_from(["linear", "log"]))
def test_ranges_tile_the_grid(seed, budgets, algorithms, axis):
    probability, options = random_case(seed, budgets, algorithms)
    posterior = told(probability, axis=axis, **{k: v for k, v in options.items() if k != "has_results"})
    for joined in (True, False):
        ranges = ranges_of(probability, axis=axis, joined=joined, **options)
        assert [each.first for each in ranges] == [0, *(each.last + 1 for each in ranges[:-1])]
        assert ranges[-1].last == budgets - 1
        assert (ranges[0].start, ranges[-1].stop) == (posterior.grid.budgets[0], posterior.grid.budgets[-1])
        for left, right in pairwise(ranges):
            assert left.stop == right.start
            before, after = posterior.grid.budgets[left.last], posterior.grid.budgets[right.first]
            if "not observed" in (left.kind, right.kind):  # what was observed ends with its last budget
                assert left.stop == (before if right.kind == "not observed" else after)
            else:
                assert before < left.stop < after


@pytest.mark.parametrize(("axis", "end"), [("linear", 3.5), ("log", 2**2.5)])
def test_ranges_meet_half_way_on_the_axis_of_the_grid(axis, end):
    first, second = ranges_of(rows((A, 3), (B, 3)), axis=axis)
    assert first.stop == second.start == pytest.approx(end)


# At most five


def random_case(seed, budgets, algorithms):
    """Probabilities and what else is known, in all of which anything may happen."""
    rng = np.random.default_rng(seed)
    probability = random_probabilities(seed, budgets, algorithms)
    seen = np.ones((budgets, algorithms), dtype=bool)
    if rng.random() < 0.4:
        for column in range(algorithms):
            seen[rng.integers(budgets + 1) :, column] = False
    pairs = [(a, b) for a in range(algorithms) for b in range(a + 1, algorithms)]
    probability = np.where(seen, probability, 0.0)
    total = probability.sum(axis=1, keepdims=True)
    probability = np.divide(probability, total, out=np.zeros_like(probability), where=total > 0)
    return probability, {
        "observed": seen,
        "ties": {pair: rng.random(budgets) for pair in pairs} if rng.random() < 0.5 else {},
        "equal": {pair: 0.9 + rng.random(budgets) / 5 for pair in pairs} if rng.random() < 0.5 else {},
        "has_results": None if rng.random() < 0.7 else rng.random(budgets) < 0.5,
    }


def span(kind, names, length):
    return Range(kind, 0.0, 0.0, 0, length - 1, tuple(names))


def in_a_row(*spans):
    """Ranges one after the other, and their grid."""
    placed, first = [], 0
    for each in spans:
        placed.append(replace(each, first=first, last=first + each.length - 1))
        first += each.length
    return pb.Grid(np.arange(1.0, first + 1)), placed


@given(seed=SEEDS, budgets=st.integers(1, 120), algorithms=st.integers(1, 6))
@example(seed=6, budgets=99, algorithms=5)
def test_there_are_at_most_five_ranges_and_no_neighbours_with_the_same_algorithm(seed, budgets, algorithms):
    probability, options = random_case(seed, budgets, algorithms)
    for joined in (True, False):
        ranges = ranges_of(probability, joined=joined, **options)
        assert len(ranges) <= 5 or not joined
        for left, right in pairwise(ranges):
            assert left.kind != "best" or (left.kind, left.names) != (right.kind, right.names)


@given(seed=SEEDS, number=st.integers(2, 14))
def test_the_neighbours_with_the_shortest_sum_are_joined(seed, number):
    """Against joining by hand: ranges of different algorithms, so that all joined names stay."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(1, 20, size=number).tolist()
    grid, ranges = in_a_row(*(span("best", "ABCDEFGHIJKLMN"[k], length) for k, length in enumerate(lengths)))
    groups = [[k] for k in range(number)]
    while len(groups) > 5:
        sums = [sum(lengths[k] for k in left + right) for left, right in pairwise(groups)]
        place = sums.index(min(sums))
        groups[place : place + 2] = [groups[place] + groups[place + 1]]
    expected = ["".join("ABCDEFGHIJKLMN"[k] for k in group) for group in groups]
    found = join_ranges(grid, ranges)
    assert ["".join(each.names) for each in found] == expected
    assert [each.kind for each in found] == ["several" if len(each) > 1 else "best" for each in expected]


@given(seed=SEEDS, budgets=st.integers(1, 150), algorithms=st.integers(2, 6))
def test_joined_ranges_name_the_first_algorithm_of_each_part_in_order(seed, budgets, algorithms):
    probability, options = random_case(seed, budgets, algorithms)
    whole, joined = (ranges_of(probability, joined=each, **options) for each in (False, True))
    for each in joined:
        parts = [part for part in whole if each.first <= part.first and part.last <= each.last]
        assert sum(part.length for part in parts) == each.length
        if len(parts) == 1:
            assert (each.kind, each.names) == (parts[0].kind, parts[0].names)
        else:
            leaders = [name for name, _ in groupby(part.names[0] for part in parts if part.names)]
            assert list(each.names) == leaders
            assert each.kind == ("several" if len(leaders) > 1 else "best")


def test_what_was_not_observed_is_joined_last():
    """Joined with what was observed, it would claim an answer for budgets without data."""
    parts = [span("not observed", "", 2), *(span("best", name, 9) for name in "ABABA"), span("alone", "B", 1)]
    grid, ranges = in_a_row(*parts)
    found = join_ranges(grid, ranges)
    assert (found[0].kind, found[0].length) == ("not observed", 2)
    assert (found[-1].kind, found[-1].names) == ("alone", ("B",))
    assert Counter(each.kind for each in found)["several"] == 2


def test_probabilities_are_averages_over_the_budgets():
    first, second = ranges_of([[0.9, 0.1], [0.8, 0.2], [0.45, 0.55], [0.35, 0.65]])
    assert first.probabilities == pytest.approx((0.85,))
    assert (second.names, second.probabilities) == (("B", "A"), pytest.approx((0.6, 0.4)))
