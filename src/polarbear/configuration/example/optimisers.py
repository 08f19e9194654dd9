"""Four optimisers to race. Each is a function(objective, budget, rng) and may run without end.

The objective counts evaluations, records the best value, and stops the run at its budget.
"""

from typing import Any, NoReturn

import numpy as np


def random_search(objective: Any, budget: int | None, rng: np.random.Generator) -> NoReturn:
    """Sample points uniformly and independently within the bounds."""
    low, high = np.transpose(objective.bounds)
    while True:
        objective(rng.uniform(low, high))


def one_plus_one(objective: Any, budget: int | None, rng: np.random.Generator, step: float = 0.5) -> NoReturn:
    """Run a (1+1) evolution strategy: the step size grows after an improvement and shrinks otherwise."""
    low, high = np.transpose(objective.bounds)
    while True:
        x, size = rng.uniform(low, high), step
        best = objective(x)
        while size > 1e-10:
            y = np.clip(x + size * rng.standard_normal(len(x)), low, high)
            value = objective(y)
            size *= 1.5 if value < best else 0.9
            if value <= best:
                x, best = y, value


def differential_evolution(objective: Any, budget: int | None, rng: np.random.Generator, size: int = 20) -> NoReturn:
    """Run differential evolution: move a population by scaled differences of random pairs."""
    low, high = np.transpose(objective.bounds)
    points = rng.uniform(low, high, (size, len(low)))
    values = [objective(x) for x in points]
    while True:
        for i in range(size):
            a, b, c = points[rng.choice(size, 3, replace=False)]
            mixed = np.where(rng.random(len(low)) < 0.9, a + 0.7 * (b - c), points[i])
            y = np.clip(mixed, low, high)
            value = objective(y)
            if value <= values[i]:
                points[i], values[i] = y, value


def nelder_mead(objective: Any, budget: int | None, rng: np.random.Generator) -> NoReturn:
    """Run SciPy's Nelder-Mead simplex, and restart it at a random point whenever it has converged."""
    from scipy.optimize import minimize

    low, high = np.transpose(objective.bounds)
    while True:
        minimize(objective, rng.uniform(low, high), method="Nelder-Mead", bounds=objective.bounds)
