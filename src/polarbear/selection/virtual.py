"""A portfolio as an algorithm of its own, from stored runs: where parallel runs combine to more than their best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe import Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]


def virtual_portfolio(
    runs: Iterable[Trajectory],
    members: Sequence[str],
    *,
    name: str | None = None,
    combine: Callable[[Hashable, Array, Array], ArrayLike] | None = None,
) -> list[Trajectory]:
    """Runs of a portfolio whose members ran side by side, one for each instance on which all of them were run.

    The rating of a portfolio is the sum of its members' only where its quality is the best of theirs. Where parallel runs
    combine to more, as sets of solutions do under hypervolume, add what this returns to the runs and fit again.

    Parameters
    ----------
    runs
        Stored runs of all algorithms.
    members
        The algorithms, all different.
    name
        What to call it; "a + b" by default.
    combine
        From (instance, times, values of shape (member, time)) to the quality at these times, the times at which any member
        improved; the best value by default.

    Returns
    -------
    list of Trajectory
        Failed where a member failed, known until the first member's end.

    Examples
    --------
    >>> runs = [Trajectory("a", 0, [1, 5], [9.0, 3.0], until=10), Trajectory("b", 0, [2], [4.0], until=8)]
    >>> (both,) = virtual_portfolio(runs, ["a", "b"])
    >>> both.algorithm, both.values.tolist(), both.until
    ('a + b', [9.0, 4.0, 3.0], 8.0)
    """
    wanted = tuple(members)
    if len(wanted) < 2 or len(set(wanted)) < len(wanted):
        raise ValueError(f"expected two or more different members, got {', '.join(map(repr, wanted)) or 'none'}")
    by_instance: dict[Hashable, dict[str, Trajectory]] = {}
    for run in runs:
        by_instance.setdefault(run.instance, {})[run.algorithm] = run
    complete = {i: [own[m] for m in wanted] for i, own in by_instance.items() if all(m in own for m in wanted)}
    if not complete:
        raise ValueError(f"expected instances on which all of {', '.join(wanted)} were run, got none")
    return [_together(runs, name or " + ".join(wanted), combine) for runs in complete.values()]


def _together(
    runs: list[Trajectory], name: str, combine: Callable[[Hashable, Array, Array], ArrayLike] | None
) -> Trajectory:
    maximise, instance = runs[0].maximise, runs[0].instance
    until = min(run.until for run in runs)
    times = np.unique(np.concatenate([run.times for run in runs]))
    times = times[times <= until]
    # A failed member shows what it had found before it failed; the portfolio's own failure is told below.
    values = np.array([run.values[np.maximum(np.searchsorted(run.times, times, side="right") - 1, 0)] for run in runs])
    worst = -math.inf if maximise else math.inf
    for row, run in zip(values, runs, strict=True):
        row[times < (run.times[0] if run.times.size else math.inf)] = worst
    if combine is None:
        quality = values.max(axis=0) if maximise else values.min(axis=0)
    else:
        quality = np.asarray(combine(instance, times, values), dtype=np.float64)
        if quality.shape != times.shape:
            raise ValueError(f"combine must give one value for each of {len(times)} times, got shape {quality.shape}")
    failed = any(run.failed and run.until <= until for run in runs)
    return Trajectory(name, instance, times, quality, until=until, failed=failed, maximise=maximise)
