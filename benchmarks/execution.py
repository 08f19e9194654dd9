"""Overhead of a supervised run: the time per trivial run, on every executor.

    python benchmarks/execution.py             # 10,000 runs; fewer on Dask and with fresh processes
    python benchmarks/execution.py --runs 1000

Each supervised run is a fork of a process that has loaded its algorithm. The rows compare this with weaker and dearer ways:

- "bare threads" and "process pool" submit jobs that return the answer at once, without isolation or supervision. Their
  times are the cost of the pools alone.
- "fresh processes" starts a new process for each such job (`ProcessPoolExecutor` with `max_tasks_per_child=1`).
- "not forked" has an algorithm with a thread, so that its runs share one process, whose state is restored.
- "NumPy" and "SciPy" have algorithms that import these: a fork costs more in a process with more memory.
- "fork alone" is the least that such a run can cost: a process with these imports forks a copy, which exits at once.

The time to start the workers has its own column. The median is that of the times between completed runs; unlike the mean, it
hardly depends on moments at which the machine stood still. With two workers, runs may end in pairs, and only the mean is the
time per run. CPU time is that of all processes, starts included.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import resource
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from polarbear.execution import Limits, LocalExecutor, dask_executor, pack, run_supervised
from polarbear.observe import Trajectory
from polarbear.race.jobs import Job, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def trivial(problem: int, seed: int, budget: float) -> Iterator[tuple[int, float]]:
    yield 1, float(problem)


class Loads:
    """The trivial algorithm, with something to do when it is loaded."""

    def __init__(self, load: Callable[[], object]) -> None:
        self._load = load

    def __reduce__(self) -> tuple[Any, ...]:
        return _loaded, (self._load,)

    def __call__(self, problem: int, seed: int, budget: float) -> Iterator[tuple[int, float]]:
        return trivial(problem, seed, budget)


def _loaded(load: Callable[[], object]) -> Loads:
    load()
    return Loads(load)


def import_numpy() -> None:
    import numpy as np  # noqa: F401


def import_scipy() -> None:
    import scipy.optimize
    import scipy.stats  # noqa: F401


def start_thread() -> None:
    if threading.active_count() == 1:
        threading.Thread(target=threading.Event().wait, daemon=True).start()


def instance(index: int, seed: int) -> int:
    return index


_FORK_ALONE = """
import os, sys, time
for name in sys.argv[2:]:
    __import__(name)
runs, started = int(sys.argv[1]), time.perf_counter()
for _ in range(runs):
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
print(time.perf_counter() - started)
"""


def fork_alone(runs: int, *imports: str) -> float:
    """Return the seconds that a process with these imports takes to fork copies, one after the other."""
    command = [sys.executable, "-c", _FORK_ALONE, str(runs), *imports]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def bare(payload: Any, job: Job, limits: Limits) -> Run:
    return Run(Trajectory(job.algorithm, job.instance, [1.0], [1.0], end=job.budget), job.budget)


def fresh_processes() -> Executor:
    return ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"), max_tasks_per_child=1)


class Seconds(NamedTuple):
    """The seconds of the first four runs, which start the workers, and the mean and median seconds of the others."""

    start: float
    mean: float
    median: float


def measure(executor: Executor, function: Callable[..., Run], algorithm: Any, runs: int) -> Seconds:
    """Measure trivial runs, submitted at once."""
    payload, limits = pack(algorithm, instance), Limits(seconds=60)
    started = time.perf_counter()
    for future in [executor.submit(function, payload, Job("trivial", i, 100, i, i), limits) for i in range(4)]:
        future.result()
    warm = time.perf_counter()
    completed, futures = [warm], []
    for i in range(runs):
        futures.append(executor.submit(function, payload, Job("trivial", i, 100, i, i), limits))
        futures[-1].add_done_callback(lambda _: completed.append(time.perf_counter()))
    failed = sum(future.result().status != "done" for future in futures)
    if failed:
        raise SystemExit(f"{failed} of {runs} trivial runs failed")
    end = time.perf_counter()
    between = [after - before for before, after in itertools.pairwise(sorted(completed))]
    return Seconds(warm - started, (end - warm) / runs, statistics.median(between))


@contextmanager
def on_dask() -> Iterator[Executor]:
    """Start a Dask cluster for the block; it must not disturb the measurements before."""
    from distributed import LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        dask_executor(cluster.scheduler_address) as executor,
    ):
        yield executor


def cpu_seconds() -> float:
    """Return the CPU time of this process and of the processes that have ended."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=10_000)
    runs = parser.parse_args().runs
    few = max(1, runs // 100)
    print(f"{'executor':20} {'runs':>7} {'start s':>8} {'ms/run':>9} {'median ms':>10} {'CPU ms/run':>11}")
    rows: list[tuple[str, Callable[[], Any], Callable[..., Run], Any, int]] = [
        ("bare threads", lambda: ThreadPoolExecutor(1), bare, trivial, runs),
        ("process pool 2", lambda: ProcessPoolExecutor(2), bare, trivial, runs),
        ("fresh processes 2", fresh_processes, bare, trivial, few),
        ("local 1", lambda: LocalExecutor(1), run_supervised, trivial, runs),
        ("local 1, NumPy", lambda: LocalExecutor(1), run_supervised, Loads(import_numpy), runs),
        ("local 1, SciPy", lambda: LocalExecutor(1), run_supervised, Loads(import_scipy), runs),
        ("local 1, not forked", lambda: LocalExecutor(1), run_supervised, Loads(start_thread), runs),
        ("local 2", lambda: LocalExecutor(2), run_supervised, trivial, runs),
        ("threads 2", lambda: ThreadPoolExecutor(2), run_supervised, trivial, runs),
        ("dask 2", on_dask, run_supervised, trivial, runs // 10),
    ]
    medians: dict[str, float] = {}
    for name, make, function, algorithm, count in rows:
        before = cpu_seconds()
        try:
            with make() as executor:
                seconds = measure(executor, function, algorithm, count)
        except ImportError:
            print("(Dask is not installed: pip install 'polarbear-anytime[dask]')")
            continue
        # Some processes of a Dask cluster outlive the measurement, so that their CPU time is not known.
        cpu = "" if name.startswith("dask") else f"{1000 * (cpu_seconds() - before) / count:11.3f}"
        medians[name] = 1000 * seconds.median
        times = f"{seconds.start:8.2f} {1000 * seconds.mean:9.3f} {medians[name]:10.3f}"
        print(f"{name:20} {count:7} {times} {cpu}", flush=True)
    for name, imports in (("", ()), (", NumPy", ("numpy",)), (", SciPy", ("scipy.optimize", "scipy.stats"))):
        alone = fork_alone(runs, *imports)
        print(f"{'fork alone' + name:20} {runs:7} {'':8} {1000 * alone / runs:9.3f}", flush=True)
    shared = medians["local 1, not forked"]
    costs = [medians[f"local 1{name}"] - shared for name in ("", ", NumPy", ", SciPy")]
    print(
        "Isolation, the median of a forked run minus that of one that is not forked, costs "
        "{:.1f} ms; NumPy {:.1f}, SciPy {:.1f}".format(*costs)
    )


if __name__ == "__main__":
    main()
