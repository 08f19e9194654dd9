"""Dispatch of runs to an executor, with futures that the tests complete."""

import time
from concurrent.futures import Future

import pytest

from polarbear import Trajectory
from polarbear.driver import dispatch
from polarbear.driver.dispatch import RunContext, make_runs
from polarbear.execution import Limits
from polarbear.race.jobs import Job, Run

JOBS = [Job("a", instance, 10, instance, 0) for instance in range(3)]
RUN = Run(Trajectory("a", 0, [1.0], [1.0], end=10), 10)


class Manual:
    """An executor whose runs end when the test says so."""

    def __init__(self):
        self.futures = []

    def submit(self, function, *arguments):
        self.futures.append(Future())
        self.futures[-1].set_running_or_notify_cancel()
        return self.futures[-1]


@pytest.fixture
def executor(monkeypatch):
    monkeypatch.setattr(dispatch, "_WAIT_SECONDS", 0.01)
    return Manual()


def test_the_view_is_called_however_long_a_run_takes(executor):
    waited = []

    def end_a_run_at_every_third_call():
        waited.append(len(executor.futures))
        if len(waited) % 3 == 0:
            executor.futures[len(waited) // 3 - 1].set_result(RUN)

    context, kept = RunContext(executor, {"a": None}, Limits()), []
    done = make_runs(JOBS, context, lambda job, run: kept.append(job), end_a_run_at_every_third_call)
    assert done == dict.fromkeys(JOBS, RUN)
    assert kept == JOBS
    assert len(waited) >= 9


def test_completed_runs_are_kept_at_the_deadline(executor):
    def end_the_second_run():
        if not executor.futures[1].done():
            executor.futures[1].set_result(RUN)

    context, kept = RunContext(executor, {"a": None}, Limits(), deadline=time.monotonic() + 0.2), []
    assert make_runs(JOBS, context, lambda job, run: kept.append(job), end_the_second_run) is None
    assert kept == [JOBS[1]]
