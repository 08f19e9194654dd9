"""Interrupted races: Ctrl-C, interrupts between memory and disk, and full disks."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor
from functools import partial

import pytest

import polarbear as pb
from tests.driver.races import FailingFile, journal, race_of, reopen, run_quietly, stored_runs
from tests.race.live_algorithms import GRID, LEVELS, instance, staircase

LONG_GRID = (*GRID, 16.0)

# One run of the second round creates a file and then hangs.
HANGING_RACE = """
import sys
from functools import partial
from tests.driver.races import race_of
from tests.race.live_algorithms import LEVELS, four, hangs_on

path, flag = sys.argv[1:]
hanging = partial(hangs_on, instance=5, levels=LEVELS["early"], flag=flag)
with race_of({**four(), "early": hanging}, path=path) as race:
    result = race.drive(progress="none")
    print(result.stopped, len(result.rounds), result.instances, result.posterior.instances, flush=True)
"""


def test_ctrl_c_ends_a_hanging_run_and_the_race_continues_where_it_stopped(tmp_path, local, finished):
    path, flag = tmp_path / "my.race", tmp_path / "hangs"
    environment = {**os.environ, "PYTHONPATH": os.getcwd()}  # noqa: PTH109
    command = [sys.executable, "-c", HANGING_RACE, path, flag]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as driver:
        try:
            while not flag.exists():
                assert driver.poll() is None
                time.sleep(0.01)
            driver.send_signal(signal.SIGINT)
            output, _ = driver.communicate(timeout=300)
        finally:
            driver.kill()
    assert driver.returncode == 0
    assert output.split() == ["interrupted", "1", "4", "4"]
    assert len(stored_runs(path)) >= 16
    with reopen(path) as race:
        assert race.outcome.rounds == finished[1].rounds[:1]
        run_quietly(race, local, max_instances=12)
    assert journal(path) == journal(finished[0])[:3]


@pytest.mark.parametrize("method", ["append", "add_run"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_interrupt_between_memory_and_disk_loses_and_repeats_nothing(tmp_path, local, finished, method, when):
    path = tmp_path / "my.race"
    with race_of(path=path) as race:
        race._record.file = FailingFile(race._record.file, method, 2, when)
        result = run_quietly(race, local)
        assert result.stopped == "interrupted"
        with pb.Race.open(path) as reader:
            assert reader.outcome.rounds == result.rounds
        assert run_quietly(race, local, max_instances=12).rounds == finished[1].rounds[:3]
    assert journal(path) == journal(finished[0])[:3]
    with pb.Race.open(path) as reader:
        assert reader.outcome.rounds == finished[1].rounds[:3]


@pytest.mark.parametrize(("method", "kind"), [("append", OSError), ("add_run", OSError), ("add_run", TimeoutError)])
def test_a_temporary_failure_of_the_disk_loses_nothing(tmp_path, local, finished, method, kind):
    """A TimeoutError, as for a file that others have locked, does not mean that the race's own time is over."""
    path, full = tmp_path / "my.race", kind(28, "no space left; make room and try again")
    with race_of(path=path) as race:
        race._record.file = FailingFile(race._record.file, method, 2, "before", full)
        with pytest.raises(kind, match="make room and try again"):
            run_quietly(race, local)
        with pb.Race.open(path) as reader:
            assert reader.outcome.rounds == race.outcome.rounds
        assert run_quietly(race, local, max_instances=12).rounds == finished[1].rounds[:3]
    assert journal(path) == journal(finished[0])[:3]
    assert stored_runs(path).items() <= stored_runs(finished[0]).items()


def longer(problem, seed, budget, *, levels):
    """A staircase with one more step at 16."""
    yield from staircase(problem, seed, budget, levels=levels)
    if budget >= 16.0:
        yield 16.0, problem - 9000.0 + levels[-1]


LONGER = {name: partial(longer, levels=levels) for name, levels in LEVELS.items()}


def test_a_longer_grid_needs_only_new_runs(tmp_path, local):
    path = tmp_path / "my.race"
    with race_of(LONGER, path=path) as race:
        before = run_quietly(race, local, max_instances=8)
    with pb.Race.open(path, algorithms=LONGER, instances=instance, grid=LONG_GRID) as race:
        result = run_quietly(race, local, max_instances=before.instances + 8)
    assert result.rounds[len(before.rounds)].kind == "review"
    fresh = [round_ for round_ in result.rounds if round_.kind == "fresh"][len(before.rounds) :]
    assert fresh
    assert {budget for _, budget in fresh[0].budgets} == {16.0}
    at_the_end = result.allocation[LONG_GRID.index(16.0)]
    assert at_the_end.max() == sum(
        len(round_.instances) for round_ in fresh if max(u for _, u in round_.budgets) == 16.0
    )
    assert len(result.runs) == len(before.runs) + sum(len(r.instances) * len(r.budgets) for r in fresh)


def test_runs_of_an_interrupted_round_are_repeated_only_if_they_are_too_short(tmp_path, local):
    """Part of a round is stored until 8; the race continues until 16, and then with the shorter grid again."""
    path, jobs = tmp_path / "my.race", []

    class Interrupted(Executor):
        def submit(self, function, payload, job, limits):
            if len(jobs) == 6:
                raise KeyboardInterrupt
            jobs.append(job)
            return local.submit(function, payload, job, limits)

    with race_of(LONGER, path=path) as race:
        assert run_quietly(race, Interrupted()).stopped == "interrupted"
    assert len(stored_runs(path)) <= 6
    with pb.Race.open(path, algorithms=LONGER, instances=instance, grid=LONG_GRID) as race:
        run_quietly(race, local, max_instances=4)
    with pb.Race.open(path, algorithms=LONGER, instances=instance, grid=GRID) as race:
        result = run_quietly(race, local, max_instances=4)
    assert len(result.runs) == 16
    assert {run.trajectory.end for run in result.runs} == {16.0}
    assert [round_.kind for round_ in result.rounds] == ["fresh", "review"]


def fails_if_long(problem, seed, budget, *, levels):
    """A staircase that fails at 2 if it is to run until 16."""
    for when, value in staircase(problem, seed, budget, levels=levels):
        yield when, value
        if when == 2.0 and budget >= 16.0:
            raise RuntimeError("too long")


def test_a_repeated_run_that_fails_replaces_the_shorter_one_in_the_file(tmp_path, local):
    """The file must hold what the race used, even where the earlier, shorter run was complete."""
    algorithms = {**LONGER, "early": partial(fails_if_long, levels=LEVELS["early"])}
    path = tmp_path / "my.race"
    with race_of(algorithms, path=path) as race:
        race._record.file = FailingFile(race._record.file, "append", 1, "before")
        run_quietly(race, local)
    assert len(stored_runs(path)) == 16
    with pb.Race.open(path, algorithms=algorithms, instances=instance, grid=LONG_GRID) as race:
        result = run_quietly(race, local, max_instances=4, accept_failures=True)
    assert {run.trajectory.algorithm for run in result.failures} == {"early"}
    with pb.Race.open(path) as race:
        assert dict(race.state.observations.runs) == dict(result.state.observations.runs)
