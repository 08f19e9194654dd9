"""A killed writer loses at most the run that it was storing."""

import multiprocessing
import random
import signal
import subprocess
import sys
import time

import pytest

from polarbear.storage import RaceFile, RaceFileInUse

WRITER = """
import sys
from polarbear.observe import Trajectory
from polarbear.race.jobs import Job, Run
from polarbear.storage import RaceFile

path, first = sys.argv[1], int(sys.argv[2])
budgets = list(range(1, 201))
with RaceFile.open(path, write=True) as file:
    for instance in range(first, first + 100_000):
        trajectory = Trajectory("cma", instance, budgets, [instance / t for t in budgets])
        file.add_run(Run(trajectory, reached=200), Job("cma", instance, 200, 1, 2))
        file.append("stored", instance)
        sys.stdout.write(f"{instance}\\n")
        sys.stdout.flush()
"""


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_a_killed_writer_loses_at_most_the_run_being_stored(tmp_path, mode):
    path = tmp_path / "my.race"
    RaceFile.create(path, {"seed": 7}).close()
    moments = random.Random(mode)
    writer_code = WRITER
    if mode == "DELETE":
        mounts = tmp_path / "mounts"
        mounts.write_text("server:/home / nfs rw 0 0\n")
        writer_code = (
            f"import pathlib, polarbear.storage.schema as s; s._MOUNTS = pathlib.Path({str(mounts)!r})" + WRITER
        )
    stored = 0
    for _ in range(5):
        writer = subprocess.Popen([sys.executable, "-c", writer_code, path, str(stored)], stdout=subprocess.PIPE)
        first = writer.stdout.readline()  # it has started
        time.sleep(moments.uniform(0, 0.15))
        writer.kill()
        reported = [
            int(line) for line in (first + writer.stdout.read()).splitlines(keepends=True) if line.endswith(b"\n")
        ]
        writer.stdout.close()
        assert writer.wait() == -signal.SIGKILL
        with RaceFile.open(path, write=moments.random() < 0.5) as file:
            runs, events = file.runs(), file.events()
        assert reported[-1] + 1 <= len(runs) <= reported[-1] + 2
        assert len(runs) - 1 <= len(events) <= len(runs)
        assert [event.data for event in events] == list(range(len(events)))
        assert all(run.trajectory.values[-1] == run.trajectory.instance / 200 for run in list(runs.values())[1:])
        if len(events) < len(runs):  # as a resumed race would do
            with RaceFile.open(path, write=True) as file:
                file.append("stored", len(events))
        stored = len(runs)


def test_a_writer_stopped_while_its_log_moves_into_the_file_loses_nothing(tmp_path):
    """A full disk can stop it, too. The first page already counts pages that are only in the log."""
    path, torn = tmp_path / "my.race", tmp_path / "torn.race"
    with RaceFile.create(path, {}) as file:
        file._connection.execute("PRAGMA wal_autocheckpoint = 0")
        for _ in range(100):
            file.append("stored", "x" * 1000)
        before, log = path.read_bytes(), path.with_name("my.race-wal").read_bytes()
    after = path.read_bytes()
    assert len(after) > len(before) + 100_000
    torn.write_bytes(after[:18] + b"\2\2" + after[20:4096] + before[4096:])
    torn.with_name("torn.race-wal").write_bytes(log)
    with RaceFile.open(torn, write=False) as file:
        assert len(file.events()) == 100
    with RaceFile.open(torn, write=True) as file:
        assert file.append("more", None) == 101


HOLDER = """
import sys, os
from polarbear.storage import RaceFile
file = RaceFile.open(sys.argv[1], write=True)
if sys.argv[2:] == ["fork"]:
    os.fork()
os.write(1, f"{os.getpid()}\\n".encode())  # in one call, since both processes write
os.read(0, 1)  # until the test closes the pipe or kills the process
os._exit(0)
"""


def test_the_message_names_the_other_writer_and_its_death_releases_the_file(tmp_path):
    path = tmp_path / "my.race"
    RaceFile.create(path, {}).close()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HOLDER, path], **pipes) as holder:
        holder.stdout.readline()
        with pytest.raises(RaceFileInUse, match=f"written by process {holder.pid} on "):
            RaceFile.open(path, write=True)
        RaceFile.open(path, write=False).close()
        holder.kill()
    RaceFile.open(path, write=True).close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["my.race"]


def test_a_forked_child_does_not_hold_the_file_for_its_dead_parent(tmp_path):
    path = tmp_path / "my.race"
    RaceFile.create(path, {}).close()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", HOLDER, path, "fork"], **pipes) as holder:
        assert len({holder.stdout.readline(), holder.stdout.readline()}) == 2  # parent and child
        holder.kill()
        holder.wait()
        RaceFile.open(path, write=True).close()  # while the child is alive


def create(path, barrier, outcomes):
    barrier.wait()
    try:
        RaceFile.create(path, {}).close()
        outcomes.put("created")
    except (FileExistsError, RaceFileInUse) as error:
        outcomes.put(type(error).__name__)


def test_only_one_of_several_processes_creates_a_file(tmp_path):
    context = multiprocessing.get_context("spawn")
    barrier, queue = context.Barrier(3), context.Queue()
    processes = [context.Process(target=create, args=(tmp_path / "my.race", barrier, queue)) for _ in range(3)]
    for process in processes:
        process.start()
    outcomes = sorted(queue.get(timeout=600) for _ in processes)
    for process in processes:
        process.join()
    assert outcomes.count("created") == 1, outcomes
    assert [entry.name for entry in tmp_path.iterdir()] == ["my.race"]
