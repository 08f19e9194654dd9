"""The limits on a run: its budget, its seconds on the wall clock, its set-up.

The driver's clock is shifted (`shift_clock`), so that limits of 1000 seconds expire at an event and at no other moment.
"""

import time
from functools import partial

import pytest

from polarbear.execution import Limits
from tests.execution import runs
from tests.execution.supervised import events, live_processes, run, run_processes


@pytest.mark.parametrize("algorithm", [runs.hangs, runs.holds_the_lock])
def test_a_run_past_its_limit_is_killed(algorithm, shift_clock):
    shift_clock(when=lambda state: state.pairs)
    result = run(algorithm, limits=Limits(seconds=1000))
    assert result.status == "timeout"
    assert result.failure.error == "the run took longer than the limit of 1000 seconds"
    assert result.trajectory.end == result.reached == 2
    assert events(result) == [(2.0, 1.0)]
    assert result.seconds >= 1000


def test_evaluations_counted_before_the_limit_are_known(shift_clock):
    shift_clock(when=lambda state: state.reached == 3)
    result = run(runs.hangs_after_three_evaluations, instances=[abs], index=0, limits=Limits(seconds=1000))
    assert (result.status, result.reached, result.trajectory.end) == ("timeout", 3, 3)


@pytest.mark.parametrize(
    ("algorithm", "status"),
    [
        (runs.leaves_children, "done"),
        (runs.leaves_children_and_hangs, "timeout"),
        (runs.leaves_children_and_kills_itself, "crashed"),
    ],
)
def test_children_end_with_their_run(algorithm, status, shift_clock):
    if status == "timeout":
        shift_clock(when=lambda state: state.pairs)  # reported after all children have started
    assert run(algorithm, limits=Limits(seconds=1000, retries=0)).status == status
    assert not run_processes()


def test_a_run_within_a_run_ends_with_it(shift_clock):
    assert events(run(runs.supervises_a_run, seed=0)) == [(1.0, 4.0)]
    shift_clock(
        when=lambda state: len(run_processes()) >= 4
    )  # the inner run has a process, besides worker and template
    assert run(runs.supervises_a_run, seed=1, limits=Limits(seconds=1000)).status == "timeout"
    assert not live_processes()


@pytest.mark.parametrize("options", [{"seconds": 0}, {"seconds": -1}, {"setup_seconds": 0}, {"retries": -1}])
def test_impossible_limits_are_refused(options):
    with pytest.raises(ValueError, match="expected"):
        Limits(**options)


class TestWallClock:
    def test_a_run_is_done_when_its_budget_is_spent(self, shift_clock):
        shift_clock(when=lambda state: len(state.pairs) == 2 * 16)
        result = run(runs.yields_values_alone, budget=1000, clock="seconds")
        assert (result.status, result.reached, result.trajectory.end) == ("done", 1000, 1000)
        assert result.trajectory.values.tolist() == [3.0, 2.0]

    def test_a_limit_before_the_end_of_its_time_is_a_timeout(self, shift_clock):
        shift_clock(when=lambda state: state.pairs)
        result = run(runs.yields_values_alone, budget=100_000, clock="seconds", limits=Limits(seconds=1000))
        assert result.status == "timeout"
        assert 1000 <= result.trajectory.end < 100_000

    def test_a_run_that_keeps_its_own_time_is_not_ended(self, shift_clock):
        shift_clock(when=lambda state: state.pairs)
        result = run(runs.keeps_its_own_time, budget=1000, clock="seconds")
        assert (result.status, events(result)) == ("done", [(0.1, 3.0), (0.2, 2.0)])

    def test_a_run_without_a_value_in_time_is_an_error(self, shift_clock):
        shift_clock(when=lambda state: state.our_clock)
        result = run(runs.never_evaluates, budget=1000, clock="seconds", instances=[abs], index=0)
        assert result.status == "error"
        assert "expected at least one value by seconds 1000, got none" in result.failure.error


class TestSetUp:
    def test_a_source_that_raises(self):
        result = run(runs.ends_early, instances=lambda index, seed: 1 / 0)
        assert result.status == "setup"
        assert result.failure.error.startswith(
            "RuntimeError: expected the source of instances to give instance 3 (ZeroDivisionError: division by zero)"
        )
        assert result.trajectory.end == 0

    def test_a_source_that_ends_its_process_is_no_evidence_about_the_algorithm(self):
        result = run(runs.ends_early, instances=runs.exits_while_making_an_instance, limits=Limits(retries=0))
        assert result.status == "setup"
        end = "ended with exit status 3"
        assert result.failure.error == f"the process that loads the algorithm and creates the instance {end}"

    def test_a_source_that_ends_its_process_once_is_tried_again(self, tmp_path):
        instances = partial(runs.exits_while_making_the_first_instance, mark=str(tmp_path / "mark"))
        assert run(runs.ends_early, instances=instances).status == "done"

    def test_a_source_with_too_few_instances(self):
        result = run(runs.ends_early, instances=["only one"])
        assert "to give instance 3, of 1; give more instances" in result.failure.error

    def test_a_source_that_hangs(self):
        hangs = lambda index, seed: time.sleep(10_000)  # noqa: E731
        result = run(runs.ends_early, instances=hangs, limits=Limits(setup_seconds=0.3))
        assert result.status == "setup"
        assert "setup_seconds=0.3" in result.failure.error

    def test_the_limit_on_a_run_does_not_include_its_set_up(self, shift_clock):
        shift_clock(when=lambda state: state.started, before=-3600, after=0)  # the set-up takes an hour
        limits = Limits(seconds=1000, setup_seconds=None)
        assert run(runs.ends_early, limits=limits).status == "done"

    def test_an_algorithm_that_cannot_be_loaded_in_the_worker(self):
        class Broken:
            def __call__(self, problem, seed, budget):
                return []

            def __reduce__(self):
                return (__import__, ("no_such_module",))

        result = run(Broken())
        assert "expected the algorithm and its instances to load in the worker" in result.failure.error
        assert "no_such_module" in result.failure.error
