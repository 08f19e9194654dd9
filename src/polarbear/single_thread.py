"""One BLAS thread: the matrices here are small, so that threads cost more than they save, and change the last bits."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def single_thread() -> Iterator[None]:
    """Run what is inside with one BLAS thread, so that its speed and its bytes do not depend on the number of threads."""
    with _controller("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas"):
        yield


@cache
def _controller(with_scipy: bool) -> Any:
    """The libraries that are loaded; SciPy brings a BLAS of its own, so that they are looked up again once it is there."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
