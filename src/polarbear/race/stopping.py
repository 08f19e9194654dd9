"""End a race early (the paper's "Early Termination"): limits of instances and evaluations, and stopping for futility.

A race with until="set" asks only which algorithms belong to the Pareto set. It stops for futility when no
further drop is likely within its instances, however many pairs are undecided at some budget.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.posterior.elimination import cycles
from polarbear.race.forecast import UNLIKELY, drop_probability
from polarbear.race.inference import infer_posterior
from polarbear.race.sampling import running_until

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import Stopped
    from polarbear.race.sampling import Plan
    from polarbear.race.state import State

_FEWEST_ROUNDS = 2  # the first round is too small to forecast from


@dataclass(frozen=True)
class StoppingLimits:
    """The limits on the total resources of a race.

    Attributes
    ----------
    instances, evaluations
        The maximum number of instances, and the maximum cost of all runs in the race's unit of budgets; None for no limit.
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
            cost_per_instance = sum(budget for _, budget in plan.budgets)
            limits.append(((self.evaluations - state.cost) / cost_per_instance, "max_evaluations"))
        room, reason = min(limits)
        return int(room), reason

    def instances_left(self, state: State) -> float:
        """Return how many new instances the limits still allow; infinite without limits."""
        left = self.available - state.next_instance
        if self.instances is not None:
            left = min(left, self.instances - len(state.observations.instances))
        cost_per_instance = sum(running_until(state).values())
        if self.evaluations is not None and cost_per_instance:
            left = min(left, (self.evaluations - state.cost) / cost_per_instance)
        return max(left, 0.0)

    def is_futile(self, state: State) -> bool:
        """Return whether the race asks only for the Pareto set, and another drop is unlikely within its instances."""
        if not _may_be_futile(state):
            return False
        most_instances = min(self.available, math.inf if self.instances is None else self.instances)
        return is_futile(state, infer_posterior(state), most_instances)


def is_futile(state: State, posterior: Posterior, most_instances: float) -> bool:
    """Return whether a race asks only for the Pareto set, and another drop is unlikely within so many instances."""
    if not (_may_be_futile(state) and posterior.diagnostics.reliable):
        return False
    settings = state.settings
    circles = cycles(
        posterior,
        confidence=settings.confidence,
        dominance=settings.dominance,
        specialists=settings.specialists,
        among=state.candidates,
    )
    likely = drop_probability(
        posterior,
        state.candidates,
        confidence=settings.confidence,
        most_instances=most_instances,
        settled=circles,
    )
    return likely < UNLIKELY


def limit_to_continue(state: State, posterior: Posterior) -> int | None:
    """Return a limit of instances with which a race that stopped for futility continues; None if 32 times the data fail."""
    limits = (2**power * posterior.instances for power in range(1, 6))
    return next((limit for limit in limits if not is_futile(state, posterior, limit)), None)


def _may_be_futile(state: State) -> bool:
    """Return whether the race asks only for the Pareto set, and has enough rounds to forecast from."""
    return state.settings.until == "set" and len(state.rounds) >= _FEWEST_ROUNDS
