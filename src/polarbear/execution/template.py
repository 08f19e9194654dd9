"""The template of a payload: a process that loads an algorithm and its instances once, and forks a copy for each run.

`worker_main` explains who starts it, who waits for whom and who kills. A template runs no user code beyond imports and
unpickling, so each copy starts in the same state, whatever other runs have done. Forking is safe only while a process has
one thread, and only on Linux. Otherwise the template makes the runs itself: it loads algorithm and instances anew for
each, and restores the state of the process afterwards (`process_state`). After a run that leaves processes, threads or
something else that cannot be undone, or that closes the template's files, it reports leftovers, and the worker replaces it.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import itertools
import os
import select
import sys
import sysconfig
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from polarbear.algorithms.event_log import EventLog
from polarbear.execution.descendants import await_exit, die_with_parent, exit_code, kill_child
from polarbear.execution.frames import Inbox, InvalidFrame, Kind, write_frame
from polarbear.execution.make_run import failure_of, flush_output, make_run
from polarbear.execution.payload import unpack
from polarbear.execution.process_state import describe_state, preserved_state

if TYPE_CHECKING:
    from polarbear.algorithms import Algorithm
    from polarbear.execution.frames import Frame
    from polarbear.execution.payload import Instances

THREADED = 77
"""The exit status of a template in which an import ahead of the next run has started threads."""

_CHECK_MILLISECONDS = 500  # between checks of a silent run whose descendants may keep its pipe open
# Packages that may be imported in the worker, besides the standard library, whatever else a payload does when it is loaded.
_SHARED = ("numpy", "scipy", "polarbear")


def serve(requests: int, replies: int, data: bytes, log_file: int, streams: tuple[int, int], *, ahead: bool) -> None:
    """Make the runs of one payload, one after the other, until the worker closes the pipe.

    Parameters
    ----------
    requests, replies
        The pipes from and to the worker.
    data
        The payload.
    log_file
        The file of the event log.
    streams
        The files for standard input, and for standard output and error.
    ahead
        Import ahead what earlier runs have imported from installed packages.
    """
    inbox, latest, state = Inbox(), next(reversed(sys.modules)), describe_state()
    request = inbox.read(requests)
    if request is None:
        return
    try:
        algorithm, instances = _load(data)
    except BaseException as error:
        flush_output()
        write_frame(replies, Kind.REPLY, request.token, {**_failed_setup(error), "leftovers": True})
        return
    if "numpy" in sys.modules:
        importlib.import_module("numpy.random")  # every run seeds it
    forks = sys.platform == "linux" and count_threads() == 1
    quiet = forks and describe_state() == state
    shared = [name for name in _new_libraries(latest) if quiet or _is_trusted(name.partition(".")[0])]
    if shared:
        write_frame(replies, Kind.LOADED, request.token, {"libraries": shared})
    log = EventLog(log_file)
    if forks:
        data = b""
        gc.freeze()  # a garbage collection would copy the memory of all present objects in every run
    else:
        os.setsid()  # a run that kills its own process group must not kill the worker
        os.register_at_fork(after_in_child=lambda: _leave(log, requests, replies))
    while request is not None:
        if forks:
            imported = _fork_run(request, algorithm, instances, log, (requests, replies))
            if ahead:
                _import_ahead(imported, streams)
        else:
            _run_here(request, data, log, replies, streams)
        request = inbox.read(requests)


def count_threads() -> int:
    """Return the number of threads of this process, including the threads of libraries (Linux)."""
    return len(os.listdir("/proc/self/task"))  # noqa: PTH208


def _load(data: bytes) -> tuple[Algorithm, Instances]:
    try:
        return unpack(data)
    except BaseException as error:
        raise RuntimeError(
            "expected the algorithm and its instances to load in the worker; install what they import there, "
            "or define them in the script itself"
        ) from error


def _failed_setup(error: BaseException) -> dict[str, Any]:
    return {"status": "setup", "failure": asdict(failure_of(error)), "seconds": 0.0, "cpu_seconds": 0.0}


def _fork_run(
    request: Frame, algorithm: Algorithm, instances: Instances, log: EventLog, pipes: tuple[int, int]
) -> list[str]:
    """Make a run in a forked copy of this process, pass its messages on, and return the modules that it has imported."""
    flush_output()  # a copy would write what is buffered again
    template, (reads, writes) = os.getpid(), os.pipe()
    child = os.fork()
    if child == 0:
        try:
            die_with_parent(template)
            os.setsid()
            for file in (reads, *pipes):
                os.close(file)
            _run_in_copy(request, algorithm, instances, log, writes)
        finally:
            os._exit(1)
    os.close(writes)
    try:
        kind, message = _await_run(child, reads, pipes[1], request)
    finally:
        os.close(reads)
    imported: list[str] = message.pop("imported", [])
    write_frame(pipes[1], kind, request.token, message)
    return imported


def _run_in_copy(request: Frame, algorithm: Algorithm, instances: Instances, log: EventLog, replies: int) -> None:
    latest = next(reversed(sys.modules))
    log.clear()
    os.register_at_fork(after_in_child=lambda: _leave(log, replies))
    atexit._clear()  # what the payload has registered is the template's to do

    def send(kind: Kind, message: dict[str, Any]) -> None:
        write_frame(replies, kind, request.token, message)

    reply = make_run(request.message, algorithm, instances, log, send)
    with contextlib.suppress(BaseException):
        atexit._run_exitfuncs()
    flush_output()
    send(Kind.REPLY, {**reply, "imported": _new_libraries(latest)})
    os._exit(0)


def _await_run(child: int, reads: int, replies: int, request: Frame) -> tuple[Kind, dict[str, Any]]:
    """Wait for the end of a run; return its reply, or how it failed to give one."""
    inbox, poll = Inbox(), select.poll()
    poll.register(reads, select.POLLIN)
    with contextlib.suppress(InvalidFrame):
        while True:
            if not poll.poll(_CHECK_MILLISECONDS):
                if (code := exit_code(child)) is not None:
                    return Kind.CRASHED, {"code": code}
                continue
            if not inbox.receive(reads):
                code = await_exit(child, request.message["exit_seconds"])
                if code is None:
                    kill_child(child)
                return Kind.CRASHED, {"code": code}
            while (message := inbox.take(request.token)) is not None:
                if message.kind is Kind.REPLY:
                    kill_child(child)
                    return Kind.REPLY, message.message
                if message.kind is not Kind.STARTED:
                    raise InvalidFrame
                write_frame(replies, Kind.STARTED, request.token, message.message)
    kill_child(child)
    return Kind.INVALID, {}


def _new_libraries(latest: str) -> list[str]:
    """Return the modules of installed packages that were imported after a given one, in the order of their import."""
    # Only new names are touched: a look at all would copy their memory in every run.
    new = list(itertools.takewhile(lambda name: name != latest, reversed(sys.modules)))[::-1]
    folders = (
        tuple(sysconfig.get_path(folder) for folder in ("stdlib", "platstdlib", "purelib", "platlib")) if new else ()
    )

    def installed(name: str) -> bool:
        origin = getattr(getattr(sys.modules[name], "__spec__", None), "origin", None) or ""
        return name.startswith("polarbear.") or str(origin).startswith(folders)

    return [name for name in new if installed(name)]


def _is_trusted(package: str) -> bool:
    return package in _SHARED or package in sys.stdlib_module_names


def _import_ahead(names: list[str], streams: tuple[int, int]) -> None:
    """Import libraries that a run has imported, so that later runs need not; exit if this starts threads."""
    if not names:
        return
    os.dup2(streams[0], 2)  # what imports print belongs to no run
    for name in names:
        with contextlib.suppress(BaseException):
            importlib.import_module(name)
    os.dup2(streams[1], 2)
    gc.freeze()
    if count_threads() > 1:
        os._exit(THREADED)


def _run_here(request: Frame, data: bytes, log: EventLog, replies: int, streams: tuple[int, int]) -> None:
    """Make a run in this process, and restore its state."""
    log.clear()
    for stream, source in ((0, streams[0]), (1, streams[1]), (2, streams[1])):
        os.dup2(source, stream)

    def send(kind: Kind, message: dict[str, Any]) -> None:
        write_frame(replies, kind, request.token, message)

    files = [_identify(file) for file in (log.file, *streams)]
    with preserved_state() as lost:
        try:
            reply = make_run(request.message, *_load(data), log, send)
        except BaseException as error:
            reply = _failed_setup(error)
    changed = files != [_identify(file) for file in (log.file, *streams)]
    send(Kind.REPLY, {**reply, "leftovers": bool(lost) or changed or _has_children()})


def _identify(file: int | None) -> tuple[int, int] | None:
    """Return what a file descriptor refers to, or None if it is closed."""
    if file is None:
        return None
    try:
        status = os.fstat(file)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _leave(log: EventLog, *pipes: int) -> None:
    """Cut a forked child off from the log and from the pipes of the run."""
    log.disown()
    for pipe in pipes:
        with contextlib.suppress(OSError):
            os.close(pipe)


def _has_children() -> bool:
    if not hasattr(os, "waitid"):
        return False
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except ChildProcessError:
        return False
    return True
