"""Binary data of the page: draws of the ratings, and win rates of each pair over time, both in base64."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.posterior.posterior import Posterior

_DRAWS = 4000  # as many as an inference gives by default, so that the page and `select` agree
_DRAWS_OF_PAIRS = 1000
_BYTES = 2_400_000  # limit for the draws in base64; the whole page then stays below three megabytes
_LARGEST = 65535  # of an unsigned integer of sixteen bits


def thin_and_round(posterior: Posterior) -> Posterior:
    """Return the posterior as the page stores it: thinned to at most 4,000 draws, and rounded.

    A large grid or many algorithms leave room for fewer draws. The page stores square roots √θ in sixteen bits. The error
    of any value computed from ratings in [0, 1] is then at most 1.6e-5, and smaller where ratings are small.
    """
    times, algorithms = len(posterior.grid), len(posterior.names)
    affordable = _BYTES * 3 // 4 // (2 * times * algorithms)  # two bytes per rating; base64 turns three into four
    thinned = posterior.thin(max(1, min(_DRAWS, affordable)))
    return replace(thinned, ratings=(_root_levels(thinned) / _LARGEST) ** 2)


def pack_ratings(posterior: Posterior) -> str:
    """Return the ratings in base64: little-endian, in the order (time, algorithm, draw)."""
    ordered = _root_levels(posterior).transpose(1, 2, 0).astype("<u2")
    return base64.b64encode(np.ascontiguousarray(ordered).tobytes()).decode("ascii")


def pack_win_rates(posterior: Posterior, *, level: float) -> str:
    """Return win rates of each pair a < b over time in base64, one byte each, in the order (pair, quantity, time).

    The quantities are the mean, the lower and the upper end of the credible interval, and the probability of a win rate
    above one half. Intervals are from at most a thousand draws. One byte resolves steps of 1/255, finer than a chart shows.
    """
    thinned, times, algorithms = posterior.thin(_DRAWS_OF_PAIRS), len(posterior.grid), len(posterior.names)
    tails = [(1 - level) / 2, (1 + level) / 2]
    pairs = [(a, b) for a in range(algorithms) for b in range(a + 1, algorithms)]
    numbers = np.empty((len(pairs), 4, times), dtype=np.uint8)
    for place, (a, b) in enumerate(pairs):
        rates = thinned.win_rates(a, b)
        ahead, mean = posterior.win_rate_above(a, b), posterior.expected_win_rate(a, b)
        numbers[place] = np.rint(255 * np.stack([mean, *np.quantile(rates, tails, axis=1), ahead]))
    return base64.b64encode(numbers.tobytes()).decode("ascii")


def _root_levels(posterior: Posterior) -> Array:
    """Return √θ in whole steps from 0 to `_LARGEST`."""
    levels: Array = np.rint(np.sqrt(posterior.ratings, dtype=np.float64) * _LARGEST)
    return levels
