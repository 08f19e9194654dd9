"""The driver's side of a worker: starts it, exchanges messages with it, and has it kill everything it has started."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from typing import TYPE_CHECKING, Any, NamedTuple

from polarbear.algorithms import event_log
from polarbear.algorithms.exit_status import describe_exit
from polarbear.execution.descendants import TOKEN, driver_token, kill_group, kill_processes_with_token
from polarbear.execution.frames import NO_RUN, Frame, Inbox, InvalidFrame, Kind, frame
from polarbear.single_thread import THREAD_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Callable

_BOOT = (
    "import json, sys; sys.path[:] = json.loads(sys.argv.pop()); "
    "from polarbear.execution.worker_main import main; main()"
)
# Linear algebra uses one thread: as many runs as there are cores share the machine, and their clocks must be fair. A fixed
# hash seed gives sets of strings the same order in every worker.
_ENVIRONMENT = {**dict.fromkeys(THREAD_VARIABLES, "1"), "PYTHONHASHSEED": "0"}
_TAIL = 8_000  # bytes of a worker's output that are kept for messages
_START_SECONDS = 60.0
_STOP_SECONDS = 10.0  # for a worker to kill its descendants; only a process stuck in the kernel takes longer
_SLICE_SECONDS = 0.2  # between checks of a silent worker
_EXIT_SECONDS = 5.0  # for a process that has closed its pipes to end: on a busy machine, the kernel takes a moment

_numbers = itertools.count()


class WorkerEnded(Exception):  # noqa: N818
    """The worker died, closed its pipes, or sent an invalid message."""


class RunStart(NamedTuple):
    """The start of a run: its time on the monotonic clock, its process, and the CPU time that the process had used."""

    at: float
    process: int
    cpu_seconds: float


class WorkerProcess:
    """A running worker, for one thread at a time; only `kill` and `close` may be called from any thread."""

    def __init__(self) -> None:
        self.token = f"{driver_token()}.{next(_numbers)}."
        self.log = _anonymous_file()
        here = os.getcwd()  # noqa: PTH109  (a string, like the entries of sys.path)
        # Keep the token of an enclosing worker, so that a race within a run ends with that run.
        token = {TOKEN: f"{os.environ.get(TOKEN, '')}/{self.token}"}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _BOOT, str(self.log), json.dumps([entry or here for entry in sys.path])],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env={**os.environ, **_ENVIRONMENT, **token},
            pass_fds=[self.log],
            start_new_session=True,
        )
        self._end = _End(self._process, self.token, self.log)
        _ends.add(self._end)
        # The process ends with this object, whether the thread ends or the interpreter exits.
        weakref.finalize(self, self._end.dispose)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe is not None)
        for file in (self._in, self._out, self._err):
            os.set_blocking(file, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._tail, self._inbox = bytearray(), Inbox()
        self.closed = False
        self.run_start: RunStart | None = None
        self._wait_until_ready()

    def alive(self) -> bool:
        """Return whether the process is running."""
        return not self._end.done and self._process.poll() is None

    def ask(self, job: dict[str, Any], payload: tuple[str, bytes], remaining: Callable[[float], float]) -> Frame | None:
        """Have a run made and return its outcome (`REPLY`, `CRASHED` or `INVALID`), or None when no time is left.

        The payload (digest, data) is sent if the worker does not have it. `remaining(now)` returns the seconds that are
        left. Once the run has started, `run_start` is set. Raises `WorkerEnded`.
        """
        self._drain()
        self._tail.clear()
        self.run_start = None
        event_log.reset(self.log)
        digest, data = payload
        token = os.urandom(len(NO_RUN))
        request = frame(Kind.JOB, token, {**job, "payload": digest, "exit_seconds": _EXIT_SECONDS})
        while (answer := self._converse(request, token, remaining)) is not None:
            request = b""
            if answer.kind is Kind.NEED:
                request = frame(Kind.LOAD, token, {}, data)
            elif answer.kind is Kind.STARTED:
                self.run_start = RunStart(**answer.message)
            else:
                return answer
        return None

    def run_cpu_seconds(self) -> float:
        """Return the CPU time of the run in progress, or 0 where the system does not report it."""
        if self.run_start is None:
            return 0.0
        try:
            clock = (~self.run_start.process << 3) | 2  # as clock_getcpuclockid(3) does on Linux
            return time.clock_gettime(clock) - self.run_start.cpu_seconds
        except (AttributeError, OSError):
            return 0.0

    def kill(self) -> None:
        """Kill the process and all its descendants; from any thread, any number of times."""
        self._end.kill()

    def close(self) -> None:
        """Kill the worker because it is no longer needed, not because of its run."""
        self.closed = True
        self.kill()

    def describe_end(self) -> str:
        """Describe how the worker ended; wait briefly if it is about to end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_EXIT_SECONDS)
        return self.describe_outcome(Kind.CRASHED, self._process.returncode)

    def describe_outcome(self, kind: Kind, code: int | None) -> str:
        """Describe how the process of a run ended without a reply."""
        if kind is Kind.INVALID:
            return (
                "wrote to the channel of its worker (expected only PolarBear to write there; check code that writes to "
                "file descriptors it did not open)"
            )
        if code is None:
            return "closed the pipes to its driver (code that closes all open files does that)"
        memory = ", possibly by the system because memory ran out" if code == -signal.SIGKILL else ""
        return f"{describe_exit(code)}{memory}"

    def output(self) -> str:
        """Return the end of what the run has written to stdout and stderr."""
        self._drain()
        return bytes(self._tail).decode(errors="replace").strip()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        try:
            if self._converse(b"", NO_RUN, lambda now: deadline - now) is not None:
                return
            end = "did not answer"
        except WorkerEnded:
            end = self.describe_end()
        self.kill()
        expected = f"expected a worker to start with {sys.executable} and to import polarbear"
        raise RuntimeError(f"{expected}, but it {end}\n{self.output()}".rstrip())

    def _converse(self, request: bytes, token: bytes, remaining: Callable[[float], float]) -> Frame | None:
        """Send a request and return the next message, or None when no time is left.

        One loop writes, reads and drains the worker's output, so that the two sides never wait for each other forever.
        """
        try:
            if (message := self._inbox.take(token)) is not None:
                return message
            unsent = self._write(memoryview(request))
            if unsent:
                self._poll.register(self._in, select.POLLOUT)
            while (seconds := remaining(time.monotonic())) > 0:
                ready = self._poll.poll(1000 * min(seconds, _SLICE_SECONDS))
                for file, _ in ready:
                    if file == self._out:
                        if not self._inbox.receive(file):
                            raise WorkerEnded
                    elif file == self._err:
                        self._read_output()
                    elif not (unsent := self._write(unsent)):
                        self._poll.unregister(self._in)
                if (message := self._inbox.take(token)) is not None:
                    return message
                if not ready and not self.alive():
                    raise WorkerEnded
            return None
        except (OSError, InvalidFrame) as error:
            raise WorkerEnded from error

    def _write(self, data: memoryview) -> memoryview:
        """Write as much as the pipe accepts without blocking, and return the rest."""
        try:
            while data:
                data = data[os.write(self._in, data) :]
        except BlockingIOError:
            pass
        return data

    def _drain(self) -> None:
        while self._read_output():
            pass

    def _read_output(self) -> bool:
        try:
            chunk = os.read(self._err, 1 << 16)
        except BlockingIOError:
            return False
        if not chunk:
            with contextlib.suppress(KeyError):
                self._poll.unregister(self._err)
            return False
        self._tail += chunk
        del self._tail[:-_TAIL]
        return True


class _End:
    """Ends a worker process; separate from `WorkerProcess`, which it must outlive."""

    def __init__(self, process: subprocess.Popen[bytes], token: str, log: int) -> None:
        self._process, self._token, self._log = process, token, log
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._open = True
        self.done = False

    def kill(self) -> None:
        if os.getpid() != self._owner:
            return
        with self._lock:
            if self.done:
                return
            self.done = True
            self._process.terminate()  # the worker kills its descendants and exits
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=_STOP_SECONDS)
            if self._process.returncode != 0:  # it was killed, or is stuck
                kill_group(self._process.pid)
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(timeout=_STOP_SECONDS)
                kill_processes_with_token(self._token)

    def dispose(self) -> None:
        """End a worker that is no longer used, after giving it time to clean up."""
        if os.getpid() == self._owner and not self.done and self._process.stdin is not None:
            self._process.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1)
            self.kill()
        self.release()

    def release(self) -> None:
        """Close the files of this process; in a forked copy of the driver, also forget the worker, which is the parent's."""
        if not self._open:
            return
        self._open = False
        if os.getpid() != self._owner:
            self._process.returncode = 0
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                pipe.close()
        os.close(self._log)


_ends: weakref.WeakSet[_End] = weakref.WeakSet()


def _release_all() -> None:
    """Close a forked child's copies of the pipes, so that the parent's workers notice when the parent dies."""
    for end in list(_ends):
        end.release()


os.register_at_fork(after_in_child=_release_all)


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("polarbear")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
