"""The draws that go into the page: few enough to fit, in sixteen bits each."""

from __future__ import annotations

import base64
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.posterior import Posterior

_DRAWS = 1000
_BYTES = 2_600_000  # of base64: with everything else the page stays below three megabytes
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


def _rounded(posterior: Posterior) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    rounded: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = np.rint(np.sqrt(posterior.ratings) * _LARGEST)
    return rounded
