"""Small races that run fast."""

import numpy as np

import polarbear as pb
from polarbear.race import loop
from tests.race.simulated import simulated_runs

NAMES, BUDGETS = ("a", "b", "c", "d", "e"), np.array([1.0, 2.0, 4.0, 8.0])
LEVEL = np.zeros((4, 5))  # utilities of runs whose rankings do not matter


def settings_of(**changes):
    return pb.Settings(
        **{
            "grid": BUDGETS,
            "prior": pb.RandomWalk(),
            "dominance": "joint",
            "until": "pairs",
            "confidence": 0.8,
            "draws": 400,
            "batch": pb.FixedBatch(2),
            **changes,
        }
    )


def play_rounds(state, utilities=LEVEL, names=NAMES, budgets=BUDGETS, rounds=1, most=None):
    """The state after at most this many rounds of simulated runs."""
    for _ in range(rounds):
        plan = loop.ask(state, most_instances=most)
        if plan is None:
            break
        state = loop.tell(state, plan, simulated_runs(plan, utilities, names, budgets))
    return state


def play_to_end(state, utilities, names=NAMES, budgets=BUDGETS, limit=40):
    """The state in which every pair is decided."""
    state = play_rounds(state, utilities, names, budgets, rounds=limit)
    assert loop.ask(state) is None
    return state


def crossing_utilities(names):
    """Utilities with a best early, b best late, c always a little behind both, and d far behind."""
    change = np.linspace(1.2, -1.2, 4)[:, None]
    return (change * [1, -1, 0, 0] + [0, 0, -0.6, -3])[:, : len(names)]


def even_settings(**changes):
    """Settings so strict that almost equal algorithms stay undecided: all run on all instances."""
    return settings_of(
        **{"confidence": 0.99, "margin": 0.0, "draws": 1000, "batch": pb.FixedBatch(6), "seed": 4, **changes}
    )


EVEN = np.array([[0.1, 0.0, -0.1], [0.0, 0.1, 0.0], [0.1, -0.1, 0.0], [0.0, 0.0, 0.1]])
