"""A race that is reported to a view of its progress, and the text that the view draws."""

import io

import numpy as np
from rich.console import Console

import polarbear as pb
from polarbear.race import loop
from tests.race.simulated import simulated_runs

BUDGETS = np.array([1.0, 2.0, 4.0, 8.0])
NAMES = ("good", "[bold]odd[/bold]", "poor")
UTILITIES = np.linspace(0.5, -0.5, 4)[:, None] * [1, -1, 0] + [0, 0, -5]


def settings_of(**changes):
    return pb.Settings(
        **{
            "grid": BUDGETS,
            "prior": pb.Dirichlet(),
            "dominance": "pointwise",
            "draws": 400,
            "confidence": 0.95,
            "until": "every-budget",
            "margin": 0.2,
            "batch": pb.FixedBatch(6),
            **changes,
        }
    )


def play(view, rounds=50, **changes):
    """The state of a race after some rounds, reported to a view as the driver does."""
    state = loop.start(settings_of(**changes), NAMES)
    while (plan := loop.ask(state)) is not None and len(state.rounds) < rounds:
        view.on_plan(state, plan, len(plan.jobs))
        runs = simulated_runs(plan, UTILITIES, NAMES, BUDGETS)
        for run in runs:
            view.on_run(run)
        view.on_inference()
        state = loop.tell(state, plan, runs)
        view.on_decisions(state)
    return state


def render(view):
    """The text that the live view would draw now."""
    console = Console(file=io.StringIO(), width=150, record=True)
    console.print(view._render())
    return console.export_text()
