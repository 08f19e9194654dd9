"""Reviews under other settings, newcomers and removal."""

import dataclasses

import numpy as np
import pytest

import polarbear as pb
from polarbear.race import loop
from polarbear.race.sampling import running_until, seed_of
from tests.race.paper import PlainRace
from tests.race.simulated import simulated_runs
from tests.race.small import EVEN, TIMES, crossing_utilities, even_settings, finished, settings_of, told


def plainly_decided(state):
    """What the paper's rules say about the posterior of all that the state knows, fitted from its runs anew."""
    settings = state.settings
    choices = pb.Choices.from_trajectories(
        [run.trajectory for run in state.evidence.runs.values()],
        grid=settings.grid,
        names=state.names,
        per_instance=True,
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
    np.testing.assert_array_equal(loop.infer_posterior(removed).ratings, loop.infer_posterior(state).ratings)


def test_who_is_removed_before_it_ever_ran_leaves_no_trace():
    race = told(loop.start(even_settings(), "ab"), EVEN, tuple("abc"), rounds=1)
    back = loop.remove(loop.add(race, "c"), "c")
    assert back.names == ("a", "b")
    assert not back.newcomers
    np.testing.assert_array_equal(back.resolved, race.resolved)
    np.testing.assert_array_equal(loop.infer_posterior(back).ratings, loop.infer_posterior(race).ratings)
    assert told(back, EVEN, tuple("abc")).rounds[-1].number == 2
    assert loop.add(back, "c").names == ("a", "b", "c")  # its name is free again


def test_removal_of_the_last_or_of_nobody_is_refused():
    state = loop.remove(loop.start(even_settings(), "ab"), "a")
    with pytest.raises(ValueError, match="'b' is the only candidate left; add another one first"):
        loop.remove(state, "b")
    with pytest.raises(ValueError, match="expected one of the candidates b, got 'a'"):
        loop.remove(state, "a")
    assert loop.ask(state) is None


def test_a_newcomer_may_come_while_a_review_is_waiting(raced):
    """Nothing is known of it yet, and the others are judged without it."""
    waiting = loop.add(loop.reconsider(raced, dataclasses.replace(raced.settings, confidence=0.9)), "e")
    names, utilities = tuple("abcde"), np.hstack([crossing_utilities("abcd"), np.full((4, 1), -6.0)])
    state = finished(waiting, utilities, names)
    assert "e" not in state.candidates
