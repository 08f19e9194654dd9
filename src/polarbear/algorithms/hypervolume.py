"""Live runs with several objectives: a problem whose runs are recorded by the hypervolume of their points so far."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polarbear.observe.archive import Archive


@dataclass(frozen=True, init=False)
class Hypervolume:
    """A problem with several objectives, whose runs are recorded by the hypervolume of all points evaluated so far.

    Calls return the objectives of the problem unchanged. The recorded value is the volume that the points of a run
    dominate, bounded by the reference point. It is maximised: race with `maximise=True`. A point counts if it is better
    than the reference point in every objective; before the first such point the value is zero.

    An algorithm that yields pairs yields (budget, objectives). All other attributes are attributes of the problem.

    Parameters
    ----------
    problem
        A callable that returns one number per objective.
    reference
        The reference point, one number per objective. It must not depend on the runs, so give it beforehand: a point that
        is worse than all results worth having. Three or more objectives need the extra `polarbear-anytime[objectives]`.
    maximise
        Whether the objectives are maximised. For objectives with different directions, change the sign of some.

    Examples
    --------
    >>> from polarbear.algorithms import counted
    >>> problem = Hypervolume(lambda x: (x, 1 - x**2), reference=[1.0, 1.0])
    >>> search = counted(lambda objective, budget, rng: [objective(x) for x in (0.5, 0.4, 0.9)])
    >>> [(budget, round(value, 3)) for budget, value in search(problem, seed=0, budget=3, maximise=True)]
    [(1.0, 0.125), (2.0, 0.141), (3.0, 0.197)]
    """

    problem: Any
    reference: tuple[float, ...]
    maximise: bool = False

    def __init__(self, problem: Any, reference: Iterable[float], maximise: bool = False) -> None:
        try:
            point = tuple(map(float, reference))
        except (TypeError, ValueError):
            point = ()
        if len(point) < 2 or not all(map(math.isfinite, point)):
            raise ValueError(
                "expected a reference point of two or more numbers, one per objective, for pb.Hypervolume, got "
                f"{reprlib.repr(reference)}"
            )
        object.__setattr__(self, "problem", problem)
        object.__setattr__(self, "reference", point)
        object.__setattr__(self, "maximise", bool(maximise))

    def __call__(self, *point: Any, **keywords: Any) -> Any:
        """Return the objectives of a point."""
        return self.problem(*point, **keywords)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "problem":  # while it is unpickled, there is no problem yet
            raise AttributeError(name)
        return getattr(self.problem, name)


class Measure:
    """The hypervolume of one run on such a problem, as the recorder of the run computes it.

    Parameters
    ----------
    problem
        The problem.
    """

    def __init__(self, problem: Hypervolume) -> None:
        import numpy as np

        from polarbear.observe.hypervolume import HypervolumeSoFar

        self._sign = -1.0 if problem.maximise else 1.0
        self._reference = self._sign * np.array(problem.reference)
        self._so_far = HypervolumeSoFar(self._reference)
        self._budgets: list[float] = []
        self._points: list[Any] = []

    def __call__(self, budget: float, objectives: object) -> float:
        """Add a point found at this budget, and return the hypervolume so far.

        NaN in an objective gives NaN; a point with an infinitely bad one counts as no point.
        """
        import numpy as np

        try:
            point = self._sign * np.asarray(objectives, dtype=np.float64)
        except (TypeError, ValueError):
            point = np.empty(0)
        if point.shape != self._reference.shape:
            raise ValueError(
                f"expected {len(self._reference)} objectives, as many as in the reference point, got "
                f"{reprlib.repr(objectives)}"
            )
        if np.isnan(point).any():
            return math.nan
        if np.isposinf(point).any():
            return self._so_far.value if self._budgets else -math.inf
        before = self._so_far.value
        # The first point shows when the run began, even if it adds nothing.
        if self._so_far.add(point) > before or not self._budgets:
            self._budgets.append(budget)
            self._points.append(point)
        return self._so_far.value

    def archive(self) -> Archive:
        """Return the first point of the run, and those that enlarged the hypervolume."""
        import numpy as np

        from polarbear.observe.archive import Archive

        return Archive.of(self._budgets, np.reshape(self._points, (-1, len(self._reference))), self._reference)
