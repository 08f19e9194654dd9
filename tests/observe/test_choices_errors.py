"""Wrong input of `Choices` raises a ValueError that says what was expected, what was given, and what to do."""

import math

import numpy as np
import pytest

from polarbear.observe import Choices, Rankings, Trajectory, linear_grid

VALUES = np.random.default_rng(0).random((4, 3, 2))
GRID = linear_grid(1, 3, 3)


def changed(index, value):
    values = VALUES.copy()
    values[index] = value
    return values


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (VALUES[:0], {}, r"at least one instance, got shape \(0, 3, 2\)"),
        (VALUES[0], {}, r"three axes \(instance, budget, algorithm\), got shape \(3, 2\).*values\[None\]"),
        (VALUES[:, :2], {}, "expected 3 budgets, one for each budget of the grid, got 2"),
        (VALUES[:, :, :1], {}, "at least two algorithms to compare, got 1"),
        (VALUES[:, :, :0], {}, "at least two algorithms to compare, got 0"),
        (VALUES, {"names": ["a", "a"]}, "different names, got 'a' more than once"),
        (VALUES, {"names": ["a", "b", "c"]}, "expected 2 names.*got 3: a, b, c"),
        (VALUES, {"names": "ab"}, "sequence of names"),
        (VALUES, {"grid": [3, 2, 1]}, "strictly increasing"),
        (changed((slice(None), slice(None), 1), np.nan), {"names": ["cma", "de"]}, "got only NaN for de; leave it out"),
        (changed((2, 1, 0), -math.inf), {}, "no -inf"),
        (changed((2, 1, 0), math.inf), {"maximise": True}, r"no \+inf"),
        (VALUES.astype(complex), {}, "real numbers"),
        ([["a"]], {}, "real numbers"),
        (VALUES, {"weights": [1, 1, 1, -1]}, "not negative, got -1"),
        (VALUES, {"weights": [1, 1, 1, math.nan]}, "finite weights.*got nan"),
        (VALUES, {"weights": [1, 1, 1, math.inf]}, "finite weights.*got inf"),
        (VALUES, {"weights": np.ones(3)}, r"shape \(4,\).*or \(4, 3\).*got \(3,\)"),
        (VALUES, {"weights": np.ones((3, 4))}, r"got \(3, 4\)"),
        (VALUES, {"weights": 2.0}, r"got \(\)"),
        (VALUES, {"weights": np.zeros(4)}, "at least one positive weight, got only zeros"),
        (VALUES, {"absolute_tolerance": -1.0}, "absolute_tolerance"),
        (VALUES, {"relative_tolerance": math.inf}, "relative_tolerance"),
    ],
)
def test_values_that_do_not_fit_are_errors(values, options, message):
    with pytest.raises(ValueError, match=message):
        Choices.from_values(values, **({"grid": GRID} | options))


A, B = Trajectory("a", 1, [1], [2.0], end=3), Trajectory("b", 1, [1], [3.0], end=3)
FAILED = Trajectory("b", (7, 1), [1], [3.0], end=3, failed=True)


@pytest.mark.parametrize(
    ("runs", "options", "message"),
    [
        ([], {}, "at least one run, got none"),
        ([A], {}, "at least two algorithms to compare, got 1"),
        ([A, "b"], {}, "expected Trajectory values, got 'b'"),
        ([A, B, A], {}, r"got two of 'a' on instance 1; give repetitions instances of their own"),
        ([A, B], {"names": ["a", "c"]}, "runs of a, c, got one of 'b'"),
        ([A, B], {"names": ["a", "b", "c"]}, "only NaN for c"),
        ([A, Trajectory("b", 1, [1], [3.0], end=3, maximise=True)], {}, "all minimise or all maximise"),
        ([A, FAILED], {"failure": "raise"}, r"'b' on instance \(7, 1\) failed at 3"),
        ([A, FAILED], {"failure": "ignore"}, "'last', 'missing' or 'raise'"),
        ([A, B], {"weights": {2: 1.0}}, "a weight for every instance, got none for 1"),
        ([A, B], {"weights": [1.0, 1.0]}, r"shape \(1,\)"),
        ([A, B], {"grid": [10, 11]}, "only NaN for a, b.*not observed after its end"),
    ],
)
def test_runs_that_do_not_fit_are_errors(runs, options, message):
    with pytest.raises(ValueError, match=message):
        Choices.from_trajectories(runs, **({"grid": GRID} | options))


def test_rankings_that_do_not_fit_are_errors():
    rankings = Rankings([[[0, 1]]], ["a", "b"], [5])
    with pytest.raises(ValueError, match="names and the grid of the rankings"):
        Choices.from_rankings(rankings, names=["b", "a"])
    with pytest.raises(ValueError, match="names and the grid of the rankings"):
        Choices.from_rankings(rankings, grid=[6])
    with pytest.raises(ValueError, match=r"got \(2,\)"):
        Choices.from_rankings(rankings, weights=[1, 2])
    with pytest.raises(ValueError, match="expected Ranking"):
        Choices.from_rankings([["a", "b"]])


def test_arrays_that_do_not_fit_are_errors():
    good = Choices.from_values(VALUES, grid=GRID)
    with pytest.raises(ValueError, match="expected wins"):
        Choices(GRID, ("a", "b"), good.wins[:2], good.members, good.counts, 4)
    with pytest.raises(ValueError, match="expected wins"):
        Choices(GRID, ("a", "b"), good.wins, good.members[:, 0], good.counts, 4)
    with pytest.raises(ValueError, match="expected wins"):
        Choices(GRID, ("a", "b"), good.wins, good.members[:, :0], good.counts[:, :0], 4)
    with pytest.raises(ValueError, match="got shapes"):
        Choices(GRID, ("a", "b", "c"), good.wins, good.members, good.counts, 4)


def test_choices_of_other_algorithms_or_budgets_cannot_be_added():
    choices = Choices.from_values(VALUES, grid=GRID)
    with pytest.raises(ValueError, match=r"same algorithms and grid, got A, B on .* and x, y on"):
        choices + Choices.from_values(VALUES, grid=GRID, names=["x", "y"])
    with pytest.raises(ValueError, match="same algorithms and grid"):
        choices + Choices.from_values(VALUES, grid=[1, 2, 4])
    for wrong in (1, None, "a"):
        with pytest.raises(TypeError):
            choices + wrong
        with pytest.raises(TypeError):
            wrong + choices


def test_a_factor_that_is_no_weight_is_an_error():
    choices = Choices.from_values(VALUES, grid=GRID)
    for wrong in (-1, math.nan, math.inf):
        with pytest.raises(ValueError, match="finite factor, not negative"):
            wrong * choices
    for wrong in ("a", None, np.ones(2), 1j):
        with pytest.raises(TypeError):
            choices * wrong


def test_choices_without_rankings_have_no_instances():
    choices = Choices.from_values(VALUES, grid=GRID, per_instance=False)
    with pytest.raises(ValueError, match="per_instance=True"):
        choices.by_instance()
    kept = Choices.from_values(VALUES, grid=GRID)
    assert (kept + choices).rankings is None
