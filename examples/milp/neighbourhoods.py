"""Large neighbourhood search: most items stay fixed, and HiGHS decides on the others."""

from __future__ import annotations

import argparse
import time

import numpy as np
from greedy import by_density
from knapsacks import knapsack
from scipy.optimize import Bounds, LinearConstraint, milp


def main() -> None:
    """Improve a greedy solution, and append each better value to a file: HiGHS prints lines of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("instance")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--free", type=int, default=30)
    parser.add_argument("--output", type=argparse.FileType("a"), default="-")
    options = parser.parse_args()
    rng, problem = np.random.default_rng(options.seed), knapsack(options.instance)
    chosen = by_density(problem)
    best = float(problem.profits @ chosen)
    print(-best, file=options.output, flush=True)
    end = time.monotonic() + options.limit
    while time.monotonic() < end:
        free = np.zeros(len(chosen), dtype=bool)
        free[rng.choice(len(chosen), min(options.free, len(chosen)), replace=False)] = True
        solution = milp(
            -problem.profits,
            integrality=np.ones(len(chosen), dtype=int),
            bounds=Bounds(np.where(free, 0, chosen), np.where(free, 1, chosen)),
            constraints=LinearConstraint(problem.weights, ub=problem.capacities),
            options={"time_limit": 0.3},
        )
        if solution.x is not None and (value := -float(solution.fun)) > best + 1e-9:
            chosen, best = np.round(solution.x), value
            print(-best, file=options.output, flush=True)


if __name__ == "__main__":
    main()
