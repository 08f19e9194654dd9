"""Estimate simulation settings that resemble recorded runs: the autocorrelation over time and the spread of utilities."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.pair_outcomes import pair_outcomes
from polarbear.posterior.relations import win_probability

if TYPE_CHECKING:
    from polarbear.observe import Rankings
    from polarbear.posterior.posterior import Posterior

_USUAL = np.sqrt(2)  # standard deviation of differences of utilities under `truths`
_LARGEST_LOGIT = 4.0  # a win rate of 98 %; larger logits reflect the number of instances rather than the difference


def estimate_autocorrelation(rankings: Rankings) -> float:
    """Estimate the autocorrelation of a run's noise at neighbouring budgets, from the outcomes of all pairs.

    The signs of two normal variables with correlation ρ have the correlation r = (2 / π) arcsin ρ. The outcomes of a pair
    at neighbouring budgets, centred over instances, take the place of the signs. Without information the estimate is zero.
    """
    product = square = 0.0
    for a, b in combinations(range(len(rankings.names)), 2):
        found = pair_outcomes(rankings, a, b)
        both, won = found.compared, found.scores
        known = both[:, 1:] & both[:, :-1]
        mean = won.sum(axis=0) / np.maximum(both.sum(axis=0), 1)
        centred = won - mean
        product += float((centred[:, 1:] * centred[:, :-1])[known].sum())
        square += float((0.5 * centred[:, 1:] ** 2 + 0.5 * centred[:, :-1] ** 2)[known].sum())
    return float(np.clip(np.sin(np.pi / 2 * product / square), 0.0, 1.0)) if square > 0 else 0.0


def estimate_spread(posterior: Posterior) -> float:
    """Estimate the spread of algorithms: the root mean square of logit win rates, as a multiple of that under `truths`."""
    rates = win_probability(posterior)
    off = ~np.eye(len(posterior.names), dtype=bool)
    logits = np.clip(np.log(rates[:, off] / (1 - rates[:, off])), -_LARGEST_LOGIT, _LARGEST_LOGIT)
    return float(np.sqrt(np.mean(logits**2)) / _USUAL)
