"""How much of the next round may still be run (the paper's "Early Termination")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polarbear.race.result import Stopped
    from polarbear.race.sampling import Plan
    from polarbear.race.state import State


@dataclass(frozen=True)
class Allowance:
    """What a race may use in all.

    Attributes
    ----------
    instances, evaluations
        The most instances, and the most that all runs together may cost in the race's unit of time; None for no limit.
    available
        How many instances there are; infinite where they are made on demand.
    """

    instances: int | None = None
    evaluations: float | None = None
    available: float = math.inf

    def room(self, state: State, plan: Plan) -> tuple[int, Stopped]:
        """How many instances of a plan may be run, and what keeps it from more; a newcomer's known ones are not new."""
        limits: list[tuple[float, Stopped]] = [(len(plan.instances), "paused")]
        if plan.kind == "fresh":
            limits.append((self.available - state.next_instance, "instances ran out"))
            if self.instances is not None:
                limits.append((self.instances - len(state.evidence.instances), "max_instances"))
        if self.evaluations is not None and plan.jobs:
            an_instance = sum(until for _, until in plan.until)
            limits.append(((self.evaluations - state.cost) / an_instance, "max_evaluations"))
        room, reason = min(limits)
        return int(room), reason
