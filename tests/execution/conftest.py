import time

import pytest

from polarbear.algorithms import event_log
from polarbear.execution import close_workers
from polarbear.execution.slot import own_slot
from tests.execution.supervised import live_processes, run_processes, wait_until


@pytest.fixture(autouse=True)
def _only_the_worker_of_this_thread_is_left_for_the_next_test():
    before = set(run_processes())
    yield
    assert wait_until(lambda: set(run_processes()) <= before)


@pytest.fixture(autouse=True, scope="module")
def _no_process_is_left_for_the_next_module():
    close_workers()  # those that tests of other rooms have left in this process
    yield
    close_workers()
    assert wait_until(lambda: not live_processes())


@pytest.fixture
def shift_clock(monkeypatch):
    """Return a function that shifts the driver's clock, but not the clock of its worker.

    `shift_clock(when, before=0, after=3600)` adds `before` seconds until `when(state)` holds for the event log of the
    current run, and `after` seconds from then on. A limit of 1000 seconds thus expires at an event, however fast or slow
    the machine is.
    """
    real = time.monotonic
    close_workers()  # a new worker has an empty event log

    def install(when, *, before=0.0, after=3600.0):
        shift = before

        def now():
            nonlocal shift
            worker = own_slot()._worker
            started = worker is not None and worker.run_start is not None  # the driver knows that the set-up is over
            if shift == before and started and when(event_log.read(worker.log)):
                shift = after
            return real() + shift

        monkeypatch.setattr("time.monotonic", now)

    return install
