"""Ranks of values, and rankings with ties, missing algorithms and tails of unknown order."""

import math
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polarbear as pb
from polarbear.observe import ABSENT, UNRANKED, Rankings, linear_grid, rank_values

finite = st.floats(allow_nan=False, allow_infinity=False)
observed = st.one_of(finite, st.just(math.inf))
row = st.lists(st.one_of(observed, st.just(math.nan)), min_size=1, max_size=8)


def naive_ranks(values, absolute=0.0, relative=0.0):
    """Rank one list, with groups anchored at their best value, in exact arithmetic."""
    present = sorted(v for v in values if v == v)
    rank_of, rank, best = {}, -1, None
    for value in present:
        if best is None or value != best:
            near = (
                best is not None
                and value < math.inf
                and Fraction(value) - Fraction(best) <= Fraction(absolute) + Fraction(relative) * abs(Fraction(best))
            )
            if not near:
                rank, best = rank + 1, value
        rank_of[value] = rank
    return [rank_of[v] if v == v else ABSENT for v in values]


@settings(deadline=None)
@given(row)
def test_ranks_are_dense_and_follow_the_order(values):
    exact = {"relative_tolerance": 0.0}
    values = [
        value / 1e290 if abs(value) > 1e19 and math.isfinite(value) else value for value in values
    ]  # no sentinels
    assert rank_values(values, **exact).tolist() == naive_ranks(values)
    assert rank_values([values, values], **exact).tolist() == [naive_ranks(values)] * 2


@settings(deadline=None)
@given(row, st.sampled_from([0.0, 0.5, 2.0]), st.sampled_from([0.0, 0.125, 0.75]))
def test_a_tolerance_is_measured_from_the_best_of_a_group(values, absolute, relative):
    # Multiples of 1/8 below 2^40 make the floating-point comparison exact; the two extremes stay as they are.
    coarse = [v if not abs(v) < 2.0**40 else round(v * 8) / 8 for v in values]
    coarse = [v if abs(v) < 2.0**40 or not math.isfinite(v) else math.copysign(2.0**1000, v) for v in coarse]
    ranks = rank_values(coarse, absolute_tolerance=absolute, relative_tolerance=relative)
    assert ranks.tolist() == naive_ranks(coarse, absolute, relative)


def test_by_default_rounding_is_a_tie_and_a_larger_difference_is_not():
    assert rank_values([2187.999999999997, 2188.0, 2188.00001]).tolist() == [0, 0, 1]
    assert rank_values([0.1 + 0.2, 0.3]).tolist() == [0, 0]
    assert rank_values([2187.999999999997, 2188.0], relative_tolerance=0).tolist() == [0, 1]
    assert rank_values([10**15, 10**15 + 1]).tolist() == [0, 1]  # integers are exact


@pytest.mark.parametrize("sentinel", [1e20, 1e30, 1e50, 1e75, 1e100, sys.float_info.max, np.float32(1e20)])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("maximise", [False, True])
def test_what_solvers_report_without_a_solution_is_no_solution_yet(sentinel, sign, maximise):
    assert rank_values([3.0, sign * float(sentinel), math.nan], maximise=maximise).tolist() == [0, 1, ABSENT]
    run = pb.Trajectory("cbc", 1, [1, 2, 3], [sign * float(sentinel), 7.0, 5.0], maximise=maximise)
    assert run.at([1]).tolist() == [-math.inf if maximise else math.inf]
    assert run.at([2]).tolist() == [7.0]


def test_values_near_a_sentinel_are_values():
    assert rank_values([1.01e20, 2e20, 3e19]).tolist() == [1, 2, 0]


def test_groups_do_not_chain():
    assert rank_values([0.0, 0.9, 1.8, 2.7], absolute_tolerance=1).tolist() == [0, 0, 1, 1]
    assert rank_values([100.0, 109.0, 118.0], relative_tolerance=0.1).tolist() == [0, 0, 1]
    assert rank_values([-1e308, 1e308, math.inf], relative_tolerance=1e-3, absolute_tolerance=1).tolist() == [0, 1, 2]
    assert rank_values([1.0, math.inf, math.inf], absolute_tolerance=1e308).tolist() == [0, 1, 1]
    assert rank_values([1.7e308, math.inf], relative_tolerance=10).tolist() == [0, 1]


@settings(deadline=None)
@given(
    st.lists(st.integers(-6, 6), min_size=2, max_size=7),
    st.sampled_from(
        [
            lambda x: 1e-300 * x,
            lambda x: 1e300 * x,
            lambda x: np.float32(x),
            lambda x: np.float16(x),
            lambda x: np.int8(x),
            lambda x: np.uint64(2**63 + 10 + x),
            lambda x: np.int64(2**62 + x),
            lambda x: 2**70 + x,
            lambda x: Fraction(x, 7),
            lambda x: Decimal(x) / 3,
            lambda x: 1.0 + x * 2.0**-50,
            lambda x: np.longdouble(x),
            lambda x: math.exp(x),
        ]
    ),
)
def test_only_the_order_matters(integers, transform):
    transformed = np.array([transform(i) for i in integers])
    exact = {"relative_tolerance": 0.0}
    assert rank_values(transformed, **exact).tolist() == rank_values(integers).tolist() == naive_ranks(integers)
    assert rank_values(transformed, maximise=True, **exact).tolist() == naive_ranks([-i for i in integers])


@pytest.mark.parametrize(
    "values",
    [
        np.array([2**60, 2**60 + 1, 2**60]),
        np.array([2**63, 2**63 + 1, 2**63], dtype=np.uint64),
        np.array([-(2**63), -(2**63) + 1, -(2**63)]),
        [10**400, 10**400 + 1, 10**400],
        [2**63 + 2, 2**63 + 3, 2**63 + 2],  # NumPy would read these two lists as floats
        [2**60, 2**60 + 1, 2**60, math.nan, None],
    ],
)
def test_integers_are_compared_as_integers(values):
    assert rank_values(values).tolist()[:3] == [0, 1, 0]
    assert rank_values(values, maximise=True).tolist()[:3] == [1, 0, 1]
    assert rank_values(values, absolute_tolerance=0.5).tolist()[:3] == [0, 1, 0]
    assert rank_values(values, absolute_tolerance=1).tolist()[:3] == [0, 0, 0]
    assert set(rank_values(values).tolist()[3:]) <= {ABSENT}


def test_the_distance_of_the_widest_integers_does_not_overflow():
    widest = np.array([-(2**63), 2**63 - 1])
    assert rank_values(widest, absolute_tolerance=1).tolist() == [0, 1]
    assert rank_values(widest, absolute_tolerance=2.0**64).tolist() == [0, 0]
    assert rank_values(widest, relative_tolerance=2).tolist() == [0, 0]


def test_booleans_and_empty_arrays_have_ranks():
    assert rank_values([True, False]).tolist() == [1, 0]
    assert rank_values([True, False], maximise=True).tolist() == [0, 1]
    assert rank_values(np.zeros((0, 3))).shape == (0, 3)
    assert rank_values([[None, 1, None], [None, None, None]]).tolist() == [[-1, 0, -1], [-1, -1, -1]]


def test_when_maximising_minus_infinity_is_worst():
    assert rank_values([1.0, -math.inf, 2.0, -math.inf, math.nan], maximise=True).tolist() == [1, 2, 0, 2, -1]
    with pytest.raises(ValueError, match=r"expected no \+inf.*index \(0,\)"):
        rank_values([math.inf, 1.0], maximise=True)


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        ([[1.0, 2.0], [3.0, -math.inf]], {}, r"no -inf.*index \(1, 1\).*NaN"),
        ([2**70, -math.inf], {}, "no -inf"),
        (["a", "b"], {}, "real numbers"),
        (np.array(["1", 2], dtype=object), {}, "real numbers, got '1'"),
        (np.array([1j, 2], dtype=object), {}, "real numbers"),
        ([1j, 2], {}, "real numbers, got complex128"),
        ([[1.0], [1.0, 2.0]], {}, "rectangular"),
        (3.0, {}, "a single number"),
        ([1, 2], {"absolute_tolerance": -1}, "absolute_tolerance, not negative, got -1"),
        ([1, 2], {"relative_tolerance": math.nan}, "relative_tolerance, not negative, got nan"),
        ([10**400, 2 * 10**400], {"relative_tolerance": 0.1}, "compared with one another"),
        (np.array([Fraction(1), Decimal(2)]), {"absolute_tolerance": 1}, "compared with one another"),
    ],
)
def test_values_that_cannot_be_ranked_are_errors(values, options, message):
    with pytest.raises(ValueError, match=message):
        rank_values(values, **options)


def test_rankings_hold_ties_missing_algorithms_and_unknown_tails():
    rankings = Rankings([[[0, 1, 1, ABSENT], [0, UNRANKED, UNRANKED, 1]]], None, [1, 2])
    assert rankings.names == ("A", "B", "C", "D")
    assert rankings.ranks.dtype == np.int16
    assert rankings.weights.tolist() == [1.0]
    assert rankings.weight_of_each.tolist() == [[1.0, 1.0]]
    assert repr(rankings) == "Rankings(1 instances, 2 budgets, 4 algorithms)"
    with pytest.raises(ValueError, match="read-only"):
        rankings.ranks[0] = 0


@pytest.mark.parametrize(
    ("ranks", "options", "message"),
    [
        ([[0, 1]], {}, "three axes"),
        (np.zeros((0, 2, 2), dtype=int), {}, "at least one instance"),
        (np.zeros((1, 3, 2), dtype=int), {}, "expected 2 budgets.*got 3"),
        (np.zeros((1, 2, 1), dtype=int), {}, "at least two algorithms"),
        (np.zeros((1, 2, UNRANKED), dtype=np.int8), {}, "fewer than 32767 algorithms"),
        ([[[0.0, 1.0]] * 2], {}, "whole numbers"),
        ([[[0, -2]] * 2], {}, "got -2"),
        ([[[0, 40_000]] * 2], {}, "got 40000"),
        ([[[0, 1], [1, 2]]], {}, r"dense.*\[1, 2\] for instance 0 at position 1"),
        ([[[0, 2], [0, 1]]], {}, "leave no rank out"),
        ([[[0, 700], [0, 1]]], {}, "leave no rank out"),
        ([[[0, 1]] * 2], {"names": ["a"]}, "expected 2 names"),
        ([[[0, 1]] * 2], {"weights": [1.0, 1.0]}, r"shape \(1,\).*or \(1, 2\).*got \(2,\)"),
    ],
)
def test_ranks_that_are_not_dense_or_do_not_fit_are_errors(ranks, options, message):
    with pytest.raises(ValueError, match=message):
        Rankings(ranks, **({"names": None, "grid": linear_grid(1, 2, 2)} | options))
