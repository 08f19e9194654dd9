"""The driver's end of its guardian: one for each process that drives workers, started with the first of them."""

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
    """Return what the tokens of all workers of this process begin with, and start the guardian if there is none."""
    global _guardian, _token
    with _lock:
        if _guardian is None or _guardian.poll() is not None:
            if _guardian is None:
                _token = uuid.uuid4().hex
                atexit.register(dismiss)
                _register_with_multiprocessing()
            # No token for the guardian itself, and none of an enclosing worker: it must outlive them.
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
    """Have the guardian kill this process group if this process dies."""
    _tell(f"+{group}\n")


def unwatch(group: int) -> None:
    """Tell the guardian that the group is gone."""
    _tell(f"-{group}\n")


def dismiss() -> None:
    """Let the guardian look around once more, and end."""
    global _guardian
    with _lock:
        if _guardian is not None and _guardian.stdin is not None:
            _guardian.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                _guardian.wait(timeout=5)
            _guardian = None


def _tell(line: str) -> None:
    with _lock, contextlib.suppress(OSError):
        if _guardian is not None and _guardian.stdin is not None:
            _guardian.stdin.write(line.encode())


def _register_with_multiprocessing() -> None:
    """Have `dismiss` called at the end of a process of a pool, where `atexit` is not."""
    multiprocessing = sys.modules.get("multiprocessing")
    if multiprocessing is not None and multiprocessing.parent_process() is not None:
        from multiprocessing.util import Finalize

        Finalize(None, dismiss, exitpriority=0)


def _forget() -> None:
    """In a forked child: the guardian is the parent's, which it must see die."""
    global _guardian, _lock
    _lock = threading.RLock()
    if _guardian is not None:
        if _guardian.stdin is not None:
            _guardian.stdin.close()
        _guardian.returncode = 0  # not this process's child: nothing to wait for
        _guardian = None


os.register_at_fork(after_in_child=_forget)
