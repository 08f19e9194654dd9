"""The worker: a separate process that runs one job after the other, so that no run can harm the driver.

It reads requests from one pipe and replies on another. Improvements go to a log in shared memory, so that they survive the
death of the run. Only the standard library and `polarbear.algorithms` are imported before the user's own code.
"""

from __future__ import annotations

import contextlib
import faulthandler
import os
import random
import sys
import time
import traceback
from typing import TYPE_CHECKING, Any

from polarbear.algorithms.event_log import EventLog
from polarbear.algorithms.record_run import record_run
from polarbear.algorithms.recorder import Recorder
from polarbear.execution.frames import read_frame, write_frame
from polarbear.execution.payload import unpack

if TYPE_CHECKING:
    from polarbear.algorithms import Algorithm
    from polarbear.execution.payload import Instances

_LONGEST_MESSAGE = 20_000


def main() -> None:
    """Serve requests until the driver closes the pipe."""
    log_file = int(sys.argv.pop())
    # The user's code may print to streams 0, 1 and 2, and close them; requests and replies use descriptors of their own.
    requests, replies, errors = os.dup(0), os.dup(1), os.dup(2)
    nothing = os.open(os.devnull, os.O_RDONLY)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    faulthandler.enable(errors)
    _adopt_orphans()
    home, log, payloads = os.getcwd(), EventLog(log_file), _Payloads()  # noqa: PTH109
    os.register_at_fork(after_in_child=lambda: _leave(log, requests, replies))
    write_frame(replies, {"ready": os.getpid()})
    while (request := read_frame(requests)) is not None:
        job, data = request
        if "load" in job:
            payloads.add(job["load"], data)
            continue
        for stream, source in ((0, nothing), (1, errors), (2, errors)):
            os.dup2(source, stream)
        os.chdir(home)
        _serve(job, payloads, log, replies)


def _serve(job: dict[str, Any], payloads: _Payloads, log: EventLog, replies: int) -> None:
    process = os.getpid()
    log.clear()
    timer, recorder = _Timer(), None

    def give_up() -> None:
        """Reply during a run that ignores the end of its budget, and exit at once."""
        write_frame(replies, {"status": "done", "ended": False, **timer.spent(), "leftovers": True})
        os._exit(0)

    try:
        algorithm, problem = payloads.prepare(job)
        recorder = Recorder(job["until"], job["clock"], job["maximise"], log, give_up)
        _seed(job["seed"])
        timer = _Timer()
        reply = {"status": "done", "ended": record_run(algorithm, problem, job["seed"], recorder)}
    except BaseException as error:
        # Includes SystemExit and KeyboardInterrupt: whatever the user's code raises is an error of this run only.
        # Without a recorder, the algorithm itself has not started.
        reply = {"status": "error" if recorder is not None else "setup", "message": _describe_error(error)}
    if os.getpid() != process:
        os._exit(1)  # a forked child that has returned from the user's code
    if recorder is not None:
        recorder.close()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    write_frame(replies, {**reply, **timer.spent(), "leftovers": _has_children()})


class _Payloads:
    """The payloads received so far; each is opened when it is first needed."""

    def __init__(self) -> None:
        self._packed: dict[str, bytes] = {}
        self._opened: dict[str, tuple[Algorithm, Instances]] = {}

    def add(self, digest: str, data: bytes) -> None:
        self._packed[digest] = data

    def prepare(self, job: dict[str, Any]) -> tuple[Algorithm, Any]:
        """Return the algorithm and the problem of a job; a callable source creates a new one, since runs may change it."""
        digest, index = job["payload"], job["instance"]
        if digest not in self._opened:
            try:
                self._opened[digest] = unpack(self._packed[digest])
            except BaseException as error:
                raise RuntimeError(
                    "expected the algorithm and its instances to load in the worker; install what they import there, "
                    "or define them in the script itself"
                ) from error
            del self._packed[digest]
        algorithm, instances = self._opened[digest]
        try:
            return algorithm, instances(index, job["instance_seed"]) if callable(instances) else instances[index]
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


def _seed(seed: int) -> None:
    """Seed the global generators, so that a run that uses them does not depend on the worker's earlier runs."""
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed % 2**32)


def _describe_error(error: BaseException) -> str:
    """Return an error in one line, then its traceback; a long one is cut in the middle, since its end matters most."""
    text = "".join(traceback.format_exception(error))
    if len(text) > _LONGEST_MESSAGE:
        text = f"{text[: _LONGEST_MESSAGE // 4]}\n[...]\n{text[-3 * _LONGEST_MESSAGE // 4 :]}"
    cause = error.__cause__
    line = f"{type(error).__name__}: {_text_of(error)}" + (
        f" ({type(cause).__name__}: {_text_of(cause)})" if cause else ""
    )
    return f"{line}\n\n{text}".encode(errors="replace").decode()


def _text_of(error: BaseException) -> str:
    try:
        return str(error)[:2000]
    except Exception:
        return "(its text cannot be shown)"


def _leave(log: EventLog, *pipes: int) -> None:
    """Cut a forked child off from the log and from the pipes to the driver."""
    log.disown()
    for pipe in pipes:
        with contextlib.suppress(OSError):
            os.close(pipe)


def _adopt_orphans() -> None:
    """Become the parent of processes that the user's code leaves behind, so that `_has_children` finds them (Linux only)."""
    with contextlib.suppress(Exception):
        import ctypes

        ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER


def _has_children() -> bool:
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
