"""The work that remains in a race, in words: until its limit, and until every pair is decided."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polarbear.observe.scope import member_noun
from polarbear.race.forecast import further_instances
from polarbear.race.sampling import running_until
from polarbear.wording import format_duration, with_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.race.state import State
    from polarbear.race.stopping import StoppingLimits


def describe_remaining(
    state: State, limits: StoppingLimits, *, pace: float | None, seconds_left: float, recent: Sequence[float] = ()
) -> str:
    """Return how many instances remain, such as "8 instances to the limit, 2 min; about 400 to decide everything".

    The text is empty if nothing remains or nothing can be forecast. Before 32 instances it names the limit only, since
    forecasts are not stable yet.

    Parameters
    ----------
    state
        The state of the race, with its posterior.
    limits
        The limits of the race.
    pace
        Seconds per new instance, at the pace so far; None if there has been no run.
    seconds_left
        Seconds until the race must stop; may be infinite.
    recent
        The forecasts of the last rounds; see `further_instances`.
    """
    if state.posterior is None or not running_until(state):
        return ""
    needed = further_instances(state.posterior, state.decided, state.settings, recent)
    left = limits.instances_left(state)
    if pace:
        left = min(left, seconds_left / pace)

    def duration(instances: float) -> str:
        return "" if pace is None else f", {format_duration(pace * instances)}"

    noun = member_noun(state.clusters)
    if needed is not None and needed < math.inf and needed <= left:
        return f"about {with_noun(int(needed), noun)} to go{duration(needed)}" if needed > 0 else ""
    if needed == 0 or left == math.inf or left < 1:
        return ""
    limit = f"{with_noun(math.floor(left), noun)} to the limit{duration(math.floor(left))}"
    if needed is None:
        return limit
    everything = f"about {needed:,.0f}" if math.isfinite(needed) else "far more"
    return f"{limit}; {everything} to decide everything"
