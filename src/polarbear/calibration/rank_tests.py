"""The peer: elimination by significance tests after each batch of instances, in the manner of irace, at all times.

At each time Friedman's test asks whether the candidates differ at all, and Wilcoxon's signed-rank test which of two is
better. Since nobody need be the best at all times, each is compared with each. An algorithm is out when the same other one
is significantly better at every time. Nothing is done about testing again and again.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


def eliminated_by_rank_tests(values: Array, *, level: float, batch: int) -> tuple[list[int], int, int]:
    """Who goes out, after how many instances nothing is left to test, and how many runs that took.

    Parameters
    ----------
    values
        Shape (instance, time, algorithm), lower is better.
    level
        Of each test.
    batch
        Instances between two looks.
    """
    instances, _, algorithms = values.shape
    inside, out, runs, seen = list(range(algorithms)), [], 0, 0
    while seen < instances and len(inside) > 1:
        before, seen = seen, min(seen + batch, instances)
        runs += (seen - before) * len(inside)
        for loser in _beaten(values[:seen][..., inside], level):
            out.append(inside[loser])
        inside = [each for each in inside if each not in out]
    return out, seen, runs


def _beaten(values: Array, level: float) -> list[int]:
    """Positions of those that another one beats significantly at every time; the last of all stays."""
    times, algorithms = values.shape[1:]
    if algorithms > 2:
        differ = all(
            stats.friedmanchisquare(*values[:, t].T).pvalue < level for t in range(times) if np.ptp(values[:, t]) > 0
        )
        if not differ:
            return []
    found: list[int] = []
    for a in range(algorithms):
        others = [b for b in range(algorithms) if b != a and b not in found]
        if any(_worse(values[..., a] - values[..., b], level) for b in others):
            found.append(a)
    return found


def _worse(difference: Array, level: float) -> bool:
    """Whether differences (instance, time), where positive is worse, are significantly positive at every time."""
    if (difference.mean(axis=0) <= 0).any():  # spares the tests
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ties, and of samples that are small for the normal approximation
        tested = stats.wilcoxon(difference, alternative="greater", axis=0, method="approx")
    return bool(np.all(tested.pvalue < level))
