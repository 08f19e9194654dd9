"""The numbers in the page that are too many for text: draws of ratings, and win rates of each pair over time."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior

_DRAWS = 1000
_BYTES = 2_400_000  # of base64: with everything else the page stays below three megabytes
_LARGEST = 65535


def embedded(posterior: Posterior) -> Posterior:
    """The posterior as the page has it: at most a thousand draws, fewer where grid and algorithms are many, and rounded.

    Stored are square roots √θ in sixteen bits. Whatever is computed from ratings in [0, 1] is then off by 1.6e-5 at most,
    and by less where ratings are small.
    """
    _, times, algorithms = posterior.ratings.shape
    fit = _BYTES * 3 // 4 // (2 * times * algorithms)
    thinned = posterior.thin(max(1, min(_DRAWS, fit)))
    return replace(thinned, ratings=(_rounded(thinned) / _LARGEST) ** 2)


def packed(posterior: Posterior) -> str:
    """The ratings in base64: little-endian, in the order (time, algorithm, draw)."""
    ordered = _rounded(posterior).transpose(1, 2, 0).astype("<u2")
    return base64.b64encode(np.ascontiguousarray(ordered).tobytes()).decode("ascii")


def packed_pairs(posterior: Posterior, *, level: float) -> str:
    """Return win rates of each pair a < b over time in base64, a byte each, in the order (pair, quantity, time).

    Quantities are the mean, the lower and the upper end of the credible interval, and the probability of a win rate above
    one half, from at most a thousand draws. A byte is a 255th, finer than a chart can show.
    """
    thinned, (_, times, algorithms) = posterior.thin(_DRAWS), posterior.ratings.shape
    tails = [(1 - level) / 2, (1 + level) / 2]
    pairs = [(a, b) for a in range(algorithms) for b in range(a + 1, algorithms)]
    numbers = np.empty((len(pairs), 4, times), dtype=np.uint8)
    for place, (a, b) in enumerate(pairs):
        rates = thinned.win_rates(a, b)
        ahead = (rates > 0.5).mean(axis=1) + 0.5 * (rates == 0.5).mean(axis=1)
        numbers[place] = np.rint(255 * np.stack([rates.mean(axis=1), *np.quantile(rates, tails, axis=1), ahead]))
    return base64.b64encode(numbers.tobytes()).decode("ascii")


def _rounded(posterior: Posterior) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    rounded: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = np.rint(np.sqrt(posterior.ratings) * _LARGEST)
    return rounded
