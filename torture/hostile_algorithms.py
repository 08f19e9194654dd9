"""Algorithms that disturb their process, the runs after them, or the machine; and one that notices if they did.

Each hostile algorithm yields one value first, so that there is something to keep. Processes that it starts are noted in
the file that the environment variable `NOTES` names, so that the trial can look for survivors.
"""

from __future__ import annotations

import builtins
import contextlib
import ctypes
import decimal
import gc
import json
import locale
import math
import os
import random
import re
import resource
import signal
import socket
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOTES = "POLARBEAR_TORTURE_NOTES"


def witness(problem: list[float], seed: int, budget: float) -> Iterator[tuple[float, float]]:
    """Report the state of the process: as output in words, and as a value in digits. It takes a third of a second."""
    umask = os.umask(0o22)
    os.umask(umask)
    state = {
        "problem": problem,
        "NumPy's errors": dict(np.geterr()),
        "timer": signal.getitimer(signal.ITIMER_REAL)[0] > 0,
        "handlers": [str(signal.getsignal(each)) for each in (signal.SIGALRM, signal.SIGUSR1, signal.SIGTERM)],
        "variable": os.environ.get("TORTURED"),
        "filters": len(warnings.filters),
        "locale": locale.setlocale(locale.LC_ALL),
        "umask": umask,
        "path": len(sys.path),
        "recursion": sys.getrecursionlimit(),
        "limits": [resource.getrlimit(each) for each in (resource.RLIMIT_NOFILE, resource.RLIMIT_FSIZE)],
        "random": [random.random(), float(np.random.random())],
        "collector": gc.isenabled(),
        "decimals": decimal.getcontext().prec,
        "sockets": socket.getdefaulttimeout(),
        "built-in": [max(1, 2), math.pi],
        "folder": str(Path.cwd()),
        "nice": os.nice(0),
    }
    deadline = time.monotonic() + 0.3  # long enough for a forgotten timer
    while time.monotonic() < deadline:
        time.sleep(0.01)
    text = json.dumps(state, sort_keys=True)
    print(text, flush=True)
    yield 1, float(sum(text.encode()))
    yield 2, float(-seed)


def changes_numpy_errors() -> None:
    np.seterr(all="raise")


def leaves_a_timer() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.2)


def changes_signal_handlers() -> None:
    for each in (signal.SIGALRM, signal.SIGUSR1, signal.SIGTERM, signal.SIGINT):
        signal.signal(each, signal.SIG_IGN)


def changes_the_environment() -> None:
    os.environ["TORTURED"] = "yes"
    os.chdir("/")
    os.umask(0o777)
    sys.path[:] = []
    warnings.simplefilter("error")


def changes_settings() -> None:
    sys.setrecursionlimit(5000)
    decimal.getcontext().prec = 3
    socket.setdefaulttimeout(0.1)
    gc.disable()
    random.seed(1)
    np.random.seed(1)
    os.nice(5)


def lowers_its_limits() -> None:
    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))


def replaces_builtins() -> None:
    builtins.max = min
    math.pi = 3.0  # type: ignore[misc]
    json.dumps = str  # type: ignore[assignment]


def closes_random_descriptors() -> None:
    for each in random.Random(2).sample(range(64), 20):
        with contextlib.suppress(OSError):
            os.close(each)


def closes_all_descriptors() -> None:
    os.closerange(0, 4096)


def writes_to_all_descriptors() -> None:
    noise = random.Random(3)
    for each in range(64):
        with contextlib.suppress(OSError):
            os.set_blocking(each, False)
            os.write(each, noise.randbytes(1000))


def writes_frames_to_all_descriptors() -> None:
    for each in range(3, 64):
        for size in (0, 1, 5, 2**31 - 1):
            with contextlib.suppress(OSError):
                os.set_blocking(each, False)
                os.write(each, size.to_bytes(4, "big") + b"\x80\x04N.")
                os.write(each, size.to_bytes(4, "little") + b"{}")


def forks_thirty_children() -> None:
    for _ in range(30):
        if (child := os.fork()) == 0:
            time.sleep(600)
            os._exit(0)
        _note(child)


def leaves_a_daemon() -> None:
    """Start a process in a new session, twice removed, with an empty environment."""
    if os.fork() == 0:
        os.setsid()
        if (daemon := os.fork()) == 0:
            os.closerange(0, 256)
            os.execve(sys.executable, [sys.executable, "-S", "-c", "import time; time.sleep(600)"], {})
        _note(daemon)
        os._exit(0)
    os.wait()


def leaves_a_program() -> None:
    program = subprocess.Popen(
        [sys.executable, "-S", "-c", "import time; time.sleep(600)"], start_new_session=True, env={"A": "1"}
    )
    _note(program.pid)


def leaves_a_daemon_and_is_killed() -> None:
    leaves_a_daemon()
    os.kill(os.getpid(), signal.SIGKILL)


def exits() -> None:
    sys.exit(7)


def exits_at_once() -> None:
    os._exit(0)


def aborts() -> None:
    os.abort()


def segfaults() -> None:
    ctypes.string_at(0)


def kills_its_parent() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
    time.sleep(0.2)


def kills_its_group() -> None:
    os.killpg(0, signal.SIGKILL)


def stops_itself() -> None:
    os.kill(os.getpid(), signal.SIGSTOP)


def stops_its_parent() -> None:
    os.kill(os.getppid(), signal.SIGSTOP)


def never_ends() -> None:
    while True:
        pass


def never_ends_and_ignores_signals() -> None:
    for each in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
        with contextlib.suppress(OSError, ValueError):
            signal.signal(each, signal.SIG_IGN)
    while True:
        time.sleep(1)


def holds_the_interpreter() -> None:
    re.match(r"(a+)+$", "a" * 60 + "b")


def takes_all_memory() -> None:
    """Allocate within an address space of 2 GB, so that the machine survives."""
    resource.setrlimit(resource.RLIMIT_AS, (2**31, 2**31))
    blocks = []
    while True:
        blocks.append(bytearray(2**24))


def recurses_without_end() -> None:
    sys.setrecursionlimit(10**9)

    def deeper() -> None:
        deeper()

    deeper()


def prints_without_end() -> None:
    for _ in range(200):
        os.write(1, b"x" * 100_000)
        os.write(2, b"y" * 100_000)


def leaves_threads() -> None:
    for _ in range(5):
        threading.Thread(target=never_ends_and_ignores_signals, daemon=True).start()


def raises_an_odd_error() -> None:
    class OddError(BaseException):
        def __str__(self) -> str:
            raise RuntimeError

    raise OddError


def changes_its_problem() -> None:
    """Nothing: `hostile` has changed the problem before."""


HOSTILE: tuple[Callable[[], None], ...] = (
    *(changes_numpy_errors, leaves_a_timer, changes_signal_handlers, changes_the_environment, changes_settings),
    *(lowers_its_limits, replaces_builtins, changes_its_problem, leaves_threads, raises_an_odd_error),
    *(closes_random_descriptors, closes_all_descriptors, writes_to_all_descriptors, writes_frames_to_all_descriptors),
    *(forks_thirty_children, leaves_a_daemon, leaves_a_program, leaves_a_daemon_and_is_killed),
    *(exits, exits_at_once, aborts, segfaults, kills_its_parent, kills_its_group, stops_itself, stops_its_parent),
    *(never_ends, never_ends_and_ignores_signals, holds_the_interpreter, takes_all_memory, recurses_without_end),
    *(prints_without_end,),
)


def hostile(
    problem: list[float], seed: int, budget: float, *, act: Callable[[], None]
) -> Iterator[tuple[float, float]]:
    """Yield a value, change the problem, and act."""
    yield 1, 5.0
    problem.append(99.0)
    act()
    yield 2, 4.0


def _note(process: int) -> None:
    """Note a process that must not survive."""
    descriptor = os.open(os.environ[NOTES], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.write(descriptor, f"{process}\n".encode())
    os.close(descriptor)


def instances(index: int, seed: int) -> Any:
    """Return the only problem, the same object for all runs of a process."""
    return _PROBLEM


_PROBLEM = [1.0, 2.0, 3.0]
