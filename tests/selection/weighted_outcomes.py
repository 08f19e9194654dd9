"""Values of instances, and posteriors by outcomes with given weights of instances."""

from dataclasses import replace

import numpy as np

from polarbear.observe.rankings import ABSENT
from polarbear.posterior.outcome_draws import OutcomeDraws
from tests.selection.posteriors import posterior_of


def random_values(instances, times, algorithms, *, seed=0, ties=True):
    """Whole numbers, few of them so that ties happen, or so many that they do not."""
    return np.random.default_rng(seed).integers(0, 4 if ties else 10**6, size=(instances, times, algorithms))


def dense(values):
    """Dense ranks along the last axis."""
    return np.array([[np.unique(row, return_inverse=True)[1] for row in rows] for rows in values], dtype=np.int16)


def weighted_posterior(values, *, weights=None, utilities=None, model_weight=0.0, ranks=None):
    """A posterior by outcomes with the given weights (row, draw), equal ones by default, and its ratings by loops."""
    ranks = dense(values) if ranks is None else ranks
    rows, times, algorithms = ranks.shape
    weights = np.full((rows, 2), 1 / rows, dtype=np.float32) if weights is None else weights.astype(np.float32)
    ratings = np.zeros((weights.shape[1], times, algorithms))
    for d in range(weights.shape[1]):
        for p in range(rows):
            for t in range(times):
                best = ranks[p, t] == ranks[p, t][ranks[p, t] != ABSENT].min()
                ratings[d, t] += weights[p, d] * best / best.sum()
    in_ratings = None if utilities is None else np.full(weights.shape[1], model_weight)
    outcomes = OutcomeDraws(ranks, weights, np.ones(rows), rows, None, utilities, model_weight, in_ratings)
    return replace(posterior_of(ratings), outcomes=outcomes)
