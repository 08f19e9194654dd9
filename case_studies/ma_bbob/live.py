"""The race with the real optimisers; its file lets the same command continue it after an interruption."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polarbear as pb
from case_studies.ma_bbob.settings import DIMENSION, paper_settings
from case_studies.optimisers import require_optimisers, step_size_variants
from polarbear.problems.ma_bbob import MaBbob

if TYPE_CHECKING:
    from pathlib import Path

    from polarbear.race.outcome import RaceOutcome


def race_live(
    path: Path,
    grid: pb.Grid,
    *,
    workers: int,
    dimension: int = DIMENSION,
    max_instances: int | None = None,
    **changes: Any,
) -> RaceOutcome:
    """Race until every pair is decided.

    Parameters
    ----------
    path
        The race file; an existing race is continued.
    grid
        The times at which algorithms are compared.
    workers
        The number of simultaneous runs.
    dimension
        The number of variables of the problems.
    max_instances
        Stop at this total number of instances.
    **changes
        Settings of a new race that differ from the paper's.
    """
    require_optimisers()
    algorithms, instances = step_size_variants(), MaBbob(dimension)
    if path.exists():
        race = pb.Race.open(path, algorithms=algorithms, instances=instances)
    else:
        race = pb.Race(algorithms, instances, grid, path=path, **{**paper_settings(), **changes})
    with race, pb.LocalExecutor(workers=workers) as executor:
        return race.drive(executor, max_instances=max_instances)
