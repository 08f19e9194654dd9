"""The race against Algorithm 1 in plain loops, and its properties one by one."""

import dataclasses
import json
from itertools import combinations

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference import fitting
from polarbear.race import loop
from polarbear.race.inference import infer_posterior
from polarbear.race.outcome import RaceOutcome
from polarbear.race.sampling import recorded_plan, running_until
from polarbear.race.serialisation import from_plain, to_plain
from tests.race.paper import PlainRace, drifting_posteriors, posterior_of, some_posterior, threat
from tests.race.simulated import simulated_run, simulated_runs
from tests.race.small import (
    BUDGETS,
    EVEN,
    LEVEL,
    NAMES,
    crossing_utilities,
    even_settings,
    play_rounds,
    play_to_end,
    settings_of,
)

COMBINATIONS = [(e, r) for e in ("joint", "pointwise") for r in ("every-budget", "pairs")]
four_combinations = pytest.mark.parametrize(("dominance", "until"), COMBINATIONS)


def race_beside_the_paper(dominance, until, posteriors):
    """The states of a race, from the first, each compared with Algorithm 1."""
    settings = settings_of(dominance=dominance, until=until, batch=pb.AdaptiveBatch(2, 8))
    states = [loop.start(settings, NAMES)]
    paper = PlainRace(NAMES, BUDGETS, dominance=dominance, until=until, confidence=0.8, margin=0.05)
    size, used, cost = 2, 0, 0.0
    for number, posterior in enumerate(posteriors, start=1):
        budget, plan = paper.budget(), loop.ask(states[-1])
        assert running_until(states[-1]) == budget
        if not budget:
            assert plan is None
            break
        kind, instances, runs = paper.plan(size)
        assert (plan.kind, plan.instances) == (kind, tuple(instances))
        jobs = {(job.algorithm, job.instance, job.budget) for job in plan.jobs}
        assert jobs == {(name, i, budget[name]) for name, i in runs}
        state = loop.tell(states[-1], plan, simulated_runs(plan, LEVEL, NAMES, BUDGETS))
        before = np.count_nonzero(~paper.matrix())
        inside = list(paper.candidates)
        losers, returned = paper.update(posterior, runs)
        after = np.count_nonzero(~paper.matrix())

        used, cost, gain = used + size * (kind == "fresh"), cost + size_of(plan), max(before - after, 0)
        size = min(max(2 * size if gain == 0 else size // 2 if gain > 0.2 * before else size, 2), 8)
        assert state.kept == tuple(paper.candidates) != ()
        np.testing.assert_array_equal(state.decided, paper.matrix())
        assert state.newcomers == paper.behind
        last = state.rounds[-1]
        assert [each.name for each in last.dropped] == losers
        assert list(last.returned) == returned
        for each in last.dropped:
            winners, probability = paper.drops[each.name]
            assert each.by in winners
            assert each.probability == pytest.approx(probability)
            assert (each.round, each.instances, each.cost) == (number, used, cost)
        for name, chance in last.threat:
            index = NAMES.index(name)
            most = max(threat(posterior, NAMES.index(b), index, dominance) for b in inside if b != name)
            assert chance == pytest.approx(most)
        assert (last.number, last.kind, last.next_size, last.budgets) == (number, kind, size, plan.budgets)
        assert last.cost == size_of(plan)
        assert last.decided_share == pytest.approx(1 - after / (len(BUDGETS) * 5 * 4))
        assert {(a, b): budgets for a, b, budgets in last.open} == {
            (a, b): tuple(t for t in range(4) if not paper.decided[t, frozenset({a, b})])
            for a, b in combinations(NAMES, 2)
            if not all(paper.decided[t, frozenset({a, b})] for t in range(4))
        }
        assert {each.name for each in RaceOutcome(state, "paused").drops} == set(paper.drops)
        states.append(state)
    return states


@four_combinations
@pytest.mark.parametrize("seed", range(3))
def test_the_race_is_algorithm_1(believe, dominance, until, seed):
    """Posteriors change little from round to round, as when data arrive."""
    posteriors = drifting_posteriors(np.random.default_rng(seed), NAMES, BUDGETS, 8, memory=0.99, sharpness=0.8)
    believe(*posteriors)
    states = race_beside_the_paper(dominance, until, posteriors)
    assert len(states) > 2
    assert any(each.candidates < set(NAMES) for each in states)


@four_combinations
@pytest.mark.parametrize("seed", [0, 1, 4, 6])
def test_the_race_is_algorithm_1_when_algorithms_come_back(believe, monkeypatch, dominance, until, seed):
    """Posteriors change so much that dropped algorithms come back, and then catch up."""
    posteriors = drifting_posteriors(np.random.default_rng(seed), NAMES, BUDGETS, 25, memory=0.8, sharpness=0.5)
    believe(*posteriors)
    states = race_beside_the_paper(dominance, until, posteriors)
    rounds = states[-1].rounds
    assert any(each.returned for each in rounds)
    assert "catch-up" in {each.kind for each in rounds}
    latest = {each.name: each for round_ in rounds for each in round_.dropped}
    drops = RaceOutcome(states[-1], "paused").drops
    assert set(drops) == {each for name, each in latest.items() if name not in states[-1].candidates}

    monkeypatch.setattr(fitting, "fit", None)  # reading the records back infers nothing
    state = states[0]
    for known, round_ in zip(states[1:], rounds, strict=True):
        plan = recorded_plan(state, round_)
        assert plan == loop.ask(state)
        read = from_plain(json.loads(json.dumps(to_plain(round_))))
        state = loop.tell(
            state, plan, [known.observations.runs[job.algorithm, job.instance] for job in plan.jobs], record=read
        )
        assert (state.candidates, state.newcomers, state.rounds) == (known.candidates, known.newcomers, known.rounds)
        np.testing.assert_array_equal(state.decided, known.decided)


def size_of(plan):
    return sum(job.budget for job in plan.jobs)


def uncertain():
    return some_posterior(np.random.default_rng(0), NAMES, BUDGETS, sharpness=0.0)


@four_combinations
def test_each_round_decides_pairs_afresh(believe, dominance, until):
    """The second posterior contradicts the first one about b, and the third one is uncertain; a is beaten in all."""
    known, contrary, late = (uncertain().ratings.copy() for _ in range(3))
    for ratings in (known, contrary, late):
        ratings[..., 0] = 1e-3
    known[:, 0, 1], contrary[:, 0, 1] = 1e3, 1e-3  # b the best at the first budget, and then the worst
    believe(*(posterior_of(ratings, NAMES, BUDGETS) for ratings in (known, contrary, late)))
    state = loop.start(settings_of(dominance=dominance, until=until), NAMES)
    states = [state := play_rounds(state) for _ in range(3)]
    assert [each.candidates for each in states] == [frozenset("bcde")] * 3
    assert states[0].decided[0, 1].all()
    assert not states[0].decided[1:, 1].all()
    again = states[2].decided[:, 1:, 1:] & ~np.eye(4, dtype=bool)
    assert not again.any()  # what the first round decided between b and the others is open again
    assert [(each.name, each.round) for round_ in state.rounds for each in round_.dropped] == [("a", 1)]
    assert loop.ask(state) is not None


rules = pytest.mark.parametrize("dominance", ["joint", "pointwise"])


def shares_of(orders):
    """A posterior in which orders, the same at all budgets, have these shares of ten draws."""
    draws = [order for order, share in orders.items() for _ in range(round(10 * share))]
    return posterior_of([[[10.0 ** -order.index(name) for name in NAMES]] * 4 for order in draws], NAMES, BUDGETS)


# a and c are undecided, and beat the others.
AC_FIRST = {"acbde": 0.5, "cabde": 0.5}


@rules
def test_a_chain_is_dropped_by_its_head(believe, dominance):
    """Each algorithm beats all later ones; the winner that is named is one that is kept."""
    believe(shares_of({"abcde": 1}))
    state = play_rounds(loop.start(settings_of(dominance=dominance), NAMES))
    assert [(each.name, each.by) for each in state.rounds[-1].dropped] == [(name, "a") for name in "bcde"]
    assert state.candidates == {"a"}


@rules
def test_a_dropped_algorithm_comes_back_when_no_candidate_probably_beats_it(believe, dominance):
    """a and c beat b with 100, 60, and then 40 %; b has missed the second and the third round, and catches up."""
    believe(
        shares_of(AC_FIRST),
        shares_of({"acbde": 0.3, "cabde": 0.3, "bcade": 0.2, "bacde": 0.2}),
        shares_of({"acbde": 0.2, "cabde": 0.2, "bcade": 0.3, "bacde": 0.3}),
    )
    state = loop.start(settings_of(dominance=dominance), NAMES)
    states = [state := play_rounds(state) for _ in range(5)]
    assert [each.kept for each in states] == [("a", "c")] * 2 + [("a", "b", "c")] * 3
    assert [each.returned for each in state.rounds] == [(), (), ("b",), (), ()]
    assert [each.kind for each in state.rounds] == ["fresh"] * 3 + ["catch-up"] * 2
    assert [each.newcomers for each in states] == [set(), set(), {"b"}, {"b"}, set()]
    assert [job.instance for each in states[2:4] for job in loop.ask(each).jobs] == [2, 3, 4, 5]
    assert {job.algorithm for each in states[2:4] for job in loop.ask(each).jobs} == {"b"}
    fresh = loop.ask(state)
    assert (fresh.kind, {job.algorithm for job in fresh.jobs}) == ("fresh", set("abc"))
    assert [each.name for each in RaceOutcome(states[1], "paused").drops] == list("bde")
    assert [each.name for each in RaceOutcome(state, "paused").drops] == list("de")


@rules
def test_who_beats_an_algorithm_that_comes_back_comes_back_too(believe, dominance):
    """Nobody of a and c probably beats d any more. They probably beat b, but b beats d with the confidence."""
    circle = {"acbde": 0.2, "cabde": 0.2, "bdace": 0.2, "bdcae": 0.2, "dacbe": 0.1, "dcabe": 0.1}
    believe(shares_of(AC_FIRST), shares_of(circle))
    state = play_rounds(loop.start(settings_of(dominance=dominance), NAMES), rounds=2)
    beats = pb.dominance(state.posterior)[0]
    assert [beats[NAMES.index(x), NAMES.index(y)] for x, y in ("ab", "cb", "bd", "ad", "cd")] == [
        0.6,
        0.6,
        0.8,
        0.4,
        0.4,
    ]
    assert state.rounds[-1].returned == ("b", "d")
    assert state.kept == tuple("abcd")


@rules
def test_an_algorithm_removed_by_hand_neither_drops_others_nor_comes_back(believe, dominance):
    believe(uncertain(), shares_of({"abcde": 1}))
    state = play_rounds(loop.start(settings_of(dominance=dominance), NAMES))
    assert state.candidates == set(NAMES)
    state = play_rounds(loop.drop(state, "a"))
    assert [(each.name, each.by) for each in state.rounds[-1].dropped] == [(name, "b") for name in "cde"]
    assert state.rounds[-1].returned == ()
    assert state.candidates == {"b"}


@rules
def test_a_restored_algorithm_is_dropped_again_only_with_the_confidence(believe, dominance):
    """After the first round a and c beat b with 60 %: too little to drop it, and enough not to bring it back."""
    believe(shares_of(AC_FIRST), shares_of({"acbde": 0.3, "cabde": 0.3, "bcade": 0.2, "bacde": 0.2}))
    state = play_rounds(loop.start(settings_of(dominance=dominance), NAMES), rounds=2)
    assert state.kept == ("a", "c")
    state = play_rounds(loop.restore(state, "b"))
    assert state.rounds[-1].kind == "catch-up"
    assert state.kept == ("a", "b", "c")


@rules
def test_an_unreliable_posterior_brings_nothing_back(believe, dominance):
    later = shares_of({"bdeac": 0.5, "bdeca": 0.5})
    doubtful = dataclasses.replace(later, diagnostics=dataclasses.replace(later.diagnostics, reliable=False))
    believe(shares_of(AC_FIRST), doubtful, later)
    state = play_rounds(loop.start(settings_of(dominance=dominance), NAMES), rounds=2)
    assert (state.kept, state.rounds[-1].returned) == (("a", "c"), ())
    state = play_rounds(state)
    assert state.rounds[-1].returned == ("b",)
    assert state.candidates == {"b"}


@four_combinations
def test_an_unreliable_posterior_decides_nothing(believe, dominance, until):
    sure = shares_of({"abcde": 1})
    doubtful = dataclasses.replace(sure, diagnostics=dataclasses.replace(sure.diagnostics, reliable=False))
    believe(doubtful, sure)
    state = loop.start(settings_of(dominance=dominance, until=until, batch=pb.AdaptiveBatch(2, 8)), NAMES)
    after = play_rounds(state)
    assert after.candidates == state.candidates
    np.testing.assert_array_equal(after.decided, state.decided)
    last = after.rounds[-1]
    assert (last.reliable, last.dropped, last.decided_share) == (False, (), 0.0)
    assert last.message == "made up for a test"
    assert last.next_size == 4  # nothing was resolved, and the batch doubles
    assert len(after.observations.instances) == 2  # the runs are kept
    assert play_to_end(after, LEVEL).kept == ("a",)


def test_an_unreliable_method_decides_nothing():
    """The plain Laplace approximation reports itself as unreliable, however clear the data."""
    utilities = np.full((4, 3), [4.0, 0.0, -4.0])
    state = loop.start(settings_of(method="laplace", batch=pb.FixedBatch(10)), "abc")
    state = play_rounds(state, utilities, ("a", "b", "c"), rounds=2)
    assert state.kept == ("a", "b", "c")
    assert not any(round_.reliable for round_ in state.rounds)
    assert play_to_end(loop.reconsider(state, settings_of()), utilities, ("a", "b", "c")).kept == ("a",)


@four_combinations
def test_a_race_finds_the_pareto_set(dominance, until):
    utilities = crossing_utilities("abcd")
    settings = settings_of(
        dominance=dominance,
        until=until,
        confidence=0.95,
        margin=0.1,
        batch=pb.AdaptiveBatch(8, 64),
        seed=1,
    )
    state = play_to_end(loop.start(settings, "abcd"), utilities, tuple("abcd"))
    assert {"a", "b"} <= state.candidates
    assert "d" not in state.candidates
    if dominance == "pointwise":  # algorithms that are decided early cost less than the full design
        assert state.cost < 4 * len(state.observations.instances) * BUDGETS[-1]


def test_a_round_needs_all_its_runs_and_no_others():
    state = loop.start(even_settings(), "abc")
    plan = loop.ask(state)
    runs = simulated_runs(plan, EVEN, tuple("abc"), BUDGETS)
    stranger = simulated_run(dataclasses.replace(plan.jobs[0], instance=99), EVEN, tuple("abc"), BUDGETS)
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
        ValueError, match=r"expected runs with maximise=True, .*got the run of 'a' on instance 0 with maximise=False"
    ):
        loop.tell(state, plan, simulated_runs(plan, EVEN, tuple("abc"), BUDGETS))


def test_the_runs_of_a_round_are_added_once():
    state = loop.start(even_settings(), "abc")
    plan = loop.ask(state)
    runs = simulated_runs(plan, EVEN, tuple("abc"), BUDGETS)
    after = loop.tell(state, plan, runs)
    with pytest.raises(ValueError, match=r"expected new runs, got the run of 'a' on instance 0 again; .*ask\(state\)"):
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
    np.testing.assert_array_equal(state.decided, finished_race.decided)
    assert (state.batch_size, state.next_instance) == (finished_race.batch_size, finished_race.next_instance)


def test_there_is_no_posterior_before_the_first_run():
    with pytest.raises(ValueError, match="nothing has been run yet"):
        infer_posterior(loop.start(even_settings(), "ab"))


@pytest.mark.parametrize(("names", "words"), [(["a"], "at least two algorithms"), (["a", "a"], "more than once")])
def test_a_race_needs_two_different_algorithms(names, words):
    with pytest.raises(ValueError, match=words):
        loop.start(even_settings(), names)
