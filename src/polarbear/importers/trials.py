"""Runs of tools that record trials, such as SMAC and Optuna: when each trial ended, and with which value.

Evaluations are the trials in the order of their ends; seconds count from the start of the first trial. A trial that
failed, or was stopped early, counts as an evaluation without a value.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from polarbear.importers.events import Events, take_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.importers.ledger import Ledger


class Trial(NamedTuple):
    """One trial that ended: its start and end in seconds, None if they are unknown, and its value, NaN if it has none."""

    start: float | None
    end: float | None
    value: float


def collect_trials(trials: Sequence[Trial], ledger: Ledger, file: str, what: str, *, maximise: bool) -> Events:
    """Return the improvements of a run, and report trials that cannot be used.

    Parameters
    ----------
    trials
        The trials, in the order in which the tool lists them.
    ledger
        Receives the reports; its request states the clock.
    file, what
        The file, and the place of the run in it.
    maximise
        Whether higher values are better.
    """
    events = Events(maximise)
    first = min((each.start for each in trials if each.start is not None), default=None)
    ordered = sorted(trials, key=lambda each: math.inf if each.end is None else each.end)
    for number, trial in enumerate(ordered, 1):
        ledger.rows += 1
        budget = float(number)
        if ledger.request.seconds:
            budget = math.nan if trial.end is None or first is None else trial.end - first
        reason = take_numbers(events, budget, trial.value)
        if reason and not (math.isnan(trial.value) and budget >= 0):
            ledger.skip(file, reason, f"{what}, trial {number}")
    return events
