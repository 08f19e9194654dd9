"""The race against Algorithm 1 in plain loops, and its laws one by one."""

import dataclasses
from itertools import combinations, pairwise

import numpy as np
import pytest

import polarbear as pb
from polarbear.race import loop
from polarbear.race.sampling import running_until, seed_of
from tests.race.paper import PlainRace, posterior_of, some_posterior, threat
from tests.race.simulated import simulated_run, simulated_runs

NAMES, TIMES = ("a", "b", "c", "d", "e"), np.array([1.0, 2.0, 4.0, 8.0])
COMBINATIONS = [(e, r) for e in ("joint", "pointwise") for r in ("strict", "crossing")]
four_combinations = pytest.mark.parametrize(("elimination", "resolution"), COMBINATIONS)
LEVEL = np.zeros((4, 5))  # utilities of runs whose rankings do not matter


def settings_of(**changes):
    return pb.Settings(
        **{
            "grid": TIMES,
            "prior": pb.RandomWalk(),
            "confidence": 0.8,
            "draws": 400,
            "batch": pb.FixedBatch(2),
            **changes,
        }
    )


@pytest.fixture
def believing(monkeypatch):
    """Let the race believe the given posteriors, one after the other."""

    def will_believe(posteriors):
        coming = iter(posteriors)
        monkeypatch.setattr(loop, "fit", lambda *_, **__: next(coming))

    return will_believe


def told(state, utilities=LEVEL, names=NAMES, times=TIMES, rounds=1, most=None):
    for _ in range(rounds):
        plan = loop.ask(state, most_instances=most)
        if plan is None:
            break
        state = loop.tell(state, plan, simulated_runs(plan, utilities, names, times))
    return state


def finished(state, utilities, names=NAMES, times=TIMES, limit=40):
    state = told(state, utilities, names, times, rounds=limit)
    assert loop.ask(state) is None
    return state


@four_combinations
@pytest.mark.parametrize("seed", range(5))
def test_the_race_is_algorithm_1(believing, elimination, resolution, seed):
    rng = np.random.default_rng(seed)
    posteriors = [some_posterior(rng, NAMES, TIMES, sharpness=0.25 + 0.1 * i) for i in range(8)]
    believing(posteriors)
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
        gone = paper.update(posterior)
        after = np.count_nonzero(~paper.matrix())

        used, cost = used + size, cost + size * sum(until.values())
        size = min(max(2 * size if before == after else size // 2 if before - after > 0.2 * before else size, 2), 8)
        assert state.pareto_set == tuple(name for name in NAMES if name in paper.candidates)
        np.testing.assert_array_equal(state.resolved, paper.matrix())
        last = state.rounds[-1]
        assert [each.name for each in last.eliminated] == gone
        for each in last.eliminated:
            eliminators, probability = paper.out[each.name]
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
    """A posterior that is sure of the order at each time: best first."""
    ratings = [[10.0 ** -order.index(name) for name in NAMES] for order in orders]
    return posterior_of([ratings] * 10, NAMES, TIMES)


def unsure():
    return some_posterior(np.random.default_rng(0), NAMES, TIMES, sharpness=0.0)


@four_combinations
def test_what_is_resolved_and_who_is_out_stays_so(believing, elimination, resolution):
    """The second posterior says the contrary of the first, the third says nothing."""
    known, contrary = (unsure().ratings.copy() for _ in range(2))
    known[..., 0], contrary[..., 0] = 1e-3, 1e3  # a beaten everywhere, and then a the best
    known[:, 0, 1], contrary[:, 0, 1] = 1e3, 1e-3  # b the best at the first time, and then the worst
    believing([posterior_of(known, NAMES, TIMES), posterior_of(contrary, NAMES, TIMES), unsure()])
    state = loop.start(settings_of(elimination=elimination, resolution=resolution), NAMES)
    seen = [state := told(state) for _ in range(3)]
    assert seen[0].candidates == frozenset("bcde")
    assert seen[0].resolved[0, 1].all()
    assert not seen[0].resolved[1:, 1].all()
    for earlier, later in pairwise(seen):
        assert later.candidates <= earlier.candidates
        assert (later.resolved >= earlier.resolved).all()
    assert [(each.name, each.round) for round_ in state.rounds for each in round_.eliminated] == [("a", 1)]
    assert loop.ask(state) is not None


@pytest.mark.parametrize("elimination", ["joint", "pointwise"])
def test_who_is_out_eliminates_nobody(believing, elimination):
    """In the second round a, which is out, beats everybody, and b beats only c."""
    second = [[5.0, 4.0, 2.0, 4.0 + flip, 4.0 - flip] for flip in (2, -2) * 5]
    believing([certain(*["bcdea"] * 4), posterior_of([[row] * 4 for row in second], NAMES, TIMES)])
    state = loop.start(settings_of(elimination=elimination), NAMES)
    first = loop.tell(state, plan := loop.ask(state), simulated_runs(plan, LEVEL, NAMES, TIMES))
    # Of the first round let only the elimination of a stand.
    candidates = frozenset("bcde")
    reopened = dataclasses.replace(
        first, candidates=candidates, resolved=loop.unresolved(4, NAMES, candidates), posterior=None
    )
    after = told(reopened)
    assert {(each.name, each.by) for each in after.rounds[-1].eliminated} == {("c", "b")}


@four_combinations
def test_an_unreliable_posterior_decides_nothing(believing, elimination, resolution):
    sure = certain(*["abcde"] * 4)
    doubtful = dataclasses.replace(sure, diagnostics=dataclasses.replace(sure.diagnostics, reliable=False))
    believing([doubtful, sure])
    state = loop.start(settings_of(elimination=elimination, resolution=resolution, batch=pb.AdaptiveBatch(2, 8)), NAMES)
    after = told(state)
    assert after.candidates == state.candidates
    np.testing.assert_array_equal(after.resolved, state.resolved)
    last = after.rounds[-1]
    assert (last.reliable, last.eliminated, last.resolved_share) == (False, (), 0.0)
    assert last.message == "made up for a test"
    assert last.next_size == 4  # nothing was resolved, and the batch doubles
    assert len(after.evidence.instances) == 2  # the runs are kept
    assert finished(after, LEVEL).pareto_set == ("a",)


def test_a_method_that_cannot_be_trusted_decides_nothing():
    """Plain Laplace says of itself that it is not good enough, however plain the data."""
    utilities = np.full((4, 3), [4.0, 0.0, -4.0])
    state = loop.start(settings_of(method="laplace", batch=pb.FixedBatch(10)), "abc")
    state = told(state, utilities, ("a", "b", "c"), rounds=2)
    assert state.pareto_set == ("a", "b", "c")
    assert not any(round_.reliable for round_ in state.rounds)
    assert finished(loop.reconsider(state, settings_of()), utilities, ("a", "b", "c")).pareto_set == ("a",)


def crossing_utilities(names):
    """a best early, b best late, c always a little behind both, d far behind."""
    change = np.linspace(1.2, -1.2, 4)[:, None]
    return (change * [1, -1, 0, 0] + [0, 0, -0.6, -3])[:, : len(names)]


@four_combinations
def test_a_race_finds_the_pareto_set(elimination, resolution):
    utilities = crossing_utilities("abcd")
    settings = settings_of(
        elimination=elimination, resolution=resolution, confidence=0.95, rope=0.1, batch=pb.AdaptiveBatch(8, 64), seed=1
    )
    state = finished(loop.start(settings, "abcd"), utilities, tuple("abcd"))
    assert {"a", "b"} <= state.candidates
    assert "d" not in state.candidates
    if elimination == "pointwise":  # d, or whatever was decided early, cost less than the full design
        assert state.cost < 4 * len(state.evidence.instances) * TIMES[-1]


def plainly_decided(state):
    """What the paper's rules say about the posterior of all that the state knows, fitted from its runs anew."""
    settings = state.settings
    choices = pb.Choices.from_trajectories(
        [run.trajectory for run in state.evidence.runs.values()], grid=settings.grid, names=state.names
    )
    posterior = pb.fit(
        choices,
        prior=settings.prior,
        draws=settings.draws,
        seed=seed_of(settings.seed, "posterior", len(state.evidence.runs)),
    )
    paper = PlainRace(
        state.names,
        settings.grid.times,
        elimination=settings.elimination,
        resolution=settings.resolution,
        confidence=settings.confidence,
        rope=settings.rope,
    )
    paper.update(posterior)
    return posterior, paper


CHANGES = {
    "stricter": {"confidence": 0.95},
    "laxer": {"confidence": 0.7},
    "smaller rope": {"rope": 0.01},
    "strict": {"resolution": "strict"},
    "joint": {"elimination": "joint", "prior": pb.RandomWalk()},
    "finer grid": {"grid": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0]},
    "longer grid": {"grid": [1.0, 2.0, 4.0, 8.0, 16.0]},
    "shorter grid": {"grid": [1.0, 2.0]},
}


@pytest.fixture(scope="module")
def raced():
    """A finished race in which some stopped early: τ_A and eliminations have left gaps in the runs."""
    settings = settings_of(prior=pb.Dirichlet(), elimination="pointwise", batch=pb.AdaptiveBatch(4, 16))
    return finished(loop.start(settings, "abcd"), crossing_utilities("abcd"), tuple("abcd"))


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_review_decides_what_a_fresh_race_would_decide_on_that_evidence(raced, change):
    settings = dataclasses.replace(raced.settings, **change)
    waiting = loop.reconsider(raced, settings)
    assert waiting.review
    assert waiting.pareto_set == tuple("abcd")
    plan = loop.ask(waiting)
    assert (plan.kind, plan.jobs) == ("review", ())
    state = loop.tell(waiting, plan, [])
    assert not state.review
    assert state.evidence.runs == raced.evidence.runs
    assert (state.rounds[-1].kind, state.rounds[-1].cost) == ("review", 0.0)
    posterior, paper = plainly_decided(state)
    np.testing.assert_allclose(state.posterior.ratings, posterior.ratings, rtol=1e-9)  # sums in another order
    assert list(state.pareto_set) == paper.candidates
    np.testing.assert_array_equal(state.resolved, paper.matrix())
    assert running_until(state) == paper.until()


def test_a_race_goes_on_after_a_review_on_new_instances(raced):
    stricter = dataclasses.replace(raced.settings, confidence=0.95)
    state = finished(loop.reconsider(raced, stricter), crossing_utilities("abcd"), tuple("abcd"))
    fresh = [round_ for round_ in state.rounds[len(raced.rounds) :] if round_.kind == "fresh"]
    assert fresh
    assert fresh[0].instances[0] == raced.next_instance
    assert fresh[0].instances[0] not in raced.evidence.instances
    assert all(state.evidence.runs[key] is run for key, run in raced.evidence.runs.items())


@pytest.mark.parametrize("change", [{"seed": 5}, {"maximise": True}, {"clock": "seconds"}])
def test_what_runs_depend_on_cannot_change(raced, change):
    with pytest.raises(ValueError, match="seed, direction and clock of a race cannot change"):
        loop.reconsider(raced, dataclasses.replace(raced.settings, **change))


def test_those_removed_by_hand_stay_out_of_a_review(raced):
    state = loop.remove(loop.reconsider(raced, raced.settings), "a")
    again = loop.reconsider(state, dataclasses.replace(raced.settings, confidence=0.9))
    assert "a" not in again.candidates
    assert again.pareto_set == ("b", "c", "d")


def even_settings(**changes):
    """So sharp a question about equals that nobody is decided soon: all run on all instances."""
    return settings_of(
        **{"confidence": 0.99, "rope": 0.0, "draws": 1000, "batch": pb.FixedBatch(6), "seed": 4, **changes}
    )


EVEN = np.array([[0.1, 0.0, -0.1], [0.0, 0.1, 0.0], [0.1, -0.1, 0.0], [0.0, 0.0, 0.1]])


@pytest.mark.parametrize(
    ("elimination", "prior"),
    [("joint", pb.RandomWalk()), ("pointwise", pb.RandomWalk()), ("pointwise", pb.Dirichlet())],
)
def test_a_newcomer_is_soon_as_well_known_as_if_it_had_been_there_from_the_start(elimination, prior):
    settings = even_settings(elimination=elimination, prior=prior)
    start = told(loop.start(settings, "abc"), EVEN, tuple("abc"), rounds=3)
    assert len(start.evidence.runs) == 3 * 18  # nobody was decided

    # The newcomer in the middle of the others' order, so that the draws are not the same numbers.
    late = told(loop.start(settings, "ac"), EVEN, tuple("abc"), rounds=3)
    late = loop.add(late, "b")
    known = []
    for _ in range(3):
        plan = loop.ask(late)
        assert plan.kind == "catch-up"
        assert {job.algorithm for job in plan.jobs} == {"b"}
        assert plan.instances == tuple(range(len(known), len(known) + 6))  # in batches, the oldest first
        known += plan.instances
        late = loop.tell(late, plan, simulated_runs(plan, EVEN, tuple("abc"), TIMES))
    assert not late.newcomers
    assert loop.ask(late).kind == "fresh"
    assert late.evidence.runs == start.evidence.runs  # the same seeds, and so the same runs

    order = [late.names.index(name) for name in "abc"]
    ours, theirs = pb.dominance(late.posterior)[:, order][:, :, order], pb.dominance(start.posterior)
    # Two shares of 1000 draws each: standard error at most sqrt(0.5 / 1000) = 0.022, and draws weighted by importance
    # are worth a little less; the largest of 12 independent differences stays below four of these.
    np.testing.assert_allclose(ours, theirs, atol=0.09)


def test_a_newcomer_at_the_end_of_the_list_gives_the_very_same_race():
    start = told(loop.start(even_settings(), "abc"), EVEN, tuple("abc"), rounds=3)
    late = told(loop.start(even_settings(), "ab"), EVEN, tuple("abc"), rounds=3)
    late = told(loop.add(late, "c"), EVEN, tuple("abc"), rounds=3)
    np.testing.assert_array_equal(late.posterior.ratings, start.posterior.ratings)
    assert loop.ask(late).jobs == loop.ask(start).jobs


def test_a_newcomer_that_is_out_stops_catching_up_and_the_others_stay_decided():
    utilities = np.hstack([crossing_utilities("ab"), np.full((4, 1), -6.0)])
    settings = settings_of(batch=pb.FixedBatch(8), confidence=0.95, resolution="strict", rope=0.2)
    race = finished(loop.start(settings, "ab"), utilities, tuple("abc"))
    before = race.resolved.copy()
    assert len(race.evidence.instances) > 8
    late = finished(loop.add(race, "c"), utilities, tuple("abc"))
    assert late.pareto_set == ("a", "b")
    np.testing.assert_array_equal(late.resolved[:, :2, :2], before)
    new = late.rounds[len(race.rounds) :]
    assert {round_.kind for round_ in new} == {"catch-up"}
    assert sum(len(round_.instances) for round_ in new) < len(race.evidence.instances)
    assert late.evidence.instances == race.evidence.instances  # no new instance was needed


def test_a_newcomer_marks_nobody_elses_pairs_open():
    race = told(loop.start(even_settings(), "ab"), EVEN, tuple("abc"), rounds=1)
    race = dataclasses.replace(race, resolved=np.ones_like(race.resolved))
    added = loop.add(race, "c")
    assert added.resolved[:, :2, :2].all()
    assert not added.resolved[:, 2, :2].any()
    assert added.resolved[:, 2, 2].all()
    assert added.batch_size == added.settings.batch.first


def test_two_newcomers_catch_up_together_and_one_by_one():
    names, utilities = tuple("abcd"), np.zeros((4, 4))
    race = told(loop.start(even_settings(), "ab"), utilities, names, rounds=2)
    race = told(loop.add(race, "c"), utilities, names, rounds=1)  # c knows 6 of 12 instances
    race = loop.add(race, "d")
    plan = loop.ask(race)
    assert [(job.algorithm, job.instance) for job in plan.jobs] == [("d", i) for i in range(6)]
    race = told(race, utilities, names)
    plan = loop.ask(race)
    assert {(job.algorithm, job.instance) for job in plan.jobs} == {(n, i) for n in "cd" for i in range(6, 12)}
    assert not told(race, utilities, names).newcomers


def test_who_is_added_before_anything_ran_is_no_newcomer():
    state = loop.add(loop.start(even_settings(), "ab"), "c")
    assert state.newcomers == frozenset()
    assert {job.algorithm for job in loop.ask(state).jobs} == set("abc")


def test_a_newcomer_stops_at_its_own_last_open_time(raced):
    state = loop.add(raced, "e")
    resolved = state.resolved.copy()
    resolved[2:, 4, :] = resolved[2:, :, 4] = True
    plan = loop.ask(dataclasses.replace(state, resolved=resolved))
    assert plan.until == (("e", 2.0),)


def test_who_is_added_must_have_a_name_of_its_own(raced):
    with pytest.raises(ValueError, match="expected different names, got 'a' more than once"):
        loop.add(raced, "a")


def test_removal_takes_out_and_keeps_the_runs():
    state = told(loop.start(even_settings(), "abc"), EVEN, tuple("abc"), rounds=2)
    removed = loop.remove(state, "a")
    assert removed.pareto_set == ("b", "c")
    assert removed.resolved[:, 0].all()
    assert removed.evidence.runs == state.evidence.runs
    assert {job.algorithm for job in loop.ask(removed).jobs} == {"b", "c"}
    after = told(removed, EVEN, tuple("abc"))
    assert "a" not in after.candidates
    assert dict(after.rounds[-1].threat).keys() == set("abc")
    # Its rankings still say as much about the others as before.
    np.testing.assert_array_equal(loop.believe(removed).ratings, loop.believe(state).ratings)


def test_who_is_removed_before_it_ever_ran_leaves_no_trace():
    race = told(loop.start(even_settings(), "ab"), EVEN, tuple("abc"), rounds=1)
    back = loop.remove(loop.add(race, "c"), "c")
    assert back.names == ("a", "b")
    assert not back.newcomers
    np.testing.assert_array_equal(back.resolved, race.resolved)
    np.testing.assert_array_equal(loop.believe(back).ratings, loop.believe(race).ratings)
    assert told(back, EVEN, tuple("abc")).rounds[-1].number == 2
    assert loop.add(back, "c").names == ("a", "b", "c")  # its name is free again


def test_removal_of_the_last_or_of_nobody_is_refused():
    state = loop.remove(loop.start(even_settings(), "ab"), "a")
    with pytest.raises(ValueError, match="'b' is the only candidate left; add another one first"):
        loop.remove(state, "b")
    with pytest.raises(ValueError, match="expected one of the candidates b, got 'a'"):
        loop.remove(state, "a")
    assert loop.ask(state) is None


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
    assert shuffled.rounds == loop.tell(state, plan, runs).rounds  # whatever the order in which they come


def test_telling_again_what_was_decided_infers_nothing(raced, monkeypatch):
    monkeypatch.setattr(loop, "fit", None)
    state = loop.start(raced.settings, raced.names)
    for round_ in raced.rounds:
        plan = loop.ask(state, most_instances=len(round_.instances))
        runs = [raced.evidence.runs[job.algorithm, job.instance] for job in plan.jobs]
        state = loop.tell(state, plan, runs, decided=round_)
    assert state.rounds == raced.rounds
    assert state.candidates == raced.candidates
    np.testing.assert_array_equal(state.resolved, raced.resolved)
    assert (state.batch_size, state.next_instance) == (raced.batch_size, raced.next_instance)


def test_there_is_no_posterior_before_the_first_run():
    with pytest.raises(ValueError, match="nothing has been run yet"):
        loop.believe(loop.start(even_settings(), "ab"))


@pytest.mark.parametrize(("names", "words"), [(["a"], "at least two algorithms"), (["a", "a"], "more than once")])
def test_a_race_needs_two_different_algorithms(names, words):
    with pytest.raises(ValueError, match=words):
        loop.start(even_settings(), names)


def test_a_newcomer_may_come_while_a_review_is_waiting(raced):
    """Nothing is known of it yet, and the others are judged without it."""
    waiting = loop.add(loop.reconsider(raced, dataclasses.replace(raced.settings, confidence=0.9)), "e")
    names, utilities = tuple("abcde"), np.hstack([crossing_utilities("abcd"), np.full((4, 1), -6.0)])
    state = finished(waiting, utilities, names)
    assert "e" not in state.candidates
