"""Stored runs, events and settings are read back unchanged, with either of SQLite's two journals."""

import contextlib
import math
import re
import sqlite3
import threading
from fractions import Fraction

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import RunFailure
from polarbear.observe import Trajectory
from polarbear.race.jobs import Job, Run
from polarbear.race.observations import ClusterLabel
from polarbear.storage import RaceFile, schema


@pytest.fixture(params=["write-ahead log", "rollback journal"])
def path(request, tmp_path, monkeypatch):
    if request.param == "rollback journal":
        mounts = tmp_path / "mounts"
        mounts.write_text("server:/home / nfs4 rw,relatime 0 0\n")
        monkeypatch.setattr(schema, "_MOUNTS", mounts)
    return tmp_path / "my race #1?.race"  # characters that mean something in a URI


def job(algorithm="cma", instance=0, budget=100.0):
    return Job(algorithm, instance, budget, seed=2**127, instance_seed=2**64 - 1)


def run(algorithm="cma", instance=0, budgets=(10, 50), values=(3.0, 1.0), budget=100.0, status="done", **more):
    if status != "done":
        more = {"failure": RunFailure("died by SIGKILL 💥", output=more.pop("output", "")), **more}
    trajectory = Trajectory(algorithm, instance, budgets, values, budget, failed=status != "done")
    return Run(trajectory, min(budget, 100.0), status, **more)


def test_runs_are_read_back_unchanged(path):
    stored = [
        run(),
        run(instance=-3, budget=math.inf, output="solved\0 💥\n"),
        run("de", 2**62, [], [], 0.0, "crashed", seconds=1.5, cpu_seconds=0.25),
        run("de", 1, [0.1], [math.inf], 7.25, "timeout"),
        run("de", 2, [5e-324, 1e308], [math.pi, -1e308], 1e308, "error", failure=RunFailure("E: no", "  File", "")),
        Run(Trajectory("max", 0, [1, 2], [1.0, 2.0], 3, maximise=True), reached=3),
    ]
    with RaceFile.create(path, {}) as file:
        for each in stored:
            file.add_run(each, job(each.trajectory.algorithm, each.trajectory.instance))
        assert set(file.runs().values()) == set(stored)
    with RaceFile.open(path, write=False) as file:
        runs = file.runs()
    assert list(runs) == [("cma", -3), ("cma", 0), ("de", 1), ("de", 2), ("de", 2**62), ("max", 0)]
    assert all(runs[each.trajectory.algorithm, each.trajectory.instance] == each for each in stored)
    budgets = runs["cma", 0].trajectory.budgets
    assert budgets.dtype == np.float64
    assert not budgets.flags.writeable


@pytest.mark.parametrize(
    "cluster",
    [
        *("größe", 3, 0.1 + 0.2, True, ("bbob", 1, (2.5, "x")), ("suite", None), (), np.int64(2**62)),
        *(ClusterLabel(("bbob", 1), "function", "instance"), ClusterLabel(-7, "data set", "run")),
    ],
)
def test_the_cluster_of_a_run_is_read_back_equal(path, cluster):
    stored = Run(run().trajectory.in_cluster(cluster), reached=100)
    with RaceFile.create(path, {}) as file:
        file.add_run(stored, job())
    with RaceFile.open(path, write=False) as file:
        again = file.runs()["cma", 0]
    assert again == stored
    assert again.trajectory.cluster == cluster
    assert hash(again.trajectory.cluster) == hash(cluster)


@pytest.mark.parametrize("cluster", [b"f1", frozenset({1}), math.nan, 1j, (1, Fraction(1, 2)), pb.Dirichlet])
def test_a_cluster_that_cannot_be_read_back_is_refused(path, cluster):
    with RaceFile.create(path, {}) as file:
        words = f"expected text, numbers or tuples of these as the cluster of instance 0.*{re.escape(repr(cluster))};"
        with pytest.raises(ValueError, match=words):
            file.add_run(Run(run().trajectory.in_cluster(cluster), reached=100), job())
        assert file.runs() == {}


def test_events_and_settings_are_read_back_unchanged(path):
    with RaceFile.create(path, {"seed": 7, "grid": {"budgets": [1.5, 2.0], "axis": "log"}}) as file:
        assert file.append("round", {"number": 1, "out": ["äöü"], "probability": 0.1 + 0.2}) == 1
        file.set_about("seed", None)
        file.set_about("more", [1, "two"])
    with RaceFile.open(path, write=True) as file:
        assert file.append("round", None) == 2
    with RaceFile.open(path, write=False) as file:
        assert file.about == {"seed": None, "grid": {"budgets": [1.5, 2.0], "axis": "log"}, "more": [1, "two"]}
        first, second = file.events()
    assert (first.number, first.kind) == (1, "round")
    assert first.data == {"number": 1, "out": ["äöü"], "probability": 0.1 + 0.2}
    assert (second.number, second.data) == (2, None)
    assert 1.6e9 < first.time <= second.time


@pytest.mark.parametrize("later", [{"budget": 100}, {"budget": 50}, {"budget": 55, "status": "crashed"}])
def test_a_run_replaces_an_earlier_one(path, later):
    with RaceFile.create(path, {}) as file:
        file.add_run(run(budget=60, output="earlier"), job())
        file.add_run(run(**later, output="later"), job())
        assert file.runs() == {("cma", 0): run(**later, output="later")}


def test_other_programs_can_read_the_columns(path):
    with RaceFile.create(path, {"seed": 7}) as file:
        file.add_run(run(), job())
    connection = sqlite3.connect(path)
    [row] = connection.execute(
        "SELECT algorithm, instance, seed, instance_seed, budget, known, status, events FROM run"
    )
    connection.close()
    assert row[:-1] == ("cma", 0, str(2**127), str(2**64 - 1), 100.0, 100.0, "done")
    assert np.frombuffer(row[-1], "<f8").tolist() == [10, 50, 3, 1]


def test_readers_get_new_runs_while_the_file_is_written(path):
    with RaceFile.create(path, {}) as file, RaceFile.open(path, write=False) as reader:
        for instance in range(5):
            file.add_run(run(instance=instance), job(instance=instance))
            file.append("stored", instance)
            assert len(reader.runs()) == len(reader.events()) == instance + 1
    assert len(file.path.read_bytes()) > 0


def test_closing_leaves_a_single_file(path):
    with RaceFile.create(path, {}) as file:
        file.add_run(run(), job())
    assert [entry.name for entry in path.parent.glob("my*")] == [path.name]
    with RaceFile.open(path, write=True) as file:
        file.add_run(run(instance=1), job(instance=1))
        reader = RaceFile.open(path, write=False)
    assert len(reader.runs()) == 2  # the reader prevented the merge of the log, and loses nothing
    reader.close()


def test_a_copy_holds_the_present_content(path, tmp_path):
    copy = tmp_path / "copy.race"
    with RaceFile.create(path, {"seed": 7}) as file:
        file.add_run(run(), job())
        file.copy_to(copy)
        file.add_run(run(instance=1), job(instance=1))
        with pytest.raises(FileExistsError, match=r"copy.race exists already"):
            file.copy_to(copy)
    with RaceFile.open(copy, write=True) as other:
        assert other.about == {"seed": 7}
        assert list(other.runs()) == [("cma", 0)]
    with RaceFile.open(path, write=False) as reader:
        reader.copy_to(tmp_path / "second.race")
    assert sorted(p.name for p in tmp_path.glob("*race*")) == ["copy.race", path.name, "second.race"]


def test_threads_can_share_a_file(path):
    with RaceFile.create(path, {}) as file:

        def store(thread):
            for instance in range(8):
                file.add_run(run(f"a{thread}", instance), job(f"a{thread}", instance))
                file.append("stored", thread)

        threads = [threading.Thread(target=store, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(file.runs()) == 32
        assert [event.number for event in file.events()] == list(range(1, 33))


def test_the_log_is_used_only_where_machines_share_memory(tmp_path, monkeypatch):
    def journal():
        with RaceFile.create(tmp_path / "probe", {}) as file:
            [(mode,)] = file._connection.execute("PRAGMA journal_mode")
        file.path.unlink()
        return mode

    assert journal() == "wal"
    mounts = tmp_path / "mounts"
    monkeypatch.setattr(schema, "_MOUNTS", mounts)
    assert journal() == "wal"  # no list of mounts
    mounts.write_text(f"a / ext4 rw 0 0\nb {tmp_path} nfs rw 0 0\nc {tmp_path}/other ext4 rw 0 0\n")
    assert journal() == "delete"
    mounts.write_text(f"a / nfs rw 0 0\nb {tmp_path} nfs rw 0 0\nc {tmp_path} ext4 rw 0 0\n")
    assert journal() == "wal"


def test_a_reader_does_not_make_a_file_look_overwritten(tmp_path):
    """While someone reads, SQLite merges only a part of its log, and the file itself is not consistent for a while."""
    path = tmp_path / "my.race"
    with RaceFile.create(path, {"settings": {}, "algorithms": ["cma"], "made": "today"}) as file:
        budgets, values = np.arange(10, 210), np.arange(1000.0, 800.0, -1)
        for instance in range(600):  # 3 MB: more than SQLite's log holds before it is merged
            if instance % 150 == 20:
                reader = sqlite3.connect(path, isolation_level=None)
                reader.execute("BEGIN")
                reader.execute("SELECT count(*) FROM run").fetchall()
            if instance % 150 == 140:
                reader.close()
            file.add_run(
                run(instance=instance, budgets=budgets, values=values, budget=1000.0),
                job(instance=instance, budget=1000.0),
            )
            if instance % 20 == 0:
                file.append("round", {"number": instance, "text": "x" * 500})
                assert file.find_change() is None
        assert file.find_change() is None


@pytest.mark.parametrize("stored", [1, 9, 24])
def test_a_log_that_a_reader_keeps_from_merging_is_no_change(tmp_path, stored):
    """The part of the log that can be merged may leave a file that is shorter than its header says."""
    with RaceFile.create(tmp_path / "my.race", {"settings": {}, "algorithms": ["cma"], "made": "today"}) as file:
        values = {"budgets": np.arange(10, 30), "values": np.arange(1000.0, 980.0, -1)}
        for instance in range(stored):
            file.add_run(run(instance=instance, **values), job(instance=instance))
        reader = sqlite3.connect(file.path, isolation_level=None)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM run").fetchall()
        for instance in range(stored, stored + 3):
            file.add_run(run(instance=instance, **values), job(instance=instance))
            assert file.find_change() is None
        reader.close()
        assert file.find_change() is None


def test_an_older_copy_that_lacks_only_runs_is_noticed(tmp_path):
    path = tmp_path / "my.race"
    with RaceFile.create(path, {"settings": {}, "algorithms": ["cma"], "made": "today"}) as file:
        file.append("round", 1)
        file.add_run(run(), job())
    older = path.read_bytes()
    with RaceFile.open(path, write=True) as file:
        for instance in range(1, 100):
            file.add_run(run(instance=instance), job(instance=instance))
        assert file.find_change() is None
        with path.open("r+b") as place:
            place.write(older + bytes(path.stat().st_size - len(older)))
        assert file.find_change() == "was overwritten by an older copy of its race"


def test_a_change_is_never_forgotten(tmp_path):
    """What is written after it may repair the file in part, or damage the file that took its place."""
    path, older = tmp_path / "my.race", tmp_path / "older.race"
    with RaceFile.create(path, {"settings": {}, "algorithms": ["cma"], "made": "today"}) as file:
        file.append("round", 1)
    older.write_bytes(path.read_bytes())
    with RaceFile.open(path, write=True) as file:
        for number in range(300):
            file.append("round", {"number": number, "text": "x" * 500})
        assert file.find_change() is None
        content = older.read_bytes()
        with path.open("r+b") as place:
            place.write(content + bytes(path.stat().st_size - len(content)))
        assert file.find_change().startswith("was overwritten by ")
        with contextlib.suppress(Exception):
            file.append("round", "one more")
        assert file.find_change().startswith("was overwritten by ")
