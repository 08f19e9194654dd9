"""Knowledge of a worker's descendants: no process that a run has started outlives it.

On Linux a worker is a subreaper: the kernel makes it the parent of every orphan among its descendants, whatever session,
process group or environment the orphan has. A worker thus finds all of them among its children. Elsewhere process groups
must do. The token in the environment of a worker and its descendants is the last resort: with it, the driver of a worker
that was itself killed finds what is left (where /proc exists).
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Container

TOKEN = "POLARBEAR_WORKER"
"""The environment variable with the tokens of a worker and of the workers that enclose it."""

_PROC = "/proc"
_SUBREAPER, _DEATH_SIGNAL = 36, 1  # PR_SET_CHILD_SUBREAPER and PR_SET_PDEATHSIG of prctl(2)
_ROUNDS = 1000  # each kills a generation of descendants; only a fork bomb has more


_drivers: dict[int, str] = {}
os.register_at_fork(after_in_child=_drivers.clear)


def driver_token() -> str:
    """Return the common prefix of the tokens of this process's workers; a forked child has another."""
    return _drivers.setdefault(os.getpid(), os.urandom(16).hex())


def adopt_orphans() -> None:
    """Become the parent of orphaned descendants (Linux only)."""
    _prctl(_SUBREAPER, 1)


def die_with_parent(parent: int) -> None:
    """Let the kernel kill this process, a child of `parent`, when its parent ends (Linux only)."""
    _prctl(_DEATH_SIGNAL, signal.SIGKILL)
    if os.getppid() != parent:  # it had ended before
        os._exit(1)


def list_children() -> list[int]:
    """Return the children of this process, which has one thread; an empty list where /proc does not exist."""
    try:
        with open(f"{_PROC}/thread-self/children", "rb", buffering=0) as file:  # noqa: PTH123
            return [int(child) for child in (file.read() or b"").split()]
    except OSError:  # a kernel without CONFIG_PROC_CHILDREN, or no Linux
        return [process for process in _list_processes() if _parent_of(process) == os.getpid()]


def end_children(keep: Container[int] = ()) -> None:
    """Kill all children but those to keep, then the orphans that this leaves, until there are none."""
    for _ in range(_ROUNDS):
        children = [child for child in list_children() if child not in keep]
        if not children:
            return
        for child in children:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(child, 0)


def exit_code(child: int) -> int | None:
    """Return the exit code of a child that has ended, in the manner of `subprocess`, and forget it; otherwise None."""
    ended, status = os.waitpid(child, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if ended else None


def await_exit(child: int, seconds: float) -> int | None:
    """Return the exit code of a child that is about to end, or None if it does not end in time."""
    deadline = time.monotonic() + seconds
    while (code := exit_code(child)) is None and time.monotonic() < deadline:
        time.sleep(0.002)
    return code


def kill_child(child: int) -> None:
    """Kill a child and forget it."""
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def kill_group(group: int) -> None:
    """Kill a process group if it still exists."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS raises the latter for zombies
        os.killpg(group, signal.SIGKILL)


def processes_with_token(token: str) -> list[int]:
    """Return the live processes with the token in their environment; an empty list where /proc does not exist."""
    wanted, processes = token.encode(), []
    for process in _list_processes():
        try:
            with open(f"{_PROC}/{process}/environ", "rb") as file:  # noqa: PTH123
                if wanted in file.read():
                    processes.append(process)
        except OSError:  # ended, or owned by another user
            continue
    return processes


def kill_processes_with_token(token: str) -> None:
    """Kill every process with the token, including those that start in the meantime."""
    for _ in range(100):
        living = processes_with_token(token)
        if not living:
            return
        for process in living:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process, signal.SIGKILL)


def _list_processes() -> list[int]:
    try:
        return [int(name) for name in os.listdir(_PROC) if name.isdigit()]  # noqa: PTH208
    except OSError:
        return []


def _parent_of(process: int) -> int:
    try:
        with open(f"{_PROC}/{process}/stat") as file:  # noqa: PTH123
            return int(file.read().rpartition(")")[2].split()[1])
    except (OSError, ValueError):
        return -1


@functools.cache
def _c_library() -> Any:
    import ctypes

    return ctypes.CDLL(None)


def _prctl(option: int, value: int) -> None:
    with contextlib.suppress(Exception):  # not Linux
        _c_library().prctl(option, value, 0, 0, 0)
