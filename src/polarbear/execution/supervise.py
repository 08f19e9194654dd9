"""Supervision of one run: `run_supervised` is the function that every executor receives.

In: a payload, a job and limits. Out: a `Run` with the trajectory, its status and, if it failed, the reason.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.algorithms import event_log
from polarbear.execution.frames import Kind
from polarbear.execution.slot import WorkersClosed, own_slot
from polarbear.execution.worker_client import WorkerEnded
from polarbear.findings import RunFailure
from polarbear.observe import Trajectory
from polarbear.race.instance_features import plain_features
from polarbear.race.jobs import Run

if TYPE_CHECKING:
    from polarbear.execution.payload import Payload
    from polarbear.execution.slot import Slot
    from polarbear.execution.worker_client import WorkerProcess
    from polarbear.race.jobs import Job, Status

# How long after its budget an algorithm may take to notice the end before its worker is killed (clock="seconds" only).
_GRACE_SECONDS = 1.0
_EMPTY = event_log.LogState(0.0, 0.0, False, b"")
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
        Its trajectory is known until `job.budget`, even if the run ended earlier. The trajectory of a failed run is known
        until the last budget that the run is known to have reached.
    """
    limits = limits or Limits()
    return _attempt(own_slot(), payload, job, limits, limits.retries)


def _attempt(slot: Slot, payload: Payload, job: Job, limits: Limits, retries: int) -> Run:
    worker = slot.worker()
    attempt = _Attempt(worker, payload, job, limits, time.monotonic())
    request = {
        "clock": payload.clock,
        "maximise": payload.maximise,
        "budget": job.budget,
        "seed": job.seed,
        "instance": job.instance,
        "instance_seed": job.instance_seed,
    }
    try:
        outcome = worker.ask(request, (payload.digest, payload.data), attempt.remaining)
    except WorkerEnded:
        if worker.closed:
            slot.retire()
            raise WorkersClosed("the executor was shut down in the middle of this run; submit it again") from None
        end = worker.describe_end()
        slot.retire()
    else:
        if outcome is None:
            return _make_overdue_run(slot, attempt)
        state = _read_log(attempt)
        if outcome.kind is Kind.REPLY and state is not None:
            return _make_replied_run(attempt, state, outcome.message)
        # Without a valid log, a reply cannot be used: the run has written into the file of the log.
        kind = Kind.INVALID if outcome.kind is Kind.REPLY else outcome.kind
        end = worker.describe_outcome(kind, outcome.message.get("code"))
    if retries > 0:
        return _attempt(slot, payload, job, limits, retries - 1)
    state = _read_log(attempt) or _EMPTY
    # A run that kills its template takes the message of its start with it; its log still shows the start.
    if worker.run_start is None and not state.started:
        failure = RunFailure(f"the process that loads the algorithm and creates the instance {end}")
        return _make_run(attempt, state, "setup", failure)
    failure = RunFailure(f"the process of the run {end}")
    return _make_run(attempt, state, "crashed", failure, time.monotonic() - attempt.asked_at)


@dataclass(frozen=True)
class _Attempt:
    """One attempt at a run, and the time at which it must have ended."""

    worker: WorkerProcess
    payload: Payload
    job: Job
    limits: Limits
    asked_at: float

    @property
    def limit(self) -> float:
        return math.inf if self.limits.seconds is None else self.limits.seconds

    @property
    def enough(self) -> float:
        """The seconds after which a run that the recorder times can record nothing, so that it may be killed."""
        return self.job.budget + _GRACE_SECONDS if self.payload.clock == "seconds" else math.inf

    def remaining(self, now: float) -> float:
        """Return the seconds that are left, for the set-up or the run."""
        start = self.worker.run_start
        if start is None:
            return math.inf if self.limits.setup_seconds is None else self.asked_at + self.limits.setup_seconds - now
        seconds = self.limit
        if self.enough < seconds and event_log.read(self.worker.log, header_only=True).our_clock:
            seconds = self.enough
        return start.at + seconds - now


def _make_overdue_run(slot: Slot, attempt: _Attempt) -> Run:
    """Kill a run whose time is over, and return it."""
    worker, job, limits = attempt.worker, attempt.job, attempt.limits
    cpu_seconds = worker.run_cpu_seconds()
    slot.retire()
    state = _read_log(attempt) or _EMPTY
    if worker.run_start is None:
        setup = limits.setup_seconds
        if state.started:  # a run that stops its template stops the message of its start, too
            error = f"the run stopped the process that started it, and gave no sign of life for {setup:g} seconds"
            return _make_run(attempt, state, "timeout", RunFailure(error))
        error = f"loading the algorithm and creating the instance took longer than setup_seconds={setup:g}"
        return _make_run(attempt, state, "setup", RunFailure(error))
    spent = time.monotonic() - worker.run_start.at, cpu_seconds
    if not state.our_clock or attempt.limit < attempt.enough:
        error = f"the run took longer than the limit of {attempt.limit:g} seconds"
        return _make_run(attempt, state, "timeout", RunFailure(error), *spent)
    if not state.pairs:
        error = f"expected at least one value by seconds {job.budget:g}, got none; let the race run to a larger budget"
        return _make_run(attempt, state, "error", RunFailure(error), *spent)
    return _make_run(attempt, state, "done", None, *spent)


def _make_replied_run(attempt: _Attempt, state: event_log.LogState, reply: dict[str, Any]) -> Run:
    failure = RunFailure(**reply["failure"]) if "failure" in reply else None
    spent = reply["seconds"], reply["cpu_seconds"]
    run = _make_run(attempt, state, reply["status"], failure, *spent, ended=reply.get("ended", False))
    features = plain_features(reply.get("features"))
    return run if features is None else replace(run, features=features)


def _read_log(attempt: _Attempt) -> event_log.LogState | None:
    """Return the event log of a run, or None if the run has damaged it.

    A run can write to the file of the log. What it writes affects no other run, but must not stop the driver.
    """
    state = event_log.read(attempt.worker.log)
    events = np.frombuffer(state.pairs).reshape(-1, 2)
    budgets, values = events[:, 0], (-1.0 if attempt.payload.maximise else 1.0) * events[:, 1]
    valid = (
        state.complete
        and 0.0 <= state.reached <= attempt.job.budget
        and np.all((budgets >= 0.0) & (budgets <= attempt.job.budget))
        and np.all(np.isfinite(values))
        and np.all(np.diff(budgets) > 0.0)
        and np.all(np.diff(values) < 0.0)
    )
    return state if valid else None


def _make_run(
    attempt: _Attempt,
    state: event_log.LogState,
    status: Status,
    failure: RunFailure | None,
    seconds: float = 0.0,
    cpu_seconds: float = 0.0,
    *,
    ended: bool = False,
) -> Run:
    """Return the run that an event log, a status and a failure describe."""
    payload, job, output = attempt.payload, attempt.job, attempt.worker.output()
    events = np.frombuffer(state.pairs).reshape(-1, 2)
    done = failure is None
    reached = state.reached
    if done and not ended:
        reached = job.budget
    elif state.our_clock and payload.clock == "seconds":
        reached = max(reached, min(seconds, job.budget))
    trajectory = Trajectory(
        job.algorithm,
        job.instance,
        events[:, 0],
        events[:, 1],
        end=job.budget if done else reached,  # not infinity: an early end may depend on `job.budget`
        failed=not done,
        maximise=payload.maximise,
    )
    if failure is None:
        return Run(trajectory, reached, "done", None, output[-_KEPT:], seconds, cpu_seconds)
    return Run(trajectory, reached, status, replace(failure, output=output), "", seconds, cpu_seconds)
