from concurrent.futures import CancelledError, wait

import pytest

from polarbear.execution import LocalExecutor, WorkersClosed, pack, run_supervised
from polarbear.race.jobs import Job
from tests.execution import runs
from tests.execution.supervised import live_processes, wait_until


def submit(executor, algorithm, index=0):
    return executor.submit(run_supervised, pack(algorithm, runs.instance), Job("a", index, 10, 1, 1))


def wait_for_processes(count):
    assert wait_until(lambda: len(live_processes()) >= count)


def test_one_core_is_left_to_the_driver(monkeypatch):
    for cores, workers in [(1, 1), (2, 1), (8, 7)]:
        monkeypatch.setattr("os.sched_getaffinity", lambda _, cores=cores: set(range(cores)))
        assert LocalExecutor().workers == workers


def test_a_number_of_workers_below_one_is_refused():
    with pytest.raises(ValueError, match="expected a number of workers"):
        LocalExecutor(0)


def test_each_thread_keeps_its_worker():
    with LocalExecutor(2) as executor:
        futures = [submit(executor, runs.reports_its_worker) for _ in range(10)]
        workers = {future.result().trajectory.values[0] for future in futures}
    assert 1 <= len(workers) <= 2


def test_leaving_waits_for_the_runs_and_ends_the_workers():
    with LocalExecutor(2) as executor:
        futures = [submit(executor, runs.well_behaved, index) for index in range(6)]
    assert all(future.result().status == "done" for future in futures)
    assert wait_until(lambda: not live_processes())
    with pytest.raises(RuntimeError, match="after shutdown"):
        executor.submit(pow, 2, 2)


def test_a_shutdown_that_cancels_kills_the_runs_in_progress():
    executor = LocalExecutor(1)
    running, waiting = submit(executor, runs.hangs), submit(executor, runs.ends_early)
    wait_for_processes(1)
    executor.shutdown(cancel_futures=True)
    with pytest.raises(WorkersClosed, match="shut down"):
        running.result()
    with pytest.raises(CancelledError):
        waiting.result()
    assert wait_until(lambda: not live_processes())


def test_a_shutdown_need_not_wait():
    executor = LocalExecutor(1)
    future = submit(executor, runs.hangs)
    wait_for_processes(1)
    executor.shutdown(wait=False, cancel_futures=True)
    wait([future])
    assert isinstance(future.exception(), WorkersClosed)


def test_an_interrupt_does_not_wait_for_runs_that_hang():
    with pytest.raises(KeyboardInterrupt), LocalExecutor(2) as executor:  # noqa: PT012
        futures = [submit(executor, runs.hangs) for _ in range(3)]
        wait_for_processes(2)
        raise KeyboardInterrupt
    assert all(future.done() for future in futures)
    assert wait_until(lambda: not live_processes())
