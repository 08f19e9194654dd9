"""Families of algorithms that must know their budget, with one member per budget."""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from polarbear.algorithms.record_run import Wrapped, run_into
from polarbear.algorithms.recorder import number
from polarbear.algorithms.signature import check_callable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from polarbear.algorithms.record_run import Algorithm
    from polarbear.algorithms.recorder import Recorder


def family(name: str, make: Callable[[Any], Algorithm], budgets: Iterable[float]) -> dict[str, Algorithm]:
    """Make a family A(b) of algorithms, with one member per budget b.

    A member runs until its budget at most and then ends by itself; its best value stays constant afterwards.

    Parameters
    ----------
    name
        The name of the family; its members are called "name(budget)".
    make
        `make(budget)` returns the algorithm with this budget.
    budgets
        The budgets, in the unit of the race; all different, finite and above zero.

    Returns
    -------
    dict
        The algorithms by name.

    Examples
    --------
    >>> def cooling(budget):
    ...     def run(problem, seed, budget):
    ...         for t in range(1, budget + 1):
    ...             yield t, problem * (1 - t / budget)
    ...     return run
    >>> members = family("cooling", cooling, [2, 4])
    >>> list(members)
    ['cooling(2)', 'cooling(4)']
    >>> members["cooling(2)"](8.0, seed=1, budget=100)
    [(1.0, 4.0), (2.0, 0.0)]
    """
    if not name:
        raise ValueError(f"expected a name for the family, got {name!r}")
    check_callable(make, ("budget",), wrapper="family")
    members: dict[str, Algorithm] = {}
    for budget in budgets:
        limit = number(budget, "a budget")
        if not 0 < limit < math.inf:
            raise ValueError(f"expected budgets above zero and finite for the family {name!r}, got {budget!r}")
        member = f"{name}({int(limit) if limit.is_integer() else limit})"
        if member in members:
            raise ValueError(f"expected different budgets for the family {name!r}, got {budget!r} twice")
        algorithm = make(budget)
        if not callable(algorithm):
            raise ValueError(
                f"expected make({budget!r}) of the family {name!r} to return an algorithm, got "
                f"{reprlib.repr(algorithm)}, which cannot be called"
            )
        members[member] = Member(algorithm, limit)
    if not members:
        raise ValueError(f"expected at least one budget for the family {name!r}, got none")
    return members


@dataclass(frozen=True)
class Member(Wrapped):
    """An algorithm that knows its budget, and ends there; see `family`."""

    algorithm: Algorithm
    budget: float

    def record(self, problem: Any, seed: int, recorder: Recorder) -> bool:
        last = self.budget <= recorder.budget
        with recorder.limited_to(self.budget):
            ended = run_into(self.algorithm, problem, seed, recorder)
        return ended or last
