"""Restore the state of a process after a run, where runs cannot be forked and share one process.

Restored are the environment, working directory, standard streams, umask, resource limits, signal handlers and mask,
timers, warning filters, locale, `sys.path`, recursion limit, tracing, garbage collection, decimal context, and the error
state and print options of NumPy. Not restored are changes to modules and classes, and state within libraries.
"""

from __future__ import annotations

import contextlib
import decimal
import gc
import locale
import os
import resource
import signal
import sys
import threading
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TIMERS = (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)


@contextlib.contextmanager
def preserved_state() -> Iterator[list[str]]:
    """Restore the state of this process at the end of the block; the list then names what could not be restored."""
    lost: list[str] = []
    before = set(threading.enumerate())
    restorations = [(part.__name__.removeprefix("_"), part()) for part in _PARTS]
    with contextlib.ExitStack() as stack:
        stack.enter_context(warnings.catch_warnings())
        if "numpy" in sys.modules:
            import numpy as np

            stack.enter_context(np.errstate())
            stack.enter_context(np.printoptions())
        stack.enter_context(decimal.localcontext())
        yield lost
    for name, restore in restorations:
        try:
            restore()
        except (OSError, ValueError, TypeError, locale.Error) as error:
            lost.append(f"{name}: {error}")
    if not set(threading.enumerate()) <= before:
        lost.append("threads: the run has left some behind")


def describe_state() -> dict[str, object]:
    """Return what can be restored and compared of the state of this process, to see whether an import changes it."""
    numpy = sys.modules.get("numpy")
    mask = os.umask(0o77)
    os.umask(mask)
    limits = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    return {
        "timers": [signal.getitimer(timer) for timer in _TIMERS],
        "signals": [signal.getsignal(number) for number in signal.valid_signals()],
        "environment": dict(os.environ),
        "files": (os.getcwd(), mask),  # noqa: PTH109
        "resource limits": [resource.getrlimit(limit) for limit in limits],
        "locale": locale.setlocale(locale.LC_ALL),
        "interpreter": (sys.stdin, sys.stdout, sys.stderr, sys.getrecursionlimit(), gc.isenabled(), gc.get_threshold()),
        "warnings": list(warnings.filters),
        "numpy": None if numpy is None else (numpy.geterr(), numpy.get_printoptions()),
    }


def _timers() -> Callable[[], None]:
    def restore() -> None:
        for timer in _TIMERS:
            signal.setitimer(timer, 0)

    return restore


def _signals() -> Callable[[], None]:
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())

    def restore() -> None:
        for number, handler in handlers.items():
            if handler is not None and signal.getsignal(number) != handler:  # None: not installed by Python
                signal.signal(number, handler)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)

    return restore


def _environment() -> Callable[[], None]:
    variables = dict(os.environ)

    def restore() -> None:
        if dict(os.environ) != variables:
            os.environ.clear()
            os.environ.update(variables)

    return restore


def _files() -> Callable[[], None]:
    folder, mask = os.getcwd(), os.umask(0o77)  # noqa: PTH109
    os.umask(mask)

    def restore() -> None:
        os.chdir(folder)
        os.umask(mask)

    return restore


def _resource_limits() -> Callable[[], None]:
    numbers = [getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_")]
    limits = {number: resource.getrlimit(number) for number in dict.fromkeys(numbers)}

    def restore() -> None:
        for number, limit in limits.items():
            if resource.getrlimit(number) != limit:  # a lowered hard limit cannot be raised again
                resource.setrlimit(number, limit)

    return restore


def _locale() -> Callable[[], None]:
    name = locale.setlocale(locale.LC_ALL)

    def restore() -> None:
        locale.setlocale(locale.LC_ALL, name)

    return restore


def _interpreter() -> Callable[[], None]:
    path, arguments, streams = list(sys.path), list(sys.argv), (sys.stdin, sys.stdout, sys.stderr)
    recursion, switching = sys.getrecursionlimit(), sys.getswitchinterval()
    collects, thresholds = gc.isenabled(), gc.get_threshold()

    def restore() -> None:
        sys.path[:], sys.argv[:] = path, arguments
        sys.stdin, sys.stdout, sys.stderr = streams
        sys.settrace(None)
        sys.setprofile(None)
        sys.setrecursionlimit(recursion)
        sys.setswitchinterval(switching)
        gc.set_threshold(*thresholds)
        (gc.enable if collects else gc.disable)()

    return restore


# Timers first: one that expires during the restoration would interrupt it.
_PARTS = (_timers, _signals, _environment, _files, _resource_limits, _locale, _interpreter)
