"""Runs of hostile algorithms, each followed by a run that notices a disturbance."""

from __future__ import annotations

import os
import random
import time
from functools import partial
from typing import TYPE_CHECKING, Any

from polarbear.execution import Limits, close_workers, pack, run_supervised
from polarbear.race.jobs import Job
from torture.counts import Counts
from torture.hostile_algorithms import HOSTILE, NOTES, hostile, instances, witness
from torture.processes import is_running

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_LIMITS = Limits(seconds=2.0, retries=0, setup_seconds=15.0)
_STATUSES = ("done", "error", "crashed", "timeout")


def runs_do_not_disturb_each_other(folder: Path) -> Counts:
    """What a run does to its process changes no run after it, and the driver always gets an answer.

    Each of 32 hostile algorithms runs in a worker process with time limits of two seconds, and of 15 for its set-up, in two
    orders: some change the state of the process, some close descriptors or write into them, some crash, some never end, and
    one stops the process that would report its start. The answer must come within 20 seconds. After each of them, a run in
    the same worker, or in the one that replaces it, reports 18 kinds of state, such as signal handlers and NumPy's error
    state, which must be those of a new worker.
    """
    counts = Counts()
    os.environ[NOTES] = str(folder / "notes")
    expected = _witness()
    acts = [*HOSTILE, *random.Random(5).sample(HOSTILE, len(HOSTILE))]  # in two orders
    for act in acts:
        name = act.__name__.replace("_", " ")
        try:
            started = time.monotonic()
            run = _run(partial(hostile, act=act), "hostile")
            seconds = time.monotonic() - started
            after = _witness()
        except BaseException as error:
            counts.broke(f"an algorithm that {name}: the driver got {type(error).__name__}: {error}")
            close_workers()
            continue
        if run.status not in _STATUSES or seconds > 20:
            counts.broke(f"an algorithm that {name}: status {run.status!r} after {seconds:.0f} seconds")
        elif after != expected:
            counts.broke(f"after an algorithm that {name}: {_difference(expected, after)}")
        else:
            counts.kept(f"hostile run: {run.status}")
    close_workers()
    return counts


def nothing_survives(folder: Path) -> Counts:
    """No process that a run has started is alive after the run.

    Algorithms fork 30 children, start a program in a new session, and leave daemons with an empty environment, one of them
    before it kills itself. Within five seconds after the answer of a run, all of these processes must have ended.
    """
    counts, notes = Counts(), folder / "notes"
    os.environ[NOTES] = str(notes)
    for act in [each for each in HOSTILE if "leaves_a_" in each.__name__ or "forks" in each.__name__] * 3:
        if act.__name__ == "leaves_a_timer":
            continue
        notes.unlink(missing_ok=True)
        _run(partial(hostile, act=act), "hostile")
        started = [int(line) for line in notes.read_text().split()] if notes.exists() else []
        latest = time.monotonic() + 5
        while (alive := [each for each in started if is_running(each)]) and time.monotonic() < latest:
            time.sleep(0.05)
        for each in alive:
            os.kill(each, 9)
        if alive or not started:
            counts.broke(f"an algorithm that {act.__name__.replace('_', ' ')}: {len(alive)} of {len(started)} survived")
        else:
            counts.kept("all ended")
    close_workers()
    return counts


def _run(algorithm: Callable[..., Any], name: str) -> Any:
    return run_supervised(pack(algorithm, instances), Job(name, 0, 4, 1, 1), _LIMITS)


def _witness() -> tuple[Any, ...]:
    run = _run(witness, "witness")
    return run.status, run.trajectory.values.tolist(), run.output


def _difference(expected: tuple[Any, ...], found: tuple[Any, ...]) -> str:
    """Return in words how two reports of the witness differ."""
    if found[0] != "done":
        return f"the next run is {found[0]}: {found[2]}"
    one, other = (str(each[2]).split(', "') for each in (expected, found))
    return "the next run finds " + ("; ".join(each for each in other if each not in one) or "another state")
