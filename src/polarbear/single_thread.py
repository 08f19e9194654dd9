"""Limit BLAS to one thread.

The matrices here are small: more threads cost more time than they save, and they change the last bits of results.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

THREAD_VARIABLES = (
    *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
    "VECLIB_MAXIMUM_THREADS",
)
"""The environment variables that set the number of threads of linear algebra in a new process."""


@contextmanager
def single_thread() -> Iterator[None]:
    """Run the enclosed block with one BLAS thread, so that speed and results do not depend on the number of threads."""
    with _controller("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas"):
        yield


@cache
def _controller(with_scipy: bool) -> Any:
    """Return a controller of the loaded BLAS libraries.

    SciPy brings its own BLAS, so the libraries are detected again once SciPy is imported.
    """
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
