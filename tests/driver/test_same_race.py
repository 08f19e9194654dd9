"""The same race, byte for byte, on every executor, after every stop, and after its driver was killed again and again."""

import json
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import pytest

import polarbear as pb
from tests.race.raced import GRID, four, instance

SETTINGS = {
    "pointwise": {
        "prior": pb.Dirichlet(),
        "elimination": "pointwise",
        "resolution": "strict",
        "rope": 0.1,
        "batch": pb.AdaptiveBatch(3, 12),
    },
    "joint": {"prior": pb.RandomWalk(), "elimination": "joint", "resolution": "crossing", "batch": pb.FixedBatch(3)},
}


def settings_of(kind):
    return {"grid": GRID, "confidence": 0.95, "draws": 400, "seed": 3, **SETTINGS[kind]}


def journal(path, kinds=("round",)):
    """The events as they lie in the file, byte for byte."""
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        rows = connection.execute("SELECT kind, data FROM event ORDER BY number").fetchall()
    return [data for kind, data in rows if kind in kinds]


def stored(path):
    """Each run, but for what it took on the clock of the wall."""
    with pb.RaceFile.open(path, write=False) as file:
        return {key: (run.trajectory, run.status, run.reached) for key, run in file.runs().items()}


def race_on(executor, path, kind):
    with pb.Race(four(), instance, path=path, **settings_of(kind)) as race:
        result = race.run(executor, progress="none")
        assert (result.stopped, result.finished) == ("resolved", True)
        return result


@pytest.fixture(scope="module", params=SETTINGS)
def reference(request, tmp_path_factory):
    """A race on one local worker: its kind, its file and its result."""
    path = tmp_path_factory.mktemp("reference") / "one.race"
    with pb.LocalExecutor(workers=1) as executor:
        result = race_on(executor, path, request.param)
    assert {"early", "late"} <= set(result.pareto_set)
    assert "poor" in {each.name for each in result.eliminations}
    assert len(result.rounds) > 3
    return request.param, path, result


def same_race(path, reference):
    _, expected, result = reference
    assert journal(path) == journal(expected)
    assert stored(path) == stored(expected)
    assert len(journal(path)) == len(result.rounds)


def test_with_two_local_workers(reference, tmp_path):
    with pb.LocalExecutor(workers=2) as executor:
        race_on(executor, tmp_path / "my.race", reference[0])
    same_race(tmp_path / "my.race", reference)


def test_on_dask(reference, tmp_path):
    distributed = pytest.importorskip("distributed", reason="needs polarbear[dask], which polarbear[dev] brings")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        pb.dask_executor(cluster.scheduler_address) as executor,
    ):
        race_on(executor, tmp_path / "my.race", reference[0])
    same_race(tmp_path / "my.race", reference)


def test_by_replay_of_the_recorded_runs(reference, tmp_path):
    kind, _, result = reference
    recorded = sorted((run.trajectory for run in result.runs), key=lambda path: path.instance)
    with pb.Race(list(four()), None, path=tmp_path / "my.race", **settings_of(kind)) as race:
        race.run(pb.ReplayExecutor(recorded), progress="none")
    assert journal(tmp_path / "my.race") == journal(reference[1])


def test_without_a_file(reference):
    kind, _, result = reference
    with pb.LocalExecutor(workers=1) as executor:
        race = pb.Race(four(), instance, **settings_of(kind))
        assert race.run(executor, progress="none").rounds == result.rounds


def test_after_opening_it_again_the_rounds_are_the_same_and_nothing_is_inferred(reference, monkeypatch):
    _, path, result = reference
    with monkeypatch.context() as patch:
        patch.setattr("polarbear.race.loop.fit", None)
        race = pb.Race.open(path)
    with race:
        assert race.result.rounds == result.rounds
        assert race.result.pareto_set == result.pareto_set
        assert race.result.eliminations == result.eliminations
        assert race.result.stopped == "resolved"
        assert (race.result.posterior.ratings == result.posterior.ratings).all()
        assert race.run(progress="none").rounds == result.rounds  # there is nothing to do


def test_when_it_stops_after_every_round(reference, tmp_path):
    kind, path = reference[0], tmp_path / "my.race"
    with pb.LocalExecutor(workers=1) as executor:
        with pb.Race(four(), instance, path=path, **settings_of(kind)) as race:
            assert race.run(executor, stop=lambda _: True, progress="none").stopped == "callback"
        while True:
            with pb.Race.open(path, algorithms=four(), instances=instance) as race:
                result = race.run(executor, stop=lambda so_far: len(so_far.rounds) % 2 == 1, progress="none")
                if result.stopped == "resolved":
                    break
                assert result.stopped == "callback"
                assert set(result.pareto_set) >= set(reference[2].pareto_set)
    same_race(path, reference)


def test_when_evaluations_run_out_between_rounds(reference, tmp_path):
    kind, path, expected = reference[0], tmp_path / "my.race", reference[2]
    after_two = sum(round_.cost for round_ in expected.rounds[:2])
    with pb.LocalExecutor(workers=1) as executor, pb.Race(four(), instance, path=path, **settings_of(kind)) as race:
        first = race.run(executor, max_evaluations=after_two, progress="none")
        assert (first.stopped, first.rounds) == ("max_evaluations", expected.rounds[:2])
        assert race.run(executor, max_instances=first.instances, progress="none").stopped == "max_instances"
        assert race.run(executor, progress="none").stopped == "resolved"
    same_race(path, reference)


def test_when_seconds_run_out_in_the_middle_of_rounds(reference, tmp_path):
    kind, path = reference[0], tmp_path / "my.race"
    stopped = []
    with pb.LocalExecutor(workers=1) as executor, pb.Race(four(0.01), instance, path=path, **settings_of(kind)) as race:
        while "resolved" not in stopped:
            seconds = 0.15 * 1.1 ** len(stopped)  # ever more, so that a very busy machine, too, gets there
            stopped.append(race.run(executor, max_seconds=seconds, progress="none").stopped)
    assert set(stopped) == {"max_seconds", "resolved"}
    same_race(path, reference)


# A process that has imported everything and then forks one driver after the other: real processes, without the seconds
# that each would take to start.
DRIVERS = """
import os
import sys
from pathlib import Path

import polarbear as pb
from tests.race.raced import four, instance
from tests.driver.test_same_race import settings_of

pb.fit(pb.Choices.from_values([[[1.0, 2.0]] * 2], grid=[1, 2]), prior=pb.RandomWalk(), draws=100)
for line in sys.stdin:
    path, kind = line.split()
    driver = os.fork()
    if driver == 0:
        if Path(path).exists():
            race = pb.Race.open(path, algorithms=four(0.03), instances=instance)
        else:
            race = pb.Race(four(0.03), instance, path=path, **settings_of(kind))
        with race, pb.LocalExecutor(workers=2) as executor:
            race.run(executor, progress="none")
        os._exit(0)
    print(driver, flush=True)
    print(os.waitpid(driver, 0)[1], flush=True)
"""


@pytest.fixture(scope="module")
def drivers():
    """Start a driver, and later hear how it ended."""
    here = {**os.environ, "PYTHONPATH": os.getcwd()}  # noqa: PTH109
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "env": here}
    with subprocess.Popen([sys.executable, "-c", DRIVERS], **pipes) as process:

        def start(path, kind):
            process.stdin.write(f"{path} {kind}\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        yield start, lambda: int(process.stdout.readline())


def count_of(path, what):
    """How many runs or events there are by now, seen from outside."""
    try:
        with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            return connection.execute(f"SELECT count(*) FROM {what}").fetchone()[0]
    except sqlite3.OperationalError:  # the file is not there yet, or is just being made
        return 0


def test_when_its_driver_is_killed_at_ten_random_moments(reference, drivers, tmp_path):
    kind, path = reference[0], tmp_path / "my.race"
    start, ended = drivers
    moments = random.Random(kind)
    for target in sorted(moments.sample(range(int(0.7 * len(reference[2].runs))), 10)):
        driver = start(path, kind)
        while count_of(path, "run") < target:
            os.kill(driver, 0)  # fails if the race was over before it could be killed
            time.sleep(0.001)
        time.sleep(moments.uniform(0, 0.03))  # in the middle of whatever it does then
        os.kill(driver, signal.SIGKILL)
        assert os.WTERMSIG(ended()) == signal.SIGKILL
    start(path, kind)
    assert ended() == 0
    same_race(path, reference)


def test_the_events_are_plain_json(reference):
    for text in journal(reference[1]):
        assert json.loads(text)["is"] == "Round"
