"""Invalid algorithms, settings, limits and race files are refused with a clear error, and no file is changed."""

import dataclasses
import sqlite3
import threading
from contextlib import closing
from functools import partial
from unittest.mock import Mock

import pytest

import polarbear as pb
from tests.driver.races import SETTINGS, journal, race_of, reopen, run_quietly
from tests.race import live_algorithms
from tests.race.live_algorithms import four, instance


def plain(problem, seed, budget):
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
    with pytest.raises(TypeError, match=r"a race has no setting 'confidance'; choose from grid, clock, .*confidence"):
        make(confidance=0.9)


def test_joint_dominance_with_a_dirichlet_prior_is_refused(tmp_path, copied):
    with pytest.raises(ValueError, match="dominance='joint' compares algorithms at all budgets"):
        race_of(dominance="joint", path=tmp_path / "my.race")
    assert not (tmp_path / "my.race").exists()
    events = journal(copied, kinds=("round", "settings"))
    with pytest.raises(ValueError, match="dominance='joint' compares"):
        reopen(copied, dominance="joint")
    with reopen(copied):  # neither changed nor left locked
        assert journal(copied, kinds=("round", "settings")) == events


def test_the_seed_of_a_race_cannot_change(copied):
    with pytest.raises(ValueError, match="seed, direction and clock of a race cannot change"):
        reopen(copied, seed=99)


def test_one_race_at_a_time_writes_a_file(copied, tmp_path):
    with reopen(copied):
        with pytest.raises(pb.RaceFileInUse, match="is being written by process"):
            reopen(copied)
        with pytest.raises(pb.RaceFileInUse, match="close the race that has it open"):
            race_of(path=copied)
        with pb.Race.open(copied) as reader:  # readers are always allowed
            assert reader.outcome.finished
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
            r"copy.race is a damaged race file.*the run of 'early' on instance 1 is missing; .*polarbear verify",
        ),
        ("DELETE FROM event WHERE number = 1", r"copy.race is a damaged race file \(entry 2 of the journal"),
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
        assert race.outcome.rounds[-1].kind == "review"
    some = {name: algorithm for name, algorithm in four().items() if name != "early"}
    with (
        pb.Race.open(copied, algorithms=some, instances=instance) as race,
        pytest.raises(ValueError, match="the race needs runs of early, but got no algorithms of these names"),
    ):
        run_quietly(race, local)
    with reopen(copied) as race:
        assert run_quietly(race, local, max_instances=race.outcome.instances + 4).rounds


def test_a_race_that_is_open_for_reading_cannot_be_changed(copied):
    with pb.Race.open(copied) as race:
        with pytest.raises(ValueError, match="not open for writing"):
            race.drop(race.outcome.kept[0])
        assert race.outcome.finished


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
