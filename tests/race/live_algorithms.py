"""Algorithms and instances for races with real runs: small, in plain Python, so that workers start fast."""

import os
import random
import time
from functools import partial

GRID = (1.0, 2.0, 4.0, 8.0)


def instance(index, seed):
    """A problem that is a number, different for each instance."""
    return index + seed / 2**32


def staircase(problem, seed, budget, *, levels, pause=0.0):
    """Values that fall by a step at each budget of the grid, plus noise and this algorithm's level at that budget."""
    rng = random.Random(seed)
    time.sleep(pause)
    for step, (when, level) in enumerate(zip(GRID, levels, strict=True)):
        noise = rng.gauss(0, 1)
        if when > budget:
            return
        yield when, problem - 1000.0 * step + level + noise


def improvements_only(problem, seed, budget, *, levels):
    """Reports each value a little before its budget, stops at `budget`, and does not report that it ran to the end."""
    for when, value in staircase(problem, seed, budget, levels=levels):
        yield when - 0.5, value


LEVELS = {
    "early": (-1.5, -0.5, 0.5, 1.5),
    "late": (1.5, 0.5, -0.5, -1.5),
    "middle": (0.6, 0.6, 0.6, 0.6),
    "poor": (4.0, 4.0, 4.0, 4.0),
}


def four(pause=0.0):
    """Two algorithms that cross, one that is a little worse than both on average, and one far behind."""
    return {name: partial(staircase, levels=levels, pause=pause) for name, levels in LEVELS.items()}


def budgets_go_back(problem, seed, budget):
    yield 2, 5.0
    yield 1, 4.0


def no_value(problem, seed, budget):
    return iter(())


def returns_nothing(problem, seed, budget):
    return None


def never_early_enough(problem, seed, budget):
    yield budget + 1, 0.0


def fails_until_fixed(problem, seed, budget, *, flag):
    """Raises an exception until a file exists."""
    if not os.path.exists(flag):  # noqa: PTH110
        raise RuntimeError("not yet")
    yield from staircase(problem, seed, budget, levels=(0, 0, 0, 0))


def hangs_on(problem, seed, budget, *, instance, levels, flag):
    """Creates the file `flag` on one instance and then never ends; on others a staircase."""
    if int(problem) == instance:
        with open(flag, "w"):  # noqa: PTH123
            pass
        while True:
            time.sleep(0.05)
    yield from staircase(problem, seed, budget, levels=levels)


def five_instances(index, seed):
    if index >= 5:
        raise StopIteration("only five instances")
    return instance(index, seed)
