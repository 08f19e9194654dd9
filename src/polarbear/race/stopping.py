"""Limit the next round to the remaining instances and evaluations (the paper's "Early Termination")."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polarbear.race.result import Stopped
    from polarbear.race.sampling import Plan
    from polarbear.race.state import State


@dataclass(frozen=True)
class StoppingLimits:
    """The limits on the total resources of a race.

    Attributes
    ----------
    instances, evaluations
        The maximum number of instances, and the maximum cost of all runs in the race's unit of time; None for no limit.
    available
        The number of instances that exist; infinite if they are generated on demand.
    """

    instances: int | None = None
    evaluations: float | None = None
    available: float = math.inf

    def room(self, state: State, plan: Plan) -> tuple[int, Stopped]:
        """Return how many instances of a plan may be run, and the limit that applies.

        Limits on the number of instances do not apply to instances that the race has used already.
        """
        limits: list[tuple[float, Stopped]] = [(len(plan.instances), "paused")]
        if plan.kind == "fresh":
            limits.append((self.available - state.next_instance, "instances ran out"))
            if self.instances is not None:
                limits.append((self.instances - len(state.observations.instances), "max_instances"))
        if self.evaluations is not None and plan.jobs:
            cost_per_instance = sum(until for _, until in plan.until)
            limits.append(((self.evaluations - state.cost) / cost_per_instance, "max_evaluations"))
        room, reason = min(limits)
        return int(room), reason
