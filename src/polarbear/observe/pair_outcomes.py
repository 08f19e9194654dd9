"""The outcomes of one pair of algorithms on each instance at each budget, from rankings or from the values behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.observe.losses import PairOutcomes
from polarbear.observe.rankings import ABSENT, UNRANKED

if TYPE_CHECKING:
    from polarbear.arrays import Ranks
    from polarbear.observe.rankings import Rankings


def pair_outcomes(rankings: Rankings, first: int, second: int) -> PairOutcomes:
    """Return the outcomes of a pair; instances of weight zero compare nothing.

    Examples
    --------
    >>> from polarbear.observe import Rankings
    >>> wins, losses, compared = pair_outcomes(Rankings([[[0, 1]], [[0, ABSENT]], [[0, 0]]], None, [1]), 0, 1)
    >>> wins.ravel().tolist(), losses.ravel().tolist(), compared.ravel().tolist()
    ([True, False, False], [False, False, False], [True, False, True])
    """
    if rankings.losses is not None:
        found = rankings.losses.outcomes(first, second)
    else:
        found = outcomes_of_ranks(rankings.ranks[..., first], rankings.ranks[..., second])
    if rankings.weights.all():
        return found
    weighted = rankings.weight_of_each > 0
    return PairOutcomes(*(each & weighted for each in found))


def outcomes_of_ranks(first: Ranks, second: Ranks) -> PairOutcomes:
    """Return the outcomes of two algorithms by their ranks; the order of two unranked algorithms is unknown."""
    compared = (first != ABSENT) & (second != ABSENT) & ~((first == UNRANKED) & (second == UNRANKED))
    return PairOutcomes(compared & (first < second), compared & (second < first), compared)
