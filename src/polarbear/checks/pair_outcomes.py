"""Observed outcomes of pairs: win rates on common instances, and the effective number of these instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.rankings import ABSENT, UNRANKED

if TYPE_CHECKING:
    from polarbear.arrays import Array, Mask, Ranks
    from polarbear.observe import Rankings


def observed_win_rates(rankings: Rankings) -> Array:
    """Return the observed win rates of row over column, shape (time, algorithm, algorithm).

    They are weighted shares of instances, where a tie counts one half. They are NaN for pairs never compared, and zero on
    the diagonal.

    Examples
    --------
    >>> from polarbear.observe import Rankings
    >>> rankings = Rankings([[[0, 1, 2]], [[1, 0, 0]]], names=None, grid=[1.0])
    >>> observed_win_rates(rankings)[0].tolist()
    [[0.0, 0.5, 0.5], [0.5, 0.0, 0.75], [0.5, 0.25, 0.0]]
    """
    ranks, weights = rankings.ranks, rankings.weight_of_each
    algorithms = ranks.shape[2]
    wins = np.zeros((ranks.shape[1], algorithms, algorithms))
    for a in range(algorithms):
        for b in range(algorithms):
            if a != b:
                row, column = ranks[..., a], ranks[..., b]
                better = (row < column) + 0.5 * (row == column)
                wins[:, a, b] = (weights * better * _both(row, column)).sum(axis=0)
    compared = _compared(rankings, weights) + np.eye(algorithms)
    rates: Array = np.where(compared > 0, wins / np.where(compared > 0, compared, 1.0), np.nan)
    return rates


def effective_comparisons(rankings: Rankings) -> Array:
    """Return the effective number of instances that compare row and column, shape (time, algorithm, algorithm).

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
    squares = _compared(rankings, weights**2)
    count: Array = np.where(squares > 0, _compared(rankings, weights) ** 2 / np.where(squares > 0, squares, 1.0), 0.0)
    return count


def _both(row: Ranks, column: Ranks) -> Mask:
    """Return whether the order of two algorithms is known: both are present, and not both in the unranked tail."""
    known: Mask = (row != ABSENT) & (column != ABSENT) & ~((row == UNRANKED) & (column == UNRANKED))
    return known


def _compared(rankings: Rankings, weights: Array) -> Array:
    """Return the total weight of instances on which the order of two algorithms is known, by matrix products.

    The diagonal is zero.
    """
    ranks = rankings.ranks
    total: Array = np.zeros((ranks.shape[1], ranks.shape[2], ranks.shape[2]))
    for sign, there in ((1, ranks != ABSENT), (-1, ranks == UNRANKED)):
        members = there.astype(np.float64).swapaxes(0, 1)
        total += sign * ((weights.T[..., None] * members).swapaxes(1, 2) @ members)
    return total * ~np.eye(ranks.shape[2], dtype=bool)
