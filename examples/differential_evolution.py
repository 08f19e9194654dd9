"""Differential evolution with seven parameters, written for whole generations at once: a small real space to configure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

DEFAULT = {"popsize": 30, "strategy": "rand", "F": 0.5, "CR": 0.9, "spread": 1.0, "dither": "no"}


@dataclass(frozen=True)
class DifferentialEvolution:
    """Differential evolution; an algorithm that a race can call.

    Parameters
    ----------
    popsize
        The number of points.
    strategy
        The base of a mutation: "rand" a random point, "best" the best one, "current" from the point towards the best one.
    F, CR
        The factor of differences, and the probability that a variable is taken from the mutation.
    spread
        The width of the first population, as a share of the domain, around its middle.
    dither, width
        Whether F varies at random in each mutation, and by how much.
    """

    popsize: int
    strategy: str
    F: float
    CR: float
    spread: float
    dither: str = "no"
    width: float = 0.0

    def __call__(self, problem: Any, seed: int, budget: float) -> Iterator[tuple[float, float]]:
        """Yield (evaluations, best value) after each generation, until the budget."""
        rng = np.random.default_rng(seed)
        low, high = np.transpose(problem.bounds)
        points = (low + high) / 2 + (rng.random((self.popsize, len(low))) - 0.5) * (high - low) * self.spread
        values = problem(points)
        used, best = 0, np.inf
        new, trials = values, points
        while True:
            # Evaluations are counted one by one, so that a generation may exceed the budget.
            for value in new[: int(budget) - used].tolist():
                used += 1
                if value < best:
                    best = value
                    yield used, best
            if used >= int(budget):
                yield budget, best  # the run costs its whole budget
                return
            better = new <= values
            points, values = np.where(better[:, None], trials, points), np.where(better, new, values)
            trials = np.clip(self._trials(points, values, rng), low, high)
            new = problem(trials)

    def _trials(self, points: Any, values: Any, rng: np.random.Generator) -> Any:
        size, dimension = points.shape
        a, b, c = points[rng.random((size, size)).argsort(axis=1)[:, :3].T]
        base = {"rand": a, "best": points[values.argmin()], "current": points}[self.strategy]
        factor = self.F + self.width * rng.uniform(-1, 1, (size, 1))
        mutants = base + factor * (b - c)
        if self.strategy == "current":
            mutants = mutants + factor * (points[values.argmin()] - points)
        crossed = rng.random((size, dimension)) < self.CR
        crossed[np.arange(size), rng.integers(dimension, size=size)] = True
        return np.where(crossed, mutants, points)


def configuration_space() -> Any:
    """Return the parameters as a ConfigSpace."""
    from ConfigSpace import ConfigurationSpace, EqualsCondition, Float, Integer

    space = ConfigurationSpace({"strategy": ["rand", "best", "current"], "dither": ["no", "yes"]})
    width = Float("width", (0.0, 0.5), default=0.2)
    space.add(
        Integer("popsize", (4, 200), log=True, default=30),
        Float("F", (0.1, 1.2), default=0.5),
        Float("CR", (0.0, 1.0), default=0.9),
        Float("spread", (0.1, 1.0), default=1.0),
        width,
    )
    space.add(EqualsCondition(width, space["dither"], "yes"))
    return space


IRACE_PARAMETERS = """\
strategy "--strategy " c     (rand, best, current)
dither   "--dither "   c     (no, yes)
popsize  "--popsize "  i,log (4, 200)
F        "--F "        r     (0.1, 1.2)
CR       "--CR "       r     (0.0, 1.0)
spread   "--spread "   r     (0.1, 1.0)
width    "--width "    r     (0.0, 0.5) | dither == "yes"
"""
