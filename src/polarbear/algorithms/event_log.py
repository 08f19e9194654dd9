"""The log of a run's improvements: plain numbers in memory that outlives the process of the run."""

from __future__ import annotations

import mmap
import os
import struct
from typing import NamedTuple

# The first cells hold the progress of the run; pairs (budget, value) follow.
EVENTS, REACHED, STARTED, OUR_CLOCK, HEADER = range(5)
_HEADER = struct.Struct(f"{HEADER}d")
_FIRST_SIZE = 1 << 16  # bytes, for 4,000 improvements; doubled when full


class EventLog:
    """The improvements (budget, value) of a run, and its progress.

    With a `file` (a descriptor), the numbers lie in memory that all processes with this file share. An improvement is
    available there at once, however the process ends; nothing waits to be sent.

    Examples
    --------
    >>> log = EventLog()
    >>> log.add(1.0, 0.5)
    >>> log.events()
    [(1.0, 0.5)]
    """

    def __init__(self, file: int | None = None) -> None:
        self.file = file
        self._capacity = 0
        self.cells: memoryview[float] = memoryview(b"").cast("d")
        self._grow()
        self.clear()

    def clear(self) -> None:
        """Empty the log for the next run."""
        if self.file is not None and os.fstat(self.file).st_size < self.cells.nbytes:
            os.ftruncate(self.file, self.cells.nbytes)  # a run of another process has shortened the file
        for cell in range(HEADER):
            self.cells[cell] = 0.0
        self._count = 0

    def add(self, budget: float, value: float) -> None:
        """Add an improvement; it replaces an earlier one at the same budget."""
        count, cells = self._count, self.cells
        if count and cells[HEADER + 2 * count - 2] == budget:
            cells[HEADER + 2 * count - 1] = value
            return
        if count == self._capacity:
            self._grow()
            cells = self.cells
        at = HEADER + 2 * count
        cells[at] = budget
        cells[at + 1] = value
        # Count the event only when it is complete, so that a concurrent reader never gets half of it.
        self._count = count + 1
        cells[EVENTS] = self._count

    def events(self) -> list[tuple[float, float]]:
        """Return all improvements (budget, value)."""
        numbers = self.cells[HEADER : HEADER + 2 * self._count].tolist()
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    def disown(self) -> None:
        """Make every further use raise an error; for a forked child's copy of its parent's log."""
        self.cells = _Disowned()  # type: ignore[assignment]

    def _grow(self) -> None:
        size = 2 * self.cells.nbytes or _FIRST_SIZE
        if self.file is None:
            memory = bytearray(size)
            memory[: self.cells.nbytes] = self.cells.cast("B") if self.cells.nbytes else b""
            self.cells = memoryview(memory).cast("d")
        else:
            size = max(size, os.fstat(self.file).st_size)
            os.ftruncate(self.file, size)
            self.cells = memoryview(mmap.mmap(self.file, size)).cast("d")
        self._capacity = (len(self.cells) - HEADER) // 2


class _Disowned:
    """Replaces the cells in a forked child, where counting would corrupt the parent's counts or be lost."""

    nbytes = 0

    def __setitem__(self, cell: int, number: float) -> None:
        raise RuntimeError(
            "expected the objective to be called in the process of the run, got a call in a child process that it "
            "forked, where evaluations cannot be counted; evaluate in threads, or collect the values in the parent "
            "and let the algorithm yield (budget, value)"
        )

    __getitem__ = __setitem__


class LogState(NamedTuple):
    """The progress of a run in another process, and its improvements as the bytes of float64 pairs.

    `complete` is False if the log cannot hold as many improvements as it counts, because something else wrote to its file or
    shortened it.
    """

    reached: float
    started: float
    our_clock: bool
    pairs: bytes
    complete: bool = True


def reset(file: int) -> None:
    """Empty the log in a file before a run."""
    os.pwrite(file, bytes(_HEADER.size), 0)


def read(file: int, *, header_only: bool = False) -> LogState:
    """Read the log in a file, which another process may be writing."""
    header = os.pread(file, _HEADER.size, 0)
    if len(header) < _HEADER.size:
        return LogState(0.0, 0.0, False, b"", complete=False)
    events, reached, started, our_clock = _HEADER.unpack(header)
    complete = 0 <= events <= (os.fstat(file).st_size - _HEADER.size) // 16
    pairs = os.pread(file, 16 * int(events), _HEADER.size) if complete and not header_only else b""
    return LogState(reached, started, bool(our_clock), pairs, complete)
