"""Small races with real runs, and what their files hold."""

import sqlite3
from contextlib import closing

import polarbear as pb
from tests.race.live_algorithms import GRID, four, instance

SETTINGS = {
    "grid": GRID,
    "prior": pb.Dirichlet(),
    "dominance": "pointwise",
    "until": "pairs",  # does not stop for futility, so that limits change only how long a race runs
    "confidence": 0.9,
    "draws": 400,
    "seed": 3,
    "batch": pb.FixedBatch(4),
}


def race_of(algorithms=None, instances=instance, **changes):
    return pb.Race(algorithms or four(), instances, **{**SETTINGS, **changes})


def run_quietly(race, executor, **limits):
    return race.drive(executor, progress="none", **limits)


def reopen(path, **changes):
    return pb.Race.open(path, algorithms=four(), instances=instance, **changes)


def journal(path, kinds=("round",)):
    """The events of a race file, byte for byte."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT kind, data FROM event ORDER BY number").fetchall()
    return [data for kind, data in rows if kind in kinds]


def stored_runs(path):
    """Each run of a race file, without its wall-clock and processor time."""
    with pb.RaceFile.open(path, write=False) as file:
        return {key: (run.trajectory, run.status, run.reached) for key, run in file.runs().items()}


class FailingFile:
    """A race file whose nth call of a method raises an error, before or just after the call, as Ctrl-C can."""

    def __init__(self, file, method, number, when, error=KeyboardInterrupt):
        self._file, self._method, self._calls_left, self._when, self._error = file, method, number, when, error

    def __getattr__(self, name):
        call = getattr(self._file, name)
        if name != self._method:
            return call

        def fail(*arguments):
            self._calls_left -= 1
            if self._calls_left == 0 and self._when == "before":
                raise self._error
            result = call(*arguments)
            if self._calls_left == 0:
                raise self._error
            return result

        return fail
