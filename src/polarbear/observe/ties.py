"""Ties: the weighted choice sets that average the likelihood terms of a tie over all orderings of its algorithms.

`tie_subsets` returns the sets of a tie of k algorithms: exact for k up to `LARGEST_EXACT`, sampled above. `shuffle_ties`
shuffles the algorithms of sampled ties, so that the sampling errors of different ties are independent.
"""

from __future__ import annotations

import math
from functools import cache
from itertools import combinations
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.arrays import Array, Indices, Mask

LARGEST_EXACT: Final = 12
"""Largest tie that is expanded exactly; the subsets of larger ties are sampled (design, section 4.1)."""

# Target number of subsets per sampled tie, and a limit: the cost of the largest exact tie. With 1000 subsets the measured
# error of the tie's contribution to the score is 0.01 to 0.03, against 0.8 of information (13 to 40 algorithms, ratings that
# differ by factors of e). Simple random subsets would need ten to a hundred times as many.
_USUAL_SUBSETS = 2**10
_MOST_SUBSETS = 2**LARGEST_EXACT
_LARGE = 24  # ties from which each size has only as many subsets as go round the circle twice: time and memory count


@cache
def tie_subsets(size: int) -> tuple[Mask, Array]:
    """Return the subsets U of a tie of k algorithms, and the weight of each as the part still unranked.

    Over the k! orderings of the tie, a subset of u algorithms is the set still unranked with probability
    1 / binom(k, u). The expansion of the tie (section 3 of the paper) therefore adds the choice set U + {all worse} with
    that weight, for each of the 2^k - 1 subsets.

    Above k = 12 the sizes u with many subsets are sampled, each size with total weight 1: evenly spaced windows of u
    neighbours are cut from a random circular arrangement of the tie. Every window is a uniform subset, which makes the
    sum unbiased. All algorithms are in the same number of windows (up to k = 24; nearly the same above), so that a
    sampled tie, too, treats its algorithms equally.

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
    >>> members, weights = tie_subsets(2)
    >>> members.astype(int).tolist(), weights.tolist()
    ([[1, 0], [0, 1], [1, 1]], [0.5, 0.5, 1.0])
    """
    rng = np.random.default_rng(size)
    members, weights = [], []
    for chosen in range(1, size + 1):
        circles = max(1, _USUAL_SUBSETS // size**2)
        # All windows of a circle or, for very large ties, enough of them to go round it at least twice.
        twice = math.ceil(2 * size / chosen)
        starts = min(size, twice if size > _LARGE else max(_MOST_SUBSETS // size, twice))
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


def shuffle_ties(tied: Indices, tie: NDArray[np.uint8]) -> Indices:
    """Shuffle the algorithms of each tie by a generator seeded from the tie itself.

    The order depends only on which algorithms are tied and which are worse: neither on the order of the instances nor on
    their division into batches. Different ties are shuffled independently, so that their sampling errors average out.

    Parameters
    ----------
    tied
        Shape (tie, k): the algorithms of each tie.
    tie
        Shape (tie, byte): a key that identifies the tie by its tied algorithms and its worse algorithms.

    Returns
    -------
    NDArray
        `tied` with each row shuffled.
    """
    seed = np.zeros(len(tie), dtype=np.uint64)
    for byte in tie.T:
        seed = _split_mix(seed ^ byte.astype(np.uint64))
    return np.take_along_axis(tied, np.argsort(_split_mix(seed[:, None] + tied.astype(np.uint64)), axis=1), axis=1)


def _split_mix(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Apply one step of SplitMix64 (Steele, Lea and Flood, 2014), which passes BigCrush on consecutive states."""
    z = state + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
