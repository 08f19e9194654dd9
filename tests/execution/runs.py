"""Algorithms that behave, and algorithms that do not."""

import ctypes
import math
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np

from polarbear.algorithms import counted


def instance(index, seed):
    return index + seed / 1000


def exits_while_making_an_instance(index, seed):
    os._exit(3)


def exits_while_making_the_first_instance(index, seed, *, mark):
    try:
        os.mkdir(mark)  # noqa: PTH102
    except FileExistsError:
        return index
    os._exit(3)


def well_behaved(problem, seed, budget):
    rng = np.random.default_rng(seed)
    for t in range(1, budget + 1):
        yield t, problem + rng.random() / t


def ends_early(problem, seed, budget):
    yield 1, 5.0
    yield 3, float(seed)


def reports_its_worker(problem, seed, budget):
    yield 1, float(os.environ["POLARBEAR_WORKER"].split(".")[-2])


def prints(problem, seed, budget):
    print("to stdout")
    print("to stderr" + 5_000 * "!", file=sys.stderr)
    yield 1, 2.0


def raises(problem, seed, budget):
    yield 2, 1.0
    print("before the error")
    raise KeyError("what went wrong")


def raises_an_error_without_text(problem, seed, budget):
    class Odd(BaseException):
        def __str__(self):
            raise RuntimeError

    yield 2, 1.0
    raise Odd


def raises_a_long_error(problem, seed, budget):
    raise ValueError("x" * 10_000_000)


def raises_two_lines_from_another_error(problem, seed, budget):
    yield 2, 1.0
    try:
        problem.missing()
    except AttributeError as error:
        raise ValueError("first line:\nsecond line \udcff") from error


def exits(problem, seed, budget):
    yield 2, 1.0
    sys.exit(3)


def interrupts(problem, seed, budget):
    yield 2, 1.0
    raise KeyboardInterrupt


def kills_itself(problem, seed, budget):
    yield 2, 1.0
    print("last words", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def exits_without_cleanup(problem, seed, budget):
    yield 2, 1.0
    os._exit(0)


def segfaults(problem, seed, budget):
    yield 2, 1.0
    ctypes.string_at(0)


def kills_itself_the_first_time(problem, seed, budget):
    try:
        os.mkdir(problem)  # noqa: PTH102
    except FileExistsError:
        yield 1, 7.0
        return
    os.kill(os.getpid(), signal.SIGKILL)


def hangs(problem, seed, budget):
    yield 2, 1.0
    time.sleep(10_000)


def holds_the_lock(problem, seed, budget):
    yield 2, 1.0
    re.match(r"(a+)+$", "a" * 60 + "b")  # longer than the universe, and no other thread gets to run


@counted
def hangs_after_three_evaluations(objective, budget, rng):
    for _ in range(3):
        objective(1.0)
    time.sleep(10_000)


def floods_its_output(problem, seed, budget):
    for stream in (1, 2):
        for _ in range(20):
            os.write(stream, b"x" * 500_000)
    print("the end of the flood", flush=True)
    yield 1, 1.0
    raise ValueError("drowned")


def improves_100_000_times(problem, seed, budget):
    return ((t, -t) for t in range(1, 100_001))


def closes_streams(problem, seed, budget):
    for stream in (0, 1, 2):
        os.close(stream)
    yield 1, 1.0


def closes_everything(problem, seed, budget):
    yield 1, 1.0
    os.closerange(0, 1000)
    time.sleep(10_000)


def leaves_children(problem, seed, budget):
    """Leave a child in its process group, one in a session of its own, and an orphan of an orphan."""
    sleep = [sys.executable, "-S", "-c", "import time; time.sleep(10_000)"]
    subprocess.Popen(sleep)
    subprocess.Popen(sleep, start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            time.sleep(10_000)
        os._exit(0)
    os.wait()
    yield 1, os.getpid()


def leaves_children_and_hangs(problem, seed, budget):
    yield from leaves_children(problem, seed, budget)
    time.sleep(10_000)


def leaves_children_and_kills_itself(problem, seed, budget):
    yield from leaves_children(problem, seed, budget)
    os.kill(os.getpid(), signal.SIGKILL)


def forks_and_both_return(problem, seed, budget):
    child = os.fork()
    if child:
        os.waitpid(child, 0)
        yield 1, 1.0
    else:
        yield 1, 2.0


@counted
def evaluates_in_a_forked_child(objective, budget, rng):
    objective(1.0)
    reads, writes = os.pipe()
    if os.fork() == 0:
        try:
            objective(0.0)
        except RuntimeError as error:
            os.write(writes, str(error).encode())
        os._exit(0)
    os.wait()
    raise ValueError(os.read(reads, 10_000).decode())


@counted
def never_stops(objective, budget, rng):
    while True:
        try:
            objective(rng.random())
        except:  # noqa: E722
            continue


def leaves_a_thread(problem, seed, budget):
    @counted
    def search(objective, budget, rng):
        def go_on():
            while True:
                objective(-1e9)
                time.sleep(0.001)

        objective(1.0)
        threading.Thread(target=go_on, daemon=True).start()

    return search(problem, seed, budget)


def changes_its_environment(problem, seed, budget):
    os.chdir("/")
    sys.stdout = None
    random.random()
    np.random.random()  # noqa: NPY002
    yield 1, 1.0


def reports_its_environment(problem, seed, budget):
    yield 1, hash("a string")
    yield 2, -hash(os.getcwd()) - 3e19  # noqa: PTH109
    yield 3, -2e20 - random.random() * 1e10
    yield 4, -2e30 - np.random.random() * 1e20  # noqa: NPY002


def reports_its_number_of_threads(problem, seed, budget):
    yield 1, float(os.environ["OMP_NUM_THREADS"])


def yields_values_alone(problem, seed, budget):
    yield 3.0
    yield 2.0
    time.sleep(10_000)


def keeps_its_own_time(problem, seed, budget):
    yield 0.1, 3.0
    time.sleep(0.5)  # long enough for its driver to look at the clock
    yield 0.2, 2.0
    yield budget + 1, 0.0


@counted
def never_evaluates(objective, budget, rng):
    time.sleep(10_000)


def returns_a_number(problem, seed, budget):
    return seed


def mixed(problem, seed, budget):
    """Behave as the instance, of 40, demands: one in five is some kind of trouble."""
    kinds = [
        *(raises, kills_itself, hangs, leaves_children),
        *(forks_and_both_return, exits_without_cleanup, reports_only_nan, prints_a_lot),
    ]
    index = int(problem)
    yield from kinds[index // 5](problem, seed, budget) if index % 5 == 0 else well_behaved(problem, seed, budget)


def reports_only_nan(problem, seed, budget):
    yield 1, math.nan


def prints_a_lot(problem, seed, budget):
    print("x" * 1_000_000)
    yield from well_behaved(problem, seed, budget)


def supervises_a_run(problem, seed, budget):
    from polarbear.execution import pack, run_supervised
    from polarbear.race.jobs import Job

    inner = run_supervised(pack(hangs if seed else ends_early, instance), Job("inner", 0, 10, 4, 0))
    yield 1, inner.trajectory.values[-1]
