"""Changes to a race under way: other settings, additional algorithms and removal."""

import dataclasses

import numpy as np
import pytest

import polarbear as pb
from polarbear.race import loop
from polarbear.race.inference import infer_posterior
from polarbear.race.sampling import running_until, seed_of
from tests.race.paper import PlainRace
from tests.race.simulated import simulated_runs
from tests.race.small import BUDGETS, EVEN, crossing_utilities, even_settings, play_rounds, play_to_end, settings_of


def fit_and_decide(state):
    """The posterior of all runs of the state, fitted again, and the decisions of the paper's rules about it."""
    settings = state.settings
    choices = pb.Choices.from_trajectories(
        [run.trajectory for run in state.observations.runs.values()],
        grid=settings.grid,
        names=state.names,
        per_instance=True,
    )
    posterior = pb.fit(
        choices,
        prior=settings.prior,
        draws=settings.draws,
        seed=seed_of(settings.seed, "posterior"),
    )
    paper = PlainRace(
        state.names,
        settings.grid.budgets,
        dominance=settings.dominance,
        until=settings.until,
        confidence=settings.confidence,
        margin=settings.margin,
    )
    paper.update(posterior)
    return posterior, paper


CHANGES = {
    "stricter": {"confidence": 0.95},
    "laxer": {"confidence": 0.7},
    "smaller margin": {"margin": 0.01},
    "every-budget": {"until": "every-budget"},
    "joint": {"dominance": "joint", "prior": pb.RandomWalk()},
    "finer grid": {"grid": [1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0]},
    "longer grid": {"grid": [1.0, 2.0, 4.0, 8.0, 16.0]},
    "shorter grid": {"grid": [1.0, 2.0]},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_a_review_decides_what_a_new_race_would_decide_on_the_same_runs(finished_race, change):
    settings = dataclasses.replace(finished_race.settings, **change)
    waiting = loop.reconsider(finished_race, settings)
    assert waiting.review
    assert waiting.kept == tuple("abcd")
    plan = loop.ask(waiting)
    assert (plan.kind, plan.jobs) == ("review", ())
    state = loop.tell(waiting, plan, [])
    assert not state.review
    assert state.observations.runs == finished_race.observations.runs
    assert (state.rounds[-1].kind, state.rounds[-1].cost) == ("review", 0.0)
    posterior, paper = fit_and_decide(state)
    np.testing.assert_allclose(state.posterior.ratings, posterior.ratings, rtol=1e-9)  # sums in another order
    assert list(state.kept) == paper.candidates
    np.testing.assert_array_equal(state.decided, paper.matrix())
    assert running_until(state) == paper.budget()


def test_a_race_continues_on_new_instances_after_a_review(finished_race):
    stricter = dataclasses.replace(finished_race.settings, confidence=0.95)
    state = play_to_end(loop.reconsider(finished_race, stricter), crossing_utilities("abcd"), tuple("abcd"))
    fresh = [round_ for round_ in state.rounds[len(finished_race.rounds) :] if round_.kind == "fresh"]
    assert fresh
    assert fresh[0].instances[0] == finished_race.next_instance
    assert fresh[0].instances[0] not in finished_race.observations.instances
    assert all(state.observations.runs[key] is run for key, run in finished_race.observations.runs.items())


@pytest.mark.parametrize("change", [{"seed": 5}, {"maximise": True}, {"clock": "seconds"}])
def test_seed_direction_and_clock_cannot_change(finished_race, change):
    with pytest.raises(ValueError, match="seed, direction and clock of a race cannot change"):
        loop.reconsider(finished_race, dataclasses.replace(finished_race.settings, **change))


def test_removed_algorithms_stay_removed_in_a_review(finished_race):
    state = loop.drop(loop.reconsider(finished_race, finished_race.settings), "a")
    again = loop.reconsider(state, dataclasses.replace(finished_race.settings, confidence=0.9))
    assert "a" not in again.candidates
    assert again.kept == ("b", "c", "d")


@pytest.mark.parametrize(
    ("dominance", "prior"),
    [("joint", pb.RandomWalk()), ("pointwise", pb.Dirichlet())],
)
def test_after_catching_up_an_added_algorithm_has_the_posterior_of_a_founder(dominance, prior):
    settings = even_settings(dominance=dominance, prior=prior)
    start = play_rounds(loop.start(settings, "abc"), EVEN, tuple("abc"), rounds=3)
    assert len(start.observations.runs) == 3 * 18  # no pair was decided

    # The added algorithm is in the middle of the order, so that the draws are not the same numbers.
    late = play_rounds(loop.start(settings, "ac"), EVEN, tuple("abc"), rounds=3)
    late = loop.add(late, "b")
    known = []
    for _ in range(3):
        plan = loop.ask(late)
        assert plan.kind == "catch-up"
        assert {job.algorithm for job in plan.jobs} == {"b"}
        assert plan.instances == tuple(range(len(known), len(known) + 6))  # in batches, the oldest first
        known += plan.instances
        late = loop.tell(late, plan, simulated_runs(plan, EVEN, tuple("abc"), BUDGETS))
    assert not late.newcomers
    assert loop.ask(late).kind == "fresh"
    assert late.observations.runs == start.observations.runs  # the same seeds, and so the same runs

    order = [late.names.index(name) for name in "abc"]
    ours, theirs = pb.dominance(late.posterior)[:, order][:, :, order], pb.dominance(start.posterior)
    # Two shares of 1000 draws each: standard error at most sqrt(0.5 / 1000) = 0.022, and draws weighted by importance
    # count a little less; the largest of 12 independent differences stays below four of these.
    np.testing.assert_allclose(ours, theirs, atol=0.09)


def test_after_catching_up_an_algorithm_added_last_gives_exactly_the_same_race():
    start = play_rounds(loop.start(even_settings(), "abc"), EVEN, tuple("abc"), rounds=3)
    late = play_rounds(loop.start(even_settings(), "ab"), EVEN, tuple("abc"), rounds=3)
    late = play_rounds(loop.add(late, "c"), EVEN, tuple("abc"), rounds=3)
    np.testing.assert_array_equal(late.posterior.ratings, start.posterior.ratings)
    assert loop.ask(late).jobs == loop.ask(start).jobs


def test_a_dropped_algorithm_stops_catching_up_and_other_pairs_stay_decided():
    utilities = np.hstack([crossing_utilities("ab"), np.full((4, 1), -6.0)])
    settings = settings_of(batch=pb.FixedBatch(8), confidence=0.95, until="every-budget", margin=0.2)
    race = play_to_end(loop.start(settings, "ab"), utilities, tuple("abc"))
    before = race.decided.copy()
    assert len(race.observations.instances) > 8
    late = play_to_end(loop.add(race, "c"), utilities, tuple("abc"))
    assert late.kept == ("a", "b")
    np.testing.assert_array_equal(late.decided[:, :2, :2], before)
    new = late.rounds[len(race.rounds) :]
    assert {round_.kind for round_ in new} == {"catch-up"}
    assert sum(len(round_.instances) for round_ in new) < len(race.observations.instances)
    assert late.observations.instances == race.observations.instances  # no new instance was needed


def test_adding_an_algorithm_leaves_other_pairs_decided():
    race = play_rounds(loop.start(even_settings(), "ab"), EVEN, tuple("abc"), rounds=1)
    race = dataclasses.replace(race, decided=np.ones_like(race.decided))
    added = loop.add(race, "c")
    assert added.decided[:, :2, :2].all()
    assert not added.decided[:, 2, :2].any()
    assert added.decided[:, 2, 2].all()
    assert added.batch_size == added.settings.batch.first


def test_two_added_algorithms_catch_up_one_by_one_and_then_together():
    names, utilities = tuple("abcd"), np.zeros((4, 4))
    race = play_rounds(loop.start(even_settings(), "ab"), utilities, names, rounds=2)
    race = play_rounds(loop.add(race, "c"), utilities, names, rounds=1)  # c has run on 6 of 12 instances
    race = loop.add(race, "d")
    plan = loop.ask(race)
    assert [(job.algorithm, job.instance) for job in plan.jobs] == [("d", i) for i in range(6)]
    race = play_rounds(race, utilities, names)
    plan = loop.ask(race)
    assert {(job.algorithm, job.instance) for job in plan.jobs} == {(n, i) for n in "cd" for i in range(6, 12)}
    assert not play_rounds(race, utilities, names).newcomers


def test_an_algorithm_added_before_the_first_run_does_not_catch_up():
    state = loop.add(loop.start(even_settings(), "ab"), "c")
    assert state.newcomers == frozenset()
    assert {job.algorithm for job in loop.ask(state).jobs} == set("abc")


def test_an_added_algorithm_stops_at_its_last_undecided_budget(finished_race):
    state = loop.add(finished_race, "e")
    decided = state.decided.copy()
    decided[2:, 4, :] = decided[2:, :, 4] = True
    plan = loop.ask(dataclasses.replace(state, decided=decided))
    assert plan.budgets == (("e", 2.0),)


def test_an_added_algorithm_needs_a_new_name(finished_race):
    with pytest.raises(ValueError, match="expected different names, got 'a' more than once"):
        loop.add(finished_race, "a")


def test_a_removed_algorithm_is_no_candidate_and_keeps_its_runs():
    state = play_rounds(loop.start(even_settings(), "abc"), EVEN, tuple("abc"), rounds=2)
    dropped_by_user = loop.drop(state, "a")
    assert dropped_by_user.kept == ("b", "c")
    assert dropped_by_user.decided[:, 0].all()
    assert dropped_by_user.observations.runs == state.observations.runs
    assert {job.algorithm for job in loop.ask(dropped_by_user).jobs} == {"b", "c"}
    after = play_rounds(dropped_by_user, EVEN, tuple("abc"))
    assert "a" not in after.candidates
    assert dict(after.rounds[-1].threat).keys() == set("abc")
    # Its rankings remain as informative about the others.
    np.testing.assert_array_equal(infer_posterior(dropped_by_user).ratings, infer_posterior(state).ratings)


def test_an_algorithm_removed_before_its_first_run_leaves_no_trace():
    race = play_rounds(loop.start(even_settings(), "ab"), EVEN, tuple("abc"), rounds=1)
    back = loop.drop(loop.add(race, "c"), "c")
    assert back.names == ("a", "b")
    assert not back.newcomers
    np.testing.assert_array_equal(back.decided, race.decided)
    np.testing.assert_array_equal(infer_posterior(back).ratings, infer_posterior(race).ratings)
    assert play_rounds(back, EVEN, tuple("abc")).rounds[-1].number == 2
    assert loop.add(back, "c").names == ("a", "b", "c")  # its name is free again


def test_only_candidates_can_be_removed_and_not_the_last_one():
    state = loop.drop(loop.start(even_settings(), "ab"), "a")
    with pytest.raises(ValueError, match="'b' is the only candidate left; add another one first"):
        loop.drop(state, "b")
    with pytest.raises(ValueError, match="expected one of the candidates b, got 'a'"):
        loop.drop(state, "a")
    assert loop.ask(state) is None


def test_an_algorithm_can_be_added_before_a_review(finished_race):
    """It has no runs yet, so it catches up first, and that round decides about the others, too."""
    waiting = loop.add(loop.reconsider(finished_race, dataclasses.replace(finished_race.settings, confidence=0.9)), "e")
    names, utilities = tuple("abcde"), np.hstack([crossing_utilities("abcd"), np.full((4, 1), -6.0)])
    state = play_to_end(waiting, utilities, names)
    assert "e" not in state.candidates
