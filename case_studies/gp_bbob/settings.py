"""The settings of the race, its scales, and the race with the real optimisers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polarbear as pb
from case_studies.optimisers import matrix_variants, require_optimisers
from polarbear.problems.gp_bbob import GpBbob

if TYPE_CHECKING:
    from pathlib import Path

    from polarbear.race.outcome import RaceOutcome

METHOD: dict[str, Any] = {
    "clock": "seconds",
    "prior": pb.BSpline(),
    "dominance": "joint",
    "until": "pairs",
    "confidence": 0.99,
    "margin": 0.05,
    "batch": pb.AdaptiveBatch(8, 128),
}
"""The paper's settings of the third case study."""

CHAINS, WARMUP, KEPT = 4, 1000, 2000
"""The paper's chains of NUTS; warm-up and kept draws are per chain."""


@dataclass(frozen=True)
class Scale:
    """The scale of a race: seconds per run, and the number of times."""

    seconds: float
    budgets: int

    @property
    def grid(self) -> pb.Grid:
        """The times, evenly spaced from 0.1 seconds on, as in the paper."""
        return pb.linear_grid(0.1, self.seconds, self.budgets)


PAPER = Scale(30.0, 30)
RECORDED = Scale(15.0, 30)


def race_live(path: Path, scale: Scale, *, workers: int, dimension: int | None = None, **limits: Any) -> RaceOutcome:
    """Race until every pair is decided or a limit of `Race.run` is reached; a race file is continued.

    The number of variables is drawn for each instance, as in the paper, unless `dimension` sets it.
    """
    require_optimisers()
    algorithms, instances = matrix_variants(), GpBbob(dimension)
    if path.exists():
        race = pb.Race.open(path, algorithms=algorithms, instances=instances)
    else:
        race = pb.Race(algorithms, instances, scale.grid, path=path, **METHOD)
    with race, pb.LocalExecutor(workers=workers) as executor:
        # Repelling restarts may hang inside modcma, where only the supervisor can end them.
        return race.drive(executor, time_limit=scale.seconds + 30, **limits)
