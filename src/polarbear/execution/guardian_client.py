"""The driver's side of its guardian process.

Each process that drives workers has one guardian, which starts with the first worker.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import uuid

from polarbear.execution import guardian_main as guardian

_lock = threading.RLock()
_guardian: subprocess.Popen[bytes] | None = None
_token = ""


def driver_token() -> str:
    """Return the common prefix of the tokens of this process's workers, and start the guardian if it is not running."""
    global _guardian, _token
    with _lock:
        if _guardian is None or _guardian.poll() is not None:
            if _guardian is None:
                _token = uuid.uuid4().hex
                atexit.register(stop_guardian)
                _register_with_multiprocessing()
            # The guardian carries no token, not even that of an enclosing worker: it must outlive the workers.
            environment = {name: value for name, value in os.environ.items() if name != guardian.TOKEN}
            _guardian = subprocess.Popen(
                [sys.executable, "-I", "-S", guardian.__file__, _token],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                bufsize=0,
                env=environment,
                start_new_session=True,
            )
        return _token


def watch(group: int) -> None:
    """Let the guardian kill this process group if the current process dies."""
    _send(f"+{group}\n")


def unwatch(group: int) -> None:
    """Notify the guardian that the process group has ended."""
    _send(f"-{group}\n")


def stop_guardian() -> None:
    """Let the guardian kill the remaining worker processes, and end it."""
    global _guardian
    with _lock:
        if _guardian is not None and _guardian.stdin is not None:
            _guardian.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                _guardian.wait(timeout=5)
            _guardian = None


def _send(line: str) -> None:
    with _lock, contextlib.suppress(OSError):
        if _guardian is not None and _guardian.stdin is not None:
            _guardian.stdin.write(line.encode())


def _register_with_multiprocessing() -> None:
    """Call `stop_guardian` when a process of a multiprocessing pool ends, where `atexit` functions do not run."""
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None and multiprocessing.parent_process() is not None:
        from multiprocessing.util import Finalize

        Finalize(None, stop_guardian, exitpriority=0)


def _forget() -> None:
    """Close a forked child's copy of the pipe, so that the parent's guardian notices when the parent dies."""
    global _guardian, _lock
    _lock = threading.RLock()
    if _guardian is not None:
        if _guardian.stdin is not None:
            _guardian.stdin.close()
        _guardian.returncode = 0  # not a child of this process: nothing to wait for
        _guardian = None


os.register_at_fork(after_in_child=_forget)
