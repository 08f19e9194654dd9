"""Supervision of one run: `run_supervised` is the function that every executor receives.

In: a payload, a job and limits. Out: a `Run` with the trajectory, its status and a message.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.algorithms import event_log
from polarbear.execution.slot import WorkersClosed, own_slot
from polarbear.execution.worker_client import WorkerEnded
from polarbear.observe import Trajectory
from polarbear.race.jobs import Run

if TYPE_CHECKING:
    from polarbear.execution.payload import Payload
    from polarbear.execution.slot import Slot
    from polarbear.race.jobs import Job, Status

# How long after its time an algorithm may take to notice the end before its worker is killed (clock="seconds" only).
_GRACE_SECONDS = 1.0
_KEPT = 2_000  # characters of output stored with a successful run; there may be many such runs


@dataclass(frozen=True)
class Limits:
    """Limits on one run.

    Attributes
    ----------
    seconds
        The longest wall-clock time that a run may take, without its set-up; None for no limit.
    retries
        How often a run whose process died is repeated. Errors and time-outs are not repeated: they would recur.
    setup_seconds
        The longest time that loading the algorithm and creating the instance may take; None for no limit.
    """

    seconds: float | None = None
    retries: int = 1
    setup_seconds: float | None = 600.0

    def __post_init__(self) -> None:
        for name in ("seconds", "setup_seconds"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise ValueError(f"expected {name} above zero, or None for no limit, got {value!r}")
        if self.retries < 0:
            raise ValueError(f"expected a number of retries, 0 or more, got {self.retries!r}")


def run_supervised(payload: Payload, job: Job, limits: Limits | None = None) -> Run:
    """Make one run in the worker of the calling thread, and return it with its status.

    The returned `Run` reports whatever the user's code does. The function raises only if the worker cannot be started
    (`RuntimeError`) or is closed in the meantime (`WorkersClosed`).

    Parameters
    ----------
    payload
        The algorithm and its instances; see `pack`.
    job
        The run to make.
    limits
        Limits on the run; by default no limit on its time, and one retry if its process dies.

    Returns
    -------
    Run
        Its trajectory is known until `job.until`, even if the run ended earlier. The trajectory of a failed run is known
        until the last time that the run is known to have reached.
    """
    limits = limits or Limits()
    return _attempt(own_slot(), payload, job, limits, limits.retries)


def _attempt(slot: Slot, payload: Payload, job: Job, limits: Limits, retries: int) -> Run:
    worker = slot.worker()
    asked_at, cpu_before = time.monotonic(), worker.cpu_seconds()
    setup = math.inf if limits.setup_seconds is None else limits.setup_seconds
    limit = math.inf if limits.seconds is None else limits.seconds
    # A run that the recorder times can record nothing after its time, so its worker may be killed.
    enough = job.until + _GRACE_SECONDS if payload.clock == "seconds" else math.inf

    def remaining(now: float) -> float:
        state = event_log.read(worker.log, header_only=True)
        if not state.started:
            return asked_at + setup - now
        return state.started + (min(limit, enough) if state.our_clock else limit) - now

    request = {
        "payload": payload.digest,
        "clock": payload.clock,
        "maximise": payload.maximise,
        "until": job.until,
        "seed": job.seed,
        "instance": job.instance,
        "instance_seed": job.instance_seed,
    }
    try:
        reply = worker.ask(request, (payload.digest, payload.data), remaining)
    except WorkerEnded:
        if worker.closed:
            slot.retire()
            raise WorkersClosed("the executor was shut down in the middle of this run; submit it again") from None
        seconds, end = time.monotonic() - asked_at, worker.describe_end()
        slot.retire()
        if retries > 0:
            return _attempt(slot, payload, job, limits, retries - 1)
        state = event_log.read(worker.log)
        if not state.started:
            message = f"the process that loads the algorithm and creates the instance {end}"
            return _make_run(payload, job, state, "setup", message)
        return _make_run(payload, job, state, "crashed", f"the process of the run {end}", seconds)
    if reply is not None:
        if reply["leftovers"]:  # processes that would keep running during the next run
            slot.retire()
        spent = reply["seconds"], reply["cpu_seconds"]
        state, ended = event_log.read(worker.log), reply.get("ended", False)
        output = worker.output()[-_KEPT:]
        message = _with_output(reply["message"], output) if "message" in reply else output
        return _make_run(payload, job, state, reply["status"], message, *spent, ended=ended)
    cpu_seconds = worker.cpu_seconds() - cpu_before
    slot.retire()
    state = event_log.read(worker.log)
    if not state.started:
        message = f"loading the algorithm and creating the instance took longer than setup_seconds={setup:g}"
        return _make_run(payload, job, state, "setup", message)
    seconds = time.monotonic() - state.started
    if not state.our_clock or limit < enough:
        message = _with_output(f"the run took longer than the limit of {limit:g} seconds", worker.output()[-_KEPT:])
        return _make_run(payload, job, state, "timeout", message, seconds, cpu_seconds)
    if not state.pairs:
        message = f"expected at least one value by seconds {job.until:g}, got none; let the race run until a later time"
        message = _with_output(message, worker.output()[-_KEPT:])
        return _make_run(payload, job, state, "error", message, seconds, cpu_seconds)
    return _make_run(payload, job, state, "done", worker.output()[-_KEPT:], seconds, cpu_seconds)


def _with_output(message: str, output: str) -> str:
    """Return the message of a failed run with the end of its output, unless it is there already."""
    return f"{message}\n\nIts last output:\n{output}" if output and output not in message else message


def _make_run(
    payload: Payload,
    job: Job,
    state: event_log.LogState,
    status: Status,
    message: str,
    seconds: float = 0.0,
    cpu_seconds: float = 0.0,
    *,
    ended: bool = False,
) -> Run:
    """Return the run that an event log, a status and a message describe."""
    events = np.frombuffer(state.pairs).reshape(-1, 2)
    done = status == "done"
    reached = state.reached
    if done and not ended:
        reached = job.until
    elif state.our_clock and payload.clock == "seconds":
        reached = max(reached, min(seconds, job.until))
    trajectory = Trajectory(
        job.algorithm,
        job.instance,
        events[:, 0],
        events[:, 1],
        until=job.until if done else reached,  # not infinity: an early end may depend on `job.until`
        failed=not done,
        maximise=payload.maximise,
    )
    return Run(trajectory, reached, status, message, seconds, cpu_seconds)
