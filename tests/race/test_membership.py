"""Each round decides afresh which pairs are decided; until="set" decides them as "pairs" does."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.race import loop
from tests.race.paper import posterior_of
from tests.race.small import BUDGETS, play_rounds, settings_of

PAIR = ("a", "b")


def leading(shares):
    """A posterior of two algorithms in which a leads in these shares of the draws, one share per budget."""
    draws = 100
    ratings = [[(2.0, 1.0) if draw < round(draws * share) else (1.0, 2.0) for share in shares] for draw in range(draws)]
    return posterior_of(ratings, PAIR, BUDGETS)


@pytest.fixture
def after_two_rounds(believe):
    """Two rounds under pointwise dominance with confidence 0.9, each with a posterior of its own."""

    def race(first, second, **settings):
        believe(leading(first), leading(second))
        rules = {"dominance": "pointwise", "confidence": 0.9, **settings}
        return play_rounds(loop.start(settings_of(**rules), PAIR), np.zeros((4, 2)), rounds=2)

    return race


FIRST, SECOND = (0.95, 0.95, 0.95, 0.7), (0.95, 0.85, 0.95, 0.95)


@pytest.mark.parametrize("until", ["set", "pairs", "every-budget"])
def test_a_decided_budget_becomes_undecided_again_where_it_is_less_certain(after_two_rounds, until):
    """The first round decides all budgets but the last. In the second round the second budget becomes less certain."""
    state = after_two_rounds(FIRST, SECOND, until=until)
    assert state.candidates == set(PAIR)
    assert (~state.decided[:, 0, 1]).tolist() == [False, True, False, False]
    np.testing.assert_array_equal(state.decided[:, 0, 1], state.decided[:, 1, 0])
    assert loop.ask(state) is not None


@pytest.mark.parametrize(
    "second",
    [
        (0.95, 0.75, 0.95, 0.95),  # far from a drop
        (0.95, 0.05, 0.95, 0.95),  # each is better somewhere
    ],
)
def test_pairs_are_decided_as_under_crossing(after_two_rounds, second):
    states = [after_two_rounds(FIRST, second, until=each) for each in ("set", "pairs")]
    np.testing.assert_array_equal(states[0].decided, states[1].decided)


def test_a_dropped_algorithm_leaves_no_undecided_budget(after_two_rounds):
    state = after_two_rounds(FIRST, (0.95,) * 4, until="set")
    assert state.candidates == {"a"}
    assert loop.ask(state) is None


def test_membership_is_the_default():
    assert pb.Settings(grid=BUDGETS).until == "set"
