"""Algorithms with a known order, and an executor that runs them in the process of the test."""

from concurrent.futures import Executor, Future

import numpy as np
from ConfigSpace import ConfigurationSpace, EqualsCondition, Float

import polarbear as pb
from polarbear.algorithms import Recorder, record_run
from polarbear.execution.payload import unpack
from polarbear.findings import RunFailure
from polarbear.race.jobs import Run

GRID = [1, 4, 16]


def climber(rate, kind="steady", delay=1.0):
    """Return an algorithm whose value falls as (1 + t)**-rate; a late one is `delay` times higher, but falls faster."""

    def run(problem, seed, budget):
        noise = np.random.default_rng(seed).normal(0, 0.05)
        for t in GRID:
            late = delay * (1 + t) ** -0.5 if kind == "late" else 1.0
            yield t, late * (1 + t) ** -rate * (1 + noise)

    return run


class InProcess(Executor):
    """Makes runs at once, without a process per run."""

    def submit(self, function, /, payload, job, limits):
        algorithm, instances = unpack(payload.data)
        recorder, status, failure = Recorder(job.budget), "done", None
        try:
            record_run(algorithm, instances[job.instance], job.seed, recorder)
        except Exception as error:
            status, failure = "error", RunFailure(f"{type(error).__name__}: {error}")
        budgets, values = zip(*recorder.events(), strict=True) if recorder.events() else ((), ())
        trajectory = pb.Trajectory(job.algorithm, job.instance, budgets, values, job.budget, failed=status != "done")
        future = Future()
        future.set_result(Run(trajectory, job.budget, status, failure))
        return future


def make_space(**counts):
    space = ConfigurationSpace({"rate": (0.1, 2.0), "kind": ["steady", "late"]}, seed=0)
    delay = Float("delay", (1.0, 8.0), log=True)
    space.add(delay)
    space.add(EqualsCondition(delay, space["kind"], "late"))
    return pb.ParameterSpace(space, climber, **counts)


def make_race(space, **settings):
    return pb.Race(space.sample(2, seed=4), range(400), GRID, draws=500, confidence=0.95, **settings)


def run_design(proposer, race, **options):
    """Run a design within few instances."""
    return pb.design(proposer, race, **{"executor": InProcess(), "max_instances": 16, "members": 4, **options})
