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
        Known until the first member's end. What a failed member had found stays with the portfolio, which goes on with the
        others, and has failed once all of them have.

    Examples
    --------
    >>> runs = [Trajectory("a", 0, [1, 5], [9.0, 3.0], until=10), Trajectory("b", 0, [2], [4.0], until=8)]
    >>> (both,) = virtual_portfolio(runs, ["a", "b"])
    >>> both.algorithm, both.values.tolist(), both.until
    ('a + b', [9.0, 4.0, 3.0], 8.0)
    """
    wanted = (members,) if isinstance(members, str) else tuple(members)
    if len(wanted) < 2 or len(set(wanted)) < len(wanted):
        raise ValueError(f"expected two or more different members, got {', '.join(map(repr, wanted)) or 'none'}")
    by_instance: dict[Hashable, dict[str, Trajectory]] = {}
    for run in runs:
        own = by_instance.setdefault(run.instance, {})
        if run.algorithm in wanted and run.algorithm in own:
            raise ValueError(
                f"expected one run of each member on an instance, got two of {run.algorithm!r} on {run.instance!r}; "
                "give repeated runs instances of their own"
            )
        own[run.algorithm] = run
    complete = {i: [own[m] for m in wanted] for i, own in by_instance.items() if all(m in own for m in wanted)}
    if not complete:
        raise ValueError(f"expected instances on which all of {', '.join(wanted)} were run, got none")
    return [_together(runs, name or " + ".join(wanted), combine) for runs in complete.values()]


def _together(
    runs: list[Trajectory], name: str, combine: Callable[[Hashable, Array, Array], ArrayLike] | None
) -> Trajectory:
    maximise, instance = runs[0].maximise, runs[0].instance
    if any(run.maximise != maximise for run in runs):
        raise ValueError(f"expected members that all minimise or all maximise, got both on instance {instance!r}")
    failed = all(run.failed for run in runs)
    until = max(run.until for run in runs) if failed else min(run.until for run in runs if not run.failed)
    times = np.unique(np.concatenate([run.times for run in runs]))
    times = times[times <= until]
    worst = -math.inf if maximise else math.inf
    steps = [np.concatenate([[worst], run.values]) for run in runs]
    values = np.array(
        [each[np.searchsorted(run.times, times, side="right")] for each, run in zip(steps, runs, strict=True)]
    )
    if combine is None:
        quality = values.max(axis=0) if maximise else values.min(axis=0)
    else:
        quality = np.asarray(combine(instance, times, values), dtype=np.float64)
        if quality.shape != times.shape:
            raise ValueError(f"combine must give one value for each of {len(times)} times, got shape {quality.shape}")
    return Trajectory(
        name, instance, times, quality, until=until, failed=failed, maximise=maximise, cluster=runs[0].cluster
    )
