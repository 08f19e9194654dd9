"""Drivers of races that are killed, and the same races continued."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
import traceback
from functools import partial
from typing import TYPE_CHECKING, Any

import polarbear as pb
from torture.counts import Counts
from torture.processes import environment, marked_processes
from torture.small_race import InlineExecutor, content, open_or_start, run_race

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_WITHIN = 40  # kills within statements
_MOMENTS = 8  # kills of drivers with worker processes

LIVE = """
import sys
from pathlib import Path
from polarbear import LocalExecutor
from torture.small_race import run_race, slow_algorithms
if __name__ == "__main__":
    with LocalExecutor(workers=2) as executor:
        run_race(Path(sys.argv[1]), executor, slow_algorithms(0.1))
"""


def killed_at_commit_points(folder: Path) -> Counts:
    """A race whose driver is killed loses no stored run, repeats none, and makes the same decisions when it continues.

    The driver of a small race is killed (SIGKILL) before every SQL statement that creates or changes its file, and within
    40 statements, at single instructions of SQLite's virtual machine. Then the race continues. Runs and decisions are
    compared with those of a race that was not killed.
    """
    counts = Counts()
    whole = folder / "whole.race"
    statements, steps = _count_points(whole)
    expected = content(whole)
    points = [("statement", number) for number in range(1, statements + 1)]
    points += [("instruction", 1 + steps * number // _WITHIN) for number in range(_WITHIN)]
    for number, (kind, point) in enumerate(points):
        path = folder / f"{number}.race"
        status = _in_child(partial(_run_until, path, kind, point))
        if status not in (-signal.SIGKILL, 0):
            counts.broke(f"the driver to be killed at {kind} {point} ended with status {status}")
        elif problem := _continue(path, expected):
            counts.broke(f"killed at {kind} {point}: {problem}")
        else:
            counts.kept(
                ("killed before a statement", "killed within a statement")[kind == "instruction"]
                if status
                else "ended first"
            )
    return counts


def killed_with_workers(folder: Path) -> Counts:
    """A killed driver takes its worker processes with it, and its race continues to the same decisions.

    The driver of a small race on two worker processes, whose runs take a tenth of a second, is killed (SIGKILL) at random
    moments before its end. Within ten seconds no process that it started is alive. Then the race continues, and is compared
    with one that was not killed.
    """
    counts, moments = Counts(), random.Random(1)
    _in_child(lambda: run_race(folder / "whole.race", InlineExecutor()))
    expected = content(folder / "whole.race")
    for number in range(_MOMENTS):
        path, mark = folder / f"live{number}.race", f"kill-{os.getpid()}-{number}"
        driver = subprocess.Popen([sys.executable, "-c", LIVE, path], env=environment(mark), stderr=subprocess.DEVNULL)
        while not path.exists() and driver.poll() is None:
            time.sleep(0.01)
        time.sleep(moments.uniform(0, 2))
        driver.kill()
        killed = driver.wait() == -signal.SIGKILL
        latest = time.monotonic() + 10
        while (alive := marked_processes(mark)) and time.monotonic() < latest:
            time.sleep(0.05)
        if alive:
            counts.broke(f"{len(alive)} processes outlived their driver by ten seconds")
        elif problem := _continue(path, expected):
            counts.broke(f"kill {number}: {problem}")
        elif not killed:
            counts.broke("the driver ended before it was killed, so that this trial shows nothing")
        else:
            counts.kept("killed and continued")
    return counts


def _count_points(path: Path) -> tuple[int, int]:
    """Run the race without a kill, and return the number of its SQL statements and of their instructions."""
    noted = path.with_suffix(".points")
    _in_child(lambda: noted.write_text(" ".join(map(str, _run_until(path, "statement", -1)))))
    statements, steps = map(int, noted.read_text().split())
    return statements, steps


def _run_until(path: Path, kind: str, point: int) -> tuple[int, int]:
    """Run the race in this process, which kills itself at a point; return the number of points if it gets to the end.

    A line in a second file reports each run whose storage has returned, as a user would see it.
    """
    connect, add_run = sqlite3.connect, pb.RaceFile.add_run
    passed = {"statement": 0, "instruction": 0}

    def count(what: str) -> None:
        passed[what] += 1
        if what == kind and passed[what] == point:
            os.kill(os.getpid(), signal.SIGKILL)

    def watched(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(lambda _: count("statement"))
        connection.set_progress_handler(lambda: count("instruction"), 1)
        return connection

    reported = os.open(path.with_suffix(".reported"), os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def report(file: pb.RaceFile, run: Any, job: Any) -> None:
        add_run(file, run, job)
        os.write(reported, f"{job.algorithm} {job.instance}\n".encode())

    sqlite3.connect = watched  # type: ignore[assignment]
    pb.RaceFile.add_run = report  # type: ignore[assignment,method-assign]
    run_race(path, InlineExecutor())
    return passed["statement"], passed["instruction"]


def _continue(path: Path, expected: Any) -> str:
    """Continue a race in a new process, and return what is wrong with it, if anything."""
    answer = path.with_suffix(".answer")

    def go_on() -> None:
        stored = content(path)[1] if path.exists() else {}
        notes = path.with_suffix(".reported")
        reported = [tuple(line.split()) for line in notes.read_text().splitlines()] if notes.exists() else []
        executor = InlineExecutor()
        with open_or_start(path) as race:
            race.drive(executor, max_instances=12, progress="none")
        made = {(job.algorithm, job.instance) for job in executor.jobs}
        problems = [
            *(f"lost the run of {name} on {number}" for name, number in reported if (name, int(number)) not in stored),
            *(f"made the run {key} again" for key in made.intersection(stored)),
            *(["its decisions differ"] if content(path)[0] != expected[0] else []),
            *(["its runs differ"] if content(path)[1] != expected[1] else []),
        ]
        answer.write_text("; ".join(problems))

    status = _in_child(go_on)
    return answer.read_text() if answer.exists() else f"could not be continued (status {status})"


def _in_child(function: Callable[[], object]) -> int:
    """Call a function in a forked process, which has everything imported, and return its exit status."""
    child = os.fork()
    if child == 0:
        try:
            function()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
