"""The runs of a round: submitted to an executor, taken as they come, and kept even if the round is broken off."""

from __future__ import annotations

import math
import time
from concurrent.futures import CancelledError, as_completed
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from polarbear.execution import Limits, ReplayExecutor, run_supervised

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from concurrent.futures import Executor, Future

    from polarbear.execution import Payload
    from polarbear.race.jobs import Job, Run


class RaceError(RuntimeError):
    """The race could not go on; all that was run before is kept."""


@dataclass(frozen=True, eq=False)
class Crew:
    """Who makes the runs, of what, and until when.

    Attributes
    ----------
    executor
        Anything with `submit` that gives futures.
    payloads
        The algorithms, packed, by name; recorded runs need none.
    limits
        What one run may take.
    deadline
        When to stop waiting, on the monotonic clock.
    """

    executor: Executor
    payloads: Mapping[str, Payload]
    limits: Limits
    deadline: float = math.inf


def gather(jobs: Sequence[Job], crew: Crew, keep: Callable[[Job, Run], None]) -> dict[Job, Run] | None:
    """Make one run for each job; None if time ran out.

    Each run is handed to `keep` the moment it is there. Runs that had ended when the round was broken off, for whatever
    reason, are kept too.
    """
    _check_known(jobs, crew)
    futures: dict[Future[Run], Job] = {}
    done: dict[Job, Run] = {}
    try:
        for job in jobs:
            payload = cast("Payload", crew.payloads.get(job.algorithm))  # None only if recorded runs are replayed
            with _executor_at_work():
                futures[crew.executor.submit(run_supervised, payload, job, crew.limits)] = job
        patience = None if math.isinf(crew.deadline) else max(0.0, crew.deadline - time.monotonic())
        ended = as_completed(futures, patience)
        for _ in jobs:
            try:
                future = next(ended)
            except TimeoutError:
                return None
            with _executor_at_work():
                run = future.result()
            job = futures[future]
            if run.status == "setup":
                raise RaceError(
                    f"{job.algorithm!r} could not be run on instance {job.instance}: {run.message.strip()}\n"
                    "Every run that had ended is kept; mend it and run on."
                )
            keep(job, run)
            done[job] = run
    finally:
        _break_off(futures, done, keep)
    return done


def _break_off(futures: Mapping[Future[Run], Job], done: Mapping[Job, Run], keep: Callable[[Job, Run], None]) -> None:
    """Cancel what has not begun, and then keep what had ended but was not looked at."""
    begun = [(future, job) for future, job in futures.items() if not future.cancel()]
    for future, job in begun:
        if job not in done and future.done() and future.exception() is None and future.result().status != "setup":
            keep(job, future.result())


def _check_known(jobs: Sequence[Job], crew: Crew) -> None:
    missing = sorted({job.algorithm for job in jobs}.difference(crew.payloads))
    if missing and not isinstance(crew.executor, ReplayExecutor):
        raise ValueError(
            f"the race needs runs of {', '.join(missing)}, but not the algorithms themselves; "
            "a race file holds no code: give them to Race.open(path, algorithms={...}, instances=...)"
        )


@contextmanager
def _executor_at_work() -> Iterator[None]:
    """Tell what an executor raises from what the race itself raises; a ValueError says itself what to do."""
    try:
        yield
    except ValueError:
        raise
    except (CancelledError, Exception) as error:
        raise RaceError(
            f"the executor failed ({type(error).__name__}: {error}); every run that had ended is kept, and run() "
            "goes on from there, with another executor if need be"
        ) from error
