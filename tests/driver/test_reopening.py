"""Races that continue from their files: other settings, added and removed algorithms."""

import dataclasses
from functools import partial

import pytest

import polarbear as pb
from tests.driver.races import race_of, reopen, run_quietly
from tests.race.live_algorithms import GRID, LEVELS, four, improvements_only, instance


@pytest.mark.parametrize(
    "change",
    [
        {"confidence": 0.99},
        {"grid": (1.0, 1.5, 2.0, 3.0, 4.0, 8.0)},
        {"until": "every-budget", "margin": 0.1},
        {"dominance": "joint", "prior": pb.RandomWalk()},
    ],
    ids=lambda change: "+".join(change),
)
def test_a_finished_race_continues_under_other_settings_and_repeats_no_run(copied, local, finished, change):
    _, before = finished
    with reopen(copied, **change) as race:
        assert not race.outcome.finished
        assert race.outcome.stopped == "paused"
        result = run_quietly(race, local, max_instances=before.instances + 8)
    review = result.rounds[len(before.rounds)]
    assert (review.kind, review.cost) == ("review", 0.0)
    assert result.rounds[: len(before.rounds)] == before.rounds
    trajectories = {(run.trajectory.algorithm, run.trajectory.instance): run.trajectory for run in result.runs}
    for run in before.runs:
        assert trajectories[run.trajectory.algorithm, run.trajectory.instance] == run.trajectory
    new = result.rounds[len(before.rounds) + 1 :]
    assert all(min(round_.instances) >= before.instances for round_ in new)
    with pb.Race.open(copied) as race:
        assert race.outcome.rounds == result.rounds
        assert race.state.settings == dataclasses.replace(before.state.settings, **change)


def test_an_algorithm_added_after_reopening_catches_up_on_stored_instances(copied, local, finished):
    _, before = finished
    with reopen(copied) as race:
        race.add("late too", four()["late"])
        result = run_quietly(race, local, max_instances=before.instances + 4)
    new = result.rounds[len(before.rounds) :]
    assert new[0].kind == "catch-up"
    assert new[0].instances == tuple(range(4))
    assert {name for name, _ in new[0].budgets} == {"late too"}
    assert [round_.kind for round_ in new] == ["catch-up"] * (len(new) - 1) + ["fresh"]
    assert "late too" in result.state.names
    with pb.Race.open(copied) as race:
        assert race.outcome.rounds == result.rounds
        assert race.outcome.kept == result.kept


def test_an_added_algorithm_and_new_settings_combine(copied, local):
    with reopen(copied, confidence=0.95) as race:
        race.add("new", four()["poor"])
    with pb.Race.open(copied, algorithms={**four(), "new": four()["poor"]}, instances=instance, margin=0.06) as race:
        result = run_quietly(race, local, stop=lambda so_far: "new" not in so_far.kept)
    assert result.rounds
    assert "new" not in result.kept
    with pb.Race.open(copied) as race:
        assert race.outcome.rounds == result.rounds


def test_removal_is_permanent_and_stored(copied, local, finished):
    with reopen(copied) as race:
        dropped_by_user = race.outcome.kept[0]
        race.drop(dropped_by_user)
        assert dropped_by_user not in race.outcome.kept
        with pytest.raises(ValueError, match="expected one of the candidates"):
            race.drop(dropped_by_user)
    with reopen(copied, confidence=0.95) as race:
        assert dropped_by_user not in run_quietly(race, local, max_instances=finished[1].instances + 4).kept
    with pb.Race.open(copied) as race:
        assert dropped_by_user not in race.outcome.kept
        assert any(run.trajectory.algorithm == dropped_by_user for run in race.outcome.runs)


def test_an_algorithm_that_is_added_and_removed_before_its_first_run_leaves_no_trace(copied, local, finished):
    with reopen(copied) as race:
        race.add("mistake", four()["poor"])
        race.drop("mistake")
        assert run_quietly(race, local).rounds == finished[1].rounds
    with pb.Race.open(copied) as race:
        assert race.state.names == tuple(four())
        assert race.outcome.posterior.names == tuple(four())


def test_a_run_that_stops_at_its_budget_is_not_known_beyond_it(local):
    """These algorithms report improvements only, and not how long they ran."""
    algorithms = {name: partial(improvements_only, levels=levels) for name, levels in LEVELS.items()}
    result = run_quietly(race_of(algorithms, until="every-budget", margin=0.1), local, max_instances=80)
    jobs = {
        (name, index): end for round_ in result.rounds for name, end in round_.budgets for index in round_.instances
    }
    assert min(jobs.values()) < GRID[-1]
    for t, budget in enumerate(GRID):
        for a, name in enumerate(result.state.names):
            observed = sum(algorithm == name and end >= budget for (algorithm, _), end in jobs.items())
            assert result.allocation[t, a] == observed
    # Its cost is the last budget that it reported.
    assert all(run.reached == run.trajectory.budgets[-1] for run in result.runs)


def test_common_random_numbers_reach_the_runs(local):
    twins = {"one": four()["early"], "two": four()["early"]}
    for common in (True, False):
        result = run_quietly(race_of(twins, common_random_numbers=common), local, max_instances=4)
        runs = {
            (run.trajectory.algorithm, run.trajectory.instance): run.trajectory.values.tolist() for run in result.runs
        }
        assert all((runs["one", i] == runs["two", i]) == common for i in range(4))
