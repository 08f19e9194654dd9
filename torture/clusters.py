"""Dask clusters that lose a worker or their scheduler during a race."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import polarbear as pb
from torture.counts import Counts
from torture.processes import environment
from torture.small_race import InlineExecutor, content, open_or_start, run_race, slow_algorithms

if TYPE_CHECKING:
    from pathlib import Path

_TRIALS = 2
_STARTING = 60.0  # seconds for the processes of a cluster


class Cluster:
    """A scheduler and two workers, each in a process of its own."""

    def __init__(self, folder: Path, name: str) -> None:
        self.processes: list[subprocess.Popen[bytes]] = []
        where = folder / f"{name}.json"
        self._start(folder, "scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(where))
        latest = time.monotonic() + _STARTING
        while not where.exists() and time.monotonic() < latest:
            time.sleep(0.05)
        for _ in range(2):
            options = ("--nthreads", "1", "--no-nanny", "--no-dashboard")
            self._start(folder, "worker", "--scheduler-file", str(where), *options)
        from distributed import Client

        self.client = Client(scheduler_file=str(where), set_as_default=False)
        self.client.wait_for_workers(2, timeout=_STARTING)

    def _start(self, folder: Path, kind: str, *options: str) -> None:
        command = [sys.executable, "-m", f"distributed.cli.dask_{kind}", *options]
        with (folder / "log").open("ab") as log:
            self.processes.append(
                subprocess.Popen(command, env=environment("dask"), cwd=folder, stdout=log, stderr=log)
            )

    def close(self) -> None:
        """Kill everything."""
        self.client.close(timeout=2)
        for process in self.processes:
            process.kill()
            process.wait()


def dask_workers_may_die(folder: Path) -> Counts:
    """A Dask worker that is killed costs only its runs in progress, which another worker makes again.

    A small race, whose runs take half a second, runs on a scheduler and two workers. As soon as both workers have runs, one
    is killed (SIGKILL). Runs and decisions are compared with those of a race on this machine.
    """
    counts = Counts()
    expected = _expected(folder)
    for number in range(_TRIALS):
        cluster = Cluster(folder, f"worker{number}")
        path = folder / f"worker{number}.race"
        try:
            problem = _race(path, cluster, victim=1)
            if problem or content(path) != expected:
                counts.broke(problem or "decisions or runs differ")
            else:
                counts.kept("same decisions")
        finally:
            cluster.close()
    return counts


def dask_schedulers_may_die(folder: Path) -> Counts:
    """A race whose Dask scheduler is killed stops with a clear error, and continues to the same decisions.

    The scheduler is killed (SIGKILL) as soon as both workers have runs. The race must end with a `ConnectionError` within a
    minute. It then continues on this machine, and is compared with one that was not interrupted.
    """
    counts = Counts()
    expected = _expected(folder)
    for number in range(_TRIALS):
        cluster = Cluster(folder, f"scheduler{number}")
        path = folder / f"scheduler{number}.race"
        try:
            started = time.monotonic()
            problem = _race(path, cluster, victim=0)
            if "ConnectionError" not in problem or time.monotonic() - started > 60:
                counts.broke(problem or "the race went on without its scheduler")
                continue
            run_race(path, InlineExecutor())
            if content(path) != expected:
                counts.broke("decisions or runs differ")
            else:
                counts.kept("same decisions")
        finally:
            cluster.close()
    return counts


def _expected(folder: Path) -> Any:
    run_race(folder / "whole.race", InlineExecutor())
    return content(folder / "whole.race")


def _race(path: Path, cluster: Cluster, victim: int) -> str:
    """Run a race on a cluster, one of whose processes is killed while it has runs; return the error, if any."""
    killer = _Killer(cluster, victim)
    try:
        with (
            open_or_start(path, slow_algorithms(0.5)) as race,
            pb.dask_executor(cluster.client, patience=20.0) as executor,
        ):
            killer.start()
            race.drive(executor, max_instances=12, progress="none")
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    finally:
        killer.join()
    return "" if killer.runs else "no run was in progress at the kill, so that this trial shows nothing"


class _Killer(threading.Thread):
    """Kill a process of a cluster as soon as each worker has a run; `runs` is the number of runs that it then had."""

    def __init__(self, cluster: Cluster, victim: int) -> None:
        super().__init__(daemon=True)
        self.cluster, self.victim, self.runs = cluster, victim, 0

    def run(self) -> None:
        latest = time.monotonic() + _STARTING
        while time.monotonic() < latest:
            runs = {worker: len(tasks) for worker, tasks in self.cluster.client.processing().items()}
            if len(runs) == 2 and min(runs.values()) > 0:
                time.sleep(0.2)  # the runs, of half a second, are under way
                self.runs = sum(runs.values())
                self.cluster.processes[self.victim].kill()
                return
            time.sleep(0.02)
