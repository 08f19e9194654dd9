"""Ties: the subsets of a tied group that stand for all of its orderings."""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

LARGEST_EXACT: Final = 12
"""Ties of up to this many algorithms are exact; above, subsets are sampled (design, section 4.1)."""

# About as many sets as one sampled tie should cost, and no more than the largest exact one. With 1000, a score that
# the tie contributes is off by about 0.01 to 0.03 (13 to 40 algorithms, ratings that differ by factors of e), against
# 0.8 of information: measured. Simple random subsets would need ten to a hundred times as many.
_USUAL_SUBSETS = 2**10
_MOST_SUBSETS = 2**LARGEST_EXACT


@cache
def subsets(size: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """Return the subsets U of a tie of k algorithms, and how often each is the rest of the tie that is still unranked.

    Averaged over the k! orderings of the tie, a subset of u algorithms is what is left of it with probability
    1 / binom(k, u). So the expansion of the tie (section 3 of the paper) adds the choice set U + {all worse} with that
    weight, for each of the 2^k - 1 subsets.

    Above k = 12 the sizes u with many subsets are sampled, each size with total weight 1: a random circular
    arrangement of the tie is cut into evenly spread windows of u neighbours. Every window is a uniform subset, which
    makes the sum unbiased, and all algorithms are in equally many windows (up to k = 64; nearly so above), so that a
    sampled tie, too, says that all its algorithms are equal.

    Parameters
    ----------
    size
        The number k of tied algorithms.

    Returns
    -------
    members : NDArray of bool
        Shape (subset, k).
    weights : NDArray
        Shape (subset,); they sum to k.

    Examples
    --------
    >>> members, weights = subsets(2)
    >>> members.astype(int).tolist(), weights.tolist()
    ([[1, 0], [0, 1], [1, 1]], [0.5, 0.5, 1.0])
    """
    rng = np.random.default_rng(size)
    members, weights = [], []
    for chosen in range(1, size + 1):
        circles = max(1, _USUAL_SUBSETS // size**2)
        # All windows of a circle or, for very large ties, as many as go at least twice round it.
        starts = min(size, max(_MOST_SUBSETS // size, math.ceil(2 * size / chosen)))
        if size <= LARGEST_EXACT or math.comb(size, chosen) <= circles * starts:
            places = np.array(list(combinations(range(size), chosen)))
        else:
            start = np.arange(starts) * size // starts
            window = (start[:, None] + np.arange(chosen)) % size
            circle = rng.permuted(np.tile(np.arange(size), (circles, 1)), axis=1)
            places = circle[:, window].reshape(-1, chosen)
        table = np.zeros((len(places), size), dtype=bool)
        np.put_along_axis(table, places, True, axis=1)
        members.append(table)
        weights.append(np.full(len(places), 1 / len(places)))
    result = np.concatenate(members), np.concatenate(weights)
    for array in result:
        array.flags.writeable = False
    return result


def scattered(tied: NDArray[np.intp], tie: NDArray[np.uint8]) -> NDArray[np.intp]:
    """Shuffle the algorithms of each tie by a generator seeded from the tie itself.

    The order depends on who is tied and who is worse, on nothing else: not on the order of the instances, nor on how
    they were split into batches. Different ties are shuffled independently, so that their sampling errors average out.

    Parameters
    ----------
    tied
        Shape (tie, k): the algorithms of each tie.
    tie
        Shape (tie, byte): what identifies the tie, who is tied and who is worse.

    Returns
    -------
    NDArray
        `tied` with each row shuffled.
    """
    seed = np.zeros(len(tie), dtype=np.uint64)
    for byte in tie.T:
        seed = _mixed(seed ^ byte.astype(np.uint64))
    return np.take_along_axis(tied, np.argsort(_mixed(seed[:, None] + tied.astype(np.uint64)), axis=1), axis=1)


def _mixed(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """One step of SplitMix64 (Steele, Lea and Flood, 2014), which passes BigCrush on consecutive states."""
    z = state + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
