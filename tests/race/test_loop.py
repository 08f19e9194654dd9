"""The race against Algorithm 1 in plain loops, and its properties one by one."""

import dataclasses
from itertools import combinations, pairwise

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference import fitting
from polarbear.race import loop
from polarbear.race.inference import infer_posterior
from polarbear.race.sampling import running_until
from polarbear.race.state import unresolved
from tests.race.paper import PlainRace, posterior_of, some_posterior, threat
from tests.race.simulated import simulated_run, simulated_runs
from tests.race.small import (
    EVEN,
    LEVEL,
    NAMES,
    TIMES,
    crossing_utilities,
    even_settings,
    play_rounds,
    play_to_end,
    settings_of,
)

COMBINATIONS = [(e, r) for e in ("joint", "pointwise") for r in ("strict", "crossing")]
four_combinations = pytest.mark.parametrize(("elimination", "resolution"), COMBINATIONS)


@four_combinations
@pytest.mark.parametrize("seed", range(3))
def test_the_race_is_algorithm_1(believe, elimination, resolution, seed):
    rng = np.random.default_rng(seed)
    posteriors = [some_posterior(rng, NAMES, TIMES, sharpness=0.25 + 0.1 * i) for i in range(8)]
    believe(*posteriors)
    settings = settings_of(elimination=elimination, resolution=resolution, batch=pb.AdaptiveBatch(2, 8))
    state = loop.start(settings, NAMES)
    paper = PlainRace(NAMES, TIMES, elimination=elimination, resolution=resolution, confidence=0.8, rope=0.05)
    size, used, cost = 2, 0, 0.0
    for number, posterior in enumerate(posteriors, start=1):
        until, plan = paper.until(), loop.ask(state)
        assert running_until(state) == until
        if not until:
            assert plan is None
            break
        assert plan.instances == tuple(range(used, used + size))
        jobs = {(job.algorithm, job.instance, job.until) for job in plan.jobs}
        assert jobs == {(name, i, time) for name, time in until.items() for i in plan.instances}
        state = loop.tell(state, plan, simulated_runs(plan, LEVEL, NAMES, TIMES))
        before = np.count_nonzero(~paper.matrix())
        inside = list(paper.candidates)
        losers = paper.update(posterior)
        after = np.count_nonzero(~paper.matrix())

        used, cost, gain = used + size, cost + size * sum(until.values()), max(before - after, 0)
        size = min(max(2 * size if gain == 0 else size // 2 if gain > 0.2 * before else size, 2), 8)
        assert state.pareto_set == tuple(name for name in NAMES if name in paper.candidates)
        np.testing.assert_array_equal(state.resolved, paper.matrix())
        last = state.rounds[-1]
        assert [each.name for each in last.eliminated] == losers
        for each in last.eliminated:
            eliminators, probability = paper.eliminations[each.name]
            assert each.by in eliminators
            assert each.probability == pytest.approx(probability)
            assert (each.round, each.instances, each.cost) == (number, used, cost)
        for name, chance in last.threat:
            index = NAMES.index(name)
            most = max(threat(posterior, NAMES.index(b), index, elimination) for b in inside if b != name)
            assert chance == pytest.approx(most)
        assert (last.number, last.kind, last.next_size, last.until) == (number, "fresh", size, plan.until)
        assert last.cost == size_of(plan)
        assert last.resolved_share == pytest.approx(1 - after / (len(TIMES) * 5 * 4))
        assert {(a, b): times for a, b, times in last.open} == {
            (a, b): tuple(t for t in range(4) if not paper.decided[t, frozenset({a, b})])
            for a, b in combinations(NAMES, 2)
            if not all(paper.decided[t, frozenset({a, b})] for t in range(4))
        }
        assert state.candidates  # at least one is always left


def size_of(plan):
    return sum(job.until for job in plan.jobs)


def certain(*orders):
    """A posterior that is certain of the order at each time, best first."""
    ratings = [[10.0 ** -order.index(name) for name in NAMES] for order in orders]
    return posterior_of([ratings] * 10, NAMES, TIMES)


def uncertain():
    return some_posterior(np.random.default_rng(0), NAMES, TIMES, sharpness=0.0)


@four_combinations
def test_each_round_decides_pairs_afresh(believe, elimination, resolution):
    """The second posterior contradicts the first one, and the third one is uncertain."""
    known, contrary = (uncertain().ratings.copy() for _ in range(2))
    known[..., 0], contrary[..., 0] = 1e-3, 1e3  # a beaten everywhere, and then a the best
    known[:, 0, 1], contrary[:, 0, 1] = 1e3, 1e-3  # b the best at the first time, and then the worst
    believe(posterior_of(known, NAMES, TIMES), posterior_of(contrary, NAMES, TIMES), uncertain())
    state = loop.start(settings_of(elimination=elimination, resolution=resolution), NAMES)
    states = [state := play_rounds(state) for _ in range(3)]
    assert states[0].candidates == frozenset("bcde")
    assert states[0].resolved[0, 1].all()
    assert not states[0].resolved[1:, 1].all()
    for earlier, later in pairwise(states):
        assert later.candidates <= earlier.candidates
    again = states[2].resolved[:, 1:, 1:] & ~np.eye(4, dtype=bool)
    assert not again.any()  # what the first round decided between b and the others is open again
    assert [(each.name, each.round) for round_ in state.rounds for each in round_.eliminated] == [("a", 1)]
    assert loop.ask(state) is not None


@pytest.mark.parametrize("elimination", ["joint", "pointwise"])
def test_an_eliminated_algorithm_eliminates_no_other(believe, elimination):
    """In the second round the eliminated a beats all others, and b beats only c."""
    second = [[5.0, 4.0, 2.0, 4.0 + flip, 4.0 - flip] for flip in (2, -2) * 5]
    believe(certain(*["bcdea"] * 4), posterior_of([[row] * 4 for row in second], NAMES, TIMES))
    state = loop.start(settings_of(elimination=elimination), NAMES)
    first = loop.tell(state, plan := loop.ask(state), simulated_runs(plan, LEVEL, NAMES, TIMES))
    # Keep only the elimination of a from the first round.
    candidates = frozenset("bcde")
    reopened = dataclasses.replace(
        first, candidates=candidates, resolved=unresolved(4, NAMES, candidates), posterior=None
    )
    after = play_rounds(reopened)
    assert {(each.name, each.by) for each in after.rounds[-1].eliminated} == {("c", "b")}


@four_combinations
def test_an_unreliable_posterior_decides_nothing(believe, elimination, resolution):
    sure = certain(*["abcde"] * 4)
    doubtful = dataclasses.replace(sure, diagnostics=dataclasses.replace(sure.diagnostics, reliable=False))
    believe(doubtful, sure)
    state = loop.start(settings_of(elimination=elimination, resolution=resolution, batch=pb.AdaptiveBatch(2, 8)), NAMES)
    after = play_rounds(state)
    assert after.candidates == state.candidates
    np.testing.assert_array_equal(after.resolved, state.resolved)
    last = after.rounds[-1]
    assert (last.reliable, last.eliminated, last.resolved_share) == (False, (), 0.0)
    assert last.message == "made up for a test"
    assert last.next_size == 4  # nothing was resolved, and the batch doubles
    assert len(after.observations.instances) == 2  # the runs are kept
    assert play_to_end(after, LEVEL).pareto_set == ("a",)


def test_an_unreliable_method_decides_nothing():
    """The plain Laplace approximation reports itself as unreliable, however clear the data."""
    utilities = np.full((4, 3), [4.0, 0.0, -4.0])
    state = loop.start(settings_of(method="laplace", batch=pb.FixedBatch(10)), "abc")
    state = play_rounds(state, utilities, ("a", "b", "c"), rounds=2)
    assert state.pareto_set == ("a", "b", "c")
    assert not any(round_.reliable for round_ in state.rounds)
    assert play_to_end(loop.reconsider(state, settings_of()), utilities, ("a", "b", "c")).pareto_set == ("a",)


@four_combinations
def test_a_race_finds_the_pareto_set(elimination, resolution):
    utilities = crossing_utilities("abcd")
    settings = settings_of(
        elimination=elimination, resolution=resolution, confidence=0.95, rope=0.1, batch=pb.AdaptiveBatch(8, 64), seed=1
    )
    state = play_to_end(loop.start(settings, "abcd"), utilities, tuple("abcd"))
    assert {"a", "b"} <= state.candidates
    assert "d" not in state.candidates
    if elimination == "pointwise":  # algorithms that are decided early cost less than the full design
        assert state.cost < 4 * len(state.observations.instances) * TIMES[-1]


def test_a_round_needs_all_its_runs_and_no_others():
    state = loop.start(even_settings(), "abc")
    plan = loop.ask(state)
    runs = simulated_runs(plan, EVEN, tuple("abc"), TIMES)
    stranger = simulated_run(dataclasses.replace(plan.jobs[0], instance=99), EVEN, tuple("abc"), TIMES)
    for wrong in (runs[1:], [*runs, runs[0]], [*runs[1:], stranger], []):
        with pytest.raises(ValueError, match="expected one run for each job of the plan"):
            loop.tell(state, plan, wrong)
    order = np.random.default_rng(0).permutation(len(runs))
    shuffled = loop.tell(state, plan, [runs[i] for i in order])
    assert shuffled.rounds == loop.tell(state, plan, runs).rounds  # in any order


def test_runs_in_the_other_direction_are_refused():
    state = loop.start(even_settings(maximise=True), "abc")
    plan = loop.ask(state)
    with pytest.raises(
        ValueError, match=r"expected runs with maximise=True, .*got that of 'a' on instance 0 with maximise=False"
    ):
        loop.tell(state, plan, simulated_runs(plan, EVEN, tuple("abc"), TIMES))


def test_the_runs_of_a_round_are_added_once():
    state = loop.start(even_settings(), "abc")
    plan = loop.ask(state)
    runs = simulated_runs(plan, EVEN, tuple("abc"), TIMES)
    after = loop.tell(state, plan, runs)
    with pytest.raises(ValueError, match=r"expected new runs, got that of 'a' on instance 0 again; .*ask\(state\)"):
        loop.tell(after, plan, runs)


def test_repeating_recorded_rounds_infers_nothing(finished_race, monkeypatch):
    monkeypatch.setattr(fitting, "fit", None)
    state = loop.start(finished_race.settings, finished_race.names)
    for round_ in finished_race.rounds:
        plan = loop.ask(state, most_instances=len(round_.instances))
        runs = [finished_race.observations.runs[job.algorithm, job.instance] for job in plan.jobs]
        state = loop.tell(state, plan, runs, record=round_)
    assert state.rounds == finished_race.rounds
    assert state.candidates == finished_race.candidates
    np.testing.assert_array_equal(state.resolved, finished_race.resolved)
    assert (state.batch_size, state.next_instance) == (finished_race.batch_size, finished_race.next_instance)


def test_there_is_no_posterior_before_the_first_run():
    with pytest.raises(ValueError, match="nothing has been run yet"):
        infer_posterior(loop.start(even_settings(), "ab"))


@pytest.mark.parametrize(("names", "words"), [(["a"], "at least two algorithms"), (["a", "a"], "more than once")])
def test_a_race_needs_two_different_algorithms(names, words):
    with pytest.raises(ValueError, match=words):
        loop.start(even_settings(), names)
