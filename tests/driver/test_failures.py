"""Failures of runs and executors, and arguments and files that are refused: clear errors, and nothing is lost."""

import dataclasses
import sqlite3
import threading
from concurrent.futures import CancelledError, Executor, Future, wait
from contextlib import closing
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest

import polarbear as pb
from polarbear.execution import run_supervised
from polarbear.race.jobs import Run
from tests.driver.races import SETTINGS, journal, race_of, reopen, run_quietly, stored_runs
from tests.race import live_algorithms
from tests.race.live_algorithms import four, instance

# Failures of runs and executors

BAD_ALGORITHMS = {
    live_algorithms.times_go_back: "times",
    live_algorithms.no_value: "expected at least one value by evaluations 8",
    live_algorithms.returns_nothing: "expected an algorithm that yields or returns pairs",
    live_algorithms.never_early_enough: "report earlier, or let the race run until a later time",
}


def test_bad_algorithms_fail_with_a_reason_and_the_others_continue(local, tmp_path):
    bad = {algorithm.__name__: algorithm for algorithm in BAD_ALGORITHMS}
    with race_of({**four(), **bad}, path=tmp_path / "my.race") as race:
        result = run_quietly(race, local)
    assert result.finished
    assert {run.trajectory.algorithm for run in result.failures} == bad.keys()
    for run in result.failures:
        assert run.status == "error"
        assert BAD_ALGORITHMS[bad[run.trajectory.algorithm]] in run.message
    assert bad.keys().isdisjoint(result.pareto_set)
    with pb.Race.open(tmp_path / "my.race") as race:
        assert {run.message for run in race.result.failures} == {run.message for run in result.failures}


def test_a_failure_stops_the_race_on_request_and_once_fixed_it_continues(local, tmp_path):
    flag = tmp_path / "fixed"
    algorithms = {**four(), "poor": partial(live_algorithms.fails_until_fixed, flag=str(flag))}
    with race_of(algorithms, path=tmp_path / "my.race", failure="raise") as race:
        with pytest.raises(ValueError, match=r"the run of 'poor' on instance \d failed .*not yet"):
            run_quietly(race, local)
        assert len(stored_runs(tmp_path / "my.race")) >= 4  # the completed runs are kept
        flag.touch()
        result = run_quietly(race, local, max_instances=4)
    assert result.failures == ()
    assert len(result.runs) == 16


@pytest.mark.parametrize("problems", [[float(i) for i in range(6)], np.arange(6.0)], ids=["list", "array"])
def test_instances_that_run_out_end_the_race(local, problems):
    result = run_quietly(race_of(instances=problems, confidence=0.99, rope=0.0), local)
    assert (result.stopped, result.instances) == ("instances ran out", 6)
    assert result.failures == ()


def test_recordings_that_run_out_end_the_race():
    rng = np.random.default_rng(0)
    recorded = [pb.Trajectory(name, f"f{i}", [1, 5], [9.0, rng.random()], until=8) for i in range(6) for name in "ab"]
    race = pb.Race(["a", "b"], None, **{**SETTINGS, "confidence": 0.99, "rope": 0.0})
    result = run_quietly(race, pb.ReplayExecutor(recorded))
    assert (result.stopped, result.instances) == ("instances ran out", 6)


def test_a_missing_recording_is_named():
    recorded = [pb.Trajectory(name, i, [1, 5], [9.0, i + ord(name)], until=8) for i in range(6) for name in "ab"]
    race = pb.Race(["a", "b"], None, **SETTINGS)
    with pytest.raises(ValueError, match="expected a recording of 'a' on instance 3, got none"):
        run_quietly(race, pb.ReplayExecutor([run for run in recorded if (run.algorithm, run.instance) != ("a", 3)]))


def test_a_source_of_instances_that_raises_stops_the_race(local, tmp_path):
    """On an instance that does not exist all algorithms would be tied last, which is no information about them."""
    with race_of(
        instances=live_algorithms.five_instances, path=tmp_path / "my.race", confidence=0.99, rope=0.0
    ) as race:
        with pytest.raises((ValueError, pb.RaceError), match="only five instances"):
            run_quietly(race, local, max_instances=12)
        assert race.result.instances == 4
        assert race.result.failures == ()


@pytest.mark.parametrize("error", [TimeoutError("no answer"), CancelledError(), RuntimeError("no worker")])
def test_every_exception_of_an_executor_is_a_race_error(error):
    class Failing(Executor):
        def submit(self, function, payload, job, limits):
            lost = Future()
            lost.set_exception(error)
            return lost

    with pytest.raises(pb.RaceError, match=rf"the executor failed \({type(error).__name__}"):
        run_quietly(race_of(), Failing())


def test_an_executor_that_fails_loses_nothing(local, tmp_path, finished):
    class Failing(Executor):
        """Makes five runs and then loses its machines."""

        def __init__(self):
            self.futures = []

        def submit(self, function, payload, job, limits):
            if len(self.futures) == 5:
                wait(self.futures)
                raise ConnectionError("the cluster is gone")
            self.futures.append(local.submit(function, payload, job, limits))
            return self.futures[-1]

    with race_of(path=tmp_path / "my.race") as race:
        with pytest.raises(
            pb.RaceError,
            match=r"the executor failed \(ConnectionError: the cluster is gone\); every completed run is kept",
        ):
            run_quietly(race, Failing())
        assert len(stored_runs(tmp_path / "my.race")) == 5
        assert race.result.rounds == ()
        assert run_quietly(race, local, max_instances=8).rounds == finished[1].rounds[:2]
    assert journal(tmp_path / "my.race") == journal(finished[0])[:2]


def test_waiting_runs_are_cancelled_when_completed_ones_cannot_be_stored():
    """The disk is full: two runs are complete, and storing each of them fails."""
    futures = []

    class Slow(Executor):
        def submit(self, function, payload, job, limits):
            futures.append(Future())
            if len(futures) <= 2:
                path = pb.Trajectory(job.algorithm, job.instance, [1.0], [1.0], until=job.until)
                futures[-1].set_result(Run(path, reached=job.until))
            return futures[-1]

    race = race_of()
    race._record.file = Mock()
    race._record.file.add_run.side_effect = OSError(28, "no space left")
    with pytest.raises(OSError, match="no space left"):
        run_quietly(race, Slow())
    assert len(futures) == 16
    assert all(future.cancelled() for future in futures[2:])


# Refused arguments and files


def plain(problem, seed, until):
    yield 1, 1.0


NOT_PICKLABLE = partial(live_algorithms.staircase, levels=threading.Lock())


@pytest.mark.parametrize(
    ("algorithms", "instances", "words"),
    [
        ({"a": plain, "b": 3}, instance, "'b' cannot race: expected an algorithm that can be called"),
        (
            {"a": plain, "b": NOT_PICKLABLE},
            instance,
            "'b' cannot race: .* open files, connections, locks and generators inside the function",
        ),
        ({"a": plain, "b": plain}, 7, "expected instances as a callable"),
        ({"a": plain, "b": plain}, None, "expected instances as a callable"),
        ({"a": plain}, instance, "expected at least two algorithms"),
        ({}, instance, "expected at least two algorithms"),
        ({"a": plain, 3: plain}, instance, "expected names that are strings"),
        (["a", "b", "a"], None, "expected different names, got 'a' more than once"),
        ("ab", None, "expected algorithms by name, got 'ab'"),
    ],
)
def test_invalid_algorithms_and_instances_are_refused_before_a_file_is_created(tmp_path, algorithms, instances, words):
    with pytest.raises(ValueError, match=words):
        pb.Race(algorithms, instances, path=tmp_path / "my.race", **SETTINGS)
    assert list(tmp_path.iterdir()) == []


def test_an_invalid_algorithm_is_not_added(copied):
    with reopen(copied) as race:
        with pytest.raises(ValueError, match="'new' cannot race: expected an algorithm that can be called"):
            race.add("new", 3)
        with pytest.raises(ValueError, match="more than once"):
            race.add("poor", plain)
        assert race.state.names == tuple(four())
    assert journal(copied, kinds=("added",)) == []


@pytest.mark.parametrize("make", [race_of, lambda **changes: pb.Race.open("nowhere.race", **changes)])
def test_unknown_settings_are_named(make):
    with pytest.raises(TypeError, match=r"a race has no setting 'confidance'; choose from grid, prior, .*confidence"):
        make(confidance=0.9)


def test_joint_elimination_with_a_dirichlet_prior_is_refused(tmp_path, copied):
    with pytest.raises(ValueError, match="elimination='joint' compares algorithms at all times"):
        race_of(elimination="joint", path=tmp_path / "my.race")
    assert not (tmp_path / "my.race").exists()
    events = journal(copied, kinds=("round", "settings"))
    with pytest.raises(ValueError, match="elimination='joint' compares"):
        reopen(copied, elimination="joint")
    with reopen(copied):  # neither changed nor left locked
        assert journal(copied, kinds=("round", "settings")) == events


def test_the_seed_of_a_race_cannot_change(copied):
    with pytest.raises(ValueError, match="seed, direction and clock of a race cannot change"):
        reopen(copied, seed=99)


def test_one_race_at_a_time_writes_a_file(copied, tmp_path):
    with reopen(copied):
        with pytest.raises(pb.RaceFileInUse, match="is being written by process"):
            reopen(copied)
        with pytest.raises(FileExistsError, match="exists already"):
            race_of(path=copied)
        with pb.Race.open(copied) as reader:  # readers are always allowed
            assert reader.result.finished
    reopen(copied).close()


def test_a_file_of_a_newer_version_is_refused_and_left_unchanged(copied):
    with closing(sqlite3.connect(copied)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute(f"PRAGMA user_version = {version + 1}")
    before = copied.read_bytes()
    with pytest.raises(ValueError, match=r"(?i)upgrade"):
        reopen(copied)
    assert copied.read_bytes() == before


def test_an_event_of_a_newer_version_is_refused(copied):
    with pb.RaceFile.open(copied, write=True) as file:
        file.append("merged", "another.race")
    with pytest.raises(ValueError, match="contains the event 'merged', which this version does not support; upgrade"):
        reopen(copied)
    with pb.RaceFile.open(copied, write=True):
        pass  # not left locked


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (
            "DELETE FROM run WHERE algorithm = 'early' AND instance = 1",
            "damaged: the run of 'early' on instance 1 is missing",
        ),
        ("DELETE FROM event WHERE number = 1", "is damaged: round 2 does not follow from those before it"),
        ("UPDATE event SET data = replace(data, 'Round', 'Circle') WHERE number = 2", "'Circle' is not a known part"),
    ],
)
def test_an_inconsistent_file_is_refused(copied, damage, words):
    with closing(sqlite3.connect(copied)) as connection:
        connection.execute(damage)
        connection.commit()
    with pytest.raises(ValueError, match=words):
        reopen(copied)


def test_a_race_from_a_file_needs_its_algorithms_to_run(copied, local):
    with pb.Race.open(copied, confidence=0.99) as race:  # without algorithms it can be inspected and reviewed
        with pytest.raises(
            ValueError, match=r"the race needs runs of .*early.*pass them to Race.open\(path, algorithms="
        ):
            run_quietly(race, local)
        assert race.result.rounds[-1].kind == "review"
    some = {name: algorithm for name, algorithm in four().items() if name != "early"}
    with (
        pb.Race.open(copied, algorithms=some, instances=instance) as race,
        pytest.raises(ValueError, match="the race needs runs of early, but got no algorithms of these names"),
    ):
        run_quietly(race, local)
    with reopen(copied) as race:
        assert run_quietly(race, local, max_instances=race.result.instances + 4).rounds


def test_a_race_that_is_open_for_reading_cannot_be_changed(copied):
    with pb.Race.open(copied) as race:
        with pytest.raises(ValueError, match="not open for writing"):
            race.remove(race.result.pareto_set[0])
        assert race.result.finished


def test_a_custom_prior_races_only_without_a_file(tmp_path):
    @dataclasses.dataclass(frozen=True)
    class Custom(pb.Dirichlet):
        pass

    with pytest.raises(ValueError, match=r"cannot be written into a race file.*race without a path"):
        race_of(prior=Custom(), path=tmp_path / "my.race")
    assert list(tmp_path.iterdir()) == []
    race_of(prior=Custom())


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_instances": -1}, "expected max_instances of at least 0, got -1"),
        ({"max_evaluations": float("nan")}, "expected max_evaluations of at least 0, got nan"),
        ({"max_seconds": -0.5}, "expected max_seconds of at least 0, got -0.5"),
    ],
)
def test_invalid_limits_are_refused(limits, words):
    with pytest.raises(ValueError, match=words):
        run_quietly(race_of(), Mock(), **limits)


def test_the_time_limit_and_retries_reach_the_runs():
    received = []

    class Receiving(Executor):
        def submit(self, function, payload, job, limits):
            assert function is run_supervised
            received.append(limits)
            raise KeyboardInterrupt

    race_of().run(Receiving(), time_limit=12.5, retries=3, progress="none")
    assert received == [pb.Limits(seconds=12.5, retries=3)]
