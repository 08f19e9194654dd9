"""One run: the set-up, the algorithm's work and the reply, in the current process."""

from __future__ import annotations

import contextlib
import os
import sys
import time
import traceback
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.algorithms.event_log import EventLog
from polarbear.algorithms.record_run import record_run
from polarbear.algorithms.recorder import Recorder
from polarbear.execution.frames import Kind
from polarbear.execution.seeds import seeded
from polarbear.findings import RunFailure
from polarbear.race.instance_features import plain_features

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.algorithms import Algorithm
    from polarbear.execution.payload import Instances

_PACKAGE = f"{Path(__file__).parents[1]}{os.sep}"
_LONGEST_ERROR = 2_000
_LONGEST_TRACEBACK = 8_000


def make_run(
    job: dict[str, Any],
    algorithm: Algorithm,
    instances: Instances,
    log: EventLog,
    send: Callable[[Kind, dict[str, Any]], None],
) -> dict[str, Any]:
    """Make the run of a job and return the reply; whatever the user's code raises is an error of this run only.

    `send` writes a message to the process that waits for the run. A run that ignores the end of its budget replies
    through it and exits.
    """
    process = os.getpid()
    timer, recorder = _Timer(), None
    about: dict[str, Any] = {}

    def give_up() -> None:
        """Reply during a run that ignores the end of its budget, and exit at once."""
        send(Kind.REPLY, {"status": "done", "ended": False, **timer.spent(), **about, "leftovers": True})
        os._exit(0)

    try:
        problem = _create_instance(instances, job)
        if (features := plain_features(getattr(problem, "features", None))) is not None:
            about["features"] = features
        recorder = Recorder(job["budget"], job["clock"], job["maximise"], log, give_up)
        with seeded(job["seed"]):
            send(Kind.STARTED, {"at": time.monotonic(), "process": process, "cpu_seconds": time.process_time()})
            timer = _Timer()
            reply = {"status": "done", "ended": record_run(algorithm, problem, job["seed"], recorder)}
    except BaseException as error:
        # Includes SystemExit and KeyboardInterrupt. Without a recorder, the algorithm itself has not started.
        reply = {"status": "error" if recorder is not None else "setup", "failure": asdict(failure_of(error))}
    if os.getpid() != process:
        os._exit(1)  # a forked child that has returned from the user's code
    if recorder is not None:
        recorder.close()
    flush_output()
    return {**reply, **timer.spent(), **about}


def warm_up() -> None:
    """Make a run of no algorithm at all, so that the caches of this code are filled once and not in every forked copy."""
    job = {"budget": 1, "clock": "evaluations", "maximise": False, "seed": 0, "instance": 0, "instance_seed": 0}
    make_run(job, lambda problem, seed, budget: iter([(1, 0.0)]), [None], EventLog(), lambda kind, message: None)


def flush_output() -> None:
    """Write out what Python has buffered for stdout and stderr."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()


def failure_of(error: BaseException) -> RunFailure:
    """Return why a run failed: the error and its cause in one line, their frames outside of PolarBear, and further lines."""
    chain = [each for each in (error, error.__cause__) if each is not None]
    texts = [f"{type(each).__name__}: {_text_of(each)}".splitlines() for each in chain]
    line = " (".join(first.rstrip(": ") for first, *_ in texts) + ")" * (len(texts) - 1)
    frames = [frame for each in reversed(chain) for frame in traceback.extract_tb(each.__traceback__)]
    foreign = traceback.StackSummary.from_list(each for each in frames if not each.filename.startswith(_PACKAGE))
    shown = "".join([*foreign.format(), *(f"{each}\n" for _, *further in texts for each in further)]).rstrip()
    if len(shown) > _LONGEST_TRACEBACK:
        shown = f"[...]\n{shown[-_LONGEST_TRACEBACK:]}"  # its end matters most
    return RunFailure(*(text.encode(errors="replace").decode() for text in (line[:_LONGEST_ERROR], shown)))


def _create_instance(instances: Instances, job: dict[str, Any]) -> Any:
    index = job["instance"]
    try:
        return instances(index, job["instance_seed"]) if callable(instances) else instances[index]
    except BaseException as error:
        hint = ""
        if isinstance(error, IndexError) and not callable(instances):
            hint = f", of {len(instances)}; give more instances, or limit their number"
        raise RuntimeError(f"expected the source of instances to give instance {index}{hint}") from error


class _Timer:
    def __init__(self) -> None:
        self._wall, self._cpu = time.monotonic(), _cpu_seconds()

    def spent(self) -> dict[str, float]:
        return {"seconds": time.monotonic() - self._wall, "cpu_seconds": _cpu_seconds() - self._cpu}


def _cpu_seconds() -> float:
    children = os.times()
    return time.process_time() + children.children_user + children.children_system


def _text_of(error: BaseException) -> str:
    try:
        return str(error)[:_LONGEST_ERROR]
    except Exception:
        return "(its text cannot be shown)"
