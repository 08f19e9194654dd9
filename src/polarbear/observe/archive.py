"""Archives of runs with several objectives: the points that no earlier point of their run dominated.

All objectives are minimised here; maximised ones have the opposite sign.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.read_only import as_read_only

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Mask

_AT_ONCE = 256  # points that are compared with the front at once; most are dominated and need no step of their own


class Front:
    """The nondominated points so far, in the order of their first objective.

    Parameters
    ----------
    objectives
        The number of objectives.

    Examples
    --------
    >>> front = Front(2)
    >>> [front.add(np.array(point)) for point in [(3.0, 3.0), (4.0, 3.0), (1.0, 4.0), (2.0, 2.0)]]
    [True, False, True, True]
    >>> front.values.tolist()
    [[1.0, 2.0], [4.0, 2.0]]
    """

    def __init__(self, objectives: int) -> None:
        self.values: Array = np.empty((objectives, 0))  # (objective, point)

    def covers(self, points: Array) -> Mask:
        """Return for each row of `points` whether a point of the front is at least as good in every objective."""
        covered: Mask = np.any(np.all(self.values[:, :, None] <= points.T[:, None, :], axis=0), axis=0)
        return covered

    def add(self, point: Array) -> bool:
        """Add a point, remove those that it dominates, and return whether it is nondominated and new."""
        values, column = self.values, point[:, None]
        if (values <= column).all(axis=0).any():
            return False
        values = values.compress((values < column).any(axis=0), axis=1)
        place = values[0].searchsorted(point[0])
        self.values = np.concatenate([values[:, :place], column, values[:, place:]], axis=1)
        return True


@dataclass(frozen=True, eq=False)
class Archive:
    """The points of one run, each with the budget at which it was found; later ones may dominate earlier ones.

    Attributes
    ----------
    budgets
        The budgets, non-decreasing.
    points
        The objectives, shape (point, objective), all minimised.
    reference
        The point to which hypervolumes refer; None if it is not known yet.
    """

    budgets: Array
    points: Array
    reference: Array | None = None

    @classmethod
    def of(cls, budgets: ArrayLike, points: ArrayLike, reference: Array | None = None) -> Archive:
        """Return the archive of all points that a run evaluated, in any order of budgets.

        Points with an infinite objective are left out.

        Examples
        --------
        >>> Archive.of([1, 2, 3], [[3, 3], [4, 3], [2, 2]]).budgets.tolist()
        [1.0, 3.0]
        """
        when, all_points = np.asarray(budgets, dtype=np.float64), np.asarray(points, dtype=np.float64)
        order = np.argsort(when, kind="stable")
        order = order[np.isfinite(all_points[order]).all(axis=1)]
        when, all_points = when[order], all_points[order]
        front, kept = Front(all_points.shape[1]), []
        for start in range(0, len(all_points), _AT_ONCE):
            candidates = np.flatnonzero(~front.covers(all_points[start : start + _AT_ONCE]))
            kept += [start + each for each in candidates if front.add(all_points[start + each])]
        return cls(as_read_only(when[kept], np.float64), as_read_only(all_points[kept], np.float64), reference)

    def divide_budgets(self, divisor: float) -> Archive:
        """Return the same archive with its budgets divided by a positive number."""
        return replace(self, budgets=as_read_only(self.budgets / divisor, np.float64))


def merge_archives(archives: Sequence[Archive], end: float) -> Archive:
    """Return the archive of runs that work side by side, with what they found by the budget `until`.

    Raises
    ------
    ValueError
        If the archives have different reference points, or none.
    """
    references = {None if each.reference is None else tuple(each.reference.tolist()) for each in archives}
    if len(references) > 1 or None in references:
        raise ValueError(
            f"expected archives with the same reference point, got {' and '.join(map(str, references))}; compute all "
            "hypervolumes on an instance with one reference"
        )
    budgets, points = (np.concatenate([getattr(each, name) for each in archives]) for name in ("budgets", "points"))
    early = budgets <= end
    return Archive.of(budgets[early], points[early], archives[0].reference)
