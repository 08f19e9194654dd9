"""Trajectories: the best value that one run of one algorithm on one instance has found by each budget."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

from polarbear.literals import Ended, Failure
from polarbear.observe.read_only import as_read_only
from polarbear.observe.values import without_sentinels

if TYPE_CHECKING:
    from collections.abc import Hashable

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Indices
    from polarbear.observe.archive import Archive


@dataclass(frozen=True, eq=False, slots=True)  # slots save 48 bytes per run, and imports make a million runs
class Trajectory:
    """The best-so-far step function of one run, which finished, was cut off or failed at the budget `until`.

    y(t) = min {y_e : t_e <= t} over the events e (max if `maximise`). Only strict improvements are kept. A run that
    finished keeps its value for ever; the value of a run that was cut off is unknown afterwards.

    Parameters
    ----------
    algorithm
        The algorithm's name.
    instance
        The label of the instance. Runs of different algorithms with the same label are ranked together.
    budgets, values
        The events: the budgets at which values were found, non-decreasing and not negative, and the values. The worst
        value (+inf, or -inf if `maximise`) means "no solution yet", and so do the values that solvers report without a
        solution, such as 1e20 and 1e30 of either sign. Values need not improve.
    until
        The budget at which the run ended; by default the budget of the last event. `math.inf` stands for a run that
        finished at an unknown budget.
    failed
        Whether the run crashed or timed out at `until`.
    finished
        Whether the run ended by itself at `until`, for example because it reached its target, so that its value is final.
        If a run neither failed nor finished, it was cut off.
    maximise
        Whether higher values are better. All runs that are ranked together must agree.
    cluster
        The cluster of the instance: the function it belongs to, or the instance that this run repeats. Instances
        with equal clusters are not independent. None makes the instance independent of all others.
    archive
        The points behind the values, if these are hypervolumes of several objectives, so that portfolios can merge them.

    Examples
    --------
    >>> run = Trajectory("cma", 1, budgets=[10, 20, 30], values=[5.0, 7.0, 2.0], end=40)
    >>> run.values.tolist()
    [5.0, 2.0]
    >>> run.at([1, 10, 29, 40, 41]).tolist()
    [inf, 5.0, 5.0, 2.0, nan]
    >>> Trajectory("cma", 1, budgets=[10, 20, 30], values=[5.0, 7.0, 2.0], end=40, finished=True).at([40, 41]).tolist()
    [2.0, 2.0]
    """

    algorithm: str
    instance: Hashable
    budgets: Array
    values: Array
    end: float
    failed: bool
    maximise: bool
    cluster: Hashable | None
    finished: bool
    archive: Archive | None

    def __init__(
        self,
        algorithm: str,
        instance: Hashable,
        budgets: ArrayLike,
        values: ArrayLike,
        end: float | None = None,
        failed: bool = False,
        maximise: bool = False,
        cluster: Hashable | None = None,
        finished: bool = False,
        archive: Archive | None = None,
    ) -> None:
        for kind, label in (("instance", instance), ("cluster", cluster)):
            try:
                hash(label)
            except TypeError as error:
                raise ValueError(f"expected a hashable {kind}, such as a number or a tuple, got {label!r}") from error
        try:
            event_budgets, event_values = np.asarray(budgets, dtype=np.float64), np.asarray(values, dtype=np.float64)
        except (TypeError, ValueError) as error:
            run = _describe(algorithm, instance)
            raise ValueError(f"expected numbers as budgets and values of {run}: {error}") from error
        best = math.inf if maximise else -math.inf
        event_values = without_sentinels(event_values, -best)
        if not _are_valid(event_budgets, event_values, best):
            _check_events(_describe(algorithm, instance), event_budgets, event_values, best=best)
        last = float(event_budgets[-1]) if event_budgets.size else None
        if end is None:
            if last is None:
                run = _describe(algorithm, instance)
                raise ValueError(f"expected at least one event or `until` for {run}, got neither; give its duration")
            end = last
        if math.isnan(end) or end < (last or 0.0):
            where, run = "" if last is None else f" at {last:g}", _describe(algorithm, instance)
            raise ValueError(f"expected `until` of {run} to be no earlier than its last event{where}, got {end:g}")
        if failed and finished:
            run = _describe(algorithm, instance)
            raise ValueError(f"expected {run} to be failed or finished, got both; a failed run has no final value")
        kept = _improvements(event_budgets, -event_values if maximise else event_values)
        if kept is not None:
            event_budgets, event_values = event_budgets[kept], event_values[kept]
        object.__setattr__(self, "algorithm", algorithm)
        object.__setattr__(self, "instance", instance)
        object.__setattr__(self, "budgets", as_read_only(event_budgets, np.float64))
        object.__setattr__(self, "values", as_read_only(event_values, np.float64))
        object.__setattr__(self, "end", float(end))
        object.__setattr__(self, "failed", bool(failed))
        object.__setattr__(self, "maximise", bool(maximise))
        object.__setattr__(self, "cluster", cluster)
        object.__setattr__(self, "finished", bool(finished) or (math.isinf(end) and not failed))
        object.__setattr__(self, "archive", archive)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Trajectory):
            return NotImplemented
        return (
            self._key() == other._key()
            and np.array_equal(self.budgets, other.budgets)
            and np.array_equal(self.values, other.values)
        )

    def __hash__(self) -> int:
        return hash((*self._key(), self.budgets.size))

    def __repr__(self) -> str:
        ended = "" if self.ended == "cut off" else f", {self.ended}"
        return (
            f"Trajectory({self.algorithm!r} on {self.instance!r}: {self.budgets.size} improvements "
            f"until {self.end:g}{ended})"
        )

    @property
    def ended(self) -> Ended:
        """How the run ended: "finished", "cut off" or "failed"."""
        return "failed" if self.failed else "finished" if self.finished else "cut off"

    @property
    def known_to(self) -> float:
        """The budget up to which the value is known: for ever if the run finished."""
        return math.inf if self.finished else self.end

    def _key(self) -> tuple[object, ...]:
        return self.algorithm, self.instance, self.end, self.ended, self.maximise, self.cluster

    @classmethod
    def of_checked(cls, **fields: Any) -> Trajectory:
        """Return the run with these fields, which must be complete and valid, with arrays that are read-only."""
        run, put = object.__new__(cls), object.__setattr__
        for name, value in fields.items():
            put(run, name, value)
        return run

    def in_cluster(self, cluster: Hashable | None) -> Trajectory:
        """Return the same run with another cluster, without checking its events again."""
        return self._change(cluster=cluster)

    def under_name(self, algorithm: str) -> Trajectory:
        """Return the same run under another name of its algorithm, without checking its events again."""
        return self._change(algorithm=algorithm)

    def divide_budgets(self, divisor: float) -> Trajectory:
        """Return the same run with its budgets divided by a positive number."""
        archive = None if self.archive is None else self.archive.divide_budgets(divisor)
        budgets = as_read_only(self.budgets / divisor, np.float64)
        return self._change(budgets=budgets, end=self.end / divisor, archive=archive)

    def _change(self, **changes: Any) -> Trajectory:
        """Return the same run with other values of some fields; `copy` takes twice as long."""
        run, put = object.__new__(type(self)), object.__setattr__
        for name in _FIELDS:
            put(run, name, changes[name] if name in changes else getattr(self, name))
        return run

    def at(self, budgets: ArrayLike, *, failure: Failure = "last") -> Array:
        """Return the best value found by each budget.

        Parameters
        ----------
        budgets
            The budgets to read, in any order.
        failure
            The value of a failed run from its failure at `until` on (inclusive): "last" gives the worst value,
            "missing" gives NaN. "raise" raises an error if the run failed.

        Returns
        -------
        NDArray
            One value per budget: the worst value (+inf, or -inf if maximised) before the first event, and NaN after `until`
            if the run was cut off.
        """
        if failure not in get_args(Failure):
            raise ValueError(f"expected failure='last', 'missing' or 'raise', got {failure!r}")
        if self.failed and failure == "raise":
            raise ValueError(
                f"the run of {self.algorithm!r} on instance {self.instance!r} failed at {self.end:g}; "
                "remove it, or choose failure='last' or failure='missing'"
            )
        worst = -math.inf if self.maximise else math.inf
        when = np.asarray(budgets, dtype=np.float64)
        steps = np.concatenate([[worst], self.values])
        best = steps[np.searchsorted(self.budgets, when, side="right")]
        if self.failed:
            return np.where(when >= self.end, worst if failure == "last" else math.nan, best)
        return np.where(when > self.known_to, math.nan, best)


_FIELDS = tuple(field.name for field in fields(Trajectory))


def _describe(algorithm: str, instance: Hashable) -> str:
    """Return a run in words, for messages."""
    return f"the run of {algorithm!r} on instance {instance!r}"


def _are_valid(budgets: Array, values: Array, best: float) -> bool:
    """Return whether events are valid, with few operations, since imports make a million trajectories."""
    if budgets.ndim != 1 or budgets.shape != values.shape:
        return False
    if budgets.size <= 1:
        return not budgets.size or (0 <= budgets.item() < math.inf and best != values.item() == values.item())
    in_order = (
        budgets[0] >= 0 and budgets[-1] < math.inf and bool((budgets[1:] >= budgets[:-1]).all())
    )  # excludes NaN, too
    return in_order and not np.isnan(values).any() and not (values == best).any()


def _check_events(run: str, budgets: Array, values: Array, *, best: float) -> None:
    """Raise the error that explains why events are not valid."""
    if budgets.ndim != 1 or budgets.shape != values.shape:
        raise ValueError(f"expected one budget for each value of {run}, got shapes {budgets.shape} and {values.shape}")
    valid = np.isfinite(budgets) & (budgets >= 0)
    if not valid.all():
        raise ValueError(f"expected finite budgets, not negative, for {run}, got {budgets[~valid][0]:g}")
    if (budgets[1:] < budgets[:-1]).any():
        bad = int(np.argmax(budgets[1:] < budgets[:-1]))
        raise ValueError(
            f"expected budgets in order for {run}, got {budgets[bad]:g} before {budgets[bad + 1]:g}; sort them"
        )
    if np.isnan(values).any():
        when = budgets[np.isnan(values)][0]
        raise ValueError(
            f"expected values that are numbers for {run}, got NaN at budget {when:g}; "
            f"remove the event, or give the worst value ({-best:+}) where there is no solution yet"
        )
    if (values == best).any():
        when = budgets[values == best][0]
        raise ValueError(
            f"expected values other than {best:+} for {run}, got one at budget {when:g}; give the value found"
        )


def _improvements(budgets: Array, losses: Array) -> Indices | None:
    """Return the positions of the events that improved on the best loss so far; of several at one budget, only the best.

    It is None if all did, as in the events that importers collect.
    """
    if losses.size and losses[0] < math.inf:
        one = losses.size == 1
        if one or ((losses[1:] < losses[:-1]).all() and (budgets[1:] > budgets[:-1]).all()):
            return None
    before = np.minimum.accumulate(np.concatenate([[math.inf], losses]))[:-1]
    better = np.flatnonzero(losses < before)
    # Keep an improvement only if the next one, if any, came later.
    last_of_its_budget = np.append(np.diff(budgets[better]) > 0, True)[: better.size]
    return np.compress(last_of_its_budget, better)
