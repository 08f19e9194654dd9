"""Observed outcomes of pairs: win rates on common instances, and the effective number of these instances.

The outcomes of a pair alone give a probability that one algorithm beats the other, and a standard deviation of the observed
win rate. Both follow from independent instances (`beating_probability`, `binomial_deviation`), or from the weighted
instances of a Bayesian bootstrap (`bootstrap_outcomes`).
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import scipy

from polarbear.observe.pair_outcomes import pair_outcomes
from polarbear.observe.rankings import ABSENT, UNRANKED

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.observe import Rankings


def observed_win_rates(rankings: Rankings) -> Array:
    """Return the observed win rates of row over column, shape (budget, algorithm, algorithm).

    They are weighted shares of instances, where a tie counts one half. They are NaN for pairs never compared, and zero on
    the diagonal.

    Examples
    --------
    >>> from polarbear.observe import Rankings
    >>> rankings = Rankings([[[0, 1, 2]], [[1, 0, 0]]], names=None, grid=[1.0])
    >>> observed_win_rates(rankings)[0].tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 0.75], [0.5, 0.25, 0.0]]
    """
    weights, algorithms = rankings.weight_of_each, len(rankings.names)
    wins = np.zeros((len(rankings.grid), algorithms, algorithms))
    for a, b in combinations(range(algorithms), 2):
        found = pair_outcomes(rankings, a, b)
        wins[:, a, b] = (weights * found.scores).sum(axis=0)
        wins[:, b, a] = (weights * (found.compared - found.scores)).sum(axis=0)
    compared = _weight_together(rankings, weights) + np.eye(algorithms)
    rates: Array = np.where(compared > 0, wins / np.where(compared > 0, compared, 1.0), np.nan)
    return rates


def effective_comparisons(rankings: Rankings) -> Array:
    """Return the effective number of instances that compare row and column, shape (budget, algorithm, algorithm).

    This is Kish's effective sample size, (Σ w)² / Σ w²: a rate from this number of equally weighted instances is as precise.
    It does not depend on the scale of the weights.

    Examples
    --------
    >>> from polarbear.observe import Rankings
    >>> rankings = Rankings([[[0, 1]], [[0, 1]], [[0, 1]]], names=None, grid=[1.0], weights=[4.0, 1.0, 1.0])
    >>> effective_comparisons(rankings)[0].tolist()
    [[0.0, 2.0], [2.0, 0.0]]
    """
    weights = rankings.weight_of_each
    squares = _weight_together(rankings, weights**2)
    count: Array = np.where(
        squares > 0, _weight_together(rankings, weights) ** 2 / np.where(squares > 0, squares, 1.0), 0.0
    )
    return count


def binomial_deviation(rate: Array, compared: Array) -> Array:
    """Return √(p (1 − p) / P), the standard deviation of observed win rates whose expectation is p.

    Rates are clipped to half an instance from 0 and 1, so that the deviation is never zero.
    """
    instances = np.maximum(compared, 1)
    inside = np.clip(rate, 0.5 / instances, 1 - 0.5 / instances)
    deviation: Array = np.sqrt(inside * (1 - inside) / instances)
    return deviation


def beating_probability(observed: Array, compared: Array) -> Array:
    """Return P(win rate > ½) of independent instances, under Jeffreys' prior: Beta(½ + wins, ½ + losses)."""
    wins = np.nan_to_num(observed) * compared
    return np.asarray(scipy.special.betaincc(0.5 + wins, 0.5 + compared - wins, 0.5))


def _weight_together(rankings: Rankings, weights: Array) -> Array:
    """Return the total weight of instances on which the order of two algorithms is known, by matrix products.

    The diagonal is zero.
    """
    ranks = rankings.ranks
    total: Array = np.zeros((ranks.shape[1], ranks.shape[2], ranks.shape[2]))
    for sign, there in ((1, ranks != ABSENT), (-1, ranks == UNRANKED)):
        members = there.astype(np.float64).swapaxes(0, 1)
        total += sign * ((weights.T[..., None] * members).swapaxes(1, 2) @ members)
    return total * ~np.eye(ranks.shape[2], dtype=bool)
