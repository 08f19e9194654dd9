"""Ratings by outcomes: how often each algorithm comes first, under weighted instances with missing runs.

With complete instances the rating θ_a is the weighted share of instances on which a is first, ties shared. An instance on
which some algorithm was not observed tells who is first among the others only. Its first place is passed on as on the
complete instances that have the same first among these others: θ_a = Σ_f P(f first among the observed) P(a first | f first
among them). This is the maximum likelihood for runs that are dropped one after the other, and assumes nothing about
algorithms that were not run, where Plackett-Luce would assume that they take first places in proportion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.rankings import ABSENT
from polarbear.posterior.outcome_draws import first_shares

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]
    Array32 = NDArray[np.float32]


def first_places(ranks: NDArray[np.int16], weights: Array32, scale: Array | None = None) -> Array32:
    """Shape (time, algorithm, draw): ratings by outcomes, of ranks (row, time, algorithm) and weights (row, draw).

    `scale` (row, time) multiplies the weights of a row at each time.
    """
    rows, times, algorithms = ranks.shape
    if scale is None and (ranks != ABSENT).all():
        shares = first_shares(ranks).reshape(rows, -1)
        return (shares.T @ weights).reshape(times, algorithms, -1)
    result = np.empty((times, algorithms, weights.shape[1]), dtype=np.float32)
    for t in range(times):
        at_time = weights if scale is None else (weights * scale[:, t, None]).astype(np.float32)
        result[t] = _at_time(ranks[:, t], at_time)
    return result


def _at_time(ranks: NDArray[np.int16], weights: Array32) -> Array32:
    observed = ranks != ABSENT
    complete = observed.all(axis=1)
    first = first_shares(ranks)
    partial = np.flatnonzero(~complete & observed.any(axis=1))
    if not partial.size:
        ratings = first.T @ weights  # rows without any observation are zero
    else:
        donors, donor_weights = ranks[complete], weights[complete]
        ratings = first[complete].T @ donor_weights
        patterns, index = np.unique(observed[partial], axis=0, return_inverse=True)
        for number, pattern in enumerate(patterns):
            rows = partial[index.ravel() == number]
            own = first[rows].T @ weights[rows]
            restricted = first_shares(np.where(pattern, donors, ABSENT))
            ratings += _passed_on(own, restricted, first[complete], donor_weights)
    total = ratings.sum(axis=0)
    shares: Array32 = np.divide(ratings, total, out=np.full_like(ratings, 1 / len(ratings)), where=total > 0)
    return shares


def _passed_on(own: Array32, restricted: Array32, first: Array32, weights: Array32) -> Array32:
    """First places (algorithm, draw) among some, as those among all that the donors with the same first have."""
    result = np.zeros_like(own)
    for f in np.flatnonzero(own.any(axis=1)):
        donors = np.flatnonzero(restricted[:, f])
        shares = restricted[donors, f, None] * weights[donors]
        passed = first[donors].T @ shares
        total = passed.sum(axis=0)
        # Without any donor the place stays with the one that has it.
        keep = np.zeros_like(passed)
        keep[f] = 1.0
        result += own[f] * np.divide(passed, total, out=keep, where=total > 0)
    return result
