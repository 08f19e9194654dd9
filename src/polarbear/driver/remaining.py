"""The work that remains in a race, in words: until its limit, and until every pair is decided."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polarbear.race.forecast import instances_needed
from polarbear.race.sampling import running_until
from polarbear.wording import format_duration, round_off

if TYPE_CHECKING:
    from polarbear.race.state import State
    from polarbear.race.stopping import StoppingLimits


def describe_remaining(state: State, limits: StoppingLimits, *, pace: float | None, seconds_left: float) -> str:
    """Return how many instances remain, such as "8 instances to the limit, 2 min; about 413 to decide everything".

    The text is empty if nothing remains or nothing can be forecast.

    Parameters
    ----------
    state
        The state of the race, with its posterior.
    limits
        The limits of the race.
    pace
        Seconds per new instance so far; None if there has been none.
    seconds_left
        Seconds until the race must stop; may be infinite.
    """
    used = len(state.observations.instances)
    if state.posterior is None or not running_until(state):
        return ""
    needed = instances_needed(state.posterior, state.resolved, state.settings) - used
    left = limits.instances_left(state)
    if pace:
        left = min(left, seconds_left / pace)

    if needed <= 0 or min(needed, left) == math.inf:
        return ""
    shown = needed if needed <= left else math.floor(left)
    duration = "" if pace is None else f", {format_duration(pace * shown)}"
    if needed <= left:
        return f"about {round_off(needed)} instances to go{duration}"
    noun = "instance" if shown == 1 else "instances"
    everything = f"about {round_off(needed)}" if math.isfinite(needed) else "far more"
    return f"{round_off(shown)} {noun} to the limit{duration}; {everything} to decide everything"
