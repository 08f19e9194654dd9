"""An executor for this machine: threads that each drive one worker process."""

from __future__ import annotations

import os
import weakref
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Self, TypeVar

from polarbear.execution.slot import Slot, own_slot

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

T = TypeVar("T")


class LocalExecutor(Executor):
    """An executor that makes runs in processes of this machine, one worker per thread.

    Parameters
    ----------
    workers
        The number of simultaneous runs; by default the number of cores minus one, at least one, so that the driver does
        not slow the runs down.

    Examples
    --------
    >>> with LocalExecutor(workers=2) as executor:
    ...     executor.submit(pow, 2, 10).result()
    1024
    """

    def __init__(self, workers: int | None = None) -> None:
        if workers is None:
            workers = max(1, _cores() - 1)
        if workers < 1:
            raise ValueError(f"expected a number of workers, 1 or more, got {workers!r}")
        self.workers = workers
        # Weak references, so that each slot ends with its thread, and the worker with the slot.
        self._slots: weakref.WeakSet[Slot] = weakref.WeakSet()
        self._pool = ThreadPoolExecutor(workers, "polarbear", initializer=_enlist, initargs=(self._slots,))

    def submit(self, function: Callable[..., T], /, *args: Any, **kwargs: Any) -> Future[T]:
        return self._pool.submit(function, *args, **kwargs)

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Stop accepting runs and end the workers.

        Parameters
        ----------
        wait
            Return only when all runs have ended.
        cancel_futures
            Cancel pending runs and kill those in progress, whose futures raise `WorkersClosed`. Otherwise all are finished.
        """
        self._pool.shutdown(wait=False, cancel_futures=cancel_futures)
        if cancel_futures:
            for slot in list(self._slots):
                slot.close(forever=True)
        self._pool.shutdown(wait=wait)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        # After an error in the block, such as Ctrl-C, do not wait for runs that may never end.
        self.shutdown(wait=True, cancel_futures=error is not None)


def _enlist(slots: weakref.WeakSet[Slot]) -> None:
    slots.add(own_slot())


def _cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
