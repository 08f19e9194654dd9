"""Grids: their axes, their values on [0, 1], and what they refuse."""

import copy
import pickle

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from polarbear.observe import Grid, as_grid, linear_grid, log_grid

positive = st.floats(1e-300, 1e300)


@settings(deadline=None)
@given(positive, positive, st.integers(2, 40))
def test_a_log_grid_keeps_its_ends_and_has_a_constant_ratio(a, b, count):
    start, stop = min(a, b), max(a, b)
    assume(stop >= 1.001 * start)
    grid = log_grid(start, stop, count)
    assert grid.axis == "log"
    assert len(grid) == count
    assert grid.budgets[0] == start
    assert grid.budgets[-1] == stop
    step = (np.log(stop) - np.log(start)) / (count - 1)
    np.testing.assert_allclose(np.diff(np.log(grid.budgets)), step, rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(grid.scaled, np.linspace(0, 1, count), atol=1e-9)
    assert grid.scaled[0] == 0
    assert grid.scaled[-1] == 1


def test_a_linear_grid_keeps_its_ends_and_has_a_constant_step():
    grid = linear_grid(-1, 0.7, 18)
    assert grid.axis == "linear"
    assert (grid.budgets[0], grid.budgets[-1]) == (-1, 0.7)
    np.testing.assert_allclose(np.diff(grid.budgets), 0.1)
    np.testing.assert_allclose(grid.scaled, np.linspace(0, 1, 18))


def test_the_widest_grids_scale_without_overflow():
    np.testing.assert_allclose(Grid([-1.7e308, 0, 1.7e308]).scaled, [0, 0.5, 1])
    np.testing.assert_allclose(Grid([5e-324, 1.7e308], "log").scaled, [0, 1])


@pytest.mark.parametrize("grid", [log_grid(5, 5, 1), linear_grid(5, 5, 1), as_grid([5]), Grid([5], "log")])
def test_a_single_budget_maps_to_zero(grid):
    assert grid.scaled.tolist() == [0.0]
    assert grid.budgets.tolist() == [5.0]


@pytest.mark.parametrize(
    ("budgets", "axis"),
    [
        ([1, 10, 100], "log"),
        (np.geomspace(3, 7e6, 50), "log"),
        (np.geomspace(3, 7e6, 50).astype(np.float32), "log"),
        (2.0 ** np.arange(10), "log"),
        ([1, 2, 3], "linear"),
        ([1, 2], "linear"),  # two points have a ratio and a step
        ([0, 1, 10], "linear"),
        ([-4, -2, -1], "linear"),
        ([1, 10, 101], "linear"),
        (1 + 1e-9 * np.arange(5), "linear"),  # both, to 1e-6
        ([7], "linear"),
    ],
)
def test_geometric_budgets_are_recognised(budgets, axis):
    assert as_grid(budgets).axis == axis
    np.testing.assert_array_equal(as_grid(budgets).budgets, budgets)


def test_as_grid_returns_a_grid_unchanged():
    grid = Grid([1, 10, 100], "linear")
    assert as_grid(grid) is grid


def test_grids_are_compared_hashed_and_pickled_by_value():
    grid, twin = Grid([0.0, 1.0], "linear"), Grid([-0.0, 1.0], "linear")
    assert grid == twin
    assert hash(grid) == hash(twin)
    assert grid != Grid([0.0, 2.0])
    assert Grid([1, 2], "linear") != Grid([1, 2], "log")
    assert grid != Grid([0.0, 1.0, 2.0])
    assert grid != "a grid"
    assert pickle.loads(pickle.dumps(grid)) == grid
    assert copy.deepcopy(grid) == grid
    assert repr(log_grid(1, 100, 3)) == "Grid(3 budgets from 1 to 100, log axis)"


def test_a_grid_is_read_only():
    source = np.array([1.0, 2.0])
    grid = Grid(source)
    source[0] = 1.5
    assert grid.budgets.tolist() == [1.0, 2.0]
    assert source.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        grid.budgets[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        grid.scaled[0] = 1
    with pytest.raises(AttributeError):
        grid.axis = "log"


def test_a_grid_converts_to_an_array():
    grid = Grid([1, 2, 3])
    assert np.asarray(grid).tolist() == [1, 2, 3]
    assert np.asarray(grid, dtype=np.float32).dtype == np.float32
    assert np.shares_memory(np.asarray(grid), grid.budgets)
    assert np.array(grid).flags.writeable
    assert (np.log(grid) == np.log([1.0, 2, 3])).all()
    with pytest.raises(ValueError, match="copy"):
        np.asarray(grid, dtype=np.float32, copy=False)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Grid([]), "at least one budget"),
        (lambda: Grid([[1, 2]]), "one-dimensional"),
        (lambda: Grid(3.0), "one-dimensional"),
        (lambda: Grid(["a", "b"]), "numbers"),
        (lambda: Grid([1, np.nan, 3]), "finite budgets, got nan at position 1"),
        (lambda: Grid([1, 2, np.inf]), "finite budgets, got inf at position 2"),
        (lambda: Grid([1, 3, 2]), "got 3 before 2 at position 1; sort"),
        (lambda: Grid([1, 2, 2]), "strictly increasing"),
        (lambda: Grid([1, 2], "logarithmic"), "'linear' or 'log', got 'logarithmic'"),
        (lambda: Grid([0, 1], "log"), "positive budgets on a log axis, got 0"),
        (lambda: as_grid([3, 2, 1]), "strictly increasing"),
        (lambda: log_grid(0, 1, 3), "positive start"),
        (lambda: log_grid(1, 10, 0), "at least 1, got 0"),
        (lambda: linear_grid(1, 10, 2.5), "whole number"),
        (lambda: log_grid(10, 1, 3), "start < stop"),
        (lambda: linear_grid(1, 1, 3), "start < stop"),
        (lambda: linear_grid(1, 10, 1), "start == stop and 1 budget"),
        (lambda: linear_grid(1, np.inf, 4), "finite start and stop"),
        (lambda: linear_grid(1, 1 + 1e-15, 50), "strictly increasing"),
    ],
)
def test_errors_say_what_was_expected(make, message):
    with pytest.raises(ValueError, match=message):
        make()


def test_budgets_that_coincide_on_their_axis_are_refused():
    with pytest.raises(ValueError, match="coincide there"):
        Grid([1e15, 1e15 + 1, 1e16], "log")
