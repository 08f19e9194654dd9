"""An algorithm that fails in every run of its first round pauses the race; failed runs can be made again."""

from functools import partial
from pathlib import Path

import pytest

import polarbear as pb
from polarbear.findings import Code, RerunFailed
from polarbear.race import loop
from polarbear.race.findings import race_findings
from tests.driver.races import FailingFile, journal, race_of, run_quietly
from tests.race import live_algorithms
from tests.race.live_algorithms import LEVELS, four, instance


def fails_on_odd(problem, seed, budget, *, flag, levels):
    """Raises an exception on odd instances until a file exists."""
    if int(problem) % 2 and not Path(flag).exists():
        raise RuntimeError("not yet")
    yield from live_algorithms.staircase(problem, seed, budget, levels=levels)


@pytest.fixture
def flag(tmp_path):
    return tmp_path / "fixed"


@pytest.fixture
def broken(flag):
    return {**four(), "poor": partial(live_algorithms.fails_until_fixed, flag=str(flag))}


@pytest.fixture
def flaky(flag):
    return {**four(), "early": partial(fails_on_odd, flag=str(flag), levels=LEVELS["early"])}


def test_the_race_pauses_before_it_judges_a_failing_algorithm(local, tmp_path, broken):
    with race_of(broken, path=tmp_path / "my.race") as race:
        result = run_quietly(race, local)
        assert (result.stopped, result.rounds) == ("algorithm failed", ())
        (failing,) = result.failing
        assert (failing.name, failing.runs, failing.instance) == ("poor", 4, 0)
        assert (failing.failure.error, failing.failure.output) == ("RuntimeError: not yet", "")
        assert failing.failure.traceback.startswith("  File ")
        assert failing.failure.traceback.endswith('raise RuntimeError("not yet")')
        assert "'poor' failed in all 4 runs of its first round" in result.message
        assert "run(rerun_failed=True)" in result.message
        with pytest.raises(ValueError, match=r"nothing has been decided yet.*'poor' failed in all 4 runs"):
            _ = result.posterior
        assert run_quietly(race, local).stopped == "algorithm failed"  # nothing was fixed
    with pb.Race.open(tmp_path / "my.race") as race:
        assert race.outcome.message == result.message


def test_a_fixed_algorithm_races_as_if_it_had_never_failed(local, tmp_path, broken, flag):
    """As when a script is run again after a fix: the failed runs of the first round are made again, and no others."""
    with race_of(broken, path=tmp_path / "my.race") as race:
        run_quietly(race, local)
    flag.touch()
    with race_of(broken, path=tmp_path / "my.race") as race:
        before = {key: run.seconds for key, run in race._record.runs.items()}
        fixed = run_quietly(race, local, max_instances=8)
        kept = {key for key, seconds in before.items() if race._record.runs[key].seconds == seconds}
        assert kept == {key for key in before if key[0] != "poor"}
    with race_of(broken) as race:
        assert run_quietly(race, local, max_instances=8).rounds == fixed.rounds
    assert fixed.failures == ()


def test_failures_count_on_request_and_are_not_repeated(local, tmp_path, broken, flag):
    with race_of(broken, path=tmp_path / "my.race") as race:
        run_quietly(race, local)
        flag.touch()
        result = run_quietly(race, local, max_instances=4, accept_failures=True)
    assert len(result.failures) == 4
    assert [round_.number for round_ in result.rounds] == [1]
    with pb.Race.open(tmp_path / "my.race") as race:
        result = race.outcome
    (found,) = (each for each in race_findings(result) if each.code is Code.FAILED_RUNS)
    assert (found.severity, found.subject) == ("note", ("poor",))
    assert (found.numbers["failed"], found.numbers["runs"], found.numbers["missing"]) == (4, 4, False)


def test_failures_that_were_accepted_are_in_doubt_again_once_they_are_repeated(local, tmp_path, broken, flag):
    with race_of(broken, path=tmp_path / "my.race") as race:
        run_quietly(race, local, max_instances=4, accept_failures=True)
        assert race.outcome.accepted_failures == {"poor"}  # not those that may come
        race.restore("poor") if "poor" not in race.outcome.kept else None
        run_quietly(race, local, max_instances=4, rerun_failed=True, only=["early", "late"])
        assert race.outcome.accepted_failures == {"poor"}
        run_quietly(race, local, max_instances=4, rerun_failed=True)
        assert race.outcome.accepted_failures == set()


def test_a_failing_algorithm_can_be_removed(local, tmp_path, broken):
    with race_of(broken, path=tmp_path / "my.race") as race:
        run_quietly(race, local)
        race.drop("poor")
        result = run_quietly(race, local, max_instances=4)
    assert result.state.names == ("early", "late", "middle")
    assert len(result.rounds) == 1


def test_an_added_algorithm_that_fails_pauses_the_race_too(local, copied, flag):
    broken = partial(live_algorithms.fails_until_fixed, flag=str(flag))
    with pb.Race.open(copied, algorithms=four(), instances=instance) as race:
        rounds = race.state.rounds
        race.add("new", broken)
        result = run_quietly(race, local)
    assert result.stopped == "algorithm failed"
    assert [each.name for each in result.failing] == ["new"]
    assert result.rounds == rounds
    for only in ((), ("early", "late")):  # also after a run of other algorithms
        (found,) = (each for each in race_findings(result, only) if each.code is Code.ALGORITHM_FAILS)
        assert (found.subject, found.remedy) == (("new",), RerunFailed(("new",)))


def test_recorded_failures_are_judged():
    runs = [pb.Trajectory("a", i, [1], [float(i)], end=8) for i in range(8)]
    runs += [pb.Trajectory("b", i, [], [], end=1, failed=True) for i in range(8)]
    race = pb.Race(["a", "b"], None, [1, 8], confidence=0.9, prior=pb.Dirichlet(), batch=pb.FixedBatch(4))
    assert run_quietly(race, pb.ReplayExecutor(runs)).kept == ("a",)


def test_failed_runs_are_made_again_and_decide_anew(local, tmp_path, flaky, flag):
    path = tmp_path / "my.race"
    with race_of(flaky, path=path, confidence=0.99, margin=0.0) as race:
        before = run_quietly(race, local, max_instances=8)
        assert len(before.failures) == 4
        flag.touch()
        after = run_quietly(race, local, max_instances=8, rerun_failed=True)
    assert after.failures == ()
    assert after.rounds[:2] == before.rounds  # decisions stay recorded
    again = after.rounds[2]
    assert (again.kind, again.instances, dict(again.budgets).keys()) == ("rerun", (1, 3, 5, 7), {"early"})
    with race_of(flaky, confidence=0.99, margin=0.0) as race:
        never_failed = run_quietly(race, local, max_instances=8)
    for index in range(8):
        new, usual = (each.state.observations.runs["early", index] for each in (after, never_failed))
        assert new.trajectory == usual.trajectory  # the same seeds, up to the same budget
    with pb.Race.open(path) as race:
        assert race.outcome.rounds == after.rounds
        assert loop.ask(race.state).instances == loop.ask(after.state).instances


@pytest.mark.parametrize(
    ("method", "number", "when"),
    [("append", 1, "after"), ("add_run", 2, "before"), ("add_run", 2, "after"), ("append", 2, "before")],
)
def test_an_interrupted_rerun_is_completed_later(local, tmp_path, flaky, flag, method, number, when):
    """The first event of the call is the request, the runs replace the failures one by one, the round comes last."""
    path = tmp_path / "my.race"
    with race_of(flaky, path=path, confidence=0.99, margin=0.0) as race:
        run_quietly(race, local, max_instances=8)
        flag.touch()
        race._record.file = FailingFile(race._record.file, method, number, when)
        assert run_quietly(race, local, max_instances=8, rerun_failed=True).stopped == "interrupted"
    with race_of(flaky, path=path, confidence=0.99, margin=0.0) as race:
        result = run_quietly(race, local, max_instances=8)
    assert [round_.kind for round_ in result.rounds] == ["fresh", "fresh", "rerun"]
    assert result.failures == ()
    assert len(journal(path, kinds=("rerun",))) == 1


def test_without_failures_nothing_is_made_again(copied, finished):
    with pb.Race.open(copied, algorithms=four(), instances=instance) as race:
        assert race.drive(progress="none", rerun_failed=True).rounds == finished[1].rounds
    assert journal(copied, kinds=("rerun",)) == []
