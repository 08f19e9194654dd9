"""What `run_supervised` returns: the trajectory, the status and the failure of a run, whatever the run does."""

import dataclasses
import os
import signal

import numpy as np
import pytest

from polarbear.algorithms import command
from polarbear.execution import Limits
from tests.execution import runs
from tests.execution.supervised import events, run, worker_pid

ONCE = Limits(retries=0)


def test_a_run_up_to_its_budget():
    result = run(runs.well_behaved)
    assert (result.status, result.output, result.reached) == ("done", "", 10)
    assert (result.trajectory.algorithm, result.trajectory.instance, result.trajectory.end) == ("a", 3, 10)
    assert not result.trajectory.failed
    best = np.minimum.accumulate(3.005 + np.random.default_rng(4).random(10) / np.arange(1, 11))
    assert result.trajectory.at(np.arange(1, 11)).tolist() == best.tolist()
    assert 0 <= result.cpu_seconds <= result.seconds * 2


def test_a_run_that_ends_by_itself_is_known_up_to_its_budget_and_not_beyond():
    """It may have ended because of that budget, as a run does that yields improvements only and then checks `budget`."""
    result = run(runs.ends_early)
    assert (result.status, result.reached, result.trajectory.end) == ("done", 3, 10)


def test_higher_values_can_be_better():
    result = run(runs.ends_early, seed=7, maximise=True)
    assert result.trajectory.maximise
    assert events(result) == [(1.0, 5.0), (3.0, 7.0)]


def test_many_improvements_are_all_recorded():
    result = run(runs.improves_100_000_times, budget=100_000)
    assert result.status == "done"
    assert result.trajectory.budgets.size == 100_000
    assert result.trajectory.values[-1] == -100_000


class TestWorker:
    def test_it_is_kept_also_after_a_failure(self):
        pid = worker_pid()
        run(runs.kills_itself, limits=ONCE)
        run(runs.leaves_children)
        assert worker_pid() == pid != os.getpid()

    def test_it_is_replaced_if_it_died_between_two_runs(self):
        pid = worker_pid()
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
        assert worker_pid() != pid


class TestOutput:
    def test_the_last_output_of_a_good_run_is_kept_and_not_given_to_the_next(self):
        result = run(runs.prints)
        assert (result.status, result.output) == ("done", 2_000 * "!")
        assert run(runs.well_behaved).output == ""

    @pytest.mark.parametrize("then", ["", "; echo 999 4; sleep 600"], ids=["ends", "is stopped"])
    def test_the_error_output_of_a_program_is_kept(self, then):
        result = run(command(["sh", "-c", f"echo solving {{instance}} >&2; echo 1 5{then}"]))
        assert (result.status, result.output) == ("done", "solving 3.005")

    def test_a_flood_of_output_does_no_harm(self):
        result = run(runs.floods_its_output)
        assert result.status == "error"
        assert "drowned" in result.failure.error
        assert events(result) == [(1.0, 1.0)]


class TestError:
    @pytest.mark.parametrize(
        ("algorithm", "message"),
        [
            (runs.raises, "KeyError: 'what went wrong'"),
            (runs.raises_an_error_without_text, "Odd: (its text cannot be shown)"),
            (runs.exits, "SystemExit: 3"),
            (runs.interrupts, "KeyboardInterrupt"),
        ],
    )
    def test_earlier_values_are_kept(self, algorithm, message):
        result = run(algorithm)
        assert result.status == "error"
        assert result.failure.error.startswith(message)
        assert result.trajectory.failed
        assert result.trajectory.end == result.reached == 2
        assert events(result) == [(2.0, 1.0)]

    def test_a_long_message_is_shortened(self):
        result = run(runs.raises_a_long_error)
        assert result.status == "error"
        assert sum(map(len, dataclasses.astuple(result.failure))) < 30_000

    def test_its_parts_are_known_without_reading_text(self):
        failure = run(runs.raises).failure
        assert failure.error == "KeyError: 'what went wrong'"
        assert failure.traceback.startswith(f'  File "{runs.__file__}", line ')
        assert failure.traceback.count("  File ") == 1  # the frames of PolarBear itself are left out
        assert failure.output == "before the error"

    def test_the_further_lines_of_an_error_follow_the_frames_of_its_cause(self):
        failure = run(runs.raises_two_lines_from_another_error).failure
        assert failure.error == "ValueError: first line (AttributeError: 'float' object has no attribute 'missing')"
        assert [line.strip() for line in failure.traceback.splitlines() if "^" not in line][1::2] == [
            "problem.missing()",
            'raise ValueError("first line:\\nsecond line \\udcff") from error',
        ]
        assert failure.traceback.endswith("\nsecond line ?")

    def test_the_error_output_of_a_program_is_its_output(self):
        failure = run(command(["sh", "-c", "echo 1 5; echo no licence >&2; exit 3"])).failure
        assert failure.error.endswith("it ended with exit status 3")
        assert (failure.traceback, failure.output) == ("", "no licence")

    def test_a_result_that_is_no_series_of_pairs_is_an_error(self):
        result = run(runs.returns_a_number)
        assert result.status == "error"
        assert "expected an algorithm that yields or returns pairs (budget, value), got 4" in result.failure.error
        assert result.trajectory.end == 0


class TestCrash:
    @pytest.mark.parametrize(
        ("algorithm", "message", "output"),
        [
            (runs.kills_itself, "died by SIGKILL, possibly by the system because memory ran out", "last words"),
            (runs.exits_without_cleanup, "ended with exit status 0", ""),
            (runs.segfaults, "died by SIGSEGV", "runs.py"),  # the traceback of faulthandler
        ],
    )
    def test_earlier_values_and_the_last_output_are_kept(self, algorithm, message, output):
        result = run(algorithm, limits=ONCE)
        assert result.status == "crashed"
        assert result.failure.error.startswith(f"the process of the run {message}")
        assert output in result.failure.output
        assert result.trajectory.failed
        assert result.trajectory.end == result.reached == 2
        assert events(result) == [(2.0, 1.0)]

    def test_the_run_is_repeated(self, tmp_path):
        result = run(runs.kills_itself_the_first_time, instances=[str(tmp_path / "mark")], index=0)
        assert (result.status, events(result)) == ("done", [(1.0, 7.0)])

    def test_a_run_that_closes_the_pipes_to_its_driver_has_crashed(self, monkeypatch):
        monkeypatch.setattr("polarbear.execution.worker_client._EXIT_SECONDS", 0.1)
        result = run(runs.closes_everything, limits=ONCE)
        assert result.status == "crashed"
        assert "closed the pipes to its driver" in result.failure.error
        assert events(result) == [(1.0, 1.0)]
