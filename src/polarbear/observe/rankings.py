"""Rankings: the order of the algorithms on each instance at each budget.

`Rankings` holds ranks with names, grid, weights and clusters. A ranking may have ties, missing algorithms (`ABSENT`), and a
tail of unknown order (`UNRANKED`). `values.rank_values` turns values into ranks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from polarbear.observe.clusters import Clusters, as_clusters
from polarbear.observe.grid import Grid, as_grid
from polarbear.observe.names import check_names
from polarbear.observe.read_only import as_read_only

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from polarbear.arrays import Array, Indices, Mask, Ranks
    from polarbear.observe.losses import Losses

ABSENT: Final = -1
"""Rank of an algorithm that was not observed: it is in no choice set."""

UNRANKED: Final = np.iinfo(np.int16).max
"""Rank of an algorithm known only to be worse than every ranked one: it is in every choice set and never chosen."""


@dataclass(frozen=True, eq=False)
class RepeatedRuns:
    """The rank of each run among all runs on the same problem.

    Attributes
    ----------
    ranks
        Shape (instance, budget, algorithm): 0 is the best run on the problem at that budget, and equal ranks are ties.
        `ABSENT` where no run was observed, and on problems that were not repeated.
    problem
        Shape (instance,): the number of the problem of each instance.
    """

    ranks: Ranks
    problem: Indices

    def take(self, instances: Indices) -> RepeatedRuns:
        """Return the runs on some of the instances."""
        return RepeatedRuns(self.ranks[instances], self.problem[instances])


@dataclass(frozen=True, eq=False)
class Rankings:
    """One ranking of the algorithms per instance and budget.

    A ranking pi with weight w multiplies the likelihood by (prod_k theta_{pi_k} / sum_{j >= k} theta_{pi_j})^w. If
    only the top m positions are known, the product has m factors, and the other algorithms have the rank `UNRANKED`.

    Parameters
    ----------
    ranks
        Shape (instance, budget, algorithm). Ranks are dense: 0 is best, equal ranks are ties, no rank is skipped.
        `ABSENT` (-1) marks an algorithm that was not observed. `UNRANKED` marks one that is worse than every ranked
        one, in an unknown order.
    names
        The algorithms' names; None gives "A", "B", ...
    grid
        The budgets.
    weights
        Shape (instance,) or (instance, budget); 1 by default.
    clusters
        The cluster of each instance, as labels or `Clusters`; by default all instances are independent.
    repeated
        The ranks of runs on the same problem, from `rank_repeated_runs`; None if no problem was repeated.
    instances
        The label of each instance, which identifies it whatever the order of instances; by default its position.
    losses
        The values behind the ranks, from which ties within a tolerance are found pair by pair; None if only exactly equal
        values are ties, or if there are no values.
    ranked_at
        Ranks the same runs on another grid, for a budget between two budgets of this one; None without runs.

    Examples
    --------
    >>> Rankings([[[0, 1, 1, ABSENT]]], names=["cma", "de", "rs", "pso"], grid=[100])
    Rankings(1 instances, 1 budgets, 4 algorithms)
    """

    ranks: Ranks
    names: tuple[str, ...]
    grid: Grid
    weights: Array
    clusters: Clusters | None
    repeated: RepeatedRuns | None
    instances: tuple[Hashable, ...]
    losses: Losses | None
    ranked_at: Callable[[Grid], Rankings] | None

    def __init__(
        self,
        ranks: ArrayLike,
        names: Iterable[str] | None,
        grid: Grid | ArrayLike,
        weights: ArrayLike | None = None,
        clusters: Clusters | Iterable[Hashable] | None = None,
        repeated: RepeatedRuns | None = None,
        instances: Iterable[Hashable] | None = None,
        losses: Losses | None = None,
        ranked_at: Callable[[Grid], Rankings] | None = None,
    ) -> None:
        budgets, given = as_grid(grid), np.asarray(ranks)
        checked_names = check_names(names, check_shape(given.shape, budgets))
        object.__setattr__(self, "ranks", as_read_only(_check_ranks(given), np.int16))
        object.__setattr__(self, "names", checked_names)
        object.__setattr__(self, "grid", budgets)
        object.__setattr__(self, "weights", check_weights(weights, given.shape[0], len(budgets)))
        object.__setattr__(self, "clusters", as_clusters(clusters, given.shape[0]))
        object.__setattr__(self, "repeated", repeated)
        object.__setattr__(self, "instances", _check_labels(instances, given.shape[0]))
        object.__setattr__(self, "losses", losses)
        object.__setattr__(self, "ranked_at", ranked_at)

    def __repr__(self) -> str:
        instances, budgets, algorithms = self.ranks.shape
        return f"Rankings({instances} instances, {budgets} budgets, {algorithms} algorithms)"

    @property
    def weight_of_each(self) -> Array:
        """The weight of each ranking, shape (instance, budget)."""
        return np.broadcast_to(self.weights.reshape(len(self.ranks), -1), self.ranks.shape[:2])


def were_compared(rankings: Rankings) -> Mask:
    """Return whether each algorithm was observed together with another one, shape (instance, budget, algorithm).

    Instances of weight zero do not count. Neither do instances whose algorithms are all unranked: their order is unknown.

    Examples
    --------
    >>> ranks = [[[0, 1, ABSENT], [0, ABSENT, ABSENT]]]
    >>> were_compared(Rankings(ranks, ["a", "b", "c"], [1, 2])).astype(int).tolist()
    [[[1, 1, 0], [0, 0, 0]]]
    """
    present = rankings.ranks != ABSENT
    ranked = present & (rankings.ranks != UNRANKED)
    comparing = (np.count_nonzero(present, axis=-1) > 1) & ranked.any(axis=-1) & (rankings.weight_of_each > 0)
    compared: Mask = present & comparing[..., None]
    return compared


def join_rankings(first: Rankings, second: Rankings) -> Rankings:
    """Return the instances of both, the first ones first; both must have the same algorithms and grid.

    Runs of the two are not ranked together: this needs values.
    """
    if (first.clusters is None) != (second.clusters is None):
        raise ValueError(
            "expected clusters in both or in neither of the choices to be added; give every instance a cluster, or none"
        )
    both = first, second
    per_instance = all(each.weights.ndim == 1 for each in both)
    return Rankings(
        np.concatenate([each.ranks for each in both]),
        first.names,
        first.grid,
        np.concatenate([each.weights if per_instance else each.weight_of_each for each in both]),
        None if first.clusters is None or second.clusters is None else first.clusters + second.clusters,
        instances=first.instances + second.instances,
        losses=_join_losses(first.losses, second.losses),
    )


def _join_losses(first: Losses | None, second: Losses | None) -> Losses | None:
    """Return the losses of both; None, which leaves the ranks, if one has none or if the tolerances differ."""
    if first is None or second is None or (first.absolute, first.relative) != (second.absolute, second.relative):
        return None
    return replace(first, values=np.concatenate([first.values, second.values], axis=1))


def check_shape(shape: tuple[int, ...], grid: Grid) -> int:
    """Return the number of algorithms after checking the shape (instance, budget, algorithm) against the grid."""
    if len(shape) != 3:
        raise ValueError(
            f"expected three axes (instance, budget, algorithm), got shape {shape}; "
            "for a single instance write values[None]"
        )
    if shape[0] == 0:
        raise ValueError(f"expected at least one instance, got shape {shape}; nothing was observed")
    if shape[1] != len(grid):
        raise ValueError(
            f"expected {len(grid)} budgets, one for each budget of the grid, got {shape[1]} in shape {shape}; "
            "the axes are (instance, budget, algorithm)"
        )
    if shape[2] >= UNRANKED:
        raise ValueError(f"expected fewer than {UNRANKED} algorithms, got {shape[2]}")
    return shape[2]


def _check_labels(labels: Iterable[Hashable] | None, instances: int) -> tuple[Hashable, ...]:
    """Return one label for each instance; its position by default."""
    result = tuple(range(instances) if labels is None else labels)
    if len(result) != instances:
        raise ValueError(f"expected one label for each of {instances} instances, got {len(result)}; label every one")
    return result


def check_weights(weights: ArrayLike | None, instances: int, budgets: int) -> Array:
    """Return read-only weights, checked, of shape (instance,) or (instance, budget); None gives 1 per instance."""
    if weights is None:
        return as_read_only(np.ones(instances), np.float64)
    result: Array = as_read_only(weights, np.float64)
    if result.shape not in ((instances,), (instances, budgets)):
        raise ValueError(
            f"expected weights of shape ({instances},), one for each instance, or ({instances}, {budgets}), one for each "
            f"instance and budget, got {result.shape}"
        )
    valid = np.isfinite(result) & (result >= 0)
    if not valid.all():
        raise ValueError(f"expected finite weights, not negative, got {result[~valid][0]:g}; use 0 to leave data out")
    if not result.any():
        raise ValueError("expected at least one positive weight, got only zeros; nothing would be observed")
    return result


def _check_ranks(given: NDArray[Any]) -> Ranks:
    """Return ranks as int16, after checking that they are dense."""
    if given.dtype.kind not in "iu":
        raise ValueError(f"expected whole numbers as ranks, got {given.dtype}; rank_values(values) makes ranks")
    valid = (given >= ABSENT) & (given <= UNRANKED)
    if not valid.all():
        raise ValueError(f"expected ranks from 0, ABSENT ({ABSENT}) or UNRANKED ({UNRANKED}), got {given[~valid][0]}")
    ranks: Ranks = given.astype(np.int16, copy=False)
    last = np.where(ranks == UNRANKED, ABSENT, ranks).max(axis=-1)
    # Dense ranks: if some algorithm has rank k, every rank below k is taken.
    for rank in range(min(int(last.max()), ranks.shape[-1])):
        gap = (last > rank) & ~(ranks == rank).any(axis=-1)
        if gap.any():
            instance, budget = np.argwhere(gap)[0]
            raise ValueError(
                f"expected dense ranks 0, 1, 2, ... with ties sharing one, got {ranks[instance, budget].tolist()} for "
                f"instance {instance} at position {budget} of the grid; begin at 0 and leave no rank out"
            )
    return ranks
