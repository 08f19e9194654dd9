"""Patience: pairs that would take too many further instances are left undecided, and the race ends."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code, Decide
from polarbear.race import loop
from polarbear.race.findings import race_findings
from polarbear.race.forecast import STABLE_FROM, beyond_patience, instances_needed, instances_per_budget
from polarbear.race.outcome import RaceOutcome
from polarbear.race.serialisation import from_plain, to_plain
from tests.race.simulated import simulated_runs
from tests.race.test_futility import normal_posterior

BUDGETS = np.array([1.0, 2.0, 3.0])
NAMES = ("twin", "other twin", "worst")
UTILITIES = np.array(
    [[2.0, 0.0, -2.0], [2.0, 2.0, -2.0], [2.0, 2.0, -2.0]]
)  # the twins differ at the first budget only


def race(patience, most=200):
    """Race until nothing is asked for, or until there are `most` instances."""
    settings = pb.Settings(
        pb.Grid(BUDGETS), until="every-budget", margin=0.02, draws=500, batch=pb.FixedBatch(40), patience=patience
    )
    state = loop.start(settings, NAMES)
    while (plan := loop.ask(state)) is not None and len(state.observations.instances) < most:
        state = loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, BUDGETS))
    return state


@pytest.fixture(scope="module")
def impatient():
    return race(100)


def test_a_race_ends_when_only_nearly_equal_pairs_are_undecided(impatient):
    assert len(impatient.observations.instances) < len(race(None).observations.instances) == 200
    assert impatient.candidates == {"twin", "other twin"}
    assert impatient.rounds[-1].left == (("twin", "other twin", (1, 2)),)


def test_the_result_says_what_is_left_and_how_to_settle_it(impatient):
    result = RaceOutcome(impatient, "pairs left undecided")
    assert not result.finished
    assert result.settled
    assert result.undecided()["twin", "other twin"].tolist() == [2.0, 3.0]
    (stop,) = (each for each in race_findings(result) if each.code is Code.STOPPED)
    assert stop.numbers["patience"] == 100
    assert stop.numbers["undecided"] == [{"pair": ["twin", "other twin"], "budgets": 2, "start": 2.0, "stop": 3.0}]
    assert stop.remedy == Decide("twin", "other twin")


def test_selected_pairs_run_although_they_were_left(impatient):
    plan = loop.ask(impatient, only=["twin", "other twin"])
    assert {job.algorithm for job in plan.jobs} == {"twin", "other twin"}


def test_more_patience_on_request_continues_the_race(impatient):
    settings = pb.Settings(**{**vars(impatient.settings), "patience": 100_000})
    state = loop.reconsider(impatient, settings)
    state = loop.tell(state, loop.ask(state), [])
    assert loop.ask(state) is not None


def test_a_stored_round_restores_what_is_left(impatient):
    state = loop.start(impatient.settings, NAMES)
    for record in impatient.rounds:
        plan = loop.ask(state)
        stored = from_plain(to_plain(record))
        state = loop.tell(state, plan, simulated_runs(plan, UTILITIES, NAMES, BUDGETS), record=stored)
    assert np.array_equal(state.left, impatient.left)
    assert loop.end(state) == "pairs left undecided"


def test_forecasts_per_budget_agree_with_that_of_all(impatient):
    posterior = RaceOutcome(impatient, "paused").posterior
    assert posterior.instances >= STABLE_FROM
    per_budget = instances_per_budget(posterior, impatient.decided, impatient.settings)
    assert per_budget.keys() == {(0, 1)}
    assert len(per_budget[0, 1]) == 2
    assert per_budget[0, 1].max() == instances_needed(posterior, impatient.decided, impatient.settings)


@pytest.mark.parametrize(("mean", "left"), [(0.0, True), (1.2, False)])
def test_a_pair_that_may_end_in_a_drop_is_not_left(mean, left):
    """The first algorithm is far ahead at the first budget; at the second one, deciding would take 90 % more instances."""
    settings = pb.Settings(pb.Grid(BUDGETS[:2]), until="every-budget", margin=0.0, patience=10)
    posterior = normal_posterior([3.0, mean], instances=40)
    decided = np.ones((2, 2, 2), dtype=bool)
    decided[1, 0, 1] = decided[1, 1, 0] = False
    assert instances_needed(posterior, decided, settings) > 60
    assert beyond_patience(posterior, decided, settings).any() == left


def test_patience_is_a_positive_number():
    with pytest.raises(ValueError, match="patience"):
        pb.Settings(pb.Grid(BUDGETS), patience=0)
