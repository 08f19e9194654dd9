"""What goes wrong in a race, in its runs and in what it is given: clear errors, and nothing is lost."""

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
from tests.driver.test_race import SETTINGS, copied, finished, local, opened, quietly, race_of
from tests.driver.test_same_race import journal, stored
from tests.race import raced
from tests.race.raced import four, instance

__all__ = ["copied", "finished", "local"]  # the fixtures

# What goes wrong in runs


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        (raced.times_go_back, "times"),
        (raced.no_value, "expected at least one value by evaluations 8"),
        (raced.returns_nothing, "expected an algorithm that yields or returns pairs"),
        (raced.never_early_enough, "report earlier, or let the race run until a later time"),
    ],
)
def test_a_bad_algorithm_fails_with_its_reason_and_the_others_race_on(local, tmp_path, bad, words):
    algorithms = {**four(), "bad": bad}
    with race_of(algorithms, path=tmp_path / "my.race") as race:
        result = quietly(race, local)
    assert result.finished
    assert {run.trajectory.algorithm for run in result.failures} == {"bad"}
    assert all(words in run.message and run.status == "error" for run in result.failures)
    assert "bad" not in result.pareto_set
    with pb.Race.open(tmp_path / "my.race") as race:
        assert [run.message for run in race.result.failures] == [run.message for run in result.failures]


def test_a_failure_stops_the_race_on_request_and_once_mended_it_goes_on(local, tmp_path):
    flag = tmp_path / "mended"
    algorithms = {**four(), "poor": partial(raced.fails_until_mended, flag=str(flag))}
    with race_of(algorithms, path=tmp_path / "my.race", failure="raise") as race:
        with pytest.raises(ValueError, match=r"the run of 'poor' on instance \d failed .*not yet"):
            quietly(race, local)
        assert len(stored(tmp_path / "my.race")) >= 4  # what had ended is kept
        flag.touch()
        result = quietly(race, local, max_instances=4)
    assert result.failures == ()
    assert len(result.runs) == 16


def test_a_list_of_instances_that_runs_out_ends_the_race(local):
    problems = [instance(i, 0) for i in range(6)]
    result = quietly(race_of(instances=problems, confidence=0.99, rope=0.0), local)
    assert (result.stopped, result.instances) == ("instances ran out", 6)
    assert result.failures == ()


def test_so_does_an_array(local):
    result = quietly(race_of(instances=np.arange(6.0), confidence=0.99, rope=0.0), local)
    assert (result.stopped, result.instances) == ("instances ran out", 6)
    assert result.failures == ()


def test_so_do_recordings():
    rng = np.random.default_rng(0)
    recorded = [pb.Trajectory(name, f"f{i}", [1, 5], [9.0, rng.random()], until=8) for i in range(6) for name in "ab"]
    race = pb.Race(["a", "b"], None, **{**SETTINGS, "confidence": 0.99, "rope": 0.0})
    result = quietly(race, pb.ReplayExecutor(recorded))
    assert (result.stopped, result.instances) == ("instances ran out", 6)


def test_a_missing_recording_is_named():
    recorded = [pb.Trajectory(name, i, [1, 5], [9.0, i + ord(name)], until=8) for i in range(6) for name in "ab"]
    race = pb.Race(["a", "b"], None, **SETTINGS)
    with pytest.raises(ValueError, match="expected a recording of 'a' on instance 3, got none"):
        quietly(race, pb.ReplayExecutor([run for run in recorded if (run.algorithm, run.instance) != ("a", 3)]))


def test_a_source_of_instances_that_raises_stops_the_race(local, tmp_path):
    """All would be tied last on an instance that does not exist, which says nothing about them."""
    with race_of(instances=raced.runs_out, path=tmp_path / "my.race", confidence=0.99, rope=0.0) as race:
        with pytest.raises((ValueError, pb.RaceError), match="only five instances"):
            quietly(race, local, max_instances=12)
        assert race.result.instances == 4
        assert race.result.failures == ()


@pytest.mark.parametrize("error", [TimeoutError("no answer"), CancelledError(), RuntimeError("no worker")])
def test_whatever_an_executor_raises_is_its_failure(error):
    class Failing(Executor):
        def submit(self, function, payload, job, limits):
            lost = Future()
            lost.set_exception(error)
            return lost

    with pytest.raises(pb.RaceError, match=rf"the executor failed \({type(error).__name__}"):
        quietly(race_of(), Failing())


def test_an_executor_that_fails_loses_nothing(local, tmp_path, finished):
    class Failing(Executor):
        """Makes five runs, and then loses its machines."""

        def __init__(self):
            self.made = []

        def submit(self, function, payload, job, limits):
            if len(self.made) == 5:
                wait(self.made)
                raise ConnectionError("the cluster is gone")
            self.made.append(local.submit(function, payload, job, limits))
            return self.made[-1]

    with race_of(path=tmp_path / "my.race") as race:
        with pytest.raises(
            pb.RaceError, match=r"the executor failed \(ConnectionError: the cluster is gone\); every run"
        ):
            quietly(race, Failing())
        assert len(stored(tmp_path / "my.race")) == 5
        assert race.result.rounds == ()
        assert quietly(race, local).rounds == finished[1].rounds
    assert journal(tmp_path / "my.race") == journal(finished[0])


def test_runs_that_cannot_be_kept_do_not_keep_the_others_from_being_cancelled():
    """As on a full disk: two runs have ended, and each fails to be stored."""
    futures = []

    class Slow(Executor):
        def submit(self, function, payload, job, limits):
            futures.append(Future())
            if len(futures) <= 2:
                path = pb.Trajectory(job.algorithm, job.instance, [1.0], [1.0], until=job.until)
                futures[-1].set_result(Run(path, reached=job.until))
            return futures[-1]

    race = race_of()
    race._file = Mock()
    race._file.add_run.side_effect = OSError(28, "no space left")
    with pytest.raises(OSError, match="no space left"):
        quietly(race, Slow())
    assert len(futures) == 16
    assert all(future.cancelled() for future in futures[2:])


# What is refused


def plain(problem, seed, until):
    yield 1, 1.0


NOT_PICKLABLE = partial(raced.staircase, levels=threading.Lock())


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
def test_what_cannot_race_is_refused_before_a_file_is_made(tmp_path, algorithms, instances, words):
    with pytest.raises(ValueError, match=words):
        pb.Race(algorithms, instances, path=tmp_path / "my.race", **SETTINGS)
    assert list(tmp_path.iterdir()) == []


def test_an_algorithm_that_cannot_race_is_not_added(copied):
    with opened(copied) as race:
        with pytest.raises(ValueError, match="'new' cannot race: expected an algorithm that can be called"):
            race.add("new", 3)
        with pytest.raises(ValueError, match="more than once"):
            race.add("poor", plain)
        assert race.state.names == tuple(four())
    assert journal(copied, kinds=("added",)) == []


@pytest.mark.parametrize("make", [race_of, lambda **changes: pb.Race.open("nowhere.race", **changes)])
def test_unknown_settings_are_named(make):
    with pytest.raises(TypeError, match=r"a race has no setting 'confidance'; it knows grid, prior, .*confidence"):
        make(confidance=0.9)


def test_joint_elimination_with_a_dirichlet_prior_is_refused(tmp_path, copied):
    with pytest.raises(ValueError, match="elimination='joint' asks who is better at all times at once"):
        race_of(elimination="joint", path=tmp_path / "my.race")
    assert not (tmp_path / "my.race").exists()
    events = journal(copied, kinds=("round", "settings"))
    with pytest.raises(ValueError, match="elimination='joint' asks"):
        opened(copied, elimination="joint")
    with opened(copied):  # neither changed nor left locked
        assert journal(copied, kinds=("round", "settings")) == events


def test_what_runs_depend_on_cannot_change(copied):
    with pytest.raises(ValueError, match="seed, direction and clock of a race cannot change"):
        opened(copied, seed=99)


def test_two_races_on_one_file(copied, tmp_path):
    with opened(copied):
        with pytest.raises(pb.RaceFileInUse, match="is being written by process"):
            opened(copied)
        with pytest.raises(FileExistsError, match="exists already"):
            race_of(path=copied)
        with pb.Race.open(copied) as reader:  # but anybody may look
            assert reader.result.finished
    opened(copied).close()


def test_a_file_of_a_newer_version(copied):
    with closing(sqlite3.connect(copied)) as connection:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        connection.execute(f"PRAGMA user_version = {version + 1}")
    before = copied.read_bytes()
    with pytest.raises(ValueError, match=r"(?i)upgrade"):
        opened(copied)
    assert copied.read_bytes() == before


def test_an_event_of_a_newer_version(copied):
    with pb.RaceFile.open(copied, write=True) as file:
        file.append("merged", "another.race")
    with pytest.raises(ValueError, match="tells of 'merged', which this PolarBear does not know; upgrade it"):
        opened(copied)
    with pb.RaceFile.open(copied, write=True):
        pass  # not left locked


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        ("DELETE FROM run WHERE algorithm = 'early' AND instance = 1", "is damaged: the run of .*early.* is not there"),
        ("DELETE FROM event WHERE number = 1", "is damaged: round 2 does not follow from those before it"),
        ("UPDATE event SET data = replace(data, 'Round', 'Circle') WHERE number = 2", "'Circle' is not a known part"),
    ],
)
def test_a_file_whose_story_does_not_hold_together(copied, damage, words):
    with closing(sqlite3.connect(copied)) as connection:
        connection.execute(damage)
        connection.commit()
    with pytest.raises(ValueError, match=words):
        opened(copied)


def test_a_file_holds_no_code(copied, local):
    with pb.Race.open(copied, confidence=0.99) as race:  # to look at, and to judge again
        with pytest.raises(
            ValueError, match=r"the race needs runs of .*early.*give them to Race.open\(path, algorithms="
        ):
            quietly(race, local)
        assert race.result.rounds[-1].kind == "review"
    some = {name: algorithm for name, algorithm in four().items() if name != "early"}
    with (
        pb.Race.open(copied, algorithms=some, instances=instance) as race,
        pytest.raises(ValueError, match="the race needs runs of early, but not the algorithms themselves"),
    ):
        quietly(race, local)
    with opened(copied) as race:
        assert quietly(race, local, max_instances=race.result.instances + 4).rounds


def test_a_race_that_is_only_looked_at_cannot_be_changed(copied):
    with pb.Race.open(copied) as race:
        with pytest.raises(ValueError, match="not open for writing"):
            race.remove(race.result.pareto_set[0])
        assert race.result.finished


def test_a_prior_of_ones_own_races_without_a_file(tmp_path):
    @dataclasses.dataclass(frozen=True)
    class Mine(pb.Dirichlet):
        pass

    with pytest.raises(ValueError, match=r"cannot be written into a race file.*race without a path"):
        race_of(prior=Mine(), path=tmp_path / "my.race")
    assert list(tmp_path.iterdir()) == []
    race_of(prior=Mine())


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        ({"max_instances": -1}, "max_instances must not be negative, got -1"),
        ({"max_evaluations": float("nan")}, "max_evaluations must not be negative, got nan"),
        ({"max_seconds": -0.5}, "max_seconds must not be negative, got -0.5"),
    ],
)
def test_limits_that_are_none_are_refused(limits, words):
    with pytest.raises(ValueError, match=words):
        quietly(race_of(), Mock(), **limits)


def test_the_time_limit_and_retries_reach_the_runs():
    seen = []

    class Listening(Executor):
        def submit(self, function, payload, job, limits):
            assert function is run_supervised
            seen.append(limits)
            raise KeyboardInterrupt

    race_of().run(Listening(), time_limit=12.5, retries=3, progress="none")
    assert seen == [pb.Limits(seconds=12.5, retries=3)]
