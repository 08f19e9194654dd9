"""A greedy start and random feasible swaps: a baseline without a solver."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NoReturn

import numpy as np
from knapsacks import knapsack

if TYPE_CHECKING:
    from knapsacks import Array, Knapsack


def by_density(problem: Knapsack) -> Array:
    """Return the greedy solution: items by profit per required capacity, as long as they fit."""
    room, chosen = problem.capacities.copy(), np.zeros(len(problem.profits))
    need = (problem.weights / problem.capacities[:, None]).sum(axis=0)
    for item in np.argsort(-problem.profits / need):
        if (problem.weights[:, item] <= room).all():
            room -= problem.weights[:, item]
            chosen[item] = 1
    return chosen


def main() -> NoReturn:
    """Swap items forever, and print each better value."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("instance")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng, problem = np.random.default_rng(options.seed), knapsack(options.instance)
    chosen = by_density(problem)
    value = best = float(problem.profits @ chosen)
    room = problem.capacities - problem.weights @ chosen
    temperature = 0.01 * best
    print(-best, flush=True)
    while True:
        inside, outside = rng.choice(np.flatnonzero(chosen)), rng.choice(np.flatnonzero(chosen == 0))
        gain = problem.profits[outside] - problem.profits[inside]
        left = room + problem.weights[:, inside] - problem.weights[:, outside]
        if (left >= 0).all() and gain > temperature * np.log(rng.random()):
            chosen[inside], chosen[outside], room, value = 0, 1, left, value + gain
            for item in rng.permutation(np.flatnonzero(chosen == 0)):
                if (problem.weights[:, item] <= room).all():
                    chosen[item], room, value = 1, room - problem.weights[:, item], value + problem.profits[item]
        temperature = max(temperature * 0.9999, 1e-9)
        if value > best + 1e-9:
            best = value
            print(-best, flush=True)


if __name__ == "__main__":
    main()
