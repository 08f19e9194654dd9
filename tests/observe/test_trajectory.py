"""Trajectories: best-so-far values, censoring and failures, and what they refuse."""

import math
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarbear.observe import Trajectory, log_grid

VALUES = [*range(-5, 6), math.inf]
events = st.lists(st.tuples(st.integers(0, 20), st.sampled_from(VALUES)), max_size=12).map(
    lambda pairs: sorted(pairs, key=lambda pair: pair[0])
)


@settings(deadline=None)
@given(events, st.integers(0, 5))
def test_the_value_at_a_budget_is_the_best_of_all_events_before(pairs, extra):
    budgets, values = [t for t, _ in pairs], [y for _, y in pairs]
    end = (budgets[-1] if budgets else 0) + extra
    run = Trajectory("cma", 1, budgets, values, end)
    budgets_read = np.arange(0, 30, 0.5)
    naive = [
        min([y for t, y in pairs if t <= now], default=math.inf) if now <= end else math.nan for now in budgets_read
    ]
    np.testing.assert_array_equal(run.at(budgets_read), naive)
    assert (np.diff(run.values) < 0).all()
    assert (np.diff(run.budgets) > 0).all()
    upside_down = Trajectory("cma", 1, budgets, [-y for y in values], end, maximise=True)
    np.testing.assert_array_equal(upside_down.at(budgets_read), -np.array(naive))


@pytest.mark.parametrize(("failure", "after"), [("last", math.inf), ("missing", math.nan)])
def test_a_failed_run_is_worst_or_missing_from_its_failure_on(failure, after):
    run = Trajectory("cma", 1, [1, 2], [5.0, 4.0], end=3, failed=True)
    np.testing.assert_array_equal(run.at([0.5, 1, 2.9, 3, 4], failure=failure), [math.inf, 5, 4, after, after])
    upside_down = Trajectory("cma", 1, [1, 2], [4.0, 5.0], end=3, failed=True, maximise=True)
    np.testing.assert_array_equal(upside_down.at([0.5, 1, 2.9, 3], failure=failure), [-math.inf, 4, 5, -after])


def test_a_failed_run_can_be_made_an_error():
    run = Trajectory("cma", (3, "b"), [1], [5.0], end=3, failed=True)
    with pytest.raises(ValueError, match=r"'cma' on instance \(3, 'b'\) failed at 3"):
        run.at([1], failure="raise")
    assert Trajectory("cma", 1, [1], [5.0]).at([1], failure="raise").tolist() == [5.0]


def test_a_run_is_observed_until_its_end():
    assert Trajectory("a", 1, [1, 7], [2, 3]).end == 7  # the second event is no improvement, but the run got there
    assert np.isnan(Trajectory("a", 1, [1, 7], [2, 3]).at([7.1])).all()
    assert Trajectory("a", 1, [], [], end=5).at([0, 5, 6]).tolist()[:2] == [math.inf, math.inf]
    assert Trajectory("a", 1, [1], [2], end=math.inf).at([1e300]).tolist() == [2.0]


def test_a_run_that_finished_keeps_its_value():
    run = Trajectory("a", 1, [1, 7], [3.0, 2.0], end=9, finished=True)
    assert run.at([6, 9, 1e300]).tolist() == [3.0, 2.0, 2.0]
    assert (run.ended, run.end, run.known_to) == ("finished", 9, math.inf)
    assert repr(run) == "Trajectory('a' on 1: 2 improvements until 9, finished)"
    cut = Trajectory("a", 1, [1, 7], [3.0, 2.0], end=9)
    assert (cut.ended, cut.known_to) == ("cut off", 9)
    assert run != cut
    assert Trajectory("a", 1, [1], [2.0], end=math.inf).ended == "finished"
    assert Trajectory("a", 1, [1], [2.0], end=3, failed=True).ended == "failed"
    with pytest.raises(ValueError, match="expected the run of 'a' on instance 1 to be failed or finished, got both"):
        Trajectory("a", 1, [1], [2.0], failed=True, finished=True)


def test_a_run_is_read_at_the_budgets_of_a_grid():
    assert Trajectory("a", 1, [1], [2], end=100).at(log_grid(1, 100, 3)).tolist() == [2.0, 2.0, 2.0]


def test_trajectories_are_compared_hashed_and_pickled_by_value():
    run, twin = Trajectory("a", (1, 2), [1, 2], [3, 4]), Trajectory("a", (1, 2), [1], [3], end=2)
    assert run == twin
    assert hash(run) == hash(twin)
    assert run != Trajectory("a", (1, 2), [1], [3], end=3)
    assert run != Trajectory("a", (1, 2), [1], [2], end=2)
    assert run != "a run"
    assert pickle.loads(pickle.dumps(run)) == run
    assert repr(run) == "Trajectory('a' on (1, 2): 1 improvements until 2)"
    assert "failed" in repr(Trajectory("a", 1, [1], [3], failed=True))
    with pytest.raises(ValueError, match="read-only"):
        run.values[0] = 0
    with pytest.raises(AttributeError):
        run.end = 5


def test_a_trajectory_copies_its_arrays():
    budgets, values = np.array([1.0, 2.0]), np.array([3.0, 4.0])
    run = Trajectory("a", 1, budgets, values)
    values[0] = 9
    assert run.values.tolist() == [3.0]
    assert budgets.flags.writeable


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"budgets": [1], "values": [1, 2]}, r"shapes \(1,\) and \(2,\)"),
        ({"budgets": [[1]], "values": [[1]]}, "one budget for each value"),
        ({"budgets": ["x"], "values": [1]}, "expected numbers"),
        ({"budgets": [-1, 2], "values": [1, 2]}, "not negative, for the run of 'cma' on instance 7, got -1"),
        ({"budgets": [1, math.inf], "values": [1, 2]}, "finite budgets.*got inf"),
        ({"budgets": [1, math.nan], "values": [1, 2]}, "finite budgets.*got nan"),
        ({"budgets": [2, 1], "values": [1, 2]}, "budgets in order.*got 2 before 1; sort"),
        (
            {"budgets": [1, 2], "values": [1, math.nan]},
            r"got NaN at budget 2; remove the event, or give the worst.*\+inf",
        ),
        ({"budgets": [1, 2], "values": [1, -math.inf]}, "values other than -inf.*at budget 2"),
        ({"budgets": [1], "values": [math.inf], "maximise": True}, r"values other than \+inf"),
        ({"budgets": [1], "values": [math.nan], "maximise": True}, r"worst value \(-inf\)"),
        ({"budgets": [], "values": []}, "at least one event or `until`"),
        ({"budgets": [1, 3], "values": [2, 2], "end": 2}, "no earlier than its last event at 3, got 2"),
        ({"budgets": [1], "values": [2], "end": math.nan}, "got nan"),
        ({"budgets": [], "values": [], "end": -1}, "got -1"),
        ({"budgets": [1], "values": [2], "instance": [1]}, "hashable instance"),
    ],
)
def test_errors_name_the_run(arguments, message):
    with pytest.raises(ValueError, match=message):
        Trajectory(**({"algorithm": "cma", "instance": 7} | arguments))


def test_an_unknown_failure_policy_is_an_error():
    with pytest.raises(ValueError, match="'last', 'missing' or 'raise', got 'ignore'"):
        Trajectory("a", 1, [1], [2]).at([1], failure="ignore")
