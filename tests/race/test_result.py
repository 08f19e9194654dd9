"""The result of a race: each number is computed again by hand from the runs, the rounds and the draws."""

import dataclasses
import math
from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code, RerunFailed, Restore, RunFailure
from polarbear.posterior.elimination import Drop
from polarbear.race import loop
from polarbear.race.findings import race_findings
from polarbear.race.jobs import Run
from polarbear.race.outcome import RaceOutcome
from polarbear.result import result_of_race
from polarbear.selection.worst_case_loss import worst_case_loss
from tests.plots.posteriors import specialist_posterior
from tests.race.paper import posterior_of, threat
from tests.race.simulated import simulated_runs
from tests.race.small import BUDGETS, crossing_utilities

NAMES, UTILITIES = tuple("abcd"), crossing_utilities("abcd")
NO_FILE = RunFailure("no such file")


@pytest.fixture(scope="module")
def result(finished_race):
    return RaceOutcome(finished_race, "finished")


def findings_of(outcome, code):
    """The findings of a race with this code."""
    return [each for each in race_findings(outcome) if each.code is code]


def first_round(batch=3, prior=None):
    """A race that has only planned its first round: its state, the plan and simulated runs."""
    prior = prior or pb.RandomWalk()
    state = loop.start(pb.Settings(grid=BUDGETS, batch=pb.FixedBatch(batch), prior=prior, draws=400), NAMES)
    plan = loop.ask(state)
    return state, plan, simulated_runs(plan, UTILITIES, NAMES, BUDGETS)


def test_a_finished_race_has_no_undecided_pairs(result):
    assert result.finished
    assert result.undecided() == {}
    assert result.kept == tuple(name for name in NAMES if name in result.state.candidates)
    assert {"a", "b"} <= set(result.kept)
    assert result.rounds is result.state.rounds


def test_the_cost_is_the_sum_of_the_runs(result):
    spent = dict.fromkeys(NAMES, 0.0)
    for run in result.runs:
        spent[run.trajectory.algorithm] += run.reached
    assert result.cost == spent
    assert sum(round_.cost for round_ in result.rounds) == pytest.approx(sum(spent.values()))
    assert result.state.cost == pytest.approx(sum(spent.values()))
    assert result.instances == len({run.trajectory.instance for run in result.runs})
    assert result.full_cost == result.instances * 4 * 8.0
    assert result.saved_share == pytest.approx(1 - sum(spent.values()) / result.full_cost)
    assert 0 < result.saved_share < 1


def test_runs_that_end_by_themselves_save_nothing():
    state, plan, runs = first_round()
    runs = [
        replace(run, reached=2.0) if run.trajectory.algorithm == "b" and run.trajectory.instance else run
        for run in runs
    ]
    result = RaceOutcome(loop.tell(state, plan, runs), "paused")
    assert [run.ended for run in result.runs].count("finished") == 2
    assert result.full_costs == {"a": 24.0, "b": 12.0, "c": 24.0, "d": 24.0}
    assert result.saved_share == 0.0


def test_runs_left_out_on_request_are_not_saved():
    state = loop.tell(*first_round(batch=2))
    before = RaceOutcome(state, "paused")
    assert before.full_cost == before.instances * 4 * 8.0
    assert ("a", "c") in before.undecided()
    plan = loop.ask(state, only=["a", "b"])
    after = RaceOutcome(loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, BUDGETS)), "paused")
    undecided = {name for pair in before.undecided() for name in pair}
    left_out = len(undecided - {"a", "b"}) * len(plan.instances)
    assert after.full_cost == (after.instances * 4 - left_out) * 8.0


def test_runs_that_a_removed_algorithm_did_not_make_are_not_saved():
    state = loop.drop(loop.tell(*first_round(batch=2)), "a")
    plan = loop.ask(state)
    after = RaceOutcome(loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, BUDGETS)), "paused")
    assert plan.kind == "fresh"
    assert after.full_cost == (after.instances * 4 - len(plan.instances)) * 8.0
    dropped = result_of_race(after).dropped["a"]
    assert (dropped.by, dropped.instances) == ("", None)
    assert [each.subject for each in findings_of(after, Code.DROPPED_BY_USER)] == [("a",)]


def test_the_allocation_counts_the_observed_runs_at_each_budget(result):
    for t, budget in enumerate(BUDGETS):
        for a, name in enumerate(NAMES):
            observed = sum(run.trajectory.algorithm == name and run.trajectory.end >= budget for run in result.runs)
            assert result.allocation[t, a] == observed
    assert (np.diff(result.allocation, axis=0) <= 0).all()  # a run that is observed late is observed early, too


def test_drops_are_those_of_the_rounds(result):
    assert {each.name for each in result.drops} == set(NAMES) - set(result.kept)
    assert "d" in {each.name for each in result.drops}
    for each in result.drops:
        assert each.by in NAMES
        assert each.probability >= result.state.settings.confidence
        round_ = result.rounds[each.round - 1]
        assert each in round_.dropped
        before = result.rounds[: each.round]
        assert each.instances == len({i for earlier in before for i in earlier.instances})
        assert each.cost == pytest.approx(sum(earlier.cost for earlier in before))


def test_a_review_annuls_earlier_drops(result):
    stricter = dataclasses.replace(result.state.settings, confidence=0.95)
    state = loop.reconsider(result.state, stricter)
    waiting = RaceOutcome(state, "paused")
    assert waiting.drops == ()
    assert not waiting.finished
    assert waiting.wrong_drop == 0.0
    state = loop.tell(state, loop.ask(state), [])
    again = RaceOutcome(state, "paused").drops
    assert {each.name for each in again} == set(NAMES) - state.candidates
    assert all(each.round == len(state.rounds) for each in again)  # the latest decision counts


def result_with(result, ratings, dominance):
    """The result with a posterior of these ratings and this rule of dominance."""
    posterior = posterior_of(ratings, NAMES, BUDGETS)
    settings = dataclasses.replace(result.state.settings, dominance=dominance, prior=pb.RandomWalk())
    return RaceOutcome(dataclasses.replace(result.state, posterior=posterior, settings=settings), "finished")


@pytest.mark.parametrize("seed", range(4))
def test_the_probability_of_a_wrong_joint_dominance(result, seed):
    ratings = np.exp(np.random.default_rng(seed).normal(size=(50, 4, 4)) * 0.6 + [1.5, 1.5, 0, -1])
    ours = result_with(result, ratings, "joint")
    losers = [NAMES.index(each.name) for each in ours.drops]
    assert losers
    wrong = 0
    for draw in ours.posterior.ratings:
        for loser in losers:
            if not any(all(draw[t, b] > draw[t, loser] for t in range(4)) for b in range(4) if b != loser):
                wrong += 1
                break
    assert ours.wrong_drop == pytest.approx(wrong / 50)


@pytest.mark.parametrize("seed", range(4))
def test_the_probability_of_a_wrong_pointwise_dominance(result, seed):
    ratings = np.exp(np.random.default_rng(seed).normal(size=(50, 4, 4)) * 0.5 + [1.5, 1.5, 0, -1])
    ours = result_with(result, ratings, "pointwise")
    total = 0.0
    for each in ours.drops:
        loser = NAMES.index(each.name)
        total += 1 - max(threat(ours.posterior, b, loser, "pointwise") for b in range(4) if b != loser)
    assert ours.wrong_drop == pytest.approx(min(1.0, total))


def test_a_doubtful_drop_of_a_specialist_says_why_and_how_to_reconsider_it():
    """B and C beat A at every budget, but A comes first on 40 % of the instances."""
    posterior = specialist_posterior()
    state = loop.start(pb.Settings(posterior.grid, batch=pb.FixedBatch(1), specialists="keep"), "ABC")
    plan = loop.ask(state)
    state = loop.tell(state, plan, simulated_runs(plan, np.zeros((3, 3)), tuple("ABC"), posterior.grid.budgets))
    (record,) = state.rounds
    out = replace(record, dropped=(Drop("A", "B", 0.97, 1, 1, 12.0),))
    state = replace(state, candidates=frozenset("BC"), rounds=(out,), posterior=posterior)
    (doubt,) = findings_of(RaceOutcome(state, "paused"), Code.DROP_IN_DOUBT)
    assert (doubt.severity, doubt.subject, doubt.remedy) == ("tentative", ("A",), Restore("A"))
    assert doubt.numbers["error"] == pytest.approx(0.5, abs=0.005)
    assert doubt.numbers["specialist"]
    assert findings_of(RaceOutcome(state, "instances ran out"), Code.DROP_IN_DOUBT)[0].remedy is None


def test_loss_is_that_of_recommendations_among_the_candidates(result):
    assert result.loss == worst_case_loss(result.posterior, among=result.kept)


def test_an_unfinished_race_lists_its_undecided_pairs():
    state = loop.tell(*first_round(batch=2))
    result = RaceOutcome(state, "callback")
    assert not result.finished
    open_pairs = {(a, b): tuple(BUDGETS[list(budgets)]) for a, b, budgets in state.rounds[-1].open}
    assert {pair: tuple(budgets) for pair, budgets in result.undecided().items()} == open_pairs
    assert result.saved_share == 0.0  # all algorithms ran to the end
    assert result.posterior.instances == 2


def test_a_race_that_never_began_is_a_valid_result():
    result = RaceOutcome(loop.start(pb.Settings(grid=BUDGETS), NAMES), "max_seconds")
    assert (result.kept, result.instances, result.saved_share, result.rounds) == (NAMES, 0, 0.0, ())
    assert (result.finished, result.drops, result.failures, result.wrong_drop) == (False, (), (), 0.0)
    assert not result.allocation.any()
    assert len(result.undecided()) == 6
    with pytest.raises(ValueError, match="nothing has been run yet"):
        result.posterior  # noqa: B018


@pytest.mark.parametrize("instances", [1, 3])
def test_an_algorithm_that_failed_in_every_run_is_judged_provisionally_unless_it_is_removed(instances):
    prior = pb.BayesianBootstrap() if instances == 1 else None  # which drops no algorithm after one instance
    state, plan, runs = first_round(instances, prior)
    runs = [
        Run(pb.Trajectory("b", run.trajectory.instance, [], [], end=1, failed=True), 1.0, "crashed", NO_FILE)
        if run.trajectory.algorithm == "b"
        else run
        for run in runs
    ]
    state = loop.tell(state, plan, runs)
    (found,) = findings_of(RaceOutcome(state, "paused"), Code.FAILED_RUNS)
    assert (found.severity, found.subject) == ("tentative", ("b",))
    assert (found.numbers["failed"], found.numbers["runs"], found.numbers["error"]) == (
        instances,
        instances,
        "no such file",
    )
    dropped = "b" not in state.candidates
    assert dropped == (instances == 3)
    assert found.remedy == (Restore("b", rerun=True) if dropped else RerunFailed(("b",)))
    if dropped:
        return
    dropped_by_user = RaceOutcome(loop.drop(state, "b"), "paused")
    assert [each.severity for each in findings_of(dropped_by_user, Code.FAILED_RUNS)] == ["note"]
    assert [each.subject for each in findings_of(dropped_by_user, Code.DROPPED_BY_USER)] == [("b",)]


@pytest.mark.parametrize("accepted", [False, True])
def test_failed_runs_make_an_answer_tentative_unless_they_are_accepted(result, accepted):
    (first,) = (each for each in result.drops[:1])
    runs = dict(result.state.observations.runs)
    key = next(key for key in runs if key[0] == first.name)
    runs[key] = Run(dataclasses.replace(runs[key].trajectory, failed=True), 1.0, "crashed", NO_FILE)
    state = replace(result.state, observations=replace(result.state.observations, runs=runs))
    names = frozenset(NAMES) if accepted else frozenset()
    (found,) = findings_of(RaceOutcome(state, "finished", accepted_failures=names), Code.FAILED_RUNS)
    assert (found.severity, found.subject, found.numbers["failed"]) == (
        "note" if accepted else "tentative",
        (first.name,),
        1,
    )


def test_failed_runs_are_listed_with_their_cost():
    state, plan, runs = first_round()
    failed = pb.Trajectory("b", 1, [1.0], [3.0], end=1.5, failed=True)
    runs = [
        Run(failed, 1.5, "crashed", RunFailure("killed by SIGKILL"))
        if (run.trajectory.algorithm, run.trajectory.instance) == ("b", 1)
        else run
        for run in runs
    ]
    result = RaceOutcome(loop.tell(state, plan, runs), "paused")
    assert [(run.trajectory.algorithm, run.status, run.failure.error) for run in result.failures] == [
        ("b", "crashed", "killed by SIGKILL")
    ]
    assert result.cost["b"] == 2 * 8 + 1.5
    assert math.isclose(sum(result.cost.values()), result.rounds[-1].cost)


def test_runs_are_counted_by_how_they_ended():
    state, plan, runs = first_round()
    early, failed, *others = runs
    early = replace(early, reached=early.trajectory.end / 2)
    failed = replace(failed, status="timeout", failure=RunFailure("too long"))
    result = RaceOutcome(loop.tell(state, plan, [early, failed, *others]), "paused")
    assert result.ended == {"finished": 1, "cut off": len(others), "failed": 1}


def test_a_run_with_an_infinite_horizon_is_observed_at_every_later_budget():
    state, plan, simulated = first_round()
    runs = [
        Run(pb.Trajectory("a", run.trajectory.instance, [2.0], [0.0], math.inf), 2.0)
        if run.trajectory.algorithm == "a"
        else run
        for run in simulated
    ]
    result = RaceOutcome(loop.tell(state, plan, runs), "paused")
    assert result.allocation.tolist() == [[3] * 4] * 4
    assert result.cost["a"] == 3 * 2.0


def test_the_check_counts_the_outcomes_of_each_pair(result):
    values = {(run.trajectory.algorithm, run.trajectory.instance): run.trajectory.at(BUDGETS) for run in result.runs}
    for t in range(len(BUDGETS)):
        both = [
            (values["a", i][t], values["b", i][t])
            for i in range(result.instances)
            if ("a", i) in values and ("b", i) in values and np.isfinite([values["a", i][t], values["b", i][t]]).all()
        ]
        assert result.check.compared[t, 0, 1] == len(both)
        assert result.check.observed[t, 0, 1] == pytest.approx(np.mean([a < b for a, b in both]))
    assert not result.check.misfits
    assert not result.check.influences


def test_a_result_warns_of_rankings_that_contradict_the_model_and_of_unreliable_posteriors():
    """Each of three beats the next one on two instances of three, in a circle."""
    settings = pb.Settings(BUDGETS, prior=pb.Dirichlet(), dominance="pointwise", batch=pb.FixedBatch(120), draws=400)
    state = loop.start(settings, NAMES[:3])
    plan = loop.ask(state)

    def run(job):
        value = float((NAMES.index(job.algorithm) + job.instance) % 3)
        return Run(pb.Trajectory(job.algorithm, job.instance, BUDGETS[:1], [value], end=job.budget), reached=job.budget)

    result = RaceOutcome(loop.tell(state, plan, [run(job) for job in plan.jobs]), "paused")
    assert len(result.check.misfits) == 3
    (misfit,) = (each for each in result_of_race(result).findings if each.code is Code.MODEL_MISFIT)
    assert misfit.numbers["more"] == 2
    assert result_of_race(result).trust == "tentative"
    diagnostics = dataclasses.replace(result.posterior.diagnostics, reliable=False, message="did not converge.")
    doubtful = dataclasses.replace(
        result.state, posterior=dataclasses.replace(result.posterior, diagnostics=diagnostics)
    )
    unreliable = result_of_race(RaceOutcome(doubtful, "paused"))
    assert (unreliable.findings[0].code, unreliable.trust) == (Code.UNRELIABLE_POSTERIOR, "unreliable")


@pytest.mark.parametrize(("clock", "warned"), [("seconds", True), ("evaluations", False)])
def test_runs_that_wait_for_the_processor_are_found_if_budgets_are_in_seconds(clock, warned):
    settings = pb.Settings(BUDGETS, prior=pb.Dirichlet(), dominance="pointwise", draws=400, clock=clock)
    state = loop.start(settings, NAMES)
    plan = loop.ask(state)
    runs = simulated_runs(plan, UTILITIES, NAMES, BUDGETS)
    cpu = [8.0] * (len(runs) - 2) + [7.0, 4.0]
    runs = [dataclasses.replace(run, seconds=8.0, cpu_seconds=spent) for run, spent in zip(runs, cpu, strict=True)]
    found = findings_of(RaceOutcome(loop.tell(state, plan, runs), "paused"), Code.SHARED_PROCESSOR)
    assert len(found) == warned
    if warned:
        assert found[0].numbers == {"waited": 2, "runs": 32, "fair": 0.9, "worst": 0.5}


def test_frames_of_rounds_drops_and_runs(result):
    whole = result_of_race(result)
    rounds = whole.to_frame("rounds")
    assert rounds["round"].tolist() == [each.number for each in result.rounds]
    assert rounds["instances"].sum() == result.instances
    assert rounds["cost"].sum() == pytest.approx(sum(result.cost.values()))
    assert ", ".join(filter(None, rounds["dropped"])) == ", ".join(
        loser.name for each in result.rounds for loser in each.dropped
    )
    drops = whole.to_frame("drops")
    assert drops["name"].tolist() == [each.name for each in result.drops] != []
    assert drops["probability"].tolist() == [each.probability for each in result.drops]
    runs = whole.to_frame("runs", backend="polars")
    assert runs["data_id"].n_unique() == len(result.runs)
    ends = runs.group_by("data_id", maintain_order=True).last()
    assert ends[result.state.settings.clock].to_list() == [run.reached for run in result.runs]
    with pytest.raises(ValueError, match=r"expected 'ranges', .* or 'drops', got 'round'"):
        whole.to_frame("round")


def test_notebooks_show_the_answer(result):
    html = result_of_race(result)._repr_html_()
    assert "Best algorithm by budget" in html
    assert all(name in html for name in NAMES)


def test_a_selection_from_a_result_is_one_among_its_candidates(result):
    known = list(result.kept)
    assert len(known) < len(result.posterior.names)
    assert pb.decision_map(result).ranges == pb.decision_map(result.posterior, among=known).ranges
    selection = pb.select(result, pb.Final())
    expected = pb.select(result.posterior, pb.Final(), among=known)
    assert str(selection) == str(expected)
    assert {each.name for each in selection.candidates} == set(known)
    np.testing.assert_array_equal(selection.values, expected.values)
    assert pb.select(result, among=result.posterior.names).values.shape[1] == len(result.posterior.names)
    assert worst_case_loss(result) == worst_case_loss(result.posterior, among=known)


def test_a_selection_leaves_out_candidates_that_have_not_run(result):
    added = RaceOutcome(loop.add(result.state, "new"), "paused")
    assert "new" in added.kept
    assert {each.name for each in pb.select(added).candidates} == {each.name for each in pb.select(result).candidates}
