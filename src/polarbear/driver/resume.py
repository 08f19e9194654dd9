"""Rebuild a race from its file by replaying the journal of decisions.

In: an open race file. Out: the state of the race, and all stored runs.
"""

from __future__ import annotations

import platform
import time
from typing import TYPE_CHECKING

import numpy as np
import scipy

from polarbear.race import loop
from polarbear.race.serialisation import from_plain
from polarbear.version import __version__

if TYPE_CHECKING:
    from polarbear.race.jobs import Run
    from polarbear.race.state import State
    from polarbear.storage import RaceFile


def rebuild_state(file: RaceFile) -> tuple[State, dict[tuple[str, int], Run]]:
    """Return the state of a race, rebuilt from its journal without new inference or decisions, and all stored runs.

    The journal is read before the runs: every run that it refers to is stored by then, even if another process keeps
    writing.
    """
    events, about = file.events(), file.about
    runs = file.runs()
    state = loop.start(from_plain(about["settings"]), about["algorithms"])
    for event in events:
        if event.kind == "round":
            decided = from_plain(event.data)
            plan = loop.ask(state, most_instances=len(decided.instances) or None)
            if plan is None or plan.instances != decided.instances:
                raise ValueError(f"{file.path} is damaged: round {decided.number} does not follow from those before it")
            try:
                told = [runs[job.algorithm, job.instance] for job in plan.jobs]
            except KeyError as error:
                raise ValueError(f"{file.path} is damaged: the run of {error.args[0]} is not there") from None
            state = loop.tell(state, plan, told, decided=decided)
        elif event.kind == "added":
            state = loop.add(state, event.data)
        elif event.kind == "removed":
            state = loop.remove(state, event.data)
        elif event.kind == "settings":
            state = loop.reconsider(state, from_plain(event.data))
        else:
            raise ValueError(f"{file.path} tells of {event.kind!r}, which this PolarBear does not know; upgrade it")
    return state, runs


def environment() -> dict[str, str]:
    """Return the software versions, the system and the time at which a race begins, for the report."""
    return {
        "polarbear": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "system": f"{platform.system()} {platform.machine()}",
        "time": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
    }
