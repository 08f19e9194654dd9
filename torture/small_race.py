"""A race of four algorithms that takes a second, and what its file holds."""

from __future__ import annotations

import random
import time
from concurrent.futures import Executor, Future
from functools import partial
from typing import TYPE_CHECKING, Any

import polarbear as pb
from polarbear.race.jobs import Job, Run

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

GRID = (1.0, 2.0, 4.0, 8.0)
INSTANCES = 12
LEVELS = {
    "early": (-1.5, -0.5, 0.5, 1.5),
    "late": (1.5, 0.5, -0.5, -1.5),
    "middle": (0.6, 0.6, 0.6, 0.6),
    "poor": (4.0, 4.0, 4.0, 4.0),
}


def instance(index: int, seed: int) -> float:
    """Return a problem that is a number."""
    return index + seed / 2**32


def staircase(
    problem: float, seed: int, budget: float, *, levels: tuple[float, ...], pause: float = 0.0
) -> Iterator[tuple[float, float]]:
    """Yield values that fall by a step at each budget, plus noise and this algorithm's level at that budget."""
    rng = random.Random(seed)
    time.sleep(pause)
    for step, (when, level) in enumerate(zip(GRID, levels, strict=True)):
        noise = rng.gauss(0, 1)
        if when <= budget:
            yield when, problem - 1000.0 * step + level + noise


ALGORITHMS = {name: partial(staircase, levels=levels) for name, levels in LEVELS.items()}


def slow_algorithms(pause: float) -> Mapping[str, Any]:
    """Return the algorithms with a pause in seconds in each run, and the same values."""
    return {name: partial(staircase, levels=levels, pause=pause) for name, levels in LEVELS.items()}


class InlineExecutor(Executor):
    """Make each run at once, in this process, and remember its job."""

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def submit(self, _function: Any, /, *args: Any, **_: Any) -> Future[Any]:
        job: Job = args[1]
        self.jobs.append(job)
        problem = instance(job.instance, job.instance_seed)
        budgets, values = zip(*ALGORITHMS[job.algorithm](problem, job.seed, job.budget), strict=True)
        future: Future[Any] = Future()
        run = pb.Trajectory(job.algorithm, job.instance, budgets, values, end=job.budget)
        future.set_result(Run(run, reached=job.budget))
        return future


def open_or_start(path: Path, algorithms: Mapping[str, Any] = ALGORITHMS) -> pb.Race:
    """Return the race of a file, which is new if there is none."""
    if path.exists():
        return pb.Race.open(path, algorithms=algorithms, instances=instance)
    return pb.Race(
        algorithms,
        instance,
        GRID,
        path=path,
        prior=pb.Dirichlet(),
        dominance="pointwise",
        until="pairs",  # does not stop because little is left to decide
        confidence=0.9,
        draws=200,
        seed=3,
        batch=pb.FixedBatch(4),
    )


def run_race(path: Path, executor: Executor, algorithms: Mapping[str, Any] = ALGORITHMS) -> None:
    """Run the race of a file to its end."""
    with open_or_start(path, algorithms) as race:
        race.drive(executor, max_instances=INSTANCES, progress="none")


def content(path: Path) -> tuple[list[Any], dict[Any, Any]]:
    """Return the decisions of a race file, round by round, and its runs without the time that they took."""
    with pb.RaceFile.open(path, write=False) as file:
        rounds = [event.data for event in file.events() if event.kind == "round"]
        runs = {key: (run.trajectory, run.status, run.reached) for key, run in file.runs().items()}
    return rounds, runs
