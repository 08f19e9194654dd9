"""A small synthetic benchmark: five algorithms with known ratings over time, compared on 40 instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import polarbear as pb
from polarbear.models.plackett_luce import sample_rankings

if TYPE_CHECKING:
    from numpy.typing import NDArray

NAMES = ["sprinter", "all-rounder", "marathoner", "also-ran", "random"]


def utilities_over(grid: pb.Grid) -> NDArray[np.float64]:
    """Return utilities μ(t): the sprinter starts best, the marathoner ends best, two algorithms never win."""
    s = grid.scaled[:, None]
    early = np.array([1.8, 1.2, 0.0, 0.2, -1.6])
    late = np.array([0.2, 1.2, 1.9, -0.2, -2.2])
    turn = 1 / (1 + np.exp(-8 * (s - 0.55)))
    utilities: NDArray[np.float64] = early + (late - early) * turn
    return utilities


def main() -> None:
    """Fit, and print which algorithms can be the right choice for some budget."""
    grid = pb.log_grid(100, 10_000, 30)
    values = sample_rankings(utilities_over(grid), 40, rng=np.random.default_rng(7))
    choices = pb.Choices.from_values(values, grid=grid, names=NAMES)
    posterior = pb.fit(choices, prior=pb.BSpline(), seed=0)

    print(
        f"{len(NAMES)} algorithms on {choices.instances} instances, {len(grid)} budgets from 100 to 10,000 evaluations"
    )
    print(posterior.diagnostics.message)
    print()
    print("Anytime Pareto set at 95 % confidence: " + ", ".join(pb.pareto_set(posterior, confidence=0.95)))
    print()

    membership = pb.pareto_probability(posterior)
    beats = pb.anytime_dominance(posterior)
    width = max(map(len, NAMES))
    print("P(row beats column at every budget)".ljust(width + 2))
    print(" " * width + "".join(f"{name:>13}" for name in NAMES) + f"{'P(Pareto)':>13}")
    for name, row, probability in zip(NAMES, beats, membership, strict=True):
        cells = "".join(f"{'-' if name == other else f'{p:.3f}':>13}" for other, p in zip(NAMES, row, strict=True))
        print(f"{name:<{width}}{cells}{probability:>13.3f}")
    print()

    print("Rating (probability of being first), mean and 95 % interval")
    summary = posterior.summary()
    print(f"{'evaluations':>{width}}" + "".join(f"{name:>20}" for name in NAMES))
    for t in np.linspace(0, len(grid) - 1, 6).astype(int):
        bands = zip(summary.mean[t], summary.lower[t], summary.upper[t], strict=True)
        cells = "".join(f"{f'{mean:.2f} [{low:.2f}, {high:.2f}]':>20}" for mean, low, high in bands)
        print(f"{grid.budgets[t]:>{width},.0f}{cells}")


if __name__ == "__main__":
    main()
