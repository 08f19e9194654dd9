"""Limits of `Race.run`, and callbacks that stop it."""

from functools import partial

import pytest

from tests.driver.races import race_of, run_quietly
from tests.race.live_algorithms import GRID, LEVELS, four, hangs_on


def test_max_instances_is_never_exceeded_and_leaves_a_valid_result(local):
    race = race_of(confidence=0.99, margin=0.0)
    for limit in (0, 3, 3, 4, 9, 10):
        result = run_quietly(race, local, max_instances=limit)
        assert (result.stopped, result.instances, result.finished) == ("max_instances", limit, False)
        assert result.state.observations.instances == tuple(range(limit))
        assert result.undecided()
        if limit:
            assert result.posterior.instances == limit
    assert [len(round_.instances) for round_ in result.rounds] == [3, 1, 4, 1, 1]


def test_max_evaluations_is_never_exceeded(local):
    race = race_of(confidence=0.99, margin=0.0)
    for limit in (0, 31, 32, 200, 500.5):
        result = run_quietly(race, local, max_evaluations=limit)
        spent = sum(result.cost.values())
        assert result.stopped == "max_evaluations"
        assert spent <= limit
        assert limit - spent < 4 * GRID[-1]  # another instance would exceed it
    assert sum(run.reached for run in result.runs) == spent


def test_a_race_for_the_set_stops_when_no_drop_is_likely_and_a_higher_limit_continues_it(local):
    race = race_of(until="set", confidence=0.99, margin=0.0)
    result = run_quietly(race, local, max_instances=12)
    assert (result.stopped, result.instances, result.finished) == ("no drop likely", 8, False)
    assert run_quietly(race, local, max_instances=12).instances == 8
    assert run_quietly(race, local, max_instances=8).stopped == "max_instances"
    assert run_quietly(race, local, max_instances=400).instances > 8


def test_an_infinite_limit_is_no_limit(local, finished):
    no_limits = {"max_evaluations": float("inf"), "max_seconds": float("inf")}
    result = run_quietly(race_of(), local, max_instances=8, **no_limits)
    assert result.stopped == "max_instances"
    assert result.rounds == finished[1].rounds[:2]


def test_with_no_seconds_nothing_runs(local):
    result = run_quietly(race_of(), local, max_seconds=0)
    assert (result.stopped, result.instances, result.kept) == ("max_seconds", 0, tuple(four()))


def test_max_seconds_does_not_wait_for_a_run_that_hangs(tmp_path):
    """The race starts its own workers here, and must end them."""
    hanging = partial(hangs_on, instance=2, levels=LEVELS["early"], flag=tmp_path / "hangs")
    race = race_of({"early": hanging, "late": four()["late"]}, confidence=0.99, margin=0.0)
    # A slow machine may not get to the hanging run in this time, but no machine can finish the first round.
    assert race.drive(max_seconds=1.5, progress="none").stopped == "max_seconds"


def test_a_callback_gets_a_valid_result_after_each_round(local):
    calls = []

    def stop(result):
        calls.append((len(result.rounds), result.kept, result.posterior.instances))
        return len(calls) == 2

    result = run_quietly(race_of(), local, stop=stop)
    assert result.stopped == "callback"
    assert [rounds for rounds, *_ in calls] == [1, 2]
    assert calls[-1][1:] == (result.kept, result.instances)


def test_an_exception_of_a_callback_is_raised_and_nothing_is_lost(local, tmp_path, finished):
    class CallbackError(Exception):
        pass

    def stop(_):
        raise CallbackError

    with race_of(path=tmp_path / "my.race") as race:
        with pytest.raises(CallbackError):
            run_quietly(race, local, stop=stop)
        assert run_quietly(race, local, max_instances=8).rounds == finished[1].rounds[:2]
