"""Repeated runs: all runs on one problem, ranked together.

A ranking compares the runs of one instance. If instances are repetitions of one problem, their values can be compared as
well: such ranks show how often a second run of an algorithm is better than the first one, or than another algorithm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.observe.rankings import ABSENT, UNRANKED, RepeatedRuns
from polarbear.observe.values import rank_values

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import NDArray


def rank_repeated_runs(values: NDArray[Any], problems: Iterable[Hashable], **tolerances: Any) -> RepeatedRuns | None:
    """Rank all runs on each problem together; return None if no problem was repeated.

    Parameters
    ----------
    values
        Shape (instance, budget, algorithm), as in `Choices.from_values`.
    problems
        The problem of each instance; instances with equal labels are repetitions.
    **tolerances
        Options of `rank_values`.

    Examples
    --------
    >>> runs = rank_repeated_runs(np.array([[[1.0, 4.0]], [[3.0, 2.0]], [[5.0, 6.0]]]), ["sphere", "sphere", "ackley"])
    >>> runs.ranks.tolist(), runs.problem.tolist()
    ([[[0, 3]], [[2, 1]], [[-1, -1]]], [0, 0, 1])
    """
    numbers: dict[Hashable, int] = {}
    try:
        problem = np.array([numbers.setdefault(label, len(numbers)) for label in problems], dtype=np.intp)
    except TypeError as error:
        raise ValueError(
            f"expected the problem of each instance as labels that can be hashed, got {problems!r}"
        ) from error
    instances, budgets, algorithms = values.shape
    if len(problem) != instances:
        raise ValueError(
            f"expected the problem of each of {instances} instances, got {len(problem)}; label every instance"
        )
    if len(numbers) == instances:
        return None
    ranks = np.full(values.shape, ABSENT, dtype=np.int16)
    order = np.argsort(problem, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(problem[order])) + 1):
        # Ranks are 16-bit integers, so that at most 32,767 runs on a problem are ranked, the first ones.
        ranked = rows[: UNRANKED // algorithms]
        if len(ranked) > 1:
            together = rank_values(values[ranked].swapaxes(0, 1).reshape(budgets, -1), **tolerances)
            ranks[ranked] = together.reshape(budgets, len(ranked), algorithms).swapaxes(0, 1)
    ranks.flags.writeable = problem.flags.writeable = False
    return RepeatedRuns(ranks, problem)
