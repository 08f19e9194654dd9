"""The result of a race: each number is computed again by hand from the runs, the rounds and the draws."""

import dataclasses
import math
from dataclasses import replace

import numpy as np
import pytest

import polarbear as pb
from polarbear.race import loop
from polarbear.race.jobs import Run
from polarbear.race.remarks import race_remarks
from polarbear.race.result import RaceResult
from polarbear.race.rounds import Eliminated
from polarbear.race.tables import eliminations_table
from polarbear.selection.worst_case_regret import worst_case_regret
from polarbear.verdict import Advice
from tests.plots.posteriors import specialist_posterior
from tests.race.paper import posterior_of, threat
from tests.race.simulated import simulated_runs
from tests.race.small import TIMES, crossing_utilities

NAMES, UTILITIES = tuple("abcd"), crossing_utilities("abcd")


@pytest.fixture(scope="module")
def result(finished_race):
    return RaceResult(finished_race, "resolved")


def first_round(batch=3, prior=None):
    """A race that has only planned its first round: its state, the plan and simulated runs."""
    prior = prior or pb.RandomWalk()
    state = loop.start(pb.Settings(grid=TIMES, batch=pb.FixedBatch(batch), prior=prior, draws=400), NAMES)
    plan = loop.ask(state)
    return state, plan, simulated_runs(plan, UTILITIES, NAMES, TIMES)


def test_a_finished_race_has_no_undecided_pairs(result):
    assert result.finished
    assert result.undecided() == {}
    assert result.pareto_set == tuple(name for name in NAMES if name in result.state.candidates)
    assert {"a", "b"} <= set(result.pareto_set)
    assert result.rounds is result.state.rounds
    assert repr(result) == (
        f"RaceResult({', '.join(result.pareto_set)} of 4 algorithms, {len(result.rounds)} rounds, "
        f"{result.instances} instances, resolved)"
    )


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
    result = RaceResult(loop.tell(state, plan, runs), "paused")
    assert [run.ended for run in result.runs].count("finished") == 2
    assert result.full_costs == {"a": 24.0, "b": 12.0, "c": 24.0, "d": 24.0}
    assert result.saved_share == 0.0


def test_runs_left_out_on_request_are_not_saved():
    state = loop.tell(*first_round(batch=2))
    before = RaceResult(state, "paused")
    assert before.full_cost == before.instances * 4 * 8.0
    assert ("a", "c") in before.undecided()
    plan = loop.ask(state, only=["a", "b"])
    after = RaceResult(loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, TIMES)), "paused")
    undecided = {name for pair in before.undecided() for name in pair}
    left_out = len(undecided - {"a", "b"}) * len(plan.instances)
    assert after.full_cost == (after.instances * 4 - left_out) * 8.0


def test_runs_that_a_removed_algorithm_did_not_make_are_not_saved():
    state = loop.remove(loop.tell(*first_round(batch=2)), "a")
    plan = loop.ask(state)
    after = RaceResult(loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, TIMES)), "paused")
    assert plan.kind == "fresh"
    assert after.full_cost == (after.instances * 4 - len(plan.instances)) * 8.0
    summary = after.summary()
    assert summary.headline.endswith(", one was removed.")
    assert [each.name for each in summary.group("removed")] == ["a"]
    assert "a" not in [each.name for each in summary.group("eliminated")]
    assert "Removed\n  a: removed by hand" in str(summary)


def test_the_allocation_counts_the_observed_runs_at_each_time(result):
    for t, time in enumerate(TIMES):
        for a, name in enumerate(NAMES):
            observed = sum(run.trajectory.algorithm == name and run.trajectory.until >= time for run in result.runs)
            assert result.allocation[t, a] == observed
    assert (np.diff(result.allocation, axis=0) <= 0).all()  # a run that is observed late is observed early, too


def test_eliminations_are_those_of_the_rounds(result):
    assert {each.name for each in result.eliminations} == set(NAMES) - set(result.pareto_set)
    assert "d" in {each.name for each in result.eliminations}
    for each in result.eliminations:
        assert each.by in NAMES
        assert each.probability >= result.state.settings.confidence
        round_ = result.rounds[each.round - 1]
        assert each in round_.eliminated
        before = result.rounds[: each.round]
        assert each.instances == len({i for earlier in before for i in earlier.instances})
        assert each.cost == pytest.approx(sum(earlier.cost for earlier in before))


def test_a_review_annuls_earlier_eliminations(result):
    stricter = dataclasses.replace(result.state.settings, confidence=0.95)
    state = loop.reconsider(result.state, stricter)
    waiting = RaceResult(state, "paused")
    assert waiting.eliminations == ()
    assert not waiting.finished
    assert waiting.wrong_elimination == 0.0
    state = loop.tell(state, loop.ask(state), [])
    again = RaceResult(state, "paused").eliminations
    assert {each.name for each in again} == set(NAMES) - state.candidates
    assert all(each.round == len(state.rounds) for each in again)  # the latest decision counts


def result_with(result, ratings, elimination):
    """The result with a posterior of these ratings and this rule of elimination."""
    posterior = posterior_of(ratings, NAMES, TIMES)
    settings = dataclasses.replace(result.state.settings, elimination=elimination, prior=pb.RandomWalk())
    return RaceResult(dataclasses.replace(result.state, posterior=posterior, settings=settings), "resolved")


@pytest.mark.parametrize("seed", range(4))
def test_the_probability_of_a_wrong_joint_elimination(result, seed):
    ratings = np.exp(np.random.default_rng(seed).normal(size=(50, 4, 4)) * 0.6 + [1.5, 1.5, 0, -1])
    ours = result_with(result, ratings, "joint")
    losers = [NAMES.index(each.name) for each in ours.eliminations]
    assert losers
    wrong = 0
    for draw in ours.posterior.ratings:
        for loser in losers:
            if not any(all(draw[t, b] > draw[t, loser] for t in range(4)) for b in range(4) if b != loser):
                wrong += 1
                break
    assert ours.wrong_elimination == pytest.approx(wrong / 50)


@pytest.mark.parametrize("seed", range(4))
def test_the_probability_of_a_wrong_pointwise_elimination(result, seed):
    ratings = np.exp(np.random.default_rng(seed).normal(size=(50, 4, 4)) * 0.5 + [1.5, 1.5, 0, -1])
    ours = result_with(result, ratings, "pointwise")
    total = 0.0
    for each in ours.eliminations:
        loser = NAMES.index(each.name)
        total += 1 - max(threat(ours.posterior, b, loser, "pointwise") for b in range(4) if b != loser)
    assert ours.wrong_elimination == pytest.approx(min(1.0, total))


def test_a_doubtful_elimination_of_a_specialist_says_why_and_how_to_reconsider_it():
    """B and C beat A at every time, but A comes first on 40 % of the instances."""
    posterior = specialist_posterior()
    state = loop.start(pb.Settings(posterior.grid, batch=pb.FixedBatch(1), specialists="keep"), "ABC")
    plan = loop.ask(state)
    state = loop.tell(state, plan, simulated_runs(plan, np.zeros((3, 3)), tuple("ABC"), posterior.grid.times))
    (record,) = state.rounds
    out = replace(record, eliminated=(Eliminated("A", "B", 0.97, 1, 1, 12.0),))
    state = replace(state, candidates=frozenset("BC"), rounds=(out,), posterior=posterior)
    result = RaceResult(state, "paused")
    (standing,) = result.summary().group("eliminated")
    assert standing.status == "provisional"
    assert standing.reason.endswith("; given all runs so far, wrong with a probability of 50 %")
    remarks = race_remarks(result, Advice("race", "a.race"))
    doubt = next(each for each in remarks if "the elimination of A is wrong" in each.text)
    assert "Another algorithm beats it at every budget (" in doubt.text
    assert "may come first often enough to be kept as a specialist." in doubt.text
    assert doubt.command == "polarbear readmit a.race A"


def test_regret_is_that_of_recommendations_among_the_candidates(result):
    assert result.regret == worst_case_regret(result.posterior, among=result.pareto_set)


def test_an_unfinished_race_lists_its_undecided_pairs():
    state = loop.tell(*first_round(batch=2))
    result = RaceResult(state, "callback")
    assert not result.finished
    open_pairs = {(a, b): tuple(TIMES[list(times)]) for a, b, times in state.rounds[-1].open}
    assert {pair: tuple(times) for pair, times in result.undecided().items()} == open_pairs
    assert result.saved_share == 0.0  # all algorithms ran to the end
    assert result.posterior.instances == 2


def test_a_race_that_never_began_is_a_valid_result():
    result = RaceResult(loop.start(pb.Settings(grid=TIMES), NAMES), "max_seconds")
    assert (result.pareto_set, result.instances, result.saved_share, result.rounds) == (NAMES, 0, 0.0, ())
    assert (result.finished, result.eliminations, result.failures, result.wrong_elimination) == (False, (), (), 0.0)
    assert not result.allocation.any()
    assert len(result.undecided()) == 6
    with pytest.raises(ValueError, match="nothing has been run yet"):
        result.posterior  # noqa: B018


@pytest.mark.parametrize("instances", [1, 3])
def test_an_algorithm_that_failed_in_every_run_is_judged_provisionally_unless_it_is_removed(instances):
    prior = pb.BayesianBootstrap() if instances == 1 else None  # which eliminates no algorithm after one instance
    state, plan, runs = first_round(instances, prior)
    runs = [
        Run(pb.Trajectory("b", run.trajectory.instance, [], [], until=1, failed=True), 1.0, "crashed", "no such file")
        if run.trajectory.algorithm == "b"
        else run
        for run in runs
    ]
    state = loop.tell(state, plan, runs)
    summary = RaceResult(state, "paused").summary("my.race")
    (standing,) = (each for each in summary.standings if each.name == "b")
    assert standing.status == "provisional"
    assert summary.status == ("do not rely on it" if instances == 1 else "provisional")
    assert standing.reason.endswith("; all of its runs failed")
    failed = "The only run of b" if instances == 1 else "All 3 runs of b"
    text = f"{failed} failed, and failed runs count as the worst outcome; the first error: no such file."
    assert any(each.text.startswith(text) for each in summary.remarks)
    assert standing.group == ("eliminated" if instances == 3 else "not ruled out")
    if standing.group == "eliminated":
        return
    removed = RaceResult(loop.remove(state, "b"), "paused").summary("my.race")
    (remark,) = (each for each in removed.remarks if f"{failed} failed" in each.text)
    assert remark.status == "solid"
    assert [each.status for each in removed.group("removed")] == ["solid"]


@pytest.mark.parametrize(("accepted", "failure"), [(False, "last"), (True, "last"), (False, "missing")])
def test_an_elimination_to_which_failed_runs_contributed_is_in_doubt(result, accepted, failure):
    (first,) = (each for each in result.eliminations[:1])
    runs = dict(result.state.observations.runs)
    key = next(key for key in runs if key[0] == first.name)
    runs[key] = Run(dataclasses.replace(runs[key].trajectory, failed=True), 1.0, "crashed", "no such file")
    settings = replace(result.state.settings, failure=failure)
    state = replace(result.state, settings=settings, observations=replace(result.state.observations, runs=runs))
    names = frozenset(NAMES) if accepted else frozenset()
    summary = RaceResult(state, "resolved", accepted_failures=names).summary()
    (standing,) = (each for each in summary.group("eliminated") if each.name == first.name)
    number = sum(name == first.name for name, _ in runs)
    doubted = not accepted and failure == "last"
    assert (standing.status == "solid", f"; 1 of its {number} runs failed" in standing.reason) == (not doubted, doubted)


def test_failed_runs_are_listed_with_their_cost():
    state, plan, runs = first_round()
    failed = pb.Trajectory("b", 1, [1.0], [3.0], until=1.5, failed=True)
    runs = [
        Run(failed, 1.5, "crashed", "killed by SIGKILL")
        if (run.trajectory.algorithm, run.trajectory.instance) == ("b", 1)
        else run
        for run in runs
    ]
    result = RaceResult(loop.tell(state, plan, runs), "paused")
    assert [(run.trajectory.algorithm, run.status, run.message) for run in result.failures] == [
        ("b", "crashed", "killed by SIGKILL")
    ]
    assert result.cost["b"] == 2 * 8 + 1.5
    assert math.isclose(sum(result.cost.values()), result.rounds[-1].cost)


def test_runs_are_counted_by_how_they_ended():
    state, plan, runs = first_round()
    early, failed, *others = runs
    early = replace(early, reached=early.trajectory.until / 2)
    failed = replace(failed, status="timeout")
    result = RaceResult(loop.tell(state, plan, [early, failed, *others]), "paused")
    assert result.ended == {"finished": 1, "cut off": len(others), "failed": 1}


def test_a_run_with_an_infinite_horizon_is_observed_at_every_later_time():
    state, plan, simulated = first_round()
    runs = [
        Run(pb.Trajectory("a", run.trajectory.instance, [2.0], [0.0], math.inf), 2.0)
        if run.trajectory.algorithm == "a"
        else run
        for run in simulated
    ]
    result = RaceResult(loop.tell(state, plan, runs), "paused")
    assert result.allocation.tolist() == [[3] * 4] * 4
    assert result.cost["a"] == 3 * 2.0


def test_the_check_counts_the_outcomes_of_each_pair(result):
    values = {(run.trajectory.algorithm, run.trajectory.instance): run.trajectory.at(TIMES) for run in result.runs}
    for t in range(len(TIMES)):
        both = [
            (values["a", i][t], values["b", i][t])
            for i in range(result.instances)
            if ("a", i) in values and ("b", i) in values and np.isfinite([values["a", i][t], values["b", i][t]]).all()
        ]
        assert result.check.compared[t, 0, 1] == len(both)
        assert result.check.observed[t, 0, 1] == pytest.approx(np.mean([a < b for a, b in both]))
    assert [each for each in result.warnings if "settle whether" not in each] == []  # the check finds nothing


def test_a_result_warns_of_rankings_that_contradict_the_model_and_of_unreliable_posteriors():
    """Each of three beats the next one on two instances of three, in a circle."""
    settings = pb.Settings(TIMES, prior=pb.Dirichlet(), elimination="pointwise", batch=pb.FixedBatch(120), draws=400)
    state = loop.start(settings, NAMES[:3])
    plan = loop.ask(state)

    def run(job):
        value = float((NAMES.index(job.algorithm) + job.instance) % 3)
        return Run(pb.Trajectory(job.algorithm, job.instance, TIMES[:1], [value], until=job.until), reached=job.until)

    result = RaceResult(loop.tell(state, plan, [run(job) for job in plan.jobs]), "paused")
    assert len(result.check.misfits) == 3
    assert result.warnings[0].startswith("Rankings contradict the model (Plackett-Luce): ")
    diagnostics = dataclasses.replace(result.posterior.diagnostics, reliable=False, message="did not converge.")
    doubtful = dataclasses.replace(
        result.state, posterior=dataclasses.replace(result.posterior, diagnostics=diagnostics)
    )
    assert RaceResult(doubtful, "paused").warnings[0] == "The posterior is not reliable: did not converge."
    assert RaceResult(state, "paused").warnings == ()


@pytest.mark.parametrize(("clock", "warned"), [("seconds", True), ("evaluations", False)])
def test_runs_that_wait_for_the_processor_cause_a_warning_if_time_is_in_seconds(clock, warned):
    settings = pb.Settings(TIMES, prior=pb.Dirichlet(), elimination="pointwise", draws=400, clock=clock)
    state = loop.start(settings, NAMES)
    plan = loop.ask(state)
    runs = simulated_runs(plan, UTILITIES, NAMES, TIMES)
    cpu = [8.0] * (len(runs) - 2) + [7.0, 4.0]
    runs = [dataclasses.replace(run, seconds=8.0, cpu_seconds=spent) for run, spent in zip(runs, cpu, strict=True)]
    warnings = [
        warning for warning in RaceResult(loop.tell(state, plan, runs), "paused").warnings if "processor" in warning
    ]
    assert len(warnings) == warned
    if warned:
        assert warnings[0].startswith(
            "2 of 32 runs had the processor for less than 90 % of their time (the worst for 50 %)"
        )


def test_frames_of_rounds_eliminations_and_runs(result):
    rounds = result.to_frame()
    assert rounds["round"].tolist() == [each.number for each in result.rounds]
    assert rounds["instances"].sum() == result.instances
    assert rounds["cost"].sum() == pytest.approx(sum(result.cost.values()))
    assert ", ".join(filter(None, rounds["eliminated"])) == ", ".join(
        loser.name for each in result.rounds for loser in each.eliminated
    )
    eliminations = result.to_frame("eliminations")
    assert eliminations["algorithm_name"].tolist() == [each.name for each in result.eliminations] != []
    assert eliminations["probability"].tolist() == [each.probability for each in result.eliminations]
    runs = result.to_frame("runs", backend="polars")
    assert runs["data_id"].n_unique() == len(result.runs)
    ends = runs.group_by("data_id", maintain_order=True).last()
    assert ends[result.state.settings.clock].to_list() == [run.reached for run in result.runs]
    with pytest.raises(ValueError, match="expected 'rounds', 'eliminations' or 'runs', got 'round'"):
        result.to_frame("round")


def test_frames_of_a_race_before_its_first_round_have_no_rows():
    started = RaceResult(first_round()[0], "paused")
    for what in ("rounds", "eliminations", "runs"):
        assert len(started.to_frame(what)) == 0
    assert started.to_frame()["cost"].dtype == float


def test_unknown_error_bounds_are_missing_in_the_frame(result):
    table = eliminations_table([dataclasses.replace(result.eliminations[0], error_bound=None)])
    assert math.isnan(table["error_bound"][0])


def test_notebooks_show_the_summary(result):
    fresh = RaceResult(result.state, "resolved")
    html = fresh._repr_html_()
    assert html.startswith("<p>Which algorithm at which budget (")
    assert all(name in html for name in NAMES)
    assert f"{result.eliminations[0].name}: beaten by {result.eliminations[0].by} at every budget" in html
    assert "<strong>Status: " in html


def test_a_selection_from_a_result_is_one_among_its_candidates(result):
    known = list(result.pareto_set)
    assert len(known) < len(result.posterior.names)
    assert pb.decision_map(result).stretches == pb.decision_map(result.posterior, among=known).stretches
    selection = pb.select(result, pb.Final())
    expected = pb.select(result.posterior, pb.Final(), among=known)
    assert selection.sentence == expected.sentence
    assert {each.name for each in selection.candidates} == set(known)
    np.testing.assert_array_equal(selection.values, expected.values)
    assert pb.select(result, among=result.posterior.names).values.shape[1] == len(result.posterior.names)
    assert worst_case_regret(result) == worst_case_regret(result.posterior, among=known)


def test_a_selection_leaves_out_candidates_that_have_not_run(result):
    added = RaceResult(loop.add(result.state, "new"), "paused")
    assert "new" in added.pareto_set
    assert {each.name for each in pb.select(added).candidates} == {each.name for each in pb.select(result).candidates}
