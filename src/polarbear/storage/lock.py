"""A lock that admits one writer at a time; the operating system releases it however its holder dies.

The library filelock makes the lock: `flock` on Unix, `LockFileEx` on Windows.
"""

from __future__ import annotations

import errno
import os
import socket
import time
import weakref
from contextlib import suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class RaceFileInUse(ValueError):  # noqa: N818 (a state of the file, not an error in it)
    """The race file is already open for writing, in another process or in another part of this one."""


# Windows locks the first byte, so that others cannot read it: the name of the holder begins after it.
_LOCKED = 1
_PROBE_SECONDS = 0.05  # much longer than `find_writer` holds the lock


class WriterLock:
    """The right to write a race file, held until `release`, the end of this object or the end of the program.

    It locks the file `path + ".lock"`, which names its holder for the error message that other writers get.

    Parameters
    ----------
    path
        The race file, with symbolic links resolved, so that two names of one file share one lock.
    """

    def __init__(self, path: Path) -> None:
        lock = path.with_name(path.name + ".lock")
        descriptor = _acquire(lock, path)
        self._remove, self._descriptor = weakref.finalize(self, _remove, lock, descriptor), descriptor
        _HELD.add(self)
        try:
            os.ftruncate(descriptor, 0)
            os.lseek(descriptor, _LOCKED, os.SEEK_SET)
            os.write(descriptor, _process_name().encode())
        except OSError as error:
            self.release()
            raise OSError(error.errno, f"{path} cannot be locked for writing: {error.strerror}; make room") from error

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        self._remove()

    def forget(self) -> None:
        """Close the lock without removing its file, as a forked child must do with its parent's lock."""
        if self._remove.detach() is not None:
            os.close(self._descriptor)


def find_writer(path: Path) -> str | None:
    """Return the process that has a race file open for writing, such as "process 7 on host"; None if there is none.

    It takes the lock for a moment, which a new writer tolerates.
    """
    from filelock import lock_descriptor

    path = path.resolve()
    try:
        descriptor = os.open(path.with_name(path.name + ".lock"), os.O_RDONLY)
    except OSError:  # nearly always since there is no such file
        return None
    try:
        return None if lock_descriptor(descriptor, blocking=False) else _holder(descriptor)
    except OSError:
        return None
    finally:
        os.close(descriptor)


def _remove(lock: Path, descriptor: int) -> None:
    # Remove the file while it is locked: a process that has opened it finds that it is gone, and tries again. Windows
    # cannot remove an open file; if the file can be removed there after it is closed, no other process has it open.
    if os.name == "nt":
        os.close(descriptor)
    with suppress(OSError):
        lock.unlink()
    if os.name != "nt":
        os.close(descriptor)


def _acquire(lock: Path, path: Path) -> int:
    """Open and lock the file, and return its descriptor; raise RaceFileInUse if it is locked already."""
    from filelock import lock_descriptor  # takes 20 ms, which readers need not spend

    while True:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)  # not inherited by programs that are started
        try:
            if not lock_descriptor(descriptor, blocking=False):
                time.sleep(_PROBE_SECONDS)  # perhaps it was only probed
                if not lock_descriptor(descriptor, blocking=False):
                    raise _in_use_error(path, descriptor)
            if _has_name(descriptor, lock):
                return descriptor
        except OSError as error:
            os.close(descriptor)
            if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.ENOSYS):
                raise
            raise OSError(
                error.errno, f"the file system of {path} has no locks; put the race file on another disk"
            ) from error
        except RaceFileInUse:
            os.close(descriptor)
            raise
        os.close(descriptor)


def _in_use_error(path: Path, descriptor: int) -> RaceFileInUse:
    """Return the error that names the process which holds the lock."""
    holder = _holder(descriptor)
    advice = (
        ", which is this one; close the race that has it open"
        if holder == _process_name()
        else "; wait for it or stop it"
    )
    return RaceFileInUse(f"{path} is being written by {holder}{advice}, or open the file for reading only")


def _holder(descriptor: int) -> str:
    """Return the name of the process that holds the lock."""
    os.lseek(descriptor, _LOCKED, os.SEEK_SET)
    return os.read(descriptor, 1000).decode(errors="replace") or "another process"


def _process_name() -> str:
    return f"process {os.getpid()} on {socket.gethostname()}"


def _has_name(descriptor: int, lock: Path) -> bool:
    """Return whether the locked file still has its name; its last holder may have removed it in the meantime."""
    try:
        return os.path.samestat(os.fstat(descriptor), lock.stat())
    except FileNotFoundError:
        return False


_HELD: weakref.WeakSet[WriterLock] = weakref.WeakSet()


def _forget_locks() -> None:
    """Close the locks in a forked child, which would otherwise hold them beyond the writer's death."""
    for lock in list(_HELD):
        lock.forget()


if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_forget_locks)
