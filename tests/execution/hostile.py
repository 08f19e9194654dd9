"""Algorithms that change the state of their process, write where they should not, or leave processes behind."""

import contextlib
import locale
import os
import resource
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np

SLEEP = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(10_000)"]
CONSTANT = 5


class Problem:
    def __init__(self):
        self.changes = 0


class WithAThread:
    """An algorithm whose process has a second thread as soon as it is loaded, so that it cannot be forked safely."""

    def __init__(self, algorithm):
        self.algorithm = algorithm

    def __call__(self, problem, seed, budget):
        return self.algorithm(problem, seed, budget)

    def __reduce__(self):
        return _start_a_thread, (self.algorithm,)


def _start_a_thread(algorithm):
    if threading.active_count() == 1:
        threading.Thread(target=time.sleep, args=(10_000,), daemon=True).start()
    return WithAThread(algorithm)


def reads_its_state(problem, seed, budget):
    """Report what the process of the run looks like, as values that fall with the budget."""
    umask = os.umask(0)
    os.umask(umask)
    state = [
        np.geterr()["divide"] == "warn",
        signal.getsignal(signal.SIGUSR1) == signal.SIG_DFL,
        signal.getitimer(signal.ITIMER_REAL)[0] == 0,
        resource.getrlimit(resource.RLIMIT_CORE)[0] == int(os.environ["CORE_LIMIT"]),
        "LEFT_BEHIND" not in os.environ,
        not any(category is ImportWarning and action == "error" for action, _, category, _, _ in warnings.filters),
        locale.setlocale(locale.LC_NUMERIC) == "C" and locale.setlocale(locale.LC_TIME) == "C",
        umask != 0o777,
        "/nowhere" not in sys.path,
        problem.changes == 0,
        CONSTANT == 5 or threading.active_count() > 1,  # modules are not restored where runs share a process
    ]
    yield 1, -sum(2**place for place, unchanged in enumerate(state) if unchanged)


UNCHANGED = -(2**11 - 1)


def changes_its_state(problem, seed, budget):
    np.seterr(all="raise")
    signal.signal(signal.SIGUSR1, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 1000)
    resource.setrlimit(resource.RLIMIT_CORE, (1, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    os.environ["LEFT_BEHIND"] = "1"
    warnings.simplefilter("error", ImportWarning)
    with contextlib.suppress(locale.Error):
        locale.setlocale(locale.LC_ALL, "C.UTF-8")
    os.umask(0o777)
    sys.path.append("/nowhere")
    problem.changes += 1
    globals()["CONSTANT"] = 6
    yield 1, 1.0


def changes_or_reads(problem, seed, budget):
    return changes_its_state(problem, seed, budget) if seed == 0 else reads_its_state(problem, seed, budget)


def leaves_a_child_in_a_new_session_with_an_empty_environment(problem, seed, budget):
    child = subprocess.Popen(SLEEP, start_new_session=True, env={}, stderr=subprocess.DEVNULL)
    child.returncode = 0  # not to be waited for
    yield 1, float(child.pid)


def kills_its_group(problem, seed, budget):
    yield 1, 1.0
    os.killpg(0, signal.SIGKILL)


def problem_that_stops_the_template(index, seed):
    """Let the template not read the message that the run will send when it starts."""
    os.kill(os.getppid(), signal.SIGSTOP)
    return Problem()


def kills_the_template(problem, seed, budget):
    os.kill(os.getppid(), signal.SIGKILL)
    yield 1.0, 1.0


def writes_to_every_file(problem, seed, budget):
    """Write numbers that would be a plausible length, log header or budget to every file descriptor of the process."""
    yield 1, 1.0
    for file in range(3, 60):
        for data in (b"\0" * 64, np.full(64, 1e300).tobytes(), b'{"status": "done"}'):
            with contextlib.suppress(OSError):
                os.write(file, data)
    yield 2, 0.5


def damages_its_log(problem, seed, budget):
    """Write to the shared memory with the improvements alone, by its name."""
    yield 1, 1.0
    for file in range(3, 60):
        with contextlib.suppress(OSError):
            if "memfd:polarbear" in os.readlink(f"/proc/self/fd/{file}"):  # noqa: PTH115
                os.pwrite(file, np.array([seed, 1e300, 1e300, 1.0]).tobytes(), 0)
    time.sleep(10_000 if seed == 4 else 0)


def shortens_its_log(problem, seed, budget):
    """Cut off the shared memory with the improvements."""
    yield 1, 1.0
    for file in _logs():
        os.ftruncate(file, 0)


def closes_its_log(problem, seed, budget):
    """Close the descriptors of the log, and open other files under their numbers."""
    yield 1, 1.0
    for file in _logs():
        os.dup2(os.memfd_create("mine"), file)
    yield 2, 0.0


def _logs():
    """Yield the descriptors of the log of this run."""
    for file in range(3, 60):
        with contextlib.suppress(OSError):
            if "memfd:polarbear" in os.readlink(f"/proc/self/fd/{file}"):  # noqa: PTH115
                yield file


def reports_whether_a_module_is_imported(problem, seed, budget):
    yield 1, float("wave" in sys.modules)
    import wave  # noqa: F401
