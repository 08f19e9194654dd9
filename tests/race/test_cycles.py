"""Cycles: races of three algorithms that beat each other in a circle, and results that arrive late."""

import dataclasses

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code
from polarbear.inference import fitting
from polarbear.opening import result_of_posterior
from polarbear.race import loop
from polarbear.race.outcome import RaceOutcome
from polarbear.race.sampling import recorded_plan
from polarbear.result import result_of_race

NAMES, GRID = ("a", "b", "c", "worst"), (1.0, 10.0, 100.0)
ORDERS = ("abc", "bca", "cab")  # a beats b, b beats c and c beats a, each in two of them
# At first a beats b on nine of ten instances, b beats c on seven, and c beats a on four.
START = ("abc", "abc", "cab", "abc", "bca", "abc", "cab", "abc", "abc", "cab")


def orders_of(instances, seed=0, start=START):
    """The order of a, b and c on each instance: at first `start`, and afterwards each order on a third of the instances."""
    rest = np.random.default_rng(seed).permutation(np.resize(np.arange(3), instances - len(start)))
    return [*start, *(ORDERS[number] for number in rest)]


def run_of(name, instance, order):
    """The values of an algorithm, which fall over time: the order is the same at all budgets."""
    place = order.index(name) if name in order else 5
    return pb.Trajectory(name, instance, GRID, [100.0 + place, 50.0 + place, place], end=GRID[-1])


def runs_of(orders, names=NAMES):
    return [run_of(name, instance, order) for instance, order in enumerate(orders) for name in names]


def race_of(names=NAMES, **options):
    return pb.Race(names, None, GRID, draws=1000, **options)


def decided(result):
    """What the posterior of all runs of a race decides, whatever the race decided on its way."""
    settings = result.state.settings
    return pb.pareto_set(result.posterior, confidence=settings.confidence, dominance=settings.dominance)


@pytest.fixture(scope="module", params=["pointwise", "joint"])
def finished(request):
    executor = pb.ReplayExecutor(runs_of(orders_of(600)))
    return race_of(dominance=request.param, batch=pb.FixedBatch(10)).drive(executor, progress="none")


def test_a_race_brings_back_a_member_of_a_cycle(finished):
    """b is dropped before c is seen to beat a; then b comes back, and catches up."""
    first = finished.rounds[0]
    assert {(each.name, each.by) for each in first.dropped} >= {("b", "a")}
    assert finished.kept == ("a", "b", "c")
    assert finished.cycles == (("a", "b", "c"),)
    assert [each.returned for each in finished.rounds if each.returned] == [("b",)]
    back = next(each.number for each in finished.rounds if each.returned)
    assert [name for each in finished.rounds[1:back] for name, _ in each.budgets if name == "b"] == []
    missed = {i for each in finished.rounds[1:back] for i in each.instances}
    caught_up = [each for each in finished.rounds if each.kind == "catch-up"]
    assert [i for each in caught_up for i in each.instances] == sorted(missed)[: 10 * len(caught_up)] != []
    assert all(dict(each.budgets).keys() == {"b"} for each in caught_up)
    assert caught_up == list(finished.rounds[back:])  # then every pair is decided
    assert [each.name for each in finished.drops] == ["worst"]
    assert finished.stopped == "finished"
    assert decided(finished) == finished.kept
    assert finished.wrong_drop < 0.05


def test_the_result_of_the_race_names_the_circle(finished):
    result = result_of_race(finished)
    assert [each.subject for each in result.findings if each.code is Code.CIRCLE] == [("a", "b", "c")]
    assert list(result.dropped) == ["worst"]


def test_the_recorded_runs_of_the_race_give_the_same_answer(finished):
    """The race leaves out some runs; its recorded runs keep the same algorithms, and so do complete ones."""
    settings = finished.state.settings
    rule = {"confidence": settings.confidence, "dominance": settings.dominance}
    for runs in ([run.trajectory for run in finished.runs], runs_of(orders_of(finished.instances))):
        choices = pb.Choices.from_trajectories(runs, grid=GRID, names=NAMES)
        posterior = pb.fit(choices, draws=1000)
        assert pb.pareto_set(posterior, **rule) == ("a", "b", "c")
        found = result_of_posterior(posterior, choices=choices, **rule).findings
        assert [each.subject for each in found if each.code is Code.CIRCLE] == [("a", "b", "c")]


def test_reading_the_records_back_infers_nothing(finished, monkeypatch):
    monkeypatch.setattr(fitting, "fit", None)
    state = loop.start(finished.state.settings, NAMES)
    for record in finished.rounds:
        plan = recorded_plan(state, record)
        runs = [finished.state.observations.runs[job.algorithm, job.instance] for job in plan.jobs]
        state = loop.tell(state, plan, runs, record=record)
    assert (state.candidates, state.rounds) == (finished.state.candidates, finished.rounds)
    assert RaceOutcome(state, finished.stopped).drops == finished.drops


def test_a_race_file_keeps_what_came_back(tmp_path):
    path, executor = tmp_path / "circle.race", pb.ReplayExecutor(runs_of(orders_of(600)))
    with race_of(path=path, batch=pb.FixedBatch(10)) as race:
        result = race.drive(executor, progress="none", stop=lambda result: bool(result.rounds[-1].returned))
    assert result.rounds[-1].returned == ("b",)
    with pb.Race.open(path, algorithms=NAMES) as race:
        assert race.outcome.rounds == result.rounds
        assert race.state.newcomers == {"b"}
        rest = race.drive(executor, progress="none")
    assert rest.kept == ("a", "b", "c")
    assert rest.rounds[len(result.rounds)].kind == "catch-up"
    with pb.Race.open(path) as race:
        assert race.outcome.rounds == rest.rounds
        assert race.outcome.kept == rest.kept


def test_races_of_a_cycle_answer_what_all_of_their_runs_say():
    """About two thirds keep all three. In the others an early streak decides all pairs, and the race ends."""
    kept = []
    for seed in range(12):
        executor = pb.ReplayExecutor(runs_of(orders_of(400, seed=seed, start=())))
        result = race_of(batch=pb.FixedBatch(6), seed=seed).drive(executor, progress="none")
        assert result.kept == decided(result)
        kept.append(len(result.kept))
    assert kept.count(3) >= 6
    assert set(kept) <= {1, 3}


def test_budgets_without_a_solution_do_not_save_an_algorithm_from_drop():
    """No run has a value before the third of five budgets; from there on b is worse than a at every budget."""
    runs = [
        pb.Trajectory(name, instance, [3.0, 4.0, 5.0], [9.0 + level, 5.0 + level, level], end=5.0)
        for instance in range(40)
        for name, level in (("a", 0.0), ("b", 1.0))
    ]
    for dominance in ("pointwise", "joint"):
        race = pb.Race(("a", "b"), None, [1, 2, 3, 4, 5], dominance=dominance, draws=1000)
        result = race.drive(pb.ReplayExecutor(runs), progress="none")
        assert result.kept == ("a",)
        assert result.drops[0].probability > 0.95
        assert decided(result) == ("a",)


def late_runs(failing, *, fails="a", instances=200):
    """c beats a and b at first and loses to them in the end. b beats a, except on instances 0 to 7.

    Of one algorithm, the runs on the `failing` instances fail before the first value.
    """
    runs = []
    for instance in range(instances):
        better = "a" if instance < 8 else "b"
        for name in "abc":
            level = -1.0 if name == better else 0.0
            values = [90.0, 50.0, 9.0] if name == "c" else [100.0 + level, 50.0 + level, level]
            if name == fails and instance in failing:
                runs.append(pb.Trajectory(name, instance, [], [], end=0.5, failed=True))
            else:
                runs.append(pb.Trajectory(name, instance, GRID, values, end=GRID[-1]))
    return pb.ReplayExecutor(runs)


@pytest.mark.parametrize("dominance", ["pointwise", "joint"])
def test_failed_runs_that_are_made_again_bring_back_what_they_speak_for(dominance):
    """a beats b on the eight instances on which it does not fail. On the others, made again, it loses to b."""
    race = race_of(tuple("abc"), dominance=dominance, failure="missing", batch=pb.FixedBatch(30))
    failing = late_runs(range(8, 30))
    first = race.drive(failing, max_instances=30, progress="none")
    assert (first.kept, decided(first)) == (("a", "c"), ("a", "c"))
    assert [(each.name, each.by) for each in first.drops] == [("b", "a")]
    result = race.drive(late_runs(()), rerun_failed=True, max_instances=200, progress="none")
    rerun = result.rounds[len(first.rounds)]
    assert (rerun.kind, rerun.returned, [each.name for each in rerun.dropped]) == ("rerun", ("b",), ["a"])
    assert result.kept == decided(result) == ("b", "c")
    assert [(each.name, each.by) for each in result.drops] == [("a", "b")]


@pytest.mark.parametrize("dominance", ["pointwise", "joint"])
def test_a_restored_algorithm_whose_failed_runs_are_made_again_is_judged_by_them(dominance):
    """Failed runs of b count as the worst, so it is dropped. Made again, they beat a."""
    race = race_of(tuple("abc"), dominance=dominance, batch=pb.FixedBatch(30))
    first = race.drive(late_runs(range(30), fails="b"), max_instances=30, progress="none")
    assert "b" not in first.kept
    assert first.kept == decided(first)
    race.restore("b")
    result = race.drive(late_runs(()), rerun_failed=True, max_instances=200, progress="none")
    assert result.rounds[len(first.rounds)].kind == "rerun"
    assert result.kept == decided(result) == ("b", "c")
    assert {(each.name, each.by) for each in result.drops} == {("a", "b")}


def test_new_settings_judge_all_algorithms_again():
    """A review of the same runs with a higher confidence keeps what they do not decide any more."""
    executor = pb.ReplayExecutor(runs_of(orders_of(10)))
    race = race_of(batch=pb.FixedBatch(10), confidence=0.95)
    first = race.drive(executor, progress="none")
    assert first.kept == decided(first) == ("a", "c")
    state = loop.reconsider(first.state, dataclasses.replace(first.state.settings, confidence=1))
    state = loop.tell(state, loop.ask(state), [])
    result = RaceOutcome(state, "paused")
    assert result.rounds[-1].kind == "review"
    assert result.kept == decided(result) == NAMES
