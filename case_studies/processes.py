"""A pool of processes with one thread each."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING

from polarbear.single_thread import THREAD_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def processes(workers: int) -> Iterator[ProcessPoolExecutor]:
    """Return a pool of new processes, which end with the block.

    Unless the environment says otherwise, each has one thread for linear algebra: the matrices are small, and with more
    threads the races of these studies take twice the processor time.
    """
    os.environ.update(
        {name: os.environ.get(name, "1") for name in THREAD_VARIABLES}
    )  # a process reads them at its start
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield pool
