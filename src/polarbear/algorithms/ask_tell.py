"""The wrapper for optimisers with `ask` and `tell`."""

from __future__ import annotations

import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from polarbear.algorithms.counted import Objective
from polarbear.algorithms.record_run import Wrapped
from polarbear.algorithms.signature import check_callable
from polarbear.literals import Style

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.algorithms.recorder import Recorder


def ask_tell(make: Callable[[Any, Any], Any], *, style: Style = "auto", restart: bool = False) -> AskTell:
    """Make an algorithm from an optimiser with `ask` and `tell`.

    Parameters
    ----------
    make
        `make(problem, rng)` returns a new optimiser; `rng` is a `numpy.random.Generator`.
    style
        "point": `ask()` returns a point, and `tell(point, value)` takes its value. "batch": `ask()` returns a list of
        points, and `tell(points, values)` takes their values, as in `cma`. "pairs": `ask()` returns a point, and
        `tell([(point, value), ...])` is called after every `population_size` points, as in `cmaes`. "auto" selects
        "pairs" if the optimiser has a `population_size`, "batch" if `ask()` returns a list of points or a matrix, and
        "point" otherwise.
    restart
        Whether to create a new optimiser, rather than end the run, when its own `should_stop()` or `stop()` is true.

    Returns
    -------
    AskTell
        An algorithm. `tell` receives the values as the problem returns them.

    Examples
    --------
    >>> class Walk:
    ...     best, value = 8.0, float("inf")
    ...     def ask(self):
    ...         return self.best / 2
    ...     def tell(self, point, value):
    ...         if value < self.value:
    ...             self.best, self.value = point, value
    >>> ask_tell(lambda problem, rng: Walk())(lambda x: x**2, seed=1, budget=3)
    [(1.0, 16.0), (2.0, 4.0), (3.0, 1.0)]
    """
    check_callable(make, ("problem", "rng"), wrapper="ask_tell")
    if style not in get_args(Style):
        raise ValueError(f"expected style='auto', 'point', 'batch' or 'pairs', got {style!r}")
    return AskTell(make, style, bool(restart))


@dataclass(frozen=True)
class AskTell(Wrapped):
    """An optimiser with `ask` and `tell`; see `ask_tell`."""

    make: Callable[[Any, Any], Any]
    style: Style = "auto"
    restart: bool = False

    def record(self, problem: Any, seed: int, recorder: Recorder) -> bool:
        from numpy.random import default_rng

        recorder.keep_time()
        objective, rng = Objective(problem, recorder), default_rng(seed)
        self._minimise(objective, problem, rng)
        while self.restart:
            self._minimise(objective, problem, rng)
        return not recorder.exhausted

    def _minimise(self, objective: Objective, problem: Any, rng: Any) -> None:
        """Ask, evaluate and tell until the optimiser stops by itself."""
        optimiser = self.make(problem, rng)
        for method in ("ask", "tell"):
            if not callable(getattr(optimiser, method, None)):
                raise ValueError(f"expected an optimiser with `ask` and `tell`, got {reprlib.repr(optimiser)}")
        done = getattr(optimiser, "should_stop", None) or getattr(optimiser, "stop", None)
        evaluated: list[tuple[Any, Any]] = []
        while True:
            points = optimiser.ask()
            style = _style_of(optimiser, points) if self.style == "auto" else self.style
            if style == "batch":
                optimiser.tell(points, [objective(point) for point in points])
            elif style == "point":
                optimiser.tell(points, objective(points))
            else:
                evaluated.append((points, objective(points)))
                if len(evaluated) < optimiser.population_size:
                    continue
                optimiser.tell(evaluated)
                evaluated = []
            if callable(done) and done():
                return


def _style_of(optimiser: Any, points: Any) -> Style:
    """Return the style of an optimiser whose `ask` returned these points, or this one point."""
    if hasattr(optimiser, "population_size"):
        return "pairs"
    if getattr(points, "ndim", 0) == 2:
        return "batch"
    is_list_of_points = isinstance(points, (list, tuple)) and len(points) > 0 and hasattr(points[0], "__len__")
    return "batch" if is_list_of_points else "point"
