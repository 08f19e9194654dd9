"""The race with the real optimisers, kept in a file: stopped or killed at any moment, the same command goes on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polarbear as pb
from case_studies.ma_bbob.settings import DIMENSION, paper_settings
from case_studies.optimisers import require_optimisers, step_size_variants
from polarbear.problems.ma_bbob import MaBbob

if TYPE_CHECKING:
    from pathlib import Path


def race_live(
    path: Path,
    grid: pb.Grid,
    *,
    workers: int,
    dimension: int = DIMENSION,
    max_instances: int | None = None,
    **changes: Any,
) -> pb.RaceResult:
    """Race until every pair is decided.

    Parameters
    ----------
    path
        The race file; a race that is there already is continued.
    grid
        The times.
    workers
        How many runs at the same time.
    dimension
        Of the problems.
    max_instances
        Stop earlier, after so many instances in all.
    **changes
        Settings other than the paper's, for a race that begins now.
    """
    require_optimisers()
    algorithms, instances = step_size_variants(), MaBbob(dimension)
    if path.exists():
        race = pb.Race.open(path, algorithms=algorithms, instances=instances)
    else:
        race = pb.Race(algorithms, instances, grid, path=path, **{**paper_settings(), **changes})
    with race, pb.LocalExecutor(workers=workers) as executor:
        return race.run(executor, max_instances=max_instances)
