import pytest

import polarbear as pb
from polarbear.race import loop
from polarbear.race.outcome import RaceOutcome
from tests.plots.posteriors import small_race
from tests.race.simulated import simulated_runs
from tests.race.small import BUDGETS, crossing_utilities, settings_of


@pytest.fixture(scope="session")
def race_and_posteriors():
    """A finished race of four algorithms with eliminations, and its posterior after each round."""
    settings = settings_of(batch=pb.FixedBatch(2), confidence=0.98, draws=1000, seed=2)
    state, posteriors = loop.start(settings, "abcd"), []
    while (plan := loop.ask(state)) is not None:
        state = loop.tell(state, plan, simulated_runs(plan, crossing_utilities("abcd"), tuple("abcd"), BUDGETS))
        posteriors.append(state.posterior)
    result = RaceOutcome(state, "paused")
    assert result.finished
    assert result.drops
    return result, posteriors


@pytest.fixture
def finished_race(race_and_posteriors):
    return race_and_posteriors[0]


@pytest.fixture(scope="session")
def unfinished_race():
    """A race in which pairs are undecided."""
    result = small_race(2, margin=0.0, confidence=0.99)
    assert not result.finished
    return result
