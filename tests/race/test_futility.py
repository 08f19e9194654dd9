"""Stopping for futility: a race for the Pareto set stops once it is unlikely to drop another algorithm."""

import math
from dataclasses import replace

import numpy as np
import pytest

from polarbear.findings import Code, Continue, GoOnUntil
from polarbear.race import loop
from polarbear.race.findings import race_findings
from polarbear.race.forecast import drop_probability
from polarbear.race.outcome import RaceOutcome
from polarbear.race.stopping import StoppingLimits, limit_to_continue
from tests.race.paper import posterior_of
from tests.race.small import BUDGETS, play_rounds, settings_of

NAMES = ("a", "b")


def normal_posterior(means, deviation=1.0, *, instances=20):
    """A posterior of two algorithms with normal logits, one mean per budget."""
    quantiles = np.random.default_rng(0).normal(size=4000)
    quantiles = (quantiles - quantiles.mean()) / quantiles.std()
    logits = np.asarray(means) + deviation * quantiles[:, None]
    ratings = np.stack([np.exp(logits), np.ones_like(logits)], axis=2)
    return posterior_of(ratings, NAMES, BUDGETS[: len(means)], instances=instances)


@pytest.mark.parametrize(("mean", "most"), [(0.5, 40), (2.0, 40), (-1.0, 200), (1.5, 25)])
def test_the_probability_is_that_of_simulated_continuations(mean, most):
    """With 20 observations of variance 20, the mean is known up to a deviation of 1; the others are simulated."""
    rng = np.random.default_rng(1)
    truth = rng.normal(mean, 1.0, size=200_000)
    further = rng.normal(truth, math.sqrt(20 / (most - 20)))  # the mean of the remaining observations
    final = (20 * mean + (most - 20) * further) / most
    certainty = final / math.sqrt(20 / most)
    expected = max(np.mean(certainty >= 1.6449), np.mean(certainty <= -1.6449))
    found = drop_probability(normal_posterior([mean]), NAMES, confidence=0.95, most_instances=most)
    assert found == pytest.approx(expected, abs=0.005)  # standard error of the simulation: 0.001


def test_the_least_likely_budget_decides_and_either_algorithm_may_win():
    likely = [
        drop_probability(normal_posterior(means), NAMES, confidence=0.95, most_instances=100)
        for means in ([3.0], [3.0, 1.0], [1.0], [-3.0, -1.0], [3.0, -3.0])
    ]
    assert likely[1:4] == pytest.approx([likely[2]] * 3)
    assert likely[0] > likely[1]
    assert likely[4] < 0.01


def test_without_a_limit_it_is_the_probability_of_being_better_at_the_least_certain_budget():
    found = drop_probability(normal_posterior([1.0, 2.0]), NAMES, confidence=0.95, most_instances=math.inf)
    assert found == pytest.approx(0.8413, abs=1e-3)  # Φ(1)


def test_dropped_algorithms_do_not_count():
    assert drop_probability(normal_posterior([3.0]), ["a"], confidence=0.95, most_instances=100) == 0


def stop_of(outcome, only=()):
    """The finding on why a race stopped."""
    return [each for each in race_findings(outcome, only) if each.code is Code.STOPPED]


@pytest.mark.parametrize(
    ("means", "until", "rounds", "futile"),
    [
        ([2.2, -2.2], "set", 2, True),  # each is better at one budget, not yet with confidence 0.99
        ([2.2, 0.0], "set", 2, False),  # the second budget may go either way
        ([2.2, -2.2], "set", 1, False),  # too early
        ([2.2, -2.2], "pairs", 2, False),  # every pair is to be decided
    ],
)
def test_only_a_race_for_membership_is_futile(believe, means, until, rounds, futile):
    posterior = normal_posterior([*means, *means], instances=2 * rounds)
    believe(*[posterior] * 3)
    settings = settings_of(dominance="pointwise", until=until, confidence=0.99)
    state = play_rounds(loop.start(settings, NAMES), np.zeros((4, 2)), rounds=rounds)
    assert StoppingLimits(instances=200).is_futile(state) == futile
    more = 4 * rounds
    (stopped,) = stop_of(RaceOutcome(state, "max_instances"))
    alone = StoppingLimits(instances=more).is_futile(state)  # then a higher limit alone would run nothing
    assert stopped.remedy == (GoOnUntil("pairs") if alone else Continue(instances=more))
    (confined,) = stop_of(RaceOutcome(state, "max_instances"), NAMES)
    assert confined.remedy == Continue(instances=more, only=NAMES)  # a confined race does not stop for futility
    if futile:
        (stopped,) = stop_of(RaceOutcome(state, "no drop likely"))
        assert stopped.remedy == GoOnUntil("pairs")
        assert stopped.numbers["undecided"][0]["pair"] == ["a", "b"]
    unreliable = replace(posterior, diagnostics=replace(posterior.diagnostics, reliable=False))
    assert not StoppingLimits(instances=200).is_futile(replace(state, posterior=unreliable))


@pytest.mark.parametrize(("means", "factor"), [([1.0, -1.0], 8), ([2.2, -2.2], None)])
def test_a_limit_with_which_a_futile_race_continues(believe, means, factor):
    posterior = normal_posterior([*means, *means])
    believe(posterior)
    settings = settings_of(dominance="pointwise", until="set", confidence=0.99)
    state = play_rounds(loop.start(settings, NAMES), np.zeros((4, 2)), rounds=2)
    limit = limit_to_continue(state, posterior)
    assert limit == (factor and factor * posterior.instances)
    for instances in {20, 40, limit} - {None}:
        assert StoppingLimits(instances=instances).is_futile(state) == (instances != limit)


def test_members_of_a_circle_are_not_dropped():
    posterior = normal_posterior([1.0])
    options = {"confidence": 0.95, "most_instances": math.inf}
    assert drop_probability(posterior, NAMES, **options) > 0.5
    assert drop_probability(posterior, NAMES, **options, settled=[NAMES]) == 0
