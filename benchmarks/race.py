"""Cost of a race besides its runs: the driver's overhead per run, and inference in a race at the paper's scale.

The second race replays recorded runs (case_studies/data) under the settings of the paper's second case study: seven
algorithms, 200 budgets, independent Dirichlet, pointwise dominance, until="every-budget". Recorded instances are drawn
with replacement, so that the race can use as many instances as the paper's.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np

import polarbear as pb
from polarbear.inference import fitting
from polarbear.race import loop

if TYPE_CHECKING:
    from collections.abc import Iterator

RECORDED = Path(__file__).parents[1] / "case_studies" / "data" / "ma_bbob_d30.npz"


class Timed:
    """A wrapper of a function that counts its calls and their seconds."""

    def __init__(self, function: object) -> None:
        self._function = function
        self.seconds = 0.0
        self.calls = 0

    def __call__(self, *args: object, **kwargs: object) -> object:
        began = time.perf_counter()
        try:
            return self._function(*args, **kwargs)  # type: ignore[operator]
        finally:
            self.seconds += time.perf_counter() - began
            self.calls += 1


def trivial(problem: float, seed: int, budget: float) -> Iterator[tuple[float, float]]:
    yield from ((1.0, problem + seed % 7), (budget, problem))


def overhead(runs: int, workers: int) -> None:
    """Time a race of trivial runs, with its file on disk."""
    names = [f"a{i}" for i in range(10)]
    path = Path(tempfile.mkdtemp()) / "trivial.race"
    fit = Timed(fitting.fit)
    with patch.object(loop, "fit", fit), pb.LocalExecutor(workers=workers) as executor:
        race = pb.Race(
            dict.fromkeys(names, trivial),
            [float(i) for i in range(runs)],
            [1, 2, 3, 4, 5],
            prior=pb.Dirichlet(),
            dominance="pointwise",
            until="every-budget",
            batch=pb.FixedBatch(100),
            margin=0.0,
            draws=1000,
            path=path,
        )
        began = time.perf_counter()
        result = race.drive(executor, max_instances=runs // len(names), progress="none")
        seconds = time.perf_counter() - began
    running = sum(run.seconds for run in result.runs) / workers
    rest = (seconds - fit.seconds - running) / len(result.runs)
    print(
        f"{len(result.runs):,} trivial runs, {workers} workers: {seconds:.1f} s, "
        f"of which inference {fit.seconds:.1f} s and runs {running:.1f} s; overhead {1e3 * rest:.2f} ms per run"
    )


def paper_scale() -> None:
    """Time a replay of the paper's second case study: at most 1656 instances, where the paper took 51 rounds."""
    with np.load(RECORDED) as recorded:  # read each array once: every access unpacks it again
        names, budgets = [str(name) for name in recorded["algorithms"]], recorded["evaluations"].astype(float)
        values = recorded["values"]
    resampled = np.random.default_rng(0).integers(len(values), size=1656)
    runs = [
        pb.Trajectory(name, index, budgets, values[instance, :, column], end=budgets[-1])
        for index, instance in enumerate(resampled)
        for column, name in enumerate(names)
    ]
    executor = pb.ReplayExecutor(runs)
    race = pb.Race(
        names,
        None,
        pb.Grid(budgets, "log"),
        prior=pb.Dirichlet(),
        dominance="pointwise",
        until="every-budget",
        confidence=0.99,
        batch=pb.AdaptiveBatch(8, 128),
    )
    fit = Timed(fitting.fit)
    with patch.object(loop, "fit", fit):
        began = time.perf_counter()
        result = race.drive(executor, max_instances=1656, progress="none")
        seconds = time.perf_counter() - began
    print(
        f"{len(names)} algorithms, {len(budgets)} budgets, {result.instances} instances, {len(result.rounds)} rounds "
        f"({result.stopped}): inference {fit.seconds:.1f} s, {fit.seconds / fit.calls:.2f} s per round; "
        f"race {seconds:.1f} s in total"
    )
    print(f"  Pareto set {', '.join(result.kept)}; {result.saved_share:.0%} of the evaluations saved")


def main() -> None:
    overhead(10_000, workers=1)
    overhead(10_000, workers=2)
    paper_scale()


if __name__ == "__main__":
    main()
