"""Record the eight algorithms on GP-BBOB by evaluations: `python -m case_studies.gp_bbob.record`.

All algorithms run on all instances: the first round of a race with one large batch. The file is a data set for
`polarbear.calibration.prediction`, of the same form as the MA-BBOB recordings.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

import polarbear as pb
from case_studies.optimisers import matrix_variants, require_optimisers
from polarbear.problems.gp_bbob import GpBbob

FILE = Path(__file__).parents[1] / "data" / "gp_bbob_d40.npz"
DIMENSION, INSTANCES, EVALUATIONS, TIMES = 40, 100, 4000, 60
_SECONDS = 60  # the limit on one run: repelling restarts may hang inside modcma


def record(file: Path = FILE, *, instances: int = INSTANCES, evaluations: int = EVALUATIONS, workers: int = 2) -> None:
    """Run all algorithms on every instance, and write the best values so far."""
    require_optimisers()
    budgets = np.unique(np.geomspace(DIMENSION, evaluations, TIMES).round())
    race = pb.Race(
        matrix_variants(), GpBbob(DIMENSION), pb.Grid(budgets, "log"), batch=pb.FixedBatch(instances), seed=0, draws=100
    )
    with race, pb.LocalExecutor(workers=workers) as executor:
        race.run(executor, max_instances=instances, time_limit=_SECONDS)
        runs = race.state.observations.runs
    failed = [f"{name} on {instance}: {run.status}" for (name, instance), run in runs.items() if run.status != "done"]
    if failed:
        raise RuntimeError(
            f"expected every run to reach {evaluations} evaluations, got {', '.join(failed)}; record again"
        )
    names = list(matrix_variants())
    values = [[runs[name, number].trajectory.at(budgets) for name in names] for number in range(instances)]
    np.savez_compressed(
        file,
        values=np.swapaxes(values, 1, 2),
        evaluations=budgets.astype(np.int64),
        algorithms=np.array(names),
    )


if __name__ == "__main__":
    record()
