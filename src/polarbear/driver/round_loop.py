"""Run a race round by round until every pair is decided or a limit is reached.

In each round, `loop.ask` plans the jobs, `dispatch.make_runs` makes their runs, and `loop.tell` infers and decides.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from polarbear.driver.dispatch import make_runs
from polarbear.race import loop
from polarbear.race.failing import find_failing
from polarbear.race.outcome import RaceOutcome, Stopped
from polarbear.race.serialisation import to_plain

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.driver.dispatch import RunContext
    from polarbear.driver.progress import Progress
    from polarbear.driver.record import RaceRecord
    from polarbear.race.jobs import Job, Run
    from polarbear.race.sampling import Plan
    from polarbear.race.stopping import StoppingLimits


def run_rounds(
    record: RaceRecord,
    context: RunContext,
    limits: StoppingLimits,
    view: Progress,
    stop: Callable[[RaceOutcome], bool] | None,
    *,
    only: frozenset[str] | None = None,
) -> Stopped:
    """Run rounds, update the record after each of them, and return why the race stopped.

    With `only`, nothing but these candidates runs until the pairs among them are decided, however unlikely another
    drop is.
    """
    while time.monotonic() < context.deadline:
        plan = loop.ask(record.state, only=only)
        if plan is None:
            return loop.end(record.state) or "selected pairs decided"
        room, reason = limits.room(record.state, plan)
        if plan.instances and room <= 0:
            return reason
        if plan.kind == "fresh" and only is None and limits.is_futile(record.state):
            return "no drop likely"
        if room < len(plan.instances):
            plan = loop.ask(record.state, most_instances=room, only=only)
            assert plan is not None
        runs = _collect_runs(record, plan, context, view)
        if runs is None:
            break
        raises = record.state.settings.failure == "raise"
        if not (raises or context.accept_failures) and find_failing(record.state, runs):
            return "algorithm failed"
        view.on_inference()
        state = loop.tell(record.state, plan, runs)
        record.update(state, "round", to_plain(state.rounds[-1]))
        view.on_decisions(state)
        if stop is not None and stop(RaceOutcome(state, "callback")):
            return "callback"
    return "max_seconds"


def _collect_runs(record: RaceRecord, plan: Plan, context: RunContext, view: Progress) -> list[Run] | None:
    """Return all runs of a plan, known or newly made, or None if the deadline passes first."""
    waiting = [job for job in plan.jobs if record.find_run(job, accept_failures=context.accept_failures) is None]
    view.on_plan(record.state, plan, len(waiting))

    def keep(job: Job, run: Run) -> None:
        record.add_run(run, job)
        view.on_run(run)

    if make_runs(waiting, context, keep, view.on_wait) is None:
        return None
    return [record.runs[job.algorithm, job.instance] for job in plan.jobs]
