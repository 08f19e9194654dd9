"""Large neighbourhood search: most items are kept as they are, and HiGHS decides about the others."""

from __future__ import annotations

import argparse
import time

import numpy as np
from greedy import by_density
from knapsacks import knapsack
from scipy.optimize import Bounds, LinearConstraint, milp


def main() -> None:
    """Improve a greedy solution, and append each better value to a file: HiGHS now and then prints a line of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("instance")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=10.0)
    parser.add_argument("--free", type=int, default=30)
    parser.add_argument("--output", type=argparse.FileType("a"), default="-")
    asked = parser.parse_args()
    rng, problem = np.random.default_rng(asked.seed), knapsack(asked.instance)
    chosen = by_density(problem)
    best = float(problem.profits @ chosen)
    print(-best, file=asked.output, flush=True)
    end = time.monotonic() + asked.limit
    while time.monotonic() < end:
        free = np.zeros(len(chosen), dtype=bool)
        free[rng.choice(len(chosen), min(asked.free, len(chosen)), replace=False)] = True
        found = milp(
            -problem.profits,
            integrality=np.ones(len(chosen), dtype=int),
            bounds=Bounds(np.where(free, 0, chosen), np.where(free, 1, chosen)),
            constraints=LinearConstraint(problem.weights, ub=problem.capacities),
            options={"time_limit": 0.3},
        )
        if found.x is not None and (value := -float(found.fun)) > best + 1e-9:
            chosen, best = np.round(found.x), value
            print(-best, file=asked.output, flush=True)


if __name__ == "__main__":
    main()
