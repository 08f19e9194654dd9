"""Overhead of a supervised run: the time per trivial run, on every executor.

    python benchmarks/execution.py             # 10,000 runs; fewer on Dask
    python benchmarks/execution.py --runs 1000

The row "bare threads" submits the same jobs to plain threads that return the answer at once, without a worker process
or supervision: its time is the cost of the thread pool alone. The time to start the workers has its own column.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from polarbear.execution import Limits, LocalExecutor, dask_executor, pack, run_supervised
from polarbear.observe import Trajectory
from polarbear.race.jobs import Job, Run

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def trivial(problem: int, seed: int, until: float) -> Iterator[tuple[int, float]]:
    yield 1, float(problem)


def instance(index: int, seed: int) -> int:
    return index


def bare(payload: Any, job: Job, limits: Limits) -> Run:
    return Run(Trajectory(job.algorithm, job.instance, [1.0], [1.0], until=job.until), job.until)


def seconds_of(executor: Executor, function: Callable[..., Run], runs: int) -> tuple[float, float]:
    """Return the seconds of the first four runs, which start the workers, and the seconds of the others."""
    payload, limits = pack(trivial, instance), Limits(seconds=60)
    started = time.perf_counter()
    for future in [executor.submit(function, payload, Job("trivial", i, 100, i, i), limits) for i in range(4)]:
        future.result()
    warm = time.perf_counter()
    futures = [executor.submit(function, payload, Job("trivial", i, 100, i, i), limits) for i in range(runs)]
    failed = sum(future.result().status != "done" for future in futures)
    if failed:
        raise SystemExit(f"{failed} of {runs} trivial runs failed")
    return warm - started, time.perf_counter() - warm


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=10_000)
    runs = parser.parse_args().runs
    print(f"{'executor':16} {'runs':>7} {'start s':>8} {'ms/run':>9}")
    with ExitStack() as stack:
        rows: list[tuple[str, Callable[[], Any], Callable[..., Run], int]] = [
            ("bare threads", lambda: ThreadPoolExecutor(1), bare, runs),
            ("local 1", lambda: LocalExecutor(1), run_supervised, runs),
            ("local 2", lambda: LocalExecutor(2), run_supervised, runs),
            ("threads 2", lambda: ThreadPoolExecutor(2), run_supervised, runs),
        ]
        try:
            from distributed import LocalCluster

            cluster = stack.enter_context(LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0"))
            rows.append(("dask 2", lambda: dask_executor(cluster.scheduler_address), run_supervised, runs // 10))
        except ImportError:
            print("(Dask is not installed: pip install 'polarbear[dask]')")
        for name, make, function, count in rows:
            with make() as executor:
                start, seconds = seconds_of(executor, function, count)
            print(f"{name:16} {count:7} {start:8.2f} {1000 * seconds / count:9.3f}", flush=True)


if __name__ == "__main__":
    main()
