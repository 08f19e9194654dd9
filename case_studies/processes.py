"""Processes that work beside one another, with one thread each."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@contextmanager
def processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """So many fresh processes, until the end of the block.

    Each has one thread for linear algebra: the matrices are small, and with more the races of these studies take twice the
    processor's time.
    """
    os.environ.update({name: os.environ.get(name, "1") for name in _THREADS})  # read by a process when it starts
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield pool
