"""What is at stake on each instance: the share of first places that each algorithm would win in each range of budgets.

A policy that chooses algorithm a at budget t on instance p wins the first place there or not; tied algorithms share it. Its
value is the weighted mean over instances and budgets, so everything in this room is a sum over instances of the arrays that
are made here. To find splits, neighbouring budgets are merged into a few ranges: their rankings are correlated, and one
choice per range is less noisy than one per budget.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe import ABSENT
from polarbear.observe.grouping import take_instances
from polarbear.observe.rank_instances import rank_instances
from polarbear.posterior.first_places import first_shares
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from polarbear.arrays import Array, Array32, Indices
    from polarbear.magnitude.collection import RunCollection
    from polarbear.observe import Grid, Rankings

_RANGES = 12  # of budgets; more make the search slower and the choices noisier
_USABLE = 0.5  # an instance counts if all candidates were observed at this share of the budgets
_ENOUGH = 10  # instances that count; with fewer, they must be most of all instances


class TooFewRunsError(ValueError):
    """The candidates did not run on enough of the same instances."""


@dataclass(frozen=True, eq=False)
class Scores:
    """First places on each instance, weighted so that the value of a policy is a plain sum over instances.

    Attributes
    ----------
    first
        Shape (instance, range, algorithm): the share of first places of the algorithm in the range of budgets, times the
        weight of the instance and of the range. All weights sum to one.
    rankings
        The rankings of the candidates on the instances.
    weights
        Shape (instance, budget): the weight of the instance at each budget, in instances (clusters); zero where some
        candidate was not observed.
    of_budget
        Shape (budget,): the weight of each budget; they sum to one.
    range_of
        Shape (budget,): the range of each budget.
    """

    first: Array32
    rankings: Rankings
    weights: Array32
    of_budget: Array
    range_of: Indices

    @property
    def names(self) -> tuple[str, ...]:
        """The candidates."""
        return self.rankings.names

    @property
    def grid(self) -> Grid:
        """The budgets."""
        return self.rankings.grid

    @property
    def instances(self) -> tuple[Hashable, ...]:
        """The instances."""
        return self.rankings.instances

    @property
    def clusters(self) -> Indices:
        """The number of the cluster of each instance; each is its own if there are no clusters."""
        clusters = self.rankings.clusters
        return np.arange(len(self.weights)) if clusters is None else clusters.codes

    @cached_property
    def at_budgets(self) -> Array32:
        """The share of the first place at each budget, without weights, shape (instance, budget, algorithm)."""
        return first_shares(self.rankings.ranks)

    @property
    def observed(self) -> Indices:
        """The budgets at which some instance counts."""
        return np.flatnonzero(self.weights.any(axis=0))


def score_instances(runs: RunCollection, of_budget: Array, *, among: Sequence[str] | None = None) -> Scores:
    """Return the scores of the candidates on the instances of a collection of runs.

    Parameters
    ----------
    runs
        The runs.
    of_budget
        Shape (budget,): the weight of each budget, see `polarbear.selection.preference`.
    among
        The candidates; all algorithms by default. An instance counts if all of them were observed there at half of the
        budgets or more, at these budgets. The others are left out: a race runs candidates no longer than it needs to.
    """
    names = runs.names if among is None else tuple(among)
    if len(names) < 2:
        raise ValueError(f"expected two candidates or more to choose from, got {', '.join(names) or 'none'}")
    labels = tuple(
        ("instance", instance) if cluster is None else cluster for instance, cluster in runs.table.cluster_of.items()
    )
    rankings = rank_instances(
        runs.table.values[..., [runs.index(name) for name in names]],
        names,
        runs.grid,
        clusters=None if all(cluster is None for cluster in runs.table.cluster_of.values()) else labels,
        instances=runs.instances,
        absolute_tolerance=runs.absolute_tolerance,
        relative_tolerance=runs.relative_tolerance,
        maximise=runs.maximise,
    )
    usable = (rankings.ranks != ABSENT).all(axis=2)
    rows = np.flatnonzero(usable[:, of_budget > 0].mean(axis=1) >= _USABLE)
    least = min(_ENOUGH, -(-len(usable) // 2))
    if len(rows) < least:
        raise TooFewRunsError(
            f"expected runs of all {with_noun(len(names), 'candidate')} on {with_noun(least, 'instance')} or more, got them "
            f"on {len(rows)} of {len(usable)}; name fewer candidates with among= (--only), such as those that a race kept"
        )
    weights = runs.weights.expected[rows, None] * usable[rows]
    return make_scores(take_instances(rankings, rows), weights, of_budget)


def make_scores(rankings: Rankings, weights: Array, of_budget: Array) -> Scores:
    """Return the scores of rankings; see `Scores` for the parameters. The weights of the budgets need not sum to one."""
    total = weights.sum(axis=0)
    kept = (of_budget > 0) & (total > 0)
    share = np.where(kept, of_budget, 0) / of_budget[kept].sum()
    each = first_shares(rankings.ranks) * (weights / np.where(total > 0, total, 1) * share)[..., None]
    number = int(np.count_nonzero(kept))
    edges = np.linspace(0, number, min(_RANGES, number) + 1).round().astype(int)[1:-1]
    range_of = np.searchsorted(edges, np.maximum(np.cumsum(kept) - 1, 0), side="right").astype(np.intp)
    first = np.stack([each[:, range_of == k].sum(axis=1) for k in range(int(range_of[-1]) + 1)], axis=1)
    return Scores(first.astype(np.float32), rankings, weights.astype(np.float32), share, range_of)


def subset_scores(scores: Scores, rows: Indices) -> Scores:
    """Return the scores of some instances, whose weights sum to one again."""
    return make_scores(take_instances(scores.rankings, rows), scores.weights[rows].astype(np.float64), scores.of_budget)
