"""Dispatch of the runs of one round to an executor.

In: jobs and an executor. Out: one `Run` per job. Each run is kept as soon as it completes, so an interrupted round
loses only the runs in progress.
"""

from __future__ import annotations

import math
import time
from concurrent.futures import CancelledError, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from polarbear.execution import Limits, ReplayExecutor, run_supervised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor, Future

    from polarbear.execution import Payload
    from polarbear.race.jobs import Job, Run


class RaceError(RuntimeError):
    """The race cannot continue; all completed runs are kept."""


@dataclass(frozen=True, eq=False)
class RunContext:
    """What dispatching a round needs: the executor, the algorithms, the limits and the deadline.

    Attributes
    ----------
    executor
        An object with a `submit` method that returns futures.
    payloads
        The packed algorithms by name. Replaying recorded runs needs none.
    limits
        Limits on one run.
    deadline
        When to stop waiting, on the monotonic clock.
    accept_failures
        Whether to judge an algorithm that fails in every run of its first round, instead of pausing the race.
    """

    executor: Executor
    payloads: Mapping[str, Payload]
    limits: Limits
    deadline: float = math.inf
    accept_failures: bool = False


_WAIT_SECONDS = 5.0  # between two calls of `on_wait`


def make_runs(
    jobs: Sequence[Job],
    context: RunContext,
    keep: Callable[[Job, Run], None],
    on_wait: Callable[[], None] = lambda: None,
) -> dict[Job, Run] | None:
    """Return one run per job, or None if the deadline passes first.

    Each run is passed to `keep` as soon as it completes. If the round is interrupted for any reason, the runs that have
    completed by then are passed to `keep`, too. `on_wait` is called every few seconds, however long a run takes.
    """
    _check_payloads(jobs, context)
    futures: dict[Future[Run], Job] = {}
    done: dict[Job, Run] = {}
    try:
        for job in jobs:
            payload = cast("Payload", context.payloads.get(job.algorithm))  # None only for a ReplayExecutor
            with _convert_executor_errors():
                futures[context.executor.submit(run_supervised, payload, job, context.limits)] = job
        for future in _await_completed(futures, context.deadline, on_wait):
            with _convert_executor_errors():
                run = future.result()
            job = futures[future]
            if run.failure is not None and run.status == "setup":
                raise RaceError(
                    f"{job.algorithm!r} could not be run on instance {job.instance}: {run.failure.text()}\n"
                    "Every completed run is kept; fix it and run the race again."
                )
            keep(job, run)
            done[job] = run
    finally:
        _cancel_rest(futures, done, keep)
    return done if len(done) == len(jobs) else None


def _await_completed(
    futures: Iterable[Future[Run]], deadline: float, on_wait: Callable[[], None]
) -> Iterator[Future[Run]]:
    """Yield futures as they complete, until the deadline; call `on_wait` every few seconds."""
    pending = set(futures)
    while pending:
        left = max(0.0, deadline - time.monotonic())
        try:
            for future in as_completed(pending, min(left, _WAIT_SECONDS)):
                pending.discard(future)
                yield future
        except TimeoutError:
            if time.monotonic() >= deadline:
                return
        on_wait()


def _cancel_rest(futures: Mapping[Future[Run], Job], done: Mapping[Job, Run], keep: Callable[[Job, Run], None]) -> None:
    """Cancel the jobs that have not started, then keep the completed runs that were not collected yet."""
    started = [(future, job) for future, job in futures.items() if not future.cancel()]
    for future, job in started:
        if job not in done and future.done() and future.exception() is None and future.result().status != "setup":
            keep(job, future.result())


def _check_payloads(jobs: Sequence[Job], context: RunContext) -> None:
    """Raise a ValueError if jobs need algorithms that were not passed to the race."""
    missing = sorted({job.algorithm for job in jobs}.difference(context.payloads))
    if missing and not isinstance(context.executor, ReplayExecutor):
        raise ValueError(
            f"the race needs runs of {', '.join(missing)}, but got no algorithms of these names; a race file holds no "
            "code: pass them to Race.open(path, algorithms={...}, instances=...)"
        )


@contextmanager
def _convert_executor_errors() -> Iterator[None]:
    """Convert exceptions of the executor to RaceError, except for a ValueError, whose message says what to do."""
    try:
        yield
    except ValueError:
        raise
    except (CancelledError, Exception) as error:
        raise RaceError(
            f"the executor failed ({type(error).__name__}: {error}); every completed run is kept: run the race again "
            "to continue, with another executor if necessary"
        ) from error
