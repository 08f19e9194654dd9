"""The default prior of the first edition, measured on the simulated data of docs/explanation/calibration.md.

    git worktree add ../first f49be49
    python benchmarks/first_edition.py ../first/src --data-sets 100 --races 300

The code of the first edition is no longer in the package, so it runs from the sources of an old commit, in separate
processes. Such a process receives simulated values and returns posterior ratings, or the algorithms that a race
eliminated. The summary is docs/data/first_edition.json.
"""

from __future__ import annotations

import argparse
import json
import os
import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from polarbear.calibration.truths import Truth

SUMMARY = Path(__file__).parents[1] / "docs" / "data" / "first_edition.json"


def answer_requests() -> None:
    """Read requests from standard input until it ends, and answer each; runs in a process of the first edition."""
    pb: Any = import_module("polarbear")  # the types are those of another version
    races: Any = import_module("polarbear.calibration.races")
    while True:
        try:
            kind, values, seed, draws = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        times, algorithms = values.shape[1:]
        if kind == "fit":
            choices = pb.Choices.from_values(values, grid=pb.linear_grid(1, times, times), per_instance=True)
            fitted = pb.fit(choices, prior=pb.BSpline(), calibration="trajectory", draws=draws, seed=seed)
            answer = fitted.ratings
        else:
            cell = races.RaceCell(
                prior="BSpline", elimination="joint", confidence=0.95, draws=draws, algorithms=algorithms, times=times
            )
            answer = races._bayesian(cell, values, seed=seed)
        pickle.dump(answer, sys.stdout.buffer)
        sys.stdout.buffer.flush()


class FirstEdition:
    """Processes of the first edition, one for each thread that sends requests."""

    def __init__(self, sources: Path) -> None:
        self._environment = {**os.environ, "PYTHONPATH": str(sources.resolve()), "OMP_NUM_THREADS": "1"}
        self._of_thread = local()

    def request(self, kind: str, values: Any, *, seed: int, draws: int) -> Any:
        """Return the ratings (draw, time, algorithm) of a fit, or the decisions of a race."""
        if not hasattr(self._of_thread, "process"):
            self._of_thread.process = subprocess.Popen(
                [sys.executable, __file__, "--answer"],
                env=self._environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
        process = self._of_thread.process
        pickle.dump((kind, values, seed, draws), process.stdin)
        process.stdin.flush()
        return pickle.load(process.stdout)


def main() -> None:
    """Simulate the data sets and races of the studies, analyse them with the first edition, and summarise."""
    import polarbear as pb
    from polarbear.calibration import coverage, races
    from polarbear.calibration.__main__ import coverage_cells

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", type=Path, help="the folder src of the first edition")
    parser.add_argument("--data-sets", type=int, default=100, help="number per cell")
    parser.add_argument("--races", type=int, default=300, help="number per kind of truth")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--summary", type=Path, default=SUMMARY)
    arguments = parser.parse_args()
    first = FirstEdition(arguments.sources)

    def measure_fit(cell: coverage.CoverageCell, replicate: int) -> dict[str, Any]:
        values, truth = coverage.simulate(cell, replicate)
        ratings = first.request("fit", values, seed=replicate, draws=cell.draws)
        names, grid = tuple(f"a{each}" for each in range(cell.algorithms)), pb.linear_grid(1, cell.times, cell.times)
        diagnostics = pb.Diagnostics("first edition", reliable=True, message="", effective_draws=cell.draws)
        return coverage.compare(pb.Posterior(ratings, names, grid, True, diagnostics, "", cell.instances), truth)

    def measure_race(cell: races.RaceCell, replicate: int) -> dict[str, Any]:
        values, truth = races.simulate(cell, replicate)
        eliminated, *rest = first.request("race", values, seed=replicate, draws=cell.draws)
        return races.compare_with_truth(cell, truth, races.Decisions(tuple(eliminated), *rest))

    cells = coverage_cells() if arguments.data_sets else []
    settings: list[tuple[Truth, int]] = [("random walk", 4), ("two kinds", 5)] if arguments.races else []
    race_cells = [
        races.RaceCell(
            truth=truth, algorithms=algorithms, elimination="joint", resolution="crossing", specialists="drop"
        )
        for truth, algorithms in settings
    ]
    with ThreadPoolExecutor(arguments.workers) as pool:
        summaries = [
            coverage.summarise(
                cell, list(pool.map(measure_fit, [cell] * arguments.data_sets, range(arguments.data_sets)))
            )
            for cell in cells
        ]
        summaries += [
            races.summarise(cell, list(pool.map(measure_race, [cell] * arguments.races, range(arguments.races))))
            for cell in race_cells
        ]
    lines = ",\n".join(json.dumps({**each, "belief": "first edition"}) for each in summaries)
    arguments.summary.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


if __name__ == "__main__":
    if "--answer" in sys.argv:
        answer_requests()
    else:
        main()
