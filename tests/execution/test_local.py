import time
from concurrent.futures import CancelledError, wait

import pytest

from polarbear.execution import LocalExecutor, WorkersClosed, pack, run_supervised
from polarbear.execution.guardian_client import driver_token
from polarbear.execution.guardian_main import processes_with_token
from polarbear.race.jobs import Job
from tests.execution import runs


def submit(executor, algorithm, index=0):
    return executor.submit(run_supervised, pack(algorithm, runs.instance), Job("a", index, 10, 1, 1))


def started(count):
    while len(processes_with_token(driver_token())) < count:
        time.sleep(0.01)


def test_one_core_is_left_to_the_driver(monkeypatch):
    for cores, workers in [(1, 1), (2, 1), (8, 7)]:
        monkeypatch.setattr("os.sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        assert LocalExecutor().workers == workers


@pytest.mark.parametrize("workers", [0, -1])
def test_no_workers_are_refused(workers):
    with pytest.raises(ValueError, match="expected a number of workers"):
        LocalExecutor(workers)


def test_each_worker_is_a_process_of_its_own():
    with LocalExecutor(2) as executor:
        pids = {run.result().trajectory.values[0] for run in [submit(executor, runs.tell_pid) for _ in range(30)]}
    assert 1 <= len(pids) <= 2


def test_leaving_waits_for_the_runs_and_ends_the_workers():
    with LocalExecutor(2) as executor:
        futures = [submit(executor, runs.well_behaved, index) for index in range(20)]
    assert all(future.result().status == "done" for future in futures)
    assert processes_with_token(driver_token()) == []
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(pow, 2, 2)


def test_a_shutdown_that_cancels_kills_what_runs():
    executor = LocalExecutor(1)
    running, waiting = submit(executor, runs.hangs), submit(executor, runs.short)
    started(1)
    executor.shutdown(cancel_futures=True)
    with pytest.raises(WorkersClosed, match="shut down"):
        running.result()
    with pytest.raises(CancelledError):
        waiting.result()
    assert processes_with_token(driver_token()) == []


def test_a_shutdown_need_not_wait():
    executor = LocalExecutor(1)
    future = submit(executor, runs.hangs)
    started(1)
    executor.shutdown(wait=False, cancel_futures=True)
    wait([future])
    assert isinstance(future.exception(), WorkersClosed)


def test_an_interrupt_does_not_wait_for_runs_that_hang():
    with pytest.raises(KeyboardInterrupt), LocalExecutor(2) as executor:  # noqa: PT012
        futures = [submit(executor, runs.hangs) for _ in range(3)]
        started(2)
        raise KeyboardInterrupt
    assert all(future.done() for future in futures)
    assert processes_with_token(driver_token()) == []
