"""Races and posteriors to report on."""

from dataclasses import replace
from functools import cache

import numpy as np

import polarbear as pb
from polarbear.findings import RunFailure
from polarbear.race.jobs import Run
from polarbear.race.outcome import RaceOutcome

HOSTILE = (
    "</script><script>window.hacked = 1</script>",
    '<img src=x onerror="window.hacked = 1">',
    "a\u202eb & 'c' \"d\" \\u003c \u2028",
    "x" * 60,
    "é",
)


@cache
def recorded_runs(names, instances=40, budgets=12, seed=0):
    """Recorded runs that cross: the first algorithms are good early, later ones late, and the last is always the worst."""
    rng = np.random.default_rng(seed)
    at = np.geomspace(10, 1000, budgets)
    speed = np.linspace(1.4, 0.4, len(names))
    floor = np.linspace(0.3, 0.05, len(names))
    runs = []
    for instance in range(instances):
        for k, name in enumerate(names):
            shape = floor[k] + at ** -speed[k] * np.exp(rng.normal(scale=0.5)) + rng.exponential(0.1)
            values = 10.0 + rng.random() - np.arange(budgets) * 1e-3 if name == names[-1] else shape
            runs.append(pb.Trajectory(name, instance, at, np.minimum.accumulate(values), end=1000))
    return runs


def small_race(names=("quick", "steady", "slow", "hopeless"), *, instances=24, path=None, **settings):
    """A small race on recorded runs; the caller closes it."""
    chosen = {"prior": pb.RandomWalk(), "confidence": 0.9, "draws": 400, "batch": pb.FixedBatch(8), **settings}
    race = pb.Race(list(names), None, pb.log_grid(10, 1000, 12), path=path, **chosen)
    race.drive(pb.ReplayExecutor(recorded_runs(names)), max_instances=instances, progress="none")
    return race


def with_failures(result, error="ZeroDivisionError: </script>"):
    """The same result, as if three runs of the first algorithm had failed, each after printing something else."""
    runs = dict(result.state.observations.runs)
    for key in [key for key in runs if key[0] == result.state.names[0]][:3]:
        run = runs[key]
        runs[key] = Run(replace(run.trajectory, failed=True), run.reached, "error", _failure(error, f"step {key[1]}"))
    observations = replace(result.state.observations, runs=runs)
    return RaceOutcome(replace(result.state, observations=observations), result.stopped)


def _failure(error, output):
    """Why a run failed, as workers report it: the error, its traceback, and the end of the output."""
    return RunFailure(error, '  File "solver.py", line 7, in solve\n    step()', output)
