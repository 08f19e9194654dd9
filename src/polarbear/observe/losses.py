"""Losses: the values behind rankings, from which the outcomes of a pair are found without looking at other algorithms.

An outcome of a pair depends on the runs of the two algorithms only. Values within a tolerance are tied pair by pair. In a
ranking of all algorithms a tie could depend on a third algorithm, whose value lies between the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.arrays import Array, Array32, Mask


class PairOutcomes(NamedTuple):
    """Where the first algorithm wins and loses, and where the two were compared; arrays of shape (instance, budget)."""

    wins: Mask
    losses: Mask
    compared: Mask

    @property
    def scores(self) -> Array32:
        """The score of the first algorithm: 1 for a win, ½ for a tie, 0 for a loss and where the two were not compared."""
        ties = self.compared & ~self.wins & ~self.losses
        scores: Array32 = self.wins + np.float32(0.5) * ties
        return scores


@dataclass(frozen=True, eq=False)
class Losses:
    """The values behind rankings, from which ties within a tolerance are found pair by pair.

    Attributes
    ----------
    values
        Shape (algorithm, instance, budget): lower is better, NaN is not observed, +inf is no solution yet.
    absolute, relative
        The tolerances: a loss is tied with a lower one, b, if it exceeds b by at most absolute + relative |b|.
    """

    values: Array
    absolute: float
    relative: float

    def outcomes(self, first: int, second: int) -> PairOutcomes:
        """Return the outcomes of the first algorithm against the second."""
        one, other = self.values[first], self.values[second]
        compared = ~(np.isnan(one) | np.isnan(other))
        with np.errstate(invalid="ignore", over="ignore"):  # NaN, and inf - inf, which is a tie by equality
            allowed = self.absolute + self.relative * np.abs(np.minimum(one, other))
            apart = (np.abs(one - other) > allowed) & (allowed < np.inf)
        apart |= np.isinf(one) ^ np.isinf(other)
        return PairOutcomes(apart & (one < other), apart & (other < one), compared)

    def take(self, instances: NDArray[Any]) -> Losses:
        """Return the losses on some of the instances."""
        return Losses(self.values[:, instances], self.absolute, self.relative)
