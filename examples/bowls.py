"""Which algorithm for which problem: the race of the tutorial on smooth and rugged bowls, and what the answer depends on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

import polarbear as pb

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polarbear.race.outcome import RaceOutcome


@dataclass(frozen=True)
class Bowl:
    """A quadratic function with ripples, and the features that are known before a run."""

    optimum: NDArray[np.float64]
    ruggedness: float
    features: dict[str, Any]

    @property
    def dimension(self) -> int:
        """The number of variables."""
        return len(self.optimum)

    def __call__(self, x: NDArray[np.float64]) -> float:
        """Return the value at a point."""
        z = x - self.optimum
        return float(z @ z + self.ruggedness * np.sum(1 - np.cos(6 * z)))


def make_bowl(index: int, seed: int) -> Bowl:
    """Return a random bowl, of which half are rugged; its feature `weight` has no effect."""
    rng = np.random.default_rng(seed)
    dimension, rugged = int(rng.choice([2, 5])), bool(rng.random() < 0.5)
    features = {"dimension": dimension, "rugged": rugged, "weight": float(rng.random())}
    return Bowl(rng.uniform(-4, 4, dimension), 5.0 if rugged else 0.0, features)


@pb.counted
def random_search(objective: Any, budget: float | None, rng: np.random.Generator) -> NoReturn:
    """Evaluate independent uniform points."""
    while True:
        objective(rng.uniform(-5, 5, objective.dimension))


def climb(step: float) -> Callable[..., Any]:
    """Return a climber that keeps a random step of this size if it is better."""

    @pb.counted
    def climber(objective: Any, budget: float | None, rng: np.random.Generator) -> NoReturn:
        x, best = rng.uniform(-5, 5, objective.dimension), float("inf")
        while True:
            y = x + rng.normal(0, step, objective.dimension)
            if (value := objective(y)) < best:
                x, best = y, value

    return climber


def race_bowls() -> tuple[RaceOutcome, pb.FeatureTable]:
    """Race three algorithms on 64 bowls; return the result and the features of the bowls."""
    algorithms = {"random": random_search, "small steps": climb(0.2), "large steps": climb(1.0)}
    race = pb.Race(algorithms, make_bowl, pb.log_grid(10, 300, 12), seed=1)
    race.run(max_instances=64, progress="none")
    return race.outcome, pb.features_of(race.outcome, make_bowl)


if __name__ == "__main__":
    print(pb.explain(*race_bowls()))
