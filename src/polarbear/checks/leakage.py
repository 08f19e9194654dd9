"""Find what was computed from the runs themselves and used as if it were known before them.

This concerns features of instances by which an algorithm is chosen, and columns that define groups of instances: on a new
instance their values would not be known.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Literal

import numpy as np

from polarbear.findings import Code, Finding

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping, Sequence

    from polarbear.arrays import Array, Indices
    from polarbear.observe import Trajectory

_SUSPICIOUS = 0.98  # rank correlation; a feature that is known before the run rarely orders its results so well
_LEAST = 10  # instances, below which a high correlation is frequent by chance
_FEW = 10  # algorithms up to which differences of pairs are examined
_NAMES_WINNERS = 0.9  # share of instances on which a column of names names the winner; the rest may be ties


Kind = Literal["final value", "best final value", "budget of the last improvement", "difference of final values"]


@dataclass(frozen=True, eq=False)
class Results:
    """The results of runs on each instance.

    Attributes
    ----------
    names
        The algorithms.
    kinds
        What the columns of `values` are: a kind, and the algorithms that it concerns.
    values
        Shape (instance, column): the final value of each algorithm, the best of these, the budget of the last improvement of
        each algorithm, which is the budget to solve an instance if it was solved, and for a few algorithms the difference of
        the final values of each pair; NaN where there is none.
    winners
        Shape (instance,): the position of the algorithm with the best final value; -1 if no algorithm has one.
    """

    names: tuple[str, ...]
    kinds: tuple[tuple[Kind, tuple[str, ...]], ...]
    values: Array
    winners: Indices


def results_of(runs: Iterable[Trajectory], instances: Sequence[Hashable]) -> Results:
    """Return the results of runs, in the order of these instances."""
    all_runs = list(runs)
    names = tuple(dict.fromkeys(run.algorithm for run in all_runs))
    rows = {instance: row for row, instance in enumerate(instances)}
    columns = {name: column for column, name in enumerate(names)}
    final, last = np.full((2, len(rows), len(names)), np.nan)
    for run in all_runs:
        if len(run.budgets) and run.instance in rows:
            place = rows[run.instance], columns[run.algorithm]
            final[place], last[place] = run.values[-1], run.budgets[-1]
    sign = -1.0 if all_runs and all_runs[0].maximise else 1.0
    known = ~np.isnan(final).all(axis=1)
    filled = np.where(np.isnan(final), np.inf, sign * final)
    best = np.where(known, sign * filled.min(axis=1, initial=np.inf), np.nan)
    pairs = list(combinations(range(len(names)), 2)) if len(names) <= _FEW else []
    differences = np.array([final[:, a] - final[:, b] for a, b in pairs]).reshape(len(pairs), len(rows))
    return Results(
        names=names,
        kinds=(
            *(("final value", (name,)) for name in names),
            ("best final value", ()),
            *(("budget of the last improvement", (name,)) for name in names),
            *(("difference of final values", (names[a], names[b])) for a, b in pairs),
        ),
        values=np.concatenate([final, best[:, None], last, differences.T], axis=1),
        winners=np.where(known, filled.argmin(axis=1), -1) if names else np.full(len(rows), -1),
    )


def find_leak(name: str, values: Array, levels: Sequence[str], results: Results) -> Finding | None:
    """Return the finding that a column orders the instances as some result does, or names the winners; None otherwise.

    Parameters
    ----------
    name
        The column.
    values, levels
        Shape (instance,): numbers, or the positions of the levels of a category; NaN where the value is missing.
    results
        The results on the same instances.
    """
    if levels and _names_winners(values, levels, results):
        return Finding(Code.LEAKED_FEATURE, "unreliable", numbers={"feature": name, "like": "winner"})
    like = _orders_alike(values, results) if len(levels) <= 2 else None
    if like is None:
        return None
    return Finding(Code.LEAKED_FEATURE, "unreliable", like[1], {"feature": name, "like": like[0]})


def find_leak_in_cells(
    name: str, cells: Mapping[Hashable, float | bool | str | None], runs: Iterable[Trajectory]
) -> Finding | None:
    """Return `find_leak` of a column that is given as a cell per instance: a number, a truth value, or text."""
    known = {instance: cell for instance, cell in cells.items() if cell is not None}
    if all(isinstance(cell, int | float) for cell in known.values()):
        numbers = np.array([float(cell) for cell in known.values()])
        return find_leak(name, numbers, (), results_of(runs, list(known)))
    levels, places = np.unique([str(cell) for cell in known.values()], return_inverse=True)
    return find_leak(name, places.astype(np.float64), tuple(levels.tolist()), results_of(runs, list(known)))


def _names_winners(values: Array, levels: Sequence[str], results: Results) -> bool:
    """Return whether a category names the algorithm with the best final value of each instance."""
    known = ~np.isnan(values) & (results.winners >= 0)
    if np.count_nonzero(known) < _LEAST or not set(levels) <= set(results.names):
        return False
    columns = np.array([results.names.index(level) for level in levels])
    named = columns[values[known].astype(int)]
    return bool((named == results.winners[known]).mean() >= _NAMES_WINNERS)


def _orders_alike(values: Array, results: Results) -> tuple[Kind, tuple[str, ...]] | None:
    """Return the kind of result, and its algorithms, that orders the instances as a column does; None without one."""
    known = ~np.isnan(values)
    ranks = _mean_ranks(values[known])
    for kind, outcome in zip(results.kinds, results.values[known].T, strict=True):
        both = ~np.isnan(outcome)
        if np.count_nonzero(both) < _LEAST:
            continue
        own = ranks if both.all() else _mean_ranks(ranks[both])
        if abs(_correlation(own, _mean_ranks(outcome[both]))) > _SUSPICIOUS:
            return kind
    return None


def _mean_ranks(values: Array) -> Array:
    """Return the ranks of values from 1 on; equal values share their mean."""
    # As scipy.stats.rankdata, whose import takes two seconds.
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Array = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks


def _correlation(first: Array, second: Array) -> float:
    """Return the correlation of two vectors; zero if one of them is constant."""
    a, b = first - first.mean(), second - second.mean()
    size = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / size) if size > 0 else 0.0
