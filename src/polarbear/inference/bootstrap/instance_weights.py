"""Draw the weights on instances of the Bayesian bootstrap, with clusters, instance weights and pseudo-instances.

The Dirichlet weights are normalised gamma variables. An observed instance (or cluster) has shape 1. The pseudo-instances
share the mass α evenly: each of M rankings has shape α / M, which approximates a Dirichlet process with mass α and a
uniform base measure on rankings.

In: rankings and a `BayesianBootstrap` prior. Out: `Rows` (`weighted_rows`) and draws of their weights (`draw_weights`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.rankings import ABSENT

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices, Ranks
    from polarbear.models.bayesian_bootstrap import BayesianBootstrap
    from polarbear.observe import Rankings
    from polarbear.observe.rankings import RepeatedRuns


# Enough pseudo-rankings that the weights of a draw concentrate on a few random ones, as under a Dirichlet process.
_LEAST_PSEUDO_ROWS = 64
# Smaller weights are set to zero: gamma variables of small shape reach subnormal numbers, on which the processor is a
# hundred times slower.
_NEGLIGIBLE = np.float32(1e-12)


@dataclass(frozen=True, eq=False)
class Rows:
    """The rankings that carry weight, and the parameters of their weights' distribution.

    Attributes
    ----------
    ranks
        Shape (row, time, algorithm): observed instances with positive weight, then pseudo-instances.
    sizes
        Shape (row,): expected weights, in effective instances or clusters.
    scale
        Shape (row, time): weights of an instance over time relative to their mean; None if no weight depends on time.
    unit
        Shape (row,): index of the row's unit. Rows of one unit share a gamma variable; observed units come first.
    observed, units
        Number of observed rows and number of observed units.
    repeated
        The ranks of all runs among those on the same problem, also on instances that compare no algorithms and have no
        row; None if no problem was repeated.
    """

    ranks: Ranks
    sizes: Array
    scale: Array | None
    unit: Indices
    observed: int
    units: int
    repeated: RepeatedRuns | None = None

    @property
    def effective(self) -> float:
        """Effective number of observed units: Kish's (Σ w)² / Σ w² of their weights."""
        return float(self.sizes[: self.observed].sum())


def weighted_rows(rankings: Rankings, prior: BayesianBootstrap) -> Rows:
    """Return the rows of the posterior: observed instances with positive weight, then pseudo-instances.

    Instances on which no two algorithms were observed at any time carry no information and are left out. A cluster has the
    mean weight of its instances, divided among them in proportion to their weights. The weights of the units are scaled to
    sum to their effective number, so that one heavy instance among many light ones yields a small sum.
    """
    over_time = rankings.weight_of_each
    weighted = np.maximum(np.count_nonzero(over_time, axis=1), 1)
    own = over_time.sum(axis=1) / weighted  # mean over the times with positive weight
    compares = ((rankings.ranks != ABSENT).sum(axis=2) > 1).any(axis=1)
    kept, weight = np.flatnonzero((own > 0) & compares), own
    ranks, own, over_time = rankings.ranks[kept], own[kept], over_time[kept]
    codes = np.arange(len(kept)) if rankings.clusters is None else _renumber(rankings.clusters.codes[kept])
    total = np.bincount(codes, own)
    members = np.bincount(codes)
    of_unit = total / members
    of_row = of_unit[codes] * own / total[codes]
    if prior.generalise_to == "instances":
        codes, of_unit = np.arange(len(kept)), of_row
    sizes = of_row * (of_unit.sum() / np.square(of_unit).sum())
    scale = None if np.ptp(over_time, axis=1).max() == 0 else over_time / own[:, None]

    pseudo = pseudo_ranks(ranks.shape[2])
    repeated = np.broadcast_to(pseudo[:, None], (len(pseudo), *ranks.shape[1:]))
    return Rows(
        ranks=np.concatenate([ranks, repeated]),
        sizes=np.concatenate([sizes, np.full(len(pseudo), prior.pseudo_instances / len(pseudo))]),
        scale=None if scale is None else np.concatenate([scale, np.ones((len(pseudo), scale.shape[1]))]),
        unit=np.concatenate([codes, len(of_unit) + np.arange(len(pseudo))]),
        observed=len(kept),
        units=len(of_unit),
        repeated=_repeated_runs(rankings, np.flatnonzero(weight > 0), kept),
    )


def draw_weights(rows: Rows, draws: int, *, rng: np.random.Generator) -> Array32:
    """Draw weights, shape (row, draw), that sum to one over rows.

    The gamma variable of an observed unit is exponential with mean one and multiplies the sizes of its rows.
    """
    pseudo = len(rows.ranks) - rows.observed
    weights = np.empty((len(rows.ranks), draws), dtype=np.float32)
    exponential = rng.standard_exponential((rows.units, draws), dtype=np.float32)
    np.multiply(
        exponential[rows.unit[: rows.observed]], rows.sizes[: rows.observed, None], out=weights[: rows.observed]
    )
    shape = np.float32(rows.sizes[-1])
    weights[rows.observed :] = rng.standard_gamma(shape, (pseudo, draws), dtype=np.float32)
    weights /= weights.sum(axis=0)
    return clear_negligible(weights)


def clear_negligible(weights: Array32) -> Array32:
    """Set negligible weights to zero, in place, and return the weights."""
    weights[weights < _NEGLIGIBLE] = 0.0
    return weights


def pseudo_ranks(algorithms: int) -> Ranks:
    """Return the pseudo-instances: balanced rankings of all algorithms, shape (ranking, algorithm).

    They are random permutations with all their rotations and reversals. Each algorithm has each rank equally often and beats
    each other one in exactly half of the rankings. They are the same for every data set, so that equal data give equal
    draws.
    """
    rng = np.random.default_rng(algorithms)
    permutations = -(-_LEAST_PSEUDO_ROWS // (2 * algorithms))
    rows = []
    for _ in range(permutations):
        order = rng.permutation(algorithms)
        rotations = np.array([np.roll(order, shift) for shift in range(algorithms)])
        rows += [rotations, algorithms - 1 - rotations]
    return np.concatenate(rows).astype(np.int16)


def _repeated_runs(rankings: Rankings, weighted: Indices, kept: Indices) -> RepeatedRuns | None:
    """Return the repeated runs on instances with positive weight; those that are not kept have no row."""
    if rankings.repeated is None:
        return None
    row = np.full(len(rankings.ranks), -1)
    row[kept] = np.arange(len(kept))
    return replace(rankings.repeated.take(weighted), row=row[weighted])


def _renumber(codes: Indices) -> Indices:
    """Renumber the codes of the remaining clusters without gaps."""
    _, numbers = np.unique(codes, return_inverse=True)
    return numbers
