"""Slots: each thread that makes runs keeps one worker, and replaces it when necessary."""

from __future__ import annotations

import os
import threading
import weakref

from polarbear.execution.worker_client import WorkerProcess


class WorkersClosed(RuntimeError):  # noqa: N818
    """The worker was closed before or during a run, because the executor was shut down."""


class Slot:
    """The holder of one thread's worker; both end with the thread."""

    def __init__(self) -> None:
        self._worker: WorkerProcess | None = None
        self._closed = False
        with _lock:
            _slots.add(self)

    def worker(self) -> WorkerProcess:
        """Return the worker; start a new one if necessary."""
        if not self._closed and (self._worker is None or not self._worker.alive()):
            self.retire()
            self._worker = WorkerProcess()
        # Check again: another thread may have closed the slot while the worker was starting.
        if self._closed or self._worker is None:
            self.retire()
            raise WorkersClosed("the executor was shut down before this run began; submit it to another one")
        return self._worker

    def retire(self) -> None:
        """Kill the worker; the next run gets a new one."""
        worker, self._worker = self._worker, None
        if worker is not None:
            worker.kill()

    def close(self, *, forever: bool = False) -> None:
        """Kill the worker, from any thread and even during a run; `forever` prevents the start of another."""
        self._closed = self._closed or forever
        worker = self._worker
        if worker is not None:
            worker.close()


_slots: weakref.WeakSet[Slot] = weakref.WeakSet()
_lock = threading.Lock()
_own = threading.local()


def own_slot() -> Slot:
    """Return the slot of the calling thread."""
    slot: Slot | None = getattr(_own, "slot", None)
    if slot is None:
        slot = _own.slot = Slot()
    return slot


def close_workers() -> None:
    """Kill all workers of this process. Runs in progress raise `WorkersClosed`; later runs get new workers."""
    with _lock:
        slots = list(_slots)
    for slot in slots:
        slot.close()


def _forget() -> None:
    """Drop all slots in a forked child: the workers belong to the parent."""
    global _lock
    _lock = threading.Lock()
    _slots.clear()
    _own.__dict__.clear()


os.register_at_fork(after_in_child=_forget)
