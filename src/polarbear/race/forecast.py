"""How many instances a race still needs, if what it believes now is right."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.posterior import Posterior
    from polarbear.race.settings import Settings

    Array = NDArray[np.float64]

_GROWTH = 2.0 ** np.arange(0.0, 10.25, 0.25)  # multiples of the data so far that are tried


def instances_needed(posterior: Posterior, resolved: NDArray[np.bool_], settings: Settings) -> float:
    """The number of instances by which every open pair should be decided; infinite if a thousandfold is not enough.

    With k times the data, the log-odds of a pair are taken to be normal around their present mean with 1/k of their present
    variance. They are decided when their sign is known, or when they lie within the region of practical equivalence.
    """
    open_pairs = np.argwhere(np.triu(~resolved.all(axis=0), 1))
    tiny = np.finfo(np.float64).tiny
    logs = {i: np.log(np.maximum(posterior.ratings[..., i], tiny)) for i in np.unique(open_pairs)}
    needed = 1.0
    for a, b in open_pairs:
        odds = logs[a] - logs[b]
        better, equal = _growth_needed(odds, settings)
        growth = np.minimum(better, equal)[~resolved[:, a, b]].max()
        if settings.resolution == "crossing":
            ahead = odds.mean(axis=0) > 0
            first, second, even = (np.min(each, initial=np.inf) for each in (better[ahead], better[~ahead], equal))
            growth = min(growth, max(first, second), max(min(first, second), even))
        needed = max(needed, float(growth))
    return needed * posterior.instances


def _growth_needed(odds: Array, settings: Settings) -> tuple[Array, Array]:
    """By which factor the data must grow at each time until one is known to be better, or both to be equal."""
    mean, deviation = np.abs(odds.mean(axis=0)), np.maximum(odds.std(axis=0), 1e-12)
    edge = np.log((0.5 + settings.rope) / (0.5 - settings.rope))
    spread = deviation / np.sqrt(_GROWTH)[:, None]
    better = ndtr(mean / spread) >= settings.confidence
    equal = ndtr((edge - mean) / spread) - ndtr((-edge - mean) / spread) >= settings.confidence
    first, second = (np.where(each.any(axis=0), _GROWTH[each.argmax(axis=0)], np.inf) for each in (better, equal))
    return first, second
