"""The same race, byte for byte, on every executor, after every stop, and after its driver is killed repeatedly."""

import json
import os
import random
import signal
import subprocess
import sys

import pytest

import polarbear as pb
from tests.driver.races import journal, stored_runs
from tests.race.live_algorithms import GRID, four, instance

SETTINGS = {
    "pointwise": {
        "prior": pb.Dirichlet(),
        "dominance": "pointwise",
        "until": "every-budget",
        "margin": 0.1,
        "batch": pb.AdaptiveBatch(3, 12),
    },
    "joint": {"prior": pb.RandomWalk(), "dominance": "joint", "until": "pairs", "batch": pb.FixedBatch(3)},
}


def settings_of(kind):
    return {"grid": GRID, "confidence": 0.95, "draws": 400, "seed": 3, **SETTINGS[kind]}


def race_on(executor, path, kind):
    with pb.Race(four(), instance, path=path, **settings_of(kind)) as race:
        result = race.drive(executor, progress="none")
        assert (result.stopped, result.finished) == ("finished", True)
        return result


# The two kinds share all code but that of one decision, so the second one is left to the long checks.
KINDS = [pytest.param(kind, marks=pytest.mark.calibration if kind == "joint" else ()) for kind in SETTINGS]


@pytest.fixture(scope="module", params=KINDS)
def reference(request, tmp_path_factory):
    """A race on one local worker: its kind, its file and its result."""
    path = tmp_path_factory.mktemp("reference") / "one.race"
    with pb.LocalExecutor(workers=1) as executor:
        result = race_on(executor, path, request.param)
    assert {"early", "late"} <= set(result.kept)
    assert "poor" in {each.name for each in result.drops}
    assert len(result.rounds) > 3
    return request.param, path, result


def assert_same_race(path, reference):
    _, expected, result = reference
    assert journal(path) == journal(expected)
    assert stored_runs(path) == stored_runs(expected)
    assert len(journal(path)) == len(result.rounds)


def test_with_two_local_workers(reference, tmp_path):
    with pb.LocalExecutor(workers=2) as executor:
        race_on(executor, tmp_path / "my.race", reference[0])
    assert_same_race(tmp_path / "my.race", reference)


@pytest.fixture(scope="module")
def dask():
    """An executor on a cluster of two worker processes."""
    distributed = pytest.importorskip(
        "distributed", reason="needs polarbear-anytime[dask], which polarbear-anytime[dev] brings"
    )
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        pb.dask_executor(cluster.scheduler_address) as executor,
    ):
        yield executor


@pytest.mark.calibration
def test_on_dask(reference, dask, tmp_path):
    race_on(dask, tmp_path / "my.race", reference[0])
    assert_same_race(tmp_path / "my.race", reference)


def test_by_replay_of_the_recorded_runs(reference, tmp_path):
    kind, _, result = reference
    recorded = sorted((run.trajectory for run in result.runs), key=lambda path: path.instance)
    with pb.Race(list(four()), None, path=tmp_path / "my.race", **settings_of(kind)) as race:
        race.drive(pb.ReplayExecutor(recorded), progress="none")
    assert journal(tmp_path / "my.race") == journal(reference[1])


def test_without_a_file(reference):
    kind, _, result = reference
    with pb.LocalExecutor(workers=1) as executor:
        race = pb.Race(four(), instance, **settings_of(kind))
        assert race.drive(executor, progress="none").rounds == result.rounds


def test_after_reopening_the_rounds_are_the_same_and_nothing_is_inferred(reference, monkeypatch):
    _, path, result = reference
    with monkeypatch.context() as patch:
        patch.setattr("polarbear.inference.fitting.fit", None)
        race = pb.Race.open(path)
    with race:
        assert race.outcome.rounds == result.rounds
        assert race.outcome.kept == result.kept
        assert race.outcome.drops == result.drops
        assert race.outcome.stopped == "finished"
        assert (race.outcome.posterior.ratings == result.posterior.ratings).all()
        assert race.drive(progress="none").rounds == result.rounds  # there is nothing to do


def test_when_it_stops_after_every_round(reference, tmp_path):
    kind, path = reference[0], tmp_path / "my.race"
    with pb.LocalExecutor(workers=1) as executor:
        with pb.Race(four(), instance, path=path, **settings_of(kind)) as race:
            assert race.drive(executor, stop=lambda _: True, progress="none").stopped == "callback"
        while True:
            with pb.Race.open(path, algorithms=four(), instances=instance) as race:
                result = race.drive(executor, stop=lambda so_far: len(so_far.rounds) % 2 == 1, progress="none")
                if result.stopped == "finished":
                    break
                assert result.stopped == "callback"
                assert set(result.kept) >= set(reference[2].kept)
    assert_same_race(path, reference)


def test_when_evaluations_run_out_between_rounds(reference, tmp_path):
    kind, path, expected = reference[0], tmp_path / "my.race", reference[2]
    after_two = sum(round_.cost for round_ in expected.rounds[:2])
    with pb.LocalExecutor(workers=1) as executor, pb.Race(four(), instance, path=path, **settings_of(kind)) as race:
        first = race.drive(executor, max_evaluations=after_two, progress="none")
        assert (first.stopped, first.rounds) == ("max_evaluations", expected.rounds[:2])
        assert race.drive(executor, max_instances=first.instances, progress="none").stopped == "max_instances"
        assert race.drive(executor, progress="none").stopped == "finished"
    assert_same_race(path, reference)


def test_when_seconds_run_out_in_the_middle_of_rounds(reference, tmp_path):
    kind, path = reference[0], tmp_path / "my.race"
    stopped = []
    with pb.LocalExecutor(workers=1) as executor, pb.Race(four(0.01), instance, path=path, **settings_of(kind)) as race:
        while "finished" not in stopped:
            seconds = 0.15 * 1.3 ** len(stopped)  # increasing, so that even a very slow machine finishes
            stopped.append(race.drive(executor, max_seconds=seconds, progress="none").stopped)
    assert set(stopped) == {"max_seconds", "finished"}  # each run takes 0.01 s, and there are more than 15
    assert_same_race(path, reference)


# A process that has imported everything and then forks one driver after the other: real processes, without the seconds
# that each would take to start. A driver kills itself some milliseconds after storing its nth run.
DRIVERS = """
import os
import signal
import sys
import threading
from pathlib import Path

import polarbear as pb
from tests.race.live_algorithms import four, instance
from tests.driver.test_same_race import settings_of

for kind in ("pointwise", "joint"):
    settings = settings_of(kind)
    recorded = [pb.Trajectory(name, i, settings["grid"], [4, 3, 2, 1], end=8) for name in "ab" for i in range(3)]
    pb.Race("a b".split(), None, **settings).drive(pb.ReplayExecutor(recorded), progress="none", max_instances=3)


def kill_after(number, delay):
    add_run, count = pb.RaceFile.add_run, 0

    def add_run_and_count(*arguments):
        nonlocal count
        add_run(*arguments)
        count += 1
        if count == number:
            threading.Timer(delay, os.kill, (os.getpid(), signal.SIGKILL)).start()

    pb.RaceFile.add_run = add_run_and_count


for line in sys.stdin:
    path, kind, number, delay = line.split()
    driver = os.fork()
    if driver == 0:
        if int(number):
            kill_after(int(number), float(delay))
        if Path(path).exists():
            race = pb.Race.open(path, algorithms=four(), instances=instance)
        else:
            race = pb.Race(four(), instance, path=path, **settings_of(kind))
        with race, pb.LocalExecutor(workers=2) as executor:
            race.drive(executor, progress="none")
            if int(number):
                signal.pause()  # until the kill, however fast the race was
        os._exit(0)
    print(os.waitpid(driver, 0)[1], flush=True)
"""


@pytest.fixture(scope="module")
def drive():
    """Run a driver, killed after its nth run if n is above 0, and return its wait status."""
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}  # noqa: PTH109
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": environment}
    with subprocess.Popen([sys.executable, "-c", DRIVERS], **pipes) as process:

        def run_driver(path, kind, number=0, delay=0.0):
            process.stdin.write(f"{path} {kind} {number} {delay}\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield run_driver


def test_when_its_driver_is_killed_at_random_moments(reference, drive, tmp_path):
    kind, path = reference[0], tmp_path / "my.race"
    moments, total = random.Random(kind), len(reference[2].runs)
    for _ in range(2):
        left = total - (len(stored_runs(path)) if path.exists() else 0)
        number = moments.randint(1, max(1, left // 3))
        status = drive(path, kind, number, moments.uniform(0, 0.03))
        assert os.WTERMSIG(status) == signal.SIGKILL
    assert drive(path, kind) == 0
    assert_same_race(path, reference)


def test_the_events_are_plain_json(reference):
    for text in journal(reference[1]):
        assert json.loads(text)["is"] == "Round"
