"""HiGHS through SciPy's `milp`, with its own log on standard output."""

from __future__ import annotations

import argparse

import numpy as np
from knapsacks import knapsack
from scipy.optimize import Bounds, LinearConstraint, milp


def main() -> None:
    """Solve one instance, until the end or until the program is killed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("instance")
    parser.add_argument("--no-presolve", dest="presolve", action="store_false")
    options = parser.parse_args()
    problem = knapsack(options.instance)
    milp(
        -problem.profits,
        integrality=np.ones(len(problem.profits), dtype=int),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(problem.weights, ub=problem.capacities),
        options={"disp": True, "presolve": options.presolve},
    )


if __name__ == "__main__":
    main()
