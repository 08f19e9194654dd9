"""Ratings from outcomes: how often each algorithm comes first on weighted instances with missing runs.

On complete instances the rating θ_a is the weighted share of instances on which a is first; ties share the first place. An
instance with missing algorithms shows only which algorithm is first among the observed ones. Its first place is
redistributed as on the complete instances with the same first among these algorithms:
θ_a = Σ_f P(f first among the observed) P(a first | f first among the observed). This is the maximum-likelihood estimate when
runs are dropped one after another. It assumes nothing about algorithms that were not run, whereas Plackett-Luce assumes that
they take first places in proportion.

An algorithm that no instance observes at a time has no first places there, and the others are rated without it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.rankings import ABSENT
from polarbear.posterior.outcome_draws import first_shares

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Ranks


def first_places(
    ranks: Ranks, weights: Array32, scale: Array | None = None, *, instances: int | None = None
) -> Array32:
    """Return ratings from outcomes, shape (time, algorithm, draw).

    Parameters
    ----------
    ranks
        Shape (row, time, algorithm).
    weights
        Shape (row, draw).
    scale
        Shape (row, time): multiplies the weights of a row at each time; None for ones.
    instances
        The number of rows that are observed instances; the others, which follow, are pseudo-instances. All by default.
    """
    rows, times, algorithms = ranks.shape
    if scale is None and (ranks != ABSENT).all():
        shares = first_shares(ranks).reshape(rows, -1)
        return (shares.T @ weights).reshape(times, algorithms, -1)
    result = np.empty((times, algorithms, weights.shape[1]), dtype=np.float32)
    for t in range(times):
        at_time = weights if scale is None else (weights * scale[:, t, None]).astype(np.float32)
        result[t] = _ratings_at_time(ranks[:, t], at_time, rows if instances is None else instances)
    return result


def _ratings_at_time(ranks: Ranks, weights: Array32, instances: int) -> Array32:
    """Return ratings at one time, shape (algorithm, draw), from ranks (row, algorithm)."""
    seen = (ranks[:instances] != ABSENT).any(axis=0)
    if seen.all() or not seen.any():
        return _redistributed_first_places(ranks, weights)
    ratings = np.zeros((len(seen), weights.shape[1]), dtype=np.float32)
    ratings[seen] = _redistributed_first_places(ranks[:, seen], weights)
    return ratings


def _redistributed_first_places(ranks: Ranks, weights: Array32) -> Array32:
    observed = ranks != ABSENT
    complete = observed.all(axis=1)
    first = first_shares(ranks)
    partial = np.flatnonzero(~complete & observed.any(axis=1))
    if not partial.size:
        ratings = first.T @ weights  # rows without observations contribute zero
    else:
        donors, donor_weights = ranks[complete], weights[complete]
        ratings = first[complete].T @ donor_weights
        patterns, index = np.unique(observed[partial], axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            rows = partial[index.ravel() == number]
            own = first[rows].T @ weights[rows]
            restricted = first_shares(np.where(pattern, donors, ABSENT))
            ratings += _redistribute(own, restricted, first[complete], donor_weights)
    total = ratings.sum(axis=0)
    shares: Array32 = np.divide(ratings, total, out=np.full_like(ratings, 1 / len(ratings)), where=total > 0)
    return shares


def _redistribute(own: Array32, restricted: Array32, first: Array32, weights: Array32) -> Array32:
    """Redistribute first places among the observed algorithms to first places among all, shape (algorithm, draw).

    The donors are the complete rows. Each place is divided like the first places of the donors with the same first among
    the observed algorithms.

    Parameters
    ----------
    own
        Weighted first places among the observed algorithms, shape (algorithm, draw).
    restricted
        Shares of the first place among the observed algorithms, shape (donor, algorithm).
    first
        Shares of the first place among all algorithms, shape (donor, algorithm).
    weights
        Weights of the donors, shape (donor, draw).
    """
    result = np.zeros_like(own)
    for f in np.flatnonzero(own.any(axis=1)):
        donors = np.flatnonzero(restricted[:, f])
        both = first[donors] * restricted[donors, f, None]  # first among all, and f among the observed
        reached = np.flatnonzero(both.any(axis=0))
        passed = both[:, reached].T @ weights[donors]
        total = passed.sum(axis=0)
        passed = np.divide(passed, total, out=np.zeros_like(passed), where=total > 0)
        result[reached] += passed * own[f]
        result[f] += np.where(total > 0, 0, own[f])  # without donors the first place stays with algorithm f
    return result
