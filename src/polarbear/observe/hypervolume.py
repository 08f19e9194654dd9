"""The hypervolume over time, which turns runs with several objectives into trajectories of one quality.

The hypervolume of a set of points is the volume that they dominate, bounded by a reference point. It is maximised, and
it grows whenever a run finds a point that none of its earlier points dominates and that is better than the reference
point in every objective. All objectives are minimised here; maximised ones, and their reference, have the opposite sign.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.archive import Front

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array
    from polarbear.observe.archive import Archive
    from polarbear.observe.trajectory import Trajectory

MARGIN = 0.1
"""The share of the range by which a reference point lies beyond the worst value.

A point on the boundary would add nothing; one tenth is the usual margin, as in IOHinspector's examples.
"""


class HypervolumeSoFar:
    """The hypervolume of the points that were added so far.

    It is computed anew from the front whenever the front changes, so that equal fronts have equal hypervolumes and tie,
    in whatever order their points were found.

    Parameters
    ----------
    reference
        The reference point.

    Examples
    --------
    >>> so_far = HypervolumeSoFar(np.array([4.0, 4.0]))
    >>> [so_far.add(np.array(point)) for point in [(5.0, 0.0), (2.0, 3.0), (3.0, 3.5), (3.0, 1.0)]]
    [0.0, 2.0, 2.0, 4.0]
    """

    def __init__(self, reference: Array) -> None:
        self._reference = reference
        self._front = Front(len(reference))
        self.value = 0.0

    def add(self, point: Array) -> float:
        """Add a point, and return the hypervolume so far."""
        if (point < self._reference).all() and self._front.add(point):
            # Rounding must not let it fall.
            self.value = max(self.value, hypervolume(self._front.values, self._reference))
            if math.isinf(self.value):
                raise ValueError(
                    f"expected objectives whose hypervolume is a finite number, got {point.tolist()} with the reference "
                    f"point {self._reference.tolist()}; give a closer reference"
                )
        return self.value


def hypervolume(front: Array, reference: Array) -> float:
    """Return the hypervolume of a front of nondominated points that are better than the reference in every objective.

    For two objectives it is a sum of rectangles, which takes a tenth of the time of a general algorithm on fronts of some
    thousand points. More objectives need moocore.

    Parameters
    ----------
    front
        The points, shape (objective, point), in the order of their first objective.
    reference
        The reference point.
    """
    if len(reference) == 2:
        widths = np.diff(front[0], append=reference[0])
        with np.errstate(over="ignore"):
            return float((widths * (reference[1] - front[1])).sum())
    try:
        import moocore
    except ImportError as error:
        raise ImportError(
            "the hypervolume of three or more objectives needs moocore: pip install 'polarbear-anytime[objectives]'"
        ) from error
    return float(moocore.hypervolume(front.T[np.lexsort(front)], ref=reference))


def reference_point(archives: Sequence[Archive]) -> Array:
    """Return the reference point for all runs on one instance, from their own data.

    It lies beyond the worst value of each objective in all archives, by one tenth of the range of the objective. So every
    run has a positive hypervolume from its first point on, and runs can be compared from the start. The nondominated
    points of all runs together, another usual choice, would leave most runs at zero until they come close to the front.
    """
    points = np.concatenate([each.points for each in archives])
    worst = points.max(axis=0)
    span = worst - points.min(axis=0)
    reference: Array = worst + np.where(span > 0, MARGIN * span, 1.0)
    return reference


def measure_run(run: Trajectory, archive: Archive) -> Trajectory:
    """Return a run with the hypervolume of its archive, which has a reference point, as its value.

    Examples
    --------
    >>> from polarbear.observe.archive import Archive
    >>> from polarbear.observe.trajectory import Trajectory
    >>> archive = Archive.of([1, 2], [[2.0, 3.0], [3.0, 1.0]], np.array([4.0, 4.0]))
    >>> measure_run(Trajectory("NSGA-II", 1, [1], [2.0], end=5), archive).values.tolist()
    [2.0, 4.0]
    """
    assert archive.reference is not None
    so_far = HypervolumeSoFar(archive.reference)
    values = [so_far.add(point) for point in archive.points]
    return replace(run, budgets=archive.budgets, values=np.array(values), maximise=True, archive=archive)
