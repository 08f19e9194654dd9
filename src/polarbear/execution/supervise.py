"""One run under supervision: the one function that is submitted to every executor."""

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

# What an algorithm has beyond its time to notice that it is over, before its worker is killed (clock="seconds" only).
_GRACE_SECONDS = 1.0
_KEPT = 2_000  # characters of what a run that went well has written; there may be many such runs


@dataclass(frozen=True)
class Limits:
    """What one run may take.

    Attributes
    ----------
    seconds
        The longest that a run may take on the wall clock, set-up not counted; None for no limit.
    retries
        How often a run whose process died is made again. Errors and time-outs are not: they would come again.
    setup_seconds
        The longest that loading the algorithm and making the instance may take; None for no limit.
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
    """Make one run in the worker of the calling thread, and tell what became of it.

    Whatever the user's code does ends up in the returned `Run`. Only a worker that cannot be started at all
    (`RuntimeError`), or is closed meanwhile (`WorkersClosed`), raises.

    Parameters
    ----------
    payload
        The algorithm and its instances; see `pack`.
    job
        What to run.
    limits
        What it may take; by default no limit on its time, and one retry if its process dies.

    Returns
    -------
    Run
        Its trajectory is known until `job.until`, also if the run ended before that; of a failed run, until the last
        time that it is known to have reached.
    """
    limits = limits or Limits()
    return _attempt(own_slot(), payload, job, limits, limits.retries)


def _attempt(slot: Slot, payload: Payload, job: Job, limits: Limits, retries: int) -> Run:
    worker = slot.worker()
    asked, cpu = time.monotonic(), worker.cpu_seconds()
    setup = math.inf if limits.setup_seconds is None else limits.setup_seconds
    limit = math.inf if limits.seconds is None else limits.seconds
    # Once a run on our clock is past its time, nothing that it does matters any more.
    enough = job.until + _GRACE_SECONDS if payload.clock == "seconds" else math.inf

    def remaining(now: float) -> float:
        state = event_log.read(worker.log, header_only=True)
        if not state.started:
            return asked + setup - now
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
        seconds, fate = time.monotonic() - asked, worker.fate()
        slot.retire()
        if retries > 0:
            return _attempt(slot, payload, job, limits, retries - 1)
        state = event_log.read(worker.log)
        if not state.started:
            return _told(payload, job, state, "setup", f"the process that loads it and makes the instance {fate}")
        return _told(payload, job, state, "crashed", f"the process of the run {fate}", seconds)
    if reply is not None:
        if reply["leftovers"]:  # processes that would go on beside the next run
            slot.retire()
        spent = reply["seconds"], reply["cpu_seconds"]
        state, ended = event_log.read(worker.log), reply.get("ended", False)
        message = reply["message"] if "message" in reply else worker.output()[-_KEPT:]
        return _told(payload, job, state, reply["status"], message, *spent, ended=ended)
    cpu = worker.cpu_seconds() - cpu
    slot.retire()
    state = event_log.read(worker.log)
    if not state.started:
        message = f"loading the algorithm and making the instance took longer than setup_seconds={setup:g}"
        return _told(payload, job, state, "setup", message)
    seconds = time.monotonic() - state.started
    if not state.our_clock or limit < enough:
        message = f"the run took longer than the limit of {limit:g} seconds"
        return _told(payload, job, state, "timeout", message, seconds, cpu)
    if not state.pairs:
        message = f"expected at least one value by seconds {job.until:g}, got none; let the race run until a later time"
        return _told(payload, job, state, "error", message, seconds, cpu)
    return _told(payload, job, state, "done", worker.output()[-_KEPT:], seconds, cpu)


def _told(
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
    """Return the run that a log and a verdict tell of."""
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
        until=job.until if done else reached,  # who ended early may have done so because of the job's time
        failed=not done,
        maximise=payload.maximise,
    )
    return Run(trajectory, reached, status, message, seconds, cpu_seconds)
