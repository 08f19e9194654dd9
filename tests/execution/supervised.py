"""Helpers for the tests of this folder: one supervised run, its events, its processes, and waiting."""

import os
import time

from polarbear.execution import pack, run_supervised
from polarbear.execution.descendants import driver_token, processes_with_token
from polarbear.execution.slot import own_slot
from polarbear.race.jobs import Job
from tests.execution import runs


def run(algorithm, budget=10, *, instances=runs.instance, index=3, seed=4, limits=None, **options):
    """Make one run under supervision, and return it."""
    payload = pack(algorithm, instances, **options)
    return run_supervised(payload, Job("a", index, budget, seed, instance_seed=5), limits)


def events(result):
    """Return the improvements (budget, value) of a run."""
    return list(zip(result.trajectory.budgets.tolist(), result.trajectory.values.tolist(), strict=True))


def worker_pid():
    """Make a run, and return the process id of this thread's worker."""
    assert run(runs.ends_early).status == "done"
    return own_slot()._worker._process.pid


def live_processes():
    """Return the processes that the workers of this process have started, themselves included."""
    return processes_with_token(driver_token())


def run_processes():
    """Return the live processes that runs have started, themselves included: not workers and their templates."""
    worker = own_slot()._worker
    session = None if worker is None else worker._process.pid
    return [process for process in live_processes() if _session_of(process) not in (session, None)]


def _session_of(process):
    try:
        return os.getsid(process)
    except ProcessLookupError:
        return None


def wait_until(condition, seconds=120.0):
    """Wait until a condition holds, and return whether it did within a limit that no working machine reaches."""
    latest = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < latest:
        time.sleep(0.02)
    return bool(held)
