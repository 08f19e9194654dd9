"""The recorded race once more, by the paper's method."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polarbear as pb
from case_studies.gp_bbob.settings import METHOD

if TYPE_CHECKING:
    from case_studies.gp_bbob.recorded import Recording
    from polarbear.race.outcome import RaceOutcome


def replay(recorded: Recording) -> tuple[RaceOutcome, str]:
    """Race on the recorded runs; return the result, and a sentence on how the replay ended.

    An algorithm that the recorded race dropped has no later runs. If the replay still needs them, because of another
    version or other settings, it ends with its last complete round.
    """
    race = pb.Race(recorded.names, None, recorded.grid, **METHOD)
    try:
        result = race.drive(pb.ReplayExecutor(recorded.trajectories()), progress="none")
    except ValueError:
        result = race.outcome
        runs = dict(zip(recorded.names, recorded.ran.sum(axis=0).tolist(), strict=True))
        fewest = min(runs[name] for name in result.kept)
        if fewest == len(recorded.values):
            raise  # for another reason than a run that was not recorded
        lacking = ", ".join(name for name in result.kept if runs[name] == fewest)
        return result, (
            f"The replay ends after {result.instances} instances: it needs further runs of {lacking}, which the recorded "
            f"race had dropped after {fewest}."
        )
    if result.stopped == "finished":
        return result, "Every pair is decided."
    return result, f"The recording ends after {result.instances} instances, before every pair is decided."
