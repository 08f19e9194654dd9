"""Ratings from outcomes: how often each algorithm comes first on weighted instances, with missing runs.

On complete instances the rating θ_a is the weighted share of instances on which a is first; ties share the first place. An
instance with missing algorithms shows only which algorithm is first among the observed ones. Its first place is
redistributed as on the complete instances with the same first among these algorithms:
θ_a = Σ_f P(f first among the observed) P(a first | f first among the observed). This is the maximum-likelihood estimate when
runs are dropped one after another. It assumes nothing about algorithms that were not run, whereas Plackett-Luce assumes that
they take first places in proportion.

A prior as heavy as one instance, divided evenly among the algorithms, keeps ratings positive: without it, eight first places
on eight instances would be certainty. An algorithm that no instance observes at a budget has no first places there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.pair_outcomes import pair_outcomes
from polarbear.observe.rankings import ABSENT
from polarbear.posterior.keyed_numbers import keyed_generator

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices, Mask, Ranks
    from polarbear.posterior.pair_beliefs import PairBeliefs

_LEAST = np.float32(1e-12)  # rating of an algorithm that was not observed; it may be a divisor


def draw_ratings(beliefs: PairBeliefs, observed: Mask) -> Array32:
    """Return draws of the ratings, shape (draw, budget, algorithm), single precision.

    Parameters
    ----------
    beliefs
        The observed instances, with the draws of their weights.
    observed
        Shape (budget, algorithm): whether each algorithm was observed together with another one.
    """
    ratings = _weighted_first_places(beliefs)
    rng = keyed_generator(beliefs.seed, "first places")
    prior = rng.standard_gamma(1 / beliefs.algorithms, (beliefs.draws, beliefs.algorithms)).T.astype(np.float32)
    known = observed | ~observed.any(axis=1, keepdims=True)
    for t, places in enumerate(ratings):  # in place, since the arrays of all budgets are large
        places += prior
        places[~known[t]] = 0.0
        np.maximum(places, _LEAST, out=places)
        places /= places.sum(axis=0)
    ratings.flags.writeable = False
    return ratings.transpose(2, 0, 1)


def first_places_among(beliefs: PairBeliefs, columns: Indices, budgets: Indices) -> Array:
    """Return the share of instances on which each candidate comes first, shape (draw, budget, candidate).

    Only the candidates count, and only the instances that all of them share. As in ratings, a prior as heavy as one instance
    is divided among them. Candidates that no instance observes at a budget are left out there, and have a share of zero.
    """
    sample = beliefs.sample
    result = np.zeros((len(budgets), len(columns), beliefs.draws))
    prior = keyed_generator(beliefs.seed, "first places").standard_gamma(
        1 / len(columns), (beliefs.draws, len(columns))
    )
    for place, budget in enumerate(budgets.tolist()):
        ranks = sample.rankings.ranks[:, budget][:, columns]
        known = np.flatnonzero((ranks != ABSENT).any(axis=0))
        if not known.size:
            continue
        shared = (ranks[:, known] != ABSENT).all(axis=1)
        shares = first_shares(ranks[:, known]) * (shared * sample.shares[:, budget])[:, None]
        places = beliefs.weighted_sums(shares.astype(np.float32)) + prior.T[known]
        result[place, known] = places / places.sum(axis=0)
    return result.transpose(2, 0, 1)


def first_shares(ranks: Ranks) -> Array32:
    """Return 1 for the first algorithm of each ranking, divided among ties, and 0 for the others, in the shape of `ranks`.

    Rankings without an observed algorithm have only zeros.
    """
    best = np.where(ranks == ABSENT, np.iinfo(np.int16).max, ranks).min(axis=-1, keepdims=True)
    is_first = (ranks == best) & (ranks != ABSENT)
    shares: Array32 = (is_first / np.maximum(is_first.sum(axis=-1, keepdims=True), 1)).astype(np.float32)
    return shares


def first_place_lead(beliefs: PairBeliefs, first: int, second: int) -> Array32:
    """Return the difference between two algorithms in the share of first places, shape (budget, draw).

    First places are among the algorithms observed on each instance, and only instances that compare both count. Therefore a
    race that stops running some algorithms still compares the others on all their instances.
    """
    sample = beliefs.sample
    both = pair_outcomes(sample.rankings, first, second).compared * sample.shares
    shares = first_shares(sample.rankings.ranks)
    scores = [shares[..., first] * both, shares[..., second] * both, both]
    own, other, total = np.split(beliefs.weighted_sums(np.hstack(scores).astype(np.float32)), 3)
    prior = keyed_generator(beliefs.seed, "first places of two").standard_gamma(0.5, (beliefs.draws, 2)).T
    lead: Array32 = (own - other + prior[0] - prior[1]) / (total + prior.sum(axis=0))
    return lead


def _weighted_first_places(beliefs: PairBeliefs) -> Array32:
    """Return the weight of the instances on which each algorithm comes first, shape (budget, algorithm, draw)."""
    sample = beliefs.sample
    ranks, weights = sample.rankings.ranks, sample.shares.astype(np.float32)
    rows, budgets, algorithms = ranks.shape
    if (ranks[sample.comparing] != ABSENT).all():
        shares = first_shares(ranks) * weights[..., None]
        sums: Array32 = beliefs.weighted_sums(shares.reshape(rows, -1)).reshape(budgets, algorithms, -1)
        return sums
    drawn = beliefs.unit_weights()[sample.unit]
    result: Array32 = np.zeros((budgets, algorithms, beliefs.draws), dtype=np.float32)
    for t in range(budgets):
        seen = (ranks[:, t] != ABSENT).any(axis=0)
        if seen.any():
            result[t, seen] = _redistributed_first_places(ranks[:, t, seen], drawn * weights[:, t, None])
    return result


def _redistributed_first_places(ranks: Ranks, weights: Array32) -> Array32:
    """Return weighted first places at one budget, shape (algorithm, draw), from ranks (instance, algorithm)."""
    observed = ranks != ABSENT
    complete = observed.all(axis=1)
    first = first_shares(ranks)
    places: Array32 = first[complete].T @ weights[complete]
    partial = np.flatnonzero(~complete & (observed.sum(axis=1) > 1))
    if not partial.size:
        return places
    donors, donor_weights = ranks[complete], weights[complete]
    patterns, index = np.unique(observed[partial], axis=0, return_inverse=True)
    for number, pattern in enumerate(patterns):
        rows = partial[index.ravel() == number]
        own = first[rows].T @ weights[rows]
        restricted = first_shares(np.where(pattern, donors, ABSENT))
        places += _redistribute(own, restricted, first[complete], donor_weights)
    return places


def _redistribute(own: Array32, restricted: Array32, first: Array32, weights: Array32) -> Array32:
    """Redistribute first places among the observed algorithms to first places among all, shape (algorithm, draw).

    The donors are the complete instances. Each place is divided like the first places of the donors with the same first
    among the observed algorithms.

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
