"""The driver's side of a worker: starts it, exchanges messages with it, and kills it with everything it has started."""

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
from typing import TYPE_CHECKING, Any

from polarbear.algorithms import event_log
from polarbear.algorithms.exit_status import describe_exit
from polarbear.execution import guardian_client, guardian_main
from polarbear.execution.frames import frame, split
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
_SLICE_SECONDS = 0.2  # between checks of a silent worker
_EXIT_SECONDS = 5.0  # for a process that has closed its pipes to end: on a busy machine, the kernel takes a moment

_numbers = itertools.count()


class WorkerEnded(Exception):  # noqa: N818
    """The worker died, closed its pipes, or sent an invalid message."""


class WorkerProcess:
    """A running worker, for one thread at a time; only `kill` and `close` may be called from any thread."""

    def __init__(self) -> None:
        self.token = f"{guardian_client.driver_token()}.{next(_numbers)}."
        self.log = _anonymous_file()
        here = os.getcwd()  # noqa: PTH109  (a string, like the entries of sys.path)
        # Keep the token of an enclosing worker, so that a race within a run ends with that run.
        token = {guardian_main.TOKEN: f"{os.environ.get(guardian_main.TOKEN, '')}/{self.token}"}
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
        self._end = _End(self._process, self.token)
        # The process ends with this object, whether the thread ends or the interpreter exits.
        weakref.finalize(self, self._end.dispose, self.log)
        guardian_client.watch(self._process.pid)
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._in, self._out, self._err = (pipe.fileno() for pipe in pipes if pipe is not None)
        for file in (self._in, self._out, self._err):
            os.set_blocking(file, False)
        self._poll = select.poll()
        self._poll.register(self._out, select.POLLIN)
        self._poll.register(self._err, select.POLLIN)
        self._tail = bytearray()
        self.closed = False
        self._loaded: set[str] = set()
        self._wait_until_ready()

    def alive(self) -> bool:
        """Return whether the process is running."""
        return not self._end.done and self._process.poll() is None

    def ask(
        self, message: dict[str, Any], payload: tuple[str, bytes], remaining: Callable[[float], float]
    ) -> dict[str, Any] | None:
        """Send a request and return the reply, or None when no time is left.

        The payload (digest, data) is sent along if the worker does not have it yet. `remaining(now)` returns the seconds
        that are left. Raises `WorkerEnded`.
        """
        self._drain()
        self._tail.clear()
        event_log.reset(self.log)
        request = frame(message)
        digest, data = payload
        if digest not in self._loaded:
            request = frame({"load": digest}, data) + request
            self._loaded.add(digest)
        return self._converse(request, remaining)

    def cpu_seconds(self) -> float:
        """Return the CPU time that the process has used, or 0 where the system does not report it."""
        try:
            return time.clock_gettime((~self._process.pid << 3) | 2)  # the clock of clock_getcpuclockid(3) on Linux
        except (AttributeError, OSError):
            return 0.0

    def kill(self) -> None:
        """Kill the process, its group and all processes with its token; from any thread, any number of times."""
        self._end.kill()

    def close(self) -> None:
        """Kill the worker because it is no longer needed, not because of its run."""
        self.closed = True
        self.kill()

    def describe_end(self) -> str:
        """Describe how the process ended, with its last output; wait briefly if it is about to end."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(timeout=_EXIT_SECONDS)
        code = self._process.returncode
        if code is None:
            how = "closed the pipes to its driver (code that closes all open files does that)"
        else:
            how = describe_exit(code)
            if code == -signal.SIGKILL:
                how += ", possibly by the system because memory ran out"
        text = self.output()
        return f"{how}\n\nIts last output:\n{text}" if text else how

    def output(self) -> str:
        """Return the end of what the run has written to stdout and stderr."""
        self._drain()
        return bytes(self._tail).decode(errors="replace").strip()

    def _wait_until_ready(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        try:
            if self._converse(b"", lambda now: deadline - now) is not None:
                return
            end = "did not answer"
        except WorkerEnded:
            end = self.describe_end()
        self.kill()
        raise RuntimeError(f"expected a worker to start with {sys.executable} and to import polarbear, but it {end}")

    def _converse(self, request: bytes, remaining: Callable[[float], float]) -> dict[str, Any] | None:
        """Send a request and return the reply, or None when no time is left.

        One loop writes, reads and drains the worker's output, so that the two sides never wait for each other forever.
        """
        received = bytearray()
        try:
            unsent = self._write(memoryview(request))
            if unsent:
                self._poll.register(self._in, select.POLLOUT)
            while (seconds := remaining(time.monotonic())) > 0:
                ready = self._poll.poll(1000 * min(seconds, _SLICE_SECONDS))
                for file, _ in ready:
                    if file == self._out:
                        chunk = os.read(file, 1 << 16)
                        if not chunk:
                            raise WorkerEnded
                        received += chunk
                        if (message := split(received)) is not None:
                            return message[0]
                    elif file == self._err:
                        self._read_output()
                    elif not (unsent := self._write(unsent)):
                        self._poll.unregister(self._in)
                if not ready and not self.alive():
                    raise WorkerEnded
            return None
        except (OSError, ValueError) as error:  # a broken pipe or an invalid reply
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

    def __init__(self, process: subprocess.Popen[bytes], token: str) -> None:
        self._process, self._token = process, token
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self.done = False

    def kill(self) -> None:
        with self._lock:
            if self.done or os.getpid() != self._owner:
                return
            self.done = True
            guardian_main.kill_group(self._process.pid)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=10)  # only a process stuck in the kernel takes longer
            guardian_main.kill_processes_with_token(self._token)
            guardian_client.unwatch(self._process.pid)

    def dispose(self, log: int) -> None:
        """End a worker that is no longer used, after giving it time to clean up."""
        pipes = [pipe for pipe in (self._process.stdin, self._process.stdout, self._process.stderr) if pipe is not None]
        pipes[0].close()
        if os.getpid() != self._owner:  # a forked copy of the driver, which does not own the worker
            self._process.returncode = 0
        elif not self.done:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=1)
            self.kill()
        for pipe in pipes:
            pipe.close()
        os.close(log)


def _anonymous_file() -> int:
    if hasattr(os, "memfd_create"):
        return os.memfd_create("polarbear")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())
