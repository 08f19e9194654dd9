"""The baseline for races: drops by significance tests after each batch of instances, as in irace, at all budgets.

At each budget Friedman's test decides whether the candidates differ, and Wilcoxon's signed-rank test which of two is better.
All pairs are compared, since no algorithm need be the best at all budgets. An algorithm is dropped when one other
algorithm is significantly better at every budget. There is no correction for repeated testing.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

if TYPE_CHECKING:
    from polarbear.arrays import Array


def drop_by_rank_tests(values: Array, *, level: float, batch: int) -> tuple[list[int], int, int]:
    """Return the dropped algorithms, the number of instances used, and the number of runs.

    Parameters
    ----------
    values
        Shape (instance, budget, algorithm), lower is better.
    level
        The significance level of each test.
    batch
        The number of instances between two analyses.
    """
    instances, _, algorithms = values.shape
    inside, dropped, runs, used = list(range(algorithms)), [], 0, 0
    while used < instances and len(inside) > 1:
        before, used = used, min(used + batch, instances)
        runs += (used - before) * len(inside)
        for loser in _find_beaten(values[:used][..., inside], level):
            dropped.append(inside[loser])
        inside = [each for each in inside if each not in dropped]
    return dropped, used, runs


def _find_beaten(values: Array, level: float) -> list[int]:
    """Return the positions of the algorithms that another one beats significantly at every budget.

    No algorithm is dropped because of one in the result, so at least one algorithm remains.
    """
    budgets, algorithms = values.shape[1:]
    if algorithms > 2:
        differ = all(
            stats.friedmanchisquare(*values[:, t].T).pvalue < level for t in range(budgets) if np.ptp(values[:, t]) > 0
        )
        if not differ:
            return []
    beaten: list[int] = []
    for a in range(algorithms):
        others = [b for b in range(algorithms) if b != a and b not in beaten]
        if any(_is_worse(values[..., a] - values[..., b], level) for b in others):
            beaten.append(a)
    return beaten


def _is_worse(difference: Array, level: float) -> bool:
    """Return whether differences (instance, budget), positive if worse, are significantly positive at every budget."""
    if (difference.mean(axis=0) <= 0).any():  # saves the tests
        return False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about ties, and about samples too small for the normal approximation
        test = stats.wilcoxon(difference, alternative="greater", axis=0, method="approx")
    return bool(np.all(test.pvalue < level))
