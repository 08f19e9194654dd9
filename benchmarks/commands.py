"""CPU time of commands, absolute and relative to `import scipy.stats` in the same run.

    python benchmarks/commands.py
    python benchmarks/commands.py --figures decision-map rounds

The race has 7 algorithms, 30 budgets and at most 200 instances; the recorded runs are those of the race. CPU time is that of
the process and its children, the least of three runs, with compiled modules as after an installation. `import scipy.stats`
takes turns with each command. A figure should take less than 3 seconds, and `select` from a posterior or a race no longer
than `import scipy.stats`.
"""

from __future__ import annotations

import argparse
import csv
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import polarbear as pb
from polarbear.calibration.simulator import Simulator
from polarbear.calibration.truths import draw_truth
from polarbear.plots.registry import FIGURES
from polarbear.single_thread import THREAD_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.plots.registry import FigureName

NAMES = ("random search", "(1+1)-ES", "CMA-ES", "differential evolution", "Nelder-Mead", "BFGS", "particle swarm")
BUDGETS, INSTANCES = 30, 200
SECONDS_OF_A_FIGURE = 3.0
_UNSET = ("PYTHONDONTWRITEBYTECODE", *THREAD_VARIABLES)  # most users set none of them


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", nargs="*", default=list(FIGURES), choices=list(FIGURES), help="only these figures")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_files(folder)
        measure(folder, arguments.figures, arguments.repeats)


def make_files(folder: Path) -> None:
    """Write a race file, its posterior, and its runs as a table."""
    rng = np.random.default_rng(5)
    grid = pb.log_grid(10, 10_000, BUDGETS)
    truth = 0.6 * draw_truth("crossing", BUDGETS, len(NAMES), rng=rng)[0]
    values = Simulator(0.95).values(truth, INSTANCES, rng=rng)
    runs = [
        pb.Trajectory(name, instance, grid.budgets, values[instance, :, column], end=float(grid.budgets[-1]))
        for instance in range(INSTANCES)
        for column, name in enumerate(NAMES)
    ]
    with pb.Race(NAMES, None, grid, path=folder / "my.race") as race:
        result = race.drive(pb.ReplayExecutor(runs), max_instances=INSTANCES, progress="none")
    result.posterior.save(folder / "my.posterior")
    with (folder / "runs.csv").open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["algorithm_name", "instance", "evaluations", "raw_y"])
        table.writerows(
            [run.algorithm, run.instance, *event] for run in runs for event in zip(run.budgets, run.values, strict=True)
        )
    print(f"{len(NAMES)} algorithms, {BUDGETS} budgets, {result.instances} instances, {len(result.rounds)} rounds")


def measure(folder: Path, figures: Sequence[FigureName], repeats: int) -> None:
    print(f"{'CPU time':44s}{'seconds':>9s}{'scipy':>7s}{'ratio':>7s}")
    for words in (
        ["show", "my.race"],
        ["select", "my.posterior", "--budget", "500"],
        ["select", "my.race", "--budget", "500"],
        ["select", "runs.csv", "--budget", "500"],
        ["export", "my.race", "answer"],
        ["report", "my.race", "-o", "my.html"],
        ["report", "runs.csv", "-o", "runs.html"],
        ["show", "runs.csv"],
    ):
        show(words, folder, repeats)
    for source in ("my.race", "runs.csv"):
        for figure in figures:
            needs = FIGURES[figure].needs
            if needs == "features" or (needs == "race" and source != "my.race"):
                continue
            pair = [*NAMES[2:4]] if FIGURES[figure].pair else []
            show(["plot", source, figure, *pair], folder, repeats, limit=SECONDS_OF_A_FIGURE)


def show(words: Sequence[str], folder: Path, repeats: int, *, limit: float = float("inf")) -> None:
    """Print the least CPU time of a command and of the peer, which takes turns with it: a machine's speed varies."""
    seconds = peer = float("inf")
    for _ in range(repeats):
        peer = min(peer, cpu_seconds([sys.executable, "-c", "import scipy.stats"], folder))
        seconds = min(seconds, cpu_seconds([sys.executable, "-m", "polarbear", *words], folder))
    note = "  too slow" if seconds > limit else ""
    print(f"{' '.join(words[:4]):44s}{seconds:9.2f}{peer:7.2f}{seconds / peer:7.2f}{note}", flush=True)


def cpu_seconds(command: Sequence[str], folder: Path) -> float:
    """Return the CPU time of a command and its children."""
    environment = {name: value for name, value in os.environ.items() if name not in _UNSET}
    before = os.times()
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    after = os.times()
    if done.returncode:
        raise SystemExit(f"{' '.join(command)}: {done.stderr}")
    return after.children_user - before.children_user + after.children_system - before.children_system


if __name__ == "__main__":
    main()
