"""The public Race: limits, interruptions, continuing with other wishes, and what is refused."""

import dataclasses
import os
import signal
import subprocess
import sys
from concurrent.futures import Executor
from functools import partial

import pytest

import polarbear as pb
from tests.driver.test_same_race import journal, stored
from tests.race import raced
from tests.race.raced import GRID, four, instance

SETTINGS = {
    "grid": GRID,
    "prior": pb.Dirichlet(),
    "elimination": "pointwise",
    "confidence": 0.9,
    "draws": 400,
    "seed": 3,
    "batch": pb.FixedBatch(4),
}


@pytest.fixture(scope="module")
def local():
    with pb.LocalExecutor(workers=1) as executor:
        yield executor


def race_of(algorithms=None, instances=instance, **changes):
    return pb.Race(algorithms or four(), instances, **{**SETTINGS, **changes})


def quietly(race, executor, **limits):
    return race.run(executor, progress="none", **limits)


@pytest.fixture(scope="module")
def finished(local, tmp_path_factory):
    """A finished race on disk; tests copy it."""
    path = tmp_path_factory.mktemp("finished") / "my.race"
    with race_of(path=path) as race:
        result = quietly(race, local)
        assert result.finished
    return path, result


@pytest.fixture
def copied(finished, tmp_path):
    with pb.RaceFile.open(finished[0], write=False) as file:
        file.copy_to(tmp_path / "copy.race")
    return tmp_path / "copy.race"


def opened(path, **changes):
    return pb.Race.open(path, algorithms=four(), instances=instance, **changes)


# Limits


def test_max_instances_is_never_passed_and_leaves_a_valid_result(local):
    race = race_of(confidence=0.99, rope=0.0)
    for limit in (0, 3, 3, 4, 9, 10):
        result = quietly(race, local, max_instances=limit)
        assert (result.stopped, result.instances, result.finished) == ("max_instances", limit, False)
        assert result.state.evidence.instances == tuple(range(limit))
        assert result.undecided()
        if limit:
            assert result.posterior.instances == limit
    assert [len(round_.instances) for round_ in result.rounds] == [3, 1, 4, 1, 1]


def test_max_evaluations_is_never_passed(local):
    race = race_of(confidence=0.99, rope=0.0)
    for limit in (0, 31, 32, 200, 500.5):
        result = quietly(race, local, max_evaluations=limit)
        spent = sum(result.cost.values())
        assert result.stopped == "max_evaluations"
        assert spent <= limit
        assert limit - spent < 4 * GRID[-1]  # nor does it stop before it must
    assert sum(run.reached for run in result.runs) == spent


def test_an_infinite_limit_is_none(local, finished):
    result = quietly(race_of(), local, max_evaluations=float("inf"), max_seconds=float("inf"))
    assert result.rounds == finished[1].rounds


def test_no_seconds_at_all(local):
    result = quietly(race_of(), local, max_seconds=0)
    assert (result.stopped, result.instances, result.pareto_set) == ("max_seconds", 0, tuple(four()))


def test_a_callback_sees_a_valid_result_after_each_round(local):
    seen = []

    def stop(so_far):
        seen.append((len(so_far.rounds), so_far.pareto_set, so_far.posterior.instances))
        return len(seen) == 2

    result = quietly(race_of(), local, stop=stop)
    assert result.stopped == "callback"
    assert [rounds for rounds, *_ in seen] == [1, 2]
    assert seen[-1][1:] == (result.pareto_set, result.instances)


def test_what_a_callback_raises_comes_out_and_nothing_is_lost(local, tmp_path, finished):
    class MineError(Exception):
        pass

    def stop(_):
        raise MineError

    with race_of(path=tmp_path / "my.race") as race:
        with pytest.raises(MineError):
            quietly(race, local, stop=stop)
        assert quietly(race, local).rounds == finished[1].rounds


def test_a_limit_on_time_does_not_wait_for_a_run_that_hangs(tmp_path):
    """With workers of its own, the race must end them when its time is over."""
    slow = {"one": partial(raced.hangs_in_the_third, flag=tmp_path / "hangs"), "two": four()["late"]}
    result = race_of(slow, confidence=0.99, rope=0.0).run(max_seconds=1.5, progress="none")
    assert result.stopped == "max_seconds"


# Interruptions

INTERRUPTED = """
import sys
from functools import partial
import polarbear as pb
from tests.race import raced
from tests.driver.test_race import race_of

path, flag = sys.argv[1:]
algorithms = {**raced.four(), "early": partial(raced.hangs_in_the_third, flag=flag)} if flag else raced.four(0.02)
with race_of(algorithms, path=path) as race:
    result = race.run(progress="none", stop=lambda _: print("a round", flush=True))
    print(result.stopped, len(result.rounds), result.instances, len(result.pareto_set), flush=True)
    if result.rounds:
        print(result.posterior.instances, flush=True)
"""


def interrupted_driver(path, flag=""):
    here = {**os.environ, "PYTHONPATH": os.getcwd()}  # noqa: PTH109
    command = [sys.executable, "-c", INTERRUPTED, str(path), str(flag)]
    return subprocess.Popen(command, env=here, stdout=subprocess.PIPE, text=True)


def test_ctrl_c_leaves_a_valid_result_and_the_race_goes_on_as_if_nothing_had_happened(tmp_path, local, finished):
    path = tmp_path / "my.race"
    with interrupted_driver(path) as driver:
        assert driver.stdout.readline() == "a round\n"
        driver.send_signal(signal.SIGINT)
        told = driver.stdout.read().splitlines()
    assert driver.returncode == 0
    stopped, rounds, instances, candidates = told[-2].split()
    assert stopped == "interrupted"
    assert int(instances) == 4 * int(rounds) == int(told[-1])
    assert int(candidates) >= len(finished[1].pareto_set)
    with opened(path) as race:
        assert len(race.result.rounds) == int(rounds)
        quietly(race, local)
    assert journal(path) == journal(finished[0])
    assert stored(path) == stored(finished[0])


def test_ctrl_c_does_not_wait_for_a_run_that_hangs(tmp_path):
    flag = tmp_path / "hangs"
    with interrupted_driver(tmp_path / "my.race", flag) as driver:
        while not flag.exists():
            assert driver.poll() is None
        driver.send_signal(signal.SIGINT)
        told = driver.stdout.read().split()
    assert driver.returncode == 0
    assert told == ["interrupted", "0", "0", "4"]


class Interrupting:
    """A race file whose nth call of a method is interrupted, before it or just after it, as Ctrl-C may."""

    def __init__(self, file, method, number, when, error=KeyboardInterrupt):
        self._file, self._method, self._left, self._when, self._error = file, method, number, when, error

    def __getattr__(self, name):
        call = getattr(self._file, name)
        if name != self._method:
            return call

        def interrupted(*arguments):
            self._left -= 1
            if self._left == 0 and self._when == "before":
                raise self._error
            result = call(*arguments)
            if self._left == 0:
                raise self._error
            return result

        return interrupted


@pytest.mark.parametrize("method", ["append", "add_run"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_an_interrupt_between_memory_and_disk_loses_and_doubles_nothing(tmp_path, local, finished, method, when):
    path = tmp_path / "my.race"
    with race_of(path=path) as race:
        race._file = Interrupting(race._file, method, 2, when)
        result = quietly(race, local)
        assert result.stopped == "interrupted"
        with pb.Race.open(path) as other:
            assert other.result.rounds == result.rounds
        assert quietly(race, local).rounds == finished[1].rounds
    assert journal(path) == journal(finished[0])
    with pb.Race.open(path) as other:
        assert other.result.rounds == finished[1].rounds


@pytest.mark.parametrize("method", ["append", "add_run"])
@pytest.mark.parametrize("kind", [OSError, TimeoutError])
def test_a_disk_that_is_full_for_a_while_loses_nothing(tmp_path, local, finished, method, kind):
    """Also where the error is a TimeoutError, as for a file locked by others: the race's own time is not over."""
    path, full = tmp_path / "my.race", kind(28, "no space left; make room and try again")
    with race_of(path=path) as race:
        race._file = Interrupting(race._file, method, 2, "before", full)
        with pytest.raises(kind, match="make room and try again"):
            quietly(race, local)
        with pb.Race.open(path) as other:
            assert other.result.rounds == race.result.rounds
        assert quietly(race, local).rounds == finished[1].rounds
    assert journal(path) == journal(finished[0])
    assert stored(path) == stored(finished[0])


# Until when runs are known


def test_who_stops_at_its_time_without_saying_so_is_not_known_beyond_it(local):
    algorithms = {name: partial(raced.improvements_only, levels=levels) for name, levels in raced.LEVELS.items()}
    result = quietly(race_of(algorithms, resolution="strict", rope=0.1), local, max_instances=80)
    asked = {(name, instance): until for r in result.rounds for name, until in r.until for instance in r.instances}
    assert min(asked.values()) < GRID[-1]
    for t, time in enumerate(GRID):
        for a, name in enumerate(result.state.names):
            assert result.allocation[t, a] == sum(who == name and until >= time for (who, _), until in asked.items())
    # What it is taken to have cost is what it said.
    assert all(run.reached == run.trajectory.times[-1] for run in result.runs)


# Continuing with other wishes


@pytest.mark.parametrize(
    "change",
    [
        {"confidence": 0.99},
        {"rope": 0.02},
        {"grid": (1.0, 1.5, 2.0, 3.0, 4.0, 8.0)},
        {"resolution": "strict", "rope": 0.1},
        {"elimination": "joint", "prior": pb.RandomWalk()},
    ],
    ids=lambda change: "+".join(change),
)
def test_a_finished_race_goes_on_under_other_settings_without_running_anything_again(copied, local, finished, change):
    _, before = finished
    with opened(copied, **change) as race:
        assert not race.result.finished
        assert race.result.stopped == "paused"
        result = quietly(race, local, max_instances=before.instances + 40)
    first = result.rounds[len(before.rounds)]
    assert (first.kind, first.cost) == ("review", 0.0)
    assert result.rounds[: len(before.rounds)] == before.rounds
    again = {(run.trajectory.algorithm, run.trajectory.instance): run.trajectory for run in result.runs}
    for run in before.runs:
        assert again[run.trajectory.algorithm, run.trajectory.instance] == run.trajectory
    new = result.rounds[len(before.rounds) + 1 :]
    assert all(min(round_.instances) >= before.instances for round_ in new)
    with pb.Race.open(copied) as race:  # and all of it is in the file
        assert race.result.rounds == result.rounds
        assert race.state.settings == dataclasses.replace(before.state.settings, **change)


LONG = (*GRID, 16.0)


def longer(problem, seed, until, *, levels):
    yield from raced.staircase(problem, seed, until, levels=levels)
    if until >= 16.0:
        yield 16.0, problem - 9000.0 + levels[-1]


def test_a_longer_grid_needs_new_runs_and_only_those(tmp_path, local):
    algorithms = {name: partial(longer, levels=levels) for name, levels in raced.LEVELS.items()}
    path = tmp_path / "my.race"
    with race_of(algorithms, path=path) as race:
        before = quietly(race, local)
    with pb.Race.open(path, algorithms=algorithms, instances=instance, grid=LONG) as race:
        result = quietly(race, local, max_instances=before.instances + 24)
    assert result.rounds[len(before.rounds)].kind == "review"
    old = result.allocation[:, :][LONG.index(16.0)]
    fresh = [round_ for round_ in result.rounds if round_.kind == "fresh"][len(before.rounds) :]
    assert fresh
    assert {until for _, until in fresh[0].until} == {16.0}
    assert old.max() == sum(len(round_.instances) for round_ in fresh if max(u for _, u in round_.until) == 16.0)
    assert len(result.runs) == len(before.runs) + sum(len(r.instances) * len(r.until) for r in fresh)


def test_runs_of_a_round_that_was_broken_off_are_run_again_only_if_they_are_too_short(tmp_path, local):
    """Half a round is stored until 8; the race goes on until 16, and then shorter again."""
    algorithms = {name: partial(longer, levels=levels) for name, levels in raced.LEVELS.items()}
    path, jobs = tmp_path / "my.race", []

    class Counting(Executor):
        def submit(self, function, payload, job, limits):
            if len(jobs) == 6:
                raise KeyboardInterrupt
            jobs.append(job)
            return local.submit(function, payload, job, limits)

    with race_of(algorithms, path=path) as race:
        assert quietly(race, Counting()).stopped == "interrupted"
    kept = len(stored(path))
    with pb.Race.open(path, algorithms=algorithms, instances=instance, grid=LONG) as race:
        quietly(race, local, max_instances=4)
    with pb.Race.open(path, algorithms=algorithms, instances=instance, grid=GRID) as race:
        result = quietly(race, local, max_instances=4)
    assert kept <= 6
    assert len(result.runs) == 16
    assert {run.trajectory.until for run in result.runs} == {16.0}
    assert [round_.kind for round_ in result.rounds] == ["fresh", "review"]


def longer_but_fragile(problem, seed, until, *, levels):
    for when, value in raced.staircase(problem, seed, until, levels=levels):
        yield when, value
        if when == 2.0 and until >= 16.0:
            raise RuntimeError("so long is too long")


def test_a_run_that_is_made_again_and_fails_is_stored_as_it_counted(tmp_path, local):
    """The file must tell the same story as the race that wrote it, also where the earlier, shorter run was good."""
    algorithms = {name: partial(longer, levels=levels) for name, levels in raced.LEVELS.items()}
    algorithms["early"] = partial(longer_but_fragile, levels=raced.LEVELS["early"])
    path = tmp_path / "my.race"
    with race_of(algorithms, path=path) as race:
        race._file = Interrupting(race._file, "append", 1, "before")
        quietly(race, local)
    assert len(stored(path)) == 16
    with pb.Race.open(path, algorithms=algorithms, instances=instance, grid=LONG) as race:
        result = quietly(race, local, max_instances=4)
    assert {run.trajectory.algorithm for run in result.failures} == {"early"}
    with pb.Race.open(path) as race:
        assert dict(race.state.evidence.runs) == dict(result.state.evidence.runs)


def test_a_late_arrival_after_opening_again_catches_up_on_stored_runs(copied, local, finished):
    _, before = finished
    with opened(copied) as race:
        race.add("late too", four()["late"])
        result = quietly(race, local)
        assert result.finished
    new = result.rounds[len(before.rounds) :]
    assert new[0].kind == "catch-up"
    assert new[0].instances == tuple(range(4))
    assert {name for name, _ in new[0].until} == {"late too"}
    assert "late too" in result.state.names
    with pb.Race.open(copied) as race:
        assert race.result.rounds == result.rounds
        assert race.result.pareto_set == result.pareto_set


def test_two_wishes_at_once(copied, local):
    """A newcomer and stricter settings, in either order, and a file in between."""
    with opened(copied, confidence=0.95) as race:
        race.add("new", four()["poor"])
    with pb.Race.open(copied, algorithms={**four(), "new": four()["poor"]}, instances=instance, rope=0.06) as race:
        result = quietly(race, local, max_instances=60)
        assert result.rounds
        assert "new" not in result.pareto_set
    with pb.Race.open(copied) as race:
        assert race.result.rounds == result.rounds


def test_removal_is_for_good_and_is_stored(copied, finished, local):
    with opened(copied) as race:
        gone = race.result.pareto_set[0]
        race.remove(gone)
        assert gone not in race.result.pareto_set
        with pytest.raises(ValueError, match="expected one of the candidates"):
            race.remove(gone)
    with opened(copied, confidence=0.95) as race:
        assert gone not in quietly(race, local, max_instances=60).pareto_set
    with pb.Race.open(copied) as race:
        assert gone not in race.result.pareto_set
        assert len([run for run in race.result.runs if run.trajectory.algorithm == gone]) > 0


def test_who_is_added_and_removed_before_it_ran_is_forgotten(copied, finished, local):
    with opened(copied) as race:
        race.add("mistake", four()["poor"])
        race.remove("mistake")
        assert quietly(race, local).rounds == finished[1].rounds
    with pb.Race.open(copied) as race:
        assert race.state.names == tuple(four())
        assert race.result.posterior.names == tuple(four())


def test_common_random_numbers_reach_the_runs(local):
    twins = {"one": four()["early"], "two": four()["early"]}
    alike = quietly(race_of(twins, common_random_numbers=True), local, max_instances=4)
    apart = quietly(race_of(twins), local, max_instances=4)
    for result, same in ((alike, True), (apart, False)):
        runs = {
            (run.trajectory.algorithm, run.trajectory.instance): run.trajectory.values.tolist() for run in result.runs
        }
        assert all((runs["one", i] == runs["two", i]) == same for i in range(4))
