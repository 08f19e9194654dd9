"""Speed of the decision: the time of a query at deployment, and the size of the file that answers it.

    python benchmarks/selection.py
    python benchmarks/selection.py --draws 1000 --budgets 50 --algorithms 10

The peer of `select` is a lower bound for any answer: reading every rating of every draw once. The peer of a fresh
process is one that only imports NumPy.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

import polarbear as pb

if TYPE_CHECKING:
    from collections.abc import Callable

REPEATS = 15

FRESH = """
import time
started = time.perf_counter()
import sys
import numpy
imported = time.perf_counter()
import polarbear as pb
posterior = pb.Posterior.load(sys.argv[1])
loaded = time.perf_counter()
pb.select(posterior, pb.LogUniform(), pb.Quantile(0.05))
selected = time.perf_counter()
assert not {"scipy", "arviz_stats", "rich", "cloudpickle", "polarbear.inference"} & set(sys.modules)
print(1e3 * (imported - started), 1e3 * (loaded - imported), 1e3 * (selected - loaded))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--budgets", type=int, default=100)
    parser.add_argument("--algorithms", type=int, default=20)
    arguments = parser.parse_args()
    time_queries(simulate_posterior(arguments.draws, arguments.budgets, arguments.algorithms))
    time_deployment(simulate_posterior(4000, 50, 10))


def simulate_posterior(draws: int, budgets: int, algorithms: int) -> pb.Posterior:
    """Return a posterior with smooth ratings and a few changes of leader, as under a temporal prior."""
    rng = np.random.default_rng(0)
    budget_axis = np.linspace(0, 1, budgets)[:, None]
    level = rng.normal(size=algorithms) + 1.5 * np.sin(2 * budget_axis + rng.uniform(0, 6, algorithms))
    noise = rng.normal(scale=0.1, size=(draws, 1, algorithms))
    noise = noise + 0.1 * rng.normal(size=(draws, 1, algorithms)) * budget_axis
    strengths = np.exp(level + noise)
    ratings = strengths / strengths.sum(axis=2, keepdims=True)
    ratings.flags.writeable = False
    diagnostics = pb.Diagnostics("nested-laplace", True, "Simulated.", float(draws))
    names = tuple(f"algorithm {k}" for k in range(algorithms))
    return pb.Posterior(ratings, names, pb.log_grid(100, 100_000, budgets), True, diagnostics, "BSpline()", 100)


def time_queries(posterior: pb.Posterior) -> None:
    draws, budgets, algorithms = posterior.ratings.shape
    peer = milliseconds(lambda: posterior.ratings.sum())
    print(
        f"{draws} draws x {budgets} budgets x {algorithms} algorithms, milliseconds (median and minimum of {REPEATS})"
    )
    print(f"{'read every rating once':34s}{peer[0]:9.1f}{peer[1]:9.1f}")
    budget = pb.BudgetDistribution(stats.lognorm(1, scale=3000))
    quarter = posterior.names[: algorithms // 4]
    queries: dict[str, Callable[[], object]] = {
        "Uniform, Expected": lambda: pb.select(posterior),
        "LogUniform, ProbabilityBest": lambda: pb.select(posterior, pb.LogUniform(), pb.ProbabilityBest()),
        "Uniform, Quantile": lambda: pb.select(posterior, pb.Uniform(), pb.Quantile(0.05)),
        "At": lambda: pb.select(posterior, pb.At(1234)),
        "BudgetDistribution, ExpectedLoss": lambda: pb.select(posterior, budget, pb.ExpectedLoss()),
        "Uniform among a quarter": lambda: pb.select(posterior, among=quarter),
        "Custom (worst budget)": lambda: pb.select(posterior, pb.Custom(lambda curves: curves.min(axis=-1))),
        "TopK(3), At": lambda: pb.select(posterior, pb.At(1234), criterion=pb.TopK(3)),
        "TopK(3), Uniform": lambda: pb.select(posterior, criterion=pb.TopK(3)),
        "MeanRank, Uniform": lambda: pb.select(posterior, criterion=pb.MeanRank()),
        "portfolio of five, closed form": lambda: pb.select(posterior, portfolio=5),
        "portfolio of two, exhaustive": lambda: pb.select(posterior, risk=pb.Quantile(0.05), portfolio=2),
        "portfolio of six, search": lambda: pb.select(posterior, risk=pb.Quantile(0.05), portfolio=6),
        "decision map": lambda: pb.decision_map(posterior),
        "worst-case loss": lambda: pb.worst_case_loss(posterior),
    }
    for name, query in queries.items():
        median, minimum = milliseconds(query)
        print(f"{name:34s}{median:9.1f}{minimum:9.1f}")


def time_deployment(posterior: pb.Posterior) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "deployed.npz"
        posterior.save(path, draws=1000)
        print(f"\nfile of 1000 draws x 50 budgets x 10 algorithms: {path.stat().st_size / 1e6:.2f} MB")
        time_fresh_process(path)  # not counted: it compiles the modules to bytecode, as an installation does
        steps = np.array([time_fresh_process(path) for _ in range(REPEATS)])
    for name, column in zip(("import numpy", "import polarbear, load", "select"), steps.T, strict=True):
        print(f"fresh process: {name:22s}{np.median(column):9.1f}{column.min():9.1f}  ms")
    ours = steps[:, 1:].sum(axis=1)
    print(f"fresh process: {'load and select':22s}{np.median(ours):9.1f}{ours.min():9.1f}  ms, without importing SciPy")


def time_fresh_process(path: Path) -> list[float]:
    """Return the milliseconds of a fresh process to import NumPy, to load the posterior, and to select."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(path.parent)
    command = [sys.executable, "-c", FRESH, str(path)]
    process = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(number) for number in process.stdout.split()]


def milliseconds(task: Callable[[], object]) -> tuple[float, float]:
    """Return the median and the minimum time of a task."""
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        task()
        times.append(1e3 * (time.perf_counter() - started))
    return float(np.median(times)), min(times)


if __name__ == "__main__":
    main()
