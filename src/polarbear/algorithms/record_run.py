"""Run an algorithm of any form into a recorder."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Iterable, Mapping
from types import GeneratorType
from typing import TYPE_CHECKING, Any

from polarbear.algorithms.hypervolume import Hypervolume, Measure
from polarbear.algorithms.recorder import BudgetReached, Recorder

if TYPE_CHECKING:
    from collections.abc import Hashable

    from polarbear.literals import Clock
    from polarbear.observe import Trajectory

Algorithm = Callable[[Any, int, float], Iterable[Any]]


class Wrapped:
    """An algorithm that reports to a recorder, made by `counted`, `ask_tell`, `command` or `family`.

    Called directly, it returns the list of improvements (budget, value), which is useful for a first try.
    """

    def record(self, problem: Any, seed: int, recorder: Recorder) -> bool:
        """Run on a problem into the recorder; return whether the run ended by itself before its budget."""
        raise NotImplementedError

    def __call__(
        self, problem: Any, seed: int, budget: float, *, clock: Clock = "evaluations", maximise: bool = False
    ) -> list[tuple[float, float]]:
        """Run outside a race, and return the improvements (budget, value)."""
        recorder = Recorder(budget, clock, maximise)
        record_run(self, problem, seed, recorder)
        return recorder.events()


def record_run(algorithm: Algorithm, problem: Any, seed: int, recorder: Recorder) -> bool:
    """Run an algorithm on a problem into a recorder.

    Parameters
    ----------
    algorithm
        A callable `algorithm(problem, seed, budget)` that returns or yields pairs (budget, value) in order of budgets, or
        bare values if seconds are counted; or an algorithm made by a wrapper. Nothing is requested after `budget`. An
        algorithm that works until then without an improvement should repeat its last value at `budget`; otherwise its cost
        is taken to be the budget of its last pair.
    problem, seed
        Passed to the algorithm.
    recorder
        Holds the budget at which to stop, and keeps the improvements.

    Returns
    -------
    bool
        Whether the run ended by itself before its budget.

    Examples
    --------
    >>> def halving(problem, seed, budget):
    ...     for step in range(1, 4):
    ...         yield step, problem / 2**step
    >>> recorder = Recorder(budget=100)
    >>> record_run(halving, 8.0, seed=0, recorder=recorder)
    True
    >>> recorder.events()
    [(1.0, 4.0), (2.0, 2.0), (3.0, 1.0)]
    """
    if isinstance(problem, Hypervolume):
        if not recorder.maximise:
            raise ValueError(
                "expected maximise=True with pb.Hypervolume, whose values are maximised, got maximise=False"
            )
        recorder.measure = Measure(problem)
    recorder.start()
    ended = run_into(algorithm, problem, seed, recorder)
    if not recorder.found:
        raise ValueError(_explain_no_value(recorder, ended))
    return ended


def run_once(
    algorithm: Algorithm,
    problem: Any,
    seed: int,
    budget: float,
    *,
    name: str,
    instance: Hashable,
    clock: Clock = "evaluations",
    maximise: bool | None = None,
) -> Trajectory:
    """Run an algorithm in this process, outside a race, and return its trajectory.

    On a `Hypervolume` problem the trajectory has an archive, so that `virtual_portfolio` can merge it with others. Race
    files do not store archives.

    Parameters
    ----------
    algorithm, problem, seed, until
        As in `record_run`.
    name, instance
        The labels of the trajectory.
    clock
        The unit of budgets: "evaluations" or "seconds".
    maximise
        Whether higher values are better; by default only on `Hypervolume` problems.

    Examples
    --------
    >>> def halving(problem, seed, budget):
    ...     for step in range(1, 4):
    ...         yield step, problem / 2**step
    >>> run_once(halving, 8.0, seed=0, budget=100, name="halving", instance=1)
    Trajectory('halving' on 1: 3 improvements until 100)
    """
    from polarbear.observe import Trajectory

    recorder = Recorder(budget, clock, isinstance(problem, Hypervolume) if maximise is None else maximise)
    record_run(algorithm, problem, seed, recorder)
    events = recorder.events()
    archive = None if recorder.measure is None else recorder.measure.archive()
    budgets, values = [budget for budget, _ in events], [value for _, value in events]
    return Trajectory(name, instance, budgets, values, budget, maximise=recorder.maximise, archive=archive)


def run_into(algorithm: Algorithm, problem: Any, seed: int, recorder: Recorder) -> bool:
    """Run an algorithm into a recorder whose clock is already running; return whether it ended by itself."""
    try:
        if isinstance(algorithm, Wrapped):
            return algorithm.record(problem, seed, recorder)
        return _iterate(algorithm(problem, seed, recorder.budget), recorder)
    except BudgetReached:
        return False


def _iterate(result: object, recorder: Recorder) -> bool:
    # Checks against abstract classes come second: in a forked run, they copy dozens of pages of memory.
    if not isinstance(result, GeneratorType) and (
        isinstance(result, (str, bytes, Mapping)) or not isinstance(result, Iterable)
    ):
        raise ValueError(
            f"expected an algorithm that yields or returns pairs (budget, value), got {reprlib.repr(result)}; "
            "write it as a generator with `yield budget, value`, or wrap a plain optimiser with pb.counted"
        )
    events = iter(result)
    try:
        for event in events:
            recorder.take(event)
    finally:
        close = getattr(events, "close", None)  # runs a generator's own clean-up now
        if callable(close):
            close()
    return not recorder.exhausted


def _explain_no_value(recorder: Recorder, ended: bool) -> str:
    wanted = f"expected at least one value by {recorder.clock} {recorder.budget:g}"
    if recorder.first_late is not None:
        return (
            f"{wanted}, got the first at {recorder.first_late:g}; "
            "report earlier, or let the race run to a larger budget"
        )
    if recorder.not_a_number:
        return f"{wanted}, got only NaN; check the problem at these points"
    how = "the algorithm ended without one" if ended else "the algorithm reported none"
    return f"{wanted}, but {how}; yield (budget, value) whenever a better value is found"
