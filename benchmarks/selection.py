"""Speed of the decision: what a question costs on the day of deployment, and what the file that answers it weighs.

    python benchmarks/selection.py
    python benchmarks/selection.py --draws 1000 --times 50 --algorithms 10

The peer of `select` is the least that any answer must do: read every drawn rating once. The peer of a fresh process is one
that imports NumPy and ends.
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
begun = time.perf_counter()
import sys
import numpy
numpy_there = time.perf_counter()
import polarbear as pb
posterior = pb.Posterior.load(sys.argv[1])
loaded = time.perf_counter()
pb.select(posterior, pb.LogUniform(), pb.Quantile(0.05))
done = time.perf_counter()
assert not {"scipy", "arviz_stats", "rich", "cloudpickle", "polarbear.inference"} & set(sys.modules)
print(1e3 * (numpy_there - begun), 1e3 * (loaded - numpy_there), 1e3 * (done - loaded))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--draws", type=int, default=4000)
    parser.add_argument("--times", type=int, default=100)
    parser.add_argument("--algorithms", type=int, default=20)
    arguments = parser.parse_args()
    questions(belief(arguments.draws, arguments.times, arguments.algorithms))
    deployment(belief(4000, 50, 10))


def belief(draws: int, times: int, algorithms: int) -> pb.Posterior:
    """Smooth paths with a few changes of leader, as temporal priors give."""
    rng = np.random.default_rng(0)
    at = np.linspace(0, 1, times)[:, None]
    level = rng.normal(size=algorithms) + 1.5 * np.sin(2 * at + rng.uniform(0, 6, algorithms))
    noise = rng.normal(scale=0.1, size=(draws, 1, algorithms)) + 0.1 * rng.normal(size=(draws, 1, algorithms)) * at
    strengths = np.exp(level + noise)
    ratings = strengths / strengths.sum(axis=2, keepdims=True)
    ratings.flags.writeable = False
    diagnostics = pb.Diagnostics("nested-laplace", True, "All is well.", float(draws))
    names = tuple(f"algorithm {k}" for k in range(algorithms))
    return pb.Posterior(ratings, names, pb.log_grid(100, 100_000, times), True, diagnostics, "BSpline()", 100)


def questions(posterior: pb.Posterior) -> None:
    draws, times, algorithms = posterior.ratings.shape
    least = milliseconds(lambda: posterior.ratings.sum())
    print(
        f"{draws} draws x {times} times x {algorithms} algorithms, milliseconds (median of {REPEATS}, and the fastest)"
    )
    print(f"{'read every rating once':34s}{least[0]:9.1f}{least[1]:9.1f}")
    budget = pb.BudgetDistribution(stats.lognorm(1, scale=3000))
    few = posterior.names[: algorithms // 4]
    asked: dict[str, Callable[[], object]] = {
        "Uniform, Expected": lambda: pb.select(posterior),
        "LogUniform, ProbabilityBest": lambda: pb.select(posterior, pb.LogUniform(), pb.ProbabilityBest()),
        "Uniform, Quantile": lambda: pb.select(posterior, pb.Uniform(), pb.Quantile(0.05)),
        "At": lambda: pb.select(posterior, pb.At(1234)),
        "BudgetDistribution, Regret": lambda: pb.select(posterior, budget, pb.Regret()),
        "Uniform among a quarter": lambda: pb.select(posterior, among=few),
        "Custom (worst time)": lambda: pb.select(posterior, pb.Custom(lambda curves: curves.min(axis=-1))),
        "TopK(3), At": lambda: pb.select(posterior, pb.At(1234), criterion=pb.TopK(3)),
        "TopK(3), Uniform": lambda: pb.select(posterior, criterion=pb.TopK(3)),
        "MeanRank, Uniform": lambda: pb.select(posterior, criterion=pb.MeanRank()),
        "two machines, all pairs": lambda: pb.select(posterior, portfolio=2),
        "six machines, a search": lambda: pb.select(posterior, risk=pb.Quantile(0.05), portfolio=6),
        "decision map": lambda: pb.decision_map(posterior),
        "worst-case regret": lambda: pb.regret(posterior),
    }
    for name, ask in asked.items():
        middle, fastest = milliseconds(ask)
        print(f"{name:34s}{middle:9.1f}{fastest:9.1f}")


def deployment(posterior: pb.Posterior) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "choice.npz"
        posterior.save(path, draws=1000)
        print(f"\nfile of 1000 draws x 50 times x 10 algorithms: {path.stat().st_size / 1e6:.2f} MB")
        fresh(path)  # compiles, as installing does
        spent = np.array([fresh(path) for _ in range(REPEATS)])
    for name, each in zip(("NumPy's own import", "import polarbear, load", "select"), spent.T, strict=True):
        print(f"fresh process: {name:22s}{np.median(each):9.1f}{each.min():9.1f}  ms")
    ours = spent[:, 1:].sum(axis=1)
    print(
        f"fresh process: {'the two last together':22s}{np.median(ours):9.1f}{ours.min():9.1f}  ms; SciPy was not imported"
    )


def fresh(path: Path) -> list[float]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    environment["PYTHONPYCACHEPREFIX"] = str(path.parent)
    command = [sys.executable, "-c", FRESH, str(path)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return [float(each) for each in done.stdout.split()]


def milliseconds(task: Callable[[], object]) -> tuple[float, float]:
    """Median and least time."""
    spent = []
    for _ in range(REPEATS):
        begun = time.perf_counter()
        task()
        spent.append(1e3 * (time.perf_counter() - begun))
    return float(np.median(spent)), min(spent)


if __name__ == "__main__":
    main()
