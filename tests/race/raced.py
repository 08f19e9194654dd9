"""Algorithms and instances for races that really run: small, in plain Python, so that workers start fast."""

import os
import random
import time
from functools import partial

GRID = (1.0, 2.0, 4.0, 8.0)


def instance(index, seed):
    """A number that the run can show: the instance's own."""
    return index + seed / 2**32


def staircase(problem, seed, until, *, levels, pause=0.0):
    """Values that fall by a step at each time of the grid, plus noise and the level of this algorithm there."""
    rng = random.Random(seed)
    time.sleep(pause)
    for step, (when, level) in enumerate(zip(GRID, levels, strict=True)):
        noise = rng.gauss(0, 1)
        if when > until:
            return
        yield when, problem - 1000.0 * step + level + noise


def improvements_only(problem, seed, until, *, levels):
    """Finds each value a little before its time, looks at `until`, and does not say that it ran until then."""
    for when, value in staircase(problem, seed, until, levels=levels):
        yield when - 0.5, value


LEVELS = {
    "early": (-1.5, -0.5, 0.5, 1.5),
    "late": (1.5, 0.5, -0.5, -1.5),
    "middle": (0.6, 0.6, 0.6, 0.6),
    "poor": (4.0, 4.0, 4.0, 4.0),
}


def four(pause=0.0):
    """Two that cross, one that is a little worse than both on average, one far behind."""
    return {name: partial(staircase, levels=levels, pause=pause) for name, levels in LEVELS.items()}


def times_go_back(problem, seed, until):
    yield 2, 5.0
    yield 1, 4.0


def no_value(problem, seed, until):
    return iter(())


def returns_nothing(problem, seed, until):
    return None


def never_early_enough(problem, seed, until):
    yield until + 1, 0.0


def raises_on_odd(problem, seed, until):
    yield 1, problem
    if int(problem) % 2:
        raise KeyError("an odd instance")
    yield 8, problem - 5000.0


def fails_until_mended(problem, seed, until, *, flag):
    """Raises until a file is there."""
    if not os.path.exists(flag):  # noqa: PTH110
        raise RuntimeError("not yet")
    yield from staircase(problem, seed, until, levels=(0, 0, 0, 0))


def hangs_in_the_third(problem, seed, until, *, flag):
    """Marks that it hangs, and never ends."""
    if int(problem) == 2:
        with open(flag, "w"):  # noqa: PTH123
            pass
        while True:
            time.sleep(0.05)
    yield from staircase(problem, seed, until, levels=(0, 0, 0, 0))


def runs_out(index, seed):
    if index >= 5:
        raise StopIteration("only five instances")
    return instance(index, seed)
