"""The wrapper for plain optimisers, which counts and records the evaluations of their objective."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

from polarbear.algorithms.record_run import Wrapped
from polarbear.algorithms.signature import check_callable

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.algorithms.recorder import Recorder


def counted(function: Callable[[Any, int | None, Any], object]) -> Counted:
    """Make an algorithm from a plain optimiser `function(objective, budget, rng)`.

    Parameters
    ----------
    function
        Called with an objective, the number of evaluations that it may use (None if seconds are counted), and a
        `numpy.random.Generator`. Each call `objective(x)` is counted and its value recorded. The call after the last
        allowed one raises `BudgetReached` and ends the run, so the function may loop forever. All other attributes of
        the objective are those of the problem (`objective.bounds`, `objective.dimension`). The function's return
        value is ignored.

    Returns
    -------
    Counted
        An algorithm; `counted` also works as a decorator.

    Examples
    --------
    >>> @counted
    ... def random_search(objective, budget, rng):
    ...     while True:
    ...         objective(rng.uniform(-5, 5))
    >>> random_search(lambda x: round(x**2, 2), seed=0, budget=20)
    [(1.0, 1.88), (7.0, 1.14), (9.0, 0.19), (18.0, 0.17)]
    """
    check_callable(function, ("objective", "budget", "rng"), wrapper="counted")
    return Counted(function)


@dataclass(frozen=True)
class Counted(Wrapped):
    """A plain optimiser whose evaluations are counted; see `counted`."""

    function: Callable[[Any, int | None, Any], object]

    def record(self, problem: Any, seed: int, recorder: Recorder) -> bool:
        from numpy.random import default_rng

        recorder.keep_time()
        self.function(Objective(problem, recorder), recorder.allowed, default_rng(seed))
        return not recorder.exhausted


class Objective:
    """A problem whose evaluations are counted and recorded; all other attributes are attributes of the problem."""

    def __init__(self, problem: Any, recorder: Recorder) -> None:
        if not callable(problem):
            raise ValueError(
                f"expected a problem that can be called with a point, got {reprlib.repr(problem)}; give it a `__call__`, "
                "or write the algorithm as `run(problem, seed, budget)` that yields (budget, value)"
            )
        self._problem, self._recorder = problem, recorder

    def __call__(self, *point: Any, **keywords: Any) -> Any:
        self._recorder.count()
        value = self._problem(*point, **keywords)
        self._recorder.report(value)
        return value

    def __getattr__(self, name: str) -> Any:
        return getattr(self._problem, name)

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            "expected the objective to be called in the process of the run, got an attempt to send it to another, "
            "where its evaluations could not be counted; evaluate in this process or in its threads"
        )
