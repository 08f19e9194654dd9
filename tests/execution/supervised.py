"""Helpers for the tests of this folder: one supervised run, its events, its processes, and waiting."""

import time

from polarbear.execution import pack, run_supervised
from polarbear.execution.guardian_client import driver_token
from polarbear.execution.guardian_main import processes_with_token
from polarbear.race.jobs import Job
from tests.execution import runs


def run(algorithm, until=10, *, instances=runs.instance, index=3, seed=4, limits=None, **options):
    """Make one run under supervision, and return it."""
    payload = pack(algorithm, instances, **options)
    return run_supervised(payload, Job("a", index, until, seed, instance_seed=5), limits)


def events(result):
    """Return the improvements (time, value) of a run."""
    return list(zip(result.trajectory.times.tolist(), result.trajectory.values.tolist(), strict=True))


def worker_pid():
    """Return the process id of this thread's worker."""
    return int(events(run(runs.report_pid))[0][1])


def live_processes():
    """Return the processes that the workers of this process have started, themselves included."""
    return processes_with_token(driver_token())


def wait_until(condition, seconds=120.0):
    """Wait until a condition holds, and return whether it did within a limit that no working machine reaches."""
    latest = time.monotonic() + seconds
    while not (held := condition()) and time.monotonic() < latest:
        time.sleep(0.02)
    return bool(held)
