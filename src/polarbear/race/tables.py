"""Tables of a race: its rounds, its drops and its runs."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polarbear.findings import RunFailure
from polarbear.race.jobs import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from polarbear.literals import Clock
    from polarbear.observe import Trajectory
    from polarbear.posterior.elimination import Drop
    from polarbear.race.rounds import Round
    from polarbear.table import Table


def rounds_table(rounds: Sequence[Round]) -> Table:
    """Return one row per round: what ran, what it cost and what it decided."""
    return {
        "round": np.array([each.number for each in rounds], dtype=int),
        "kind": [each.kind for each in rounds],
        "instances": np.array([len(each.instances) for each in rounds], dtype=int),
        "algorithms": np.array([len(each.budgets) for each in rounds], dtype=int),
        "cost": np.array([each.cost for each in rounds], dtype=float),
        "reliable": np.array([each.reliable for each in rounds], dtype=bool),
        "dropped": [", ".join(loser.name for loser in each.dropped) for each in rounds],
        "undecided_pairs": np.array([len(each.open) for each in rounds], dtype=int),
        "decided_share": np.array([each.decided_share for each in rounds], dtype=float),
        "message": [each.message for each in rounds],
    }


def drops_table(drops: Sequence[Drop]) -> Table:
    """Return one row per drop; the error bound is NaN where it is unknown."""
    bounds = [math.nan if each.error_bound is None else each.error_bound for each in drops]
    return {
        "algorithm_name": [each.name for each in drops],
        "by": [each.by for each in drops],
        "probability": np.array([each.probability for each in drops], dtype=float),
        "error_bound": np.array(bounds, dtype=float),
        "round": np.array([each.round for each in drops], dtype=int),
        "instances": np.array([each.instances for each in drops], dtype=int),
        "cost": np.array([each.cost for each in drops], dtype=float),
    }


def runs_table(runs: Iterable[Run], *, clock: Clock) -> Table:
    """Return recorded runs with one row per improvement, under the column names of IOHprofiler.

    The last row of a run holds the budget at which it ended and its best value. `data_id` numbers the runs and `run_id` the
    instances, from 1. `function_name` is 1, since all instances of a race come from one source. All columns but the names
    of algorithms hold numbers, because IOHinspector averages every other column.
    """
    runs = list(runs)
    numbers = {instance: k for k, instance in enumerate(dict.fromkeys(run.trajectory.instance for run in runs), 1)}
    paths = [run.trajectory for run in runs]
    curves = [_with_end(run) for run in runs]
    lengths = [len(budgets) for budgets, _ in curves]
    budgets = np.array([budget for each, _ in curves for budget in each], dtype=float)
    whole = clock == "evaluations" and bool((budgets == np.floor(budgets)).all())
    return {
        "data_id": np.repeat(np.arange(1, len(runs) + 1), lengths),
        "algorithm_name": [path.algorithm for path, length in zip(paths, lengths, strict=True) for _ in range(length)],
        "function_name": np.ones(len(budgets), dtype=int),
        "instance": [path.instance for path, length in zip(paths, lengths, strict=True) for _ in range(length)],
        "run_id": np.repeat(np.array([numbers[path.instance] for path in paths], dtype=int), lengths),
        "maximization": np.repeat(np.array([path.maximise for path in paths], dtype=bool), lengths),
        "evaluations" if clock == "evaluations" else "time": budgets.astype(int) if whole else budgets,
        "raw_y": np.array([value for _, each in curves for value in each], dtype=float),
        "failed": np.repeat(np.array([run.status != "done" for run in runs], dtype=bool), lengths),
    }


def recorded_runs_table(runs: Sequence[Trajectory], clock: str) -> Table:
    """Return `runs_table` of recorded runs."""
    ends = [run.end if math.isfinite(run.end) else float(max(run.budgets, default=0.0)) for run in runs]
    failure = RunFailure("the run was recorded as failed")
    made = [
        Run(run, end, "error", failure) if run.failed else Run(run, end) for run, end in zip(runs, ends, strict=True)
    ]
    return runs_table(made, clock="evaluations" if clock.startswith("evaluations") else "seconds")


def _with_end(run: Run) -> tuple[list[float], list[float]]:
    """Return the budgets and values of the improvements of a run, and of its end."""
    path = run.trajectory
    budgets, values = path.budgets.tolist(), path.values.tolist()
    if not budgets or budgets[-1] < run.reached:
        worst = -math.inf if path.maximise else math.inf
        return [*budgets, run.reached], [*values, values[-1] if values else worst]
    return budgets, values
