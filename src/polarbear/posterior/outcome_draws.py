"""Draws of the distribution over instances, and the win rates and first places that follow from each draw.

A draw is a vector of weights on rows: the observed instances, and pseudo-instances with random rankings. Win rates and
ratings are weighted means over rows, blended with Plackett-Luce utilities that were fitted under the same weights. The
module needs only NumPy, so that a stored posterior loads quickly on any machine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.rankings import ABSENT, UNRANKED
from polarbear.single_thread import single_thread

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polarbear.arrays import Array, Array32, Indices, Mask, Ranks
    from polarbear.observe.rankings import RepeatedRuns


KEPT_BYTES = 400_000_000
"""Win rates of all pairs are cached if they take no more than this, else computed on demand."""


@dataclass(frozen=True, eq=False)
class OutcomeDraws:
    """Draws of random weights on instances, with the rankings and the Plackett-Luce fit that win rates derive from.

    Attributes
    ----------
    ranks
        Shape (row, time, algorithm): the rankings of the observed instances, then of the pseudo-instances; see `Rankings`.
    weights
        Shape (row, draw), single precision: the weight of each row in each draw. They sum to one over rows.
    sizes
        Shape (row,): the expected weight of each row, in instances (in clusters, if the answer generalises to new ones).
    scale
        Shape (row, time): the weights of the instances over time relative to `sizes`; None if they do not depend on time.
    utilities
        Shape (time, algorithm, draw), single precision: the Plackett-Luce fit under the same weights; None without a fit.
    model_weight
        The weight of the Plackett-Luce fit in win rates and leads, in instances; infinity uses the fit alone.
    model_weights_in_ratings
        Shape (draw,): its weight in ratings, and in the probability of being among the first k; None without a fit.
    observed
        The number of rows that are observed instances; the others are pseudo-instances.
    spread
        Shape (pair, draw), half precision: τ of the near-equality prior that shrinks the pair in this draw, infinity if it
        is not shrunk; None without shrinkage. Pairs (a, b), a < b, are in the order of `numpy.triu_indices`.
    repeated
        The ranks of all runs among those on the same problem; None if no problem was repeated.
    """

    ranks: Ranks
    weights: Array32
    sizes: Array
    observed: int
    scale: Array | None = None
    utilities: Array32 | None = None
    model_weight: float = 0.0
    model_weights_in_ratings: Array | None = None
    spread: NDArray[np.float16] | None = None
    repeated: RepeatedRuns | None = None

    @property
    def algorithms(self) -> int:
        """The number of algorithms."""
        return int(self.ranks.shape[2])

    def win_rates(self, first: int, second: int) -> Array32:
        """Return the share of instances on which the first algorithm beats the second, ties one half, shape (time, draw)."""
        if first == second:
            return np.full((self.ranks.shape[1], self.weights.shape[1]), 0.5, dtype=np.float32)
        if first > second:
            return 1 - self.win_rates(second, first)
        if self._all_pairs is None:
            return self._win_rates(first, second)
        rates: Array32 = self._all_pairs[_pair_index(first, second, self.algorithms)]
        return rates

    def free_memory(self) -> None:
        """Free the cached win rates of all pairs, up to 400 MB; they are computed again when they are needed."""
        self.__dict__.pop("_all_pairs", None)

    def thin(self, kept: Indices) -> OutcomeDraws:
        """Return the draws at the positions `kept`."""
        return replace(
            self,
            weights=self.weights[:, kept],
            utilities=None if self.utilities is None else self.utilities[..., kept],
            model_weights_in_ratings=(
                None if self.model_weights_in_ratings is None else self.model_weights_in_ratings[kept]
            ),
            spread=None if self.spread is None else self.spread[:, kept],
        )

    def comparisons(self, first: int, second: int) -> Array:
        """Return the total `sizes` of the rows, pseudo-instances included, that compare both algorithms, shape (time,)."""
        both, _ = outcomes(self._columns[first], self._columns[second])
        return self.sizes @ both

    def observations(self) -> Array:
        """Return the total `sizes` of the rows, with pseudo-instances, that observe each algorithm, (time, algorithm)."""
        total: Array = np.einsum("r,rta->ta", self.sizes, self.ranks != ABSENT)
        return total

    def were_compared(self, first: int, second: int) -> Mask:
        """Return whether any observed instance (no pseudo-instance) compares both algorithms, shape (time,)."""
        both, _ = outcomes(self._columns[first, : self.observed], self._columns[second, : self.observed])
        return np.asarray(both.any(axis=0))

    def best_of(self, members: Sequence[int], rivals: Sequence[int]) -> Array32:
        """Return the share of instances on which the best member beats the best rival, shape (time, draw).

        It uses outcomes alone: the Plackett-Luce fit does not represent on which instances algorithms fail together.
        """
        both, won = outcomes(_best(self.ranks, members), _best(self.ranks, rivals))
        return self._weighted_mean(both, won)

    def first_place_lead(self, first: int, second: int) -> Array32:
        """Return the difference between two algorithms in the share of first places, shape (time, draw).

        First places are among the algorithms observed on each instance, and only instances that compare both count.
        Therefore a race that stops running some algorithms still compares the others on all their instances.
        """
        both, _ = outcomes(self._columns[first], self._columns[second])
        lead = (self._first_shares[..., first] - self._first_shares[..., second]) * both
        if self._model_ratings is None:
            return self._weighted_mean(both, lead)
        model: Array32 = self._model_ratings[:, first] - self._model_ratings[:, second]
        return model if np.isinf(self.model_weight) else self._blend(self._weighted_mean(both, lead), model, both)

    @cached_property
    def _columns(self) -> Ranks:
        """The ranks of each algorithm, contiguous in memory, shape (algorithm, row, time)."""
        return np.ascontiguousarray(self.ranks.transpose(2, 0, 1))

    @cached_property
    def _first_shares(self) -> Array32:
        return first_shares(self.ranks)

    @cached_property
    def _model_ratings(self) -> Array32 | None:
        """The ratings under the Plackett-Luce fit, shape (time, algorithm, draw); None if the fit has no weight."""
        return None if self.utilities is None or self.model_weight == 0 else softmax(self.utilities)

    @cached_property
    def _all_pairs(self) -> Array32 | None:
        """The win rates of all pairs, shape (pair, time, draw); None if they exceed `KEPT_BYTES`."""
        _, times, algorithms = self.ranks.shape
        pairs, draws = algorithms * (algorithms - 1) // 2, self.weights.shape[1]
        if 4 * pairs * times * draws > KEPT_BYTES:
            return None
        result = np.empty((pairs, times, draws), dtype=np.float32)
        for index, (a, b) in enumerate(zip(*np.triu_indices(algorithms, 1), strict=True)):
            result[index] = self._win_rates(int(a), int(b))
        result.flags.writeable = False
        return result

    def _win_rates(self, first: int, second: int) -> Array32:
        """Return the win rates of a pair first < second, computed again, shape (time, draw)."""
        rates = self.unshrunk_win_rates(first, second)
        if self.spread is not None:
            rates = shrink(rates, self.spread[_pair_index(first, second, self.algorithms)])
        return rates

    def unshrunk_win_rates(self, first: int, second: int) -> Array32:
        """Return the win rates of a pair before shrinkage, shape (time, draw)."""
        both, won = outcomes(self._columns[first], self._columns[second])
        if self.utilities is None or self.model_weight == 0:
            return self._weighted_mean(both, won)
        model = _logistic(self.utilities[:, first] - self.utilities[:, second])
        if np.isinf(self.model_weight):
            return model
        return self._blend(self._weighted_mean(both, won), model, both)

    def _blend(self, by_outcomes: Array32, by_model: Array32, both: Mask) -> Array32:
        """Blend outcomes and model, both (time, draw); the fewer instances compare the pair, the more the model counts."""
        share = (self.model_weight / (self.model_weight + self.sizes @ both)).astype(np.float32)[:, None]
        rates: Array32 = by_outcomes + share * (by_model - by_outcomes)
        return rates

    def _weighted_mean(self, both: Mask, scores: Array32) -> Array32:
        """Return the weighted mean of scores (row, time) over the rows that compare both, shape (time, draw)."""
        included = both.astype(np.float32)
        if self.scale is not None:
            scores, included = (each * self.scale.astype(np.float32) for each in (scores, included))
        with single_thread():
            sums = _weighted_sums(scores, self.weights)
            if self.scale is None and both.all():
                return np.minimum(sums, 1.0)  # weights sum to one up to rounding
            total = _weighted_sums(included, self.weights)
        rates: Array32 = np.divide(sums, total, out=np.full_like(sums, 0.5), where=total > 0)
        return np.minimum(rates, 1.0)


def _weighted_sums(scores: Array32, weights: Array32) -> Array32:
    """Return the weighted sums over rows, shape (time, draw), of scores (row, time) under weights (row, draw).

    Rows whose score never changes, such as all pseudo-instances, are summed once for all times. They are most rows if there
    are many algorithms, or if the order of the pair rarely changes.
    """
    varies = (scores != scores[:, :1]).any(axis=1)
    constant: Array32 = np.where(varies, np.float32(0), scores[:, 0]) @ weights
    if not varies.any():
        return np.repeat(constant[None], scores.shape[1], axis=0)
    sums: Array32 = scores[varies].T @ weights[varies]
    sums += constant
    return sums


def outcomes(first: Ranks, second: Ranks) -> tuple[Mask, Array32]:
    """Return whether two algorithms were compared, and the score of the first: 1 for a win, ½ for a tie, 0 otherwise."""
    both = (first != ABSENT) & (second != ABSENT) & ~((first == UNRANKED) & (second == UNRANKED))
    tied = (first == second) & both
    won = ((first < second) & both).astype(np.float32)
    won += 0.5 * tied
    return both, won


def first_shares(ranks: Ranks) -> Array32:
    """Return 1 for the first algorithm of each ranking, divided among ties, and 0 for the others, in the shape of `ranks`.

    Rankings without an observed algorithm have only zeros.
    """
    best = np.where(ranks == ABSENT, np.iinfo(np.int16).max, ranks).min(axis=-1, keepdims=True)
    is_first = (ranks == best) & (ranks != ABSENT)
    shares: Array32 = (is_first / np.maximum(is_first.sum(axis=-1, keepdims=True), 1)).astype(np.float32)
    return shares


def model_share(weights: Array, known: Array) -> Array32:
    """Return m / (m + k) for weights m (draw,) of a fit and k instances, in the shape of k with a last axis of draws."""
    total = np.maximum(known[..., None] + weights, np.finfo(np.float64).tiny)
    share: Array32 = (1 - known[..., None] / total).astype(np.float32)  # 1 for an infinite weight
    return share


def softmax(utilities: Array32) -> Array32:
    """Return the Plackett-Luce ratings of utilities, both of shape (time, algorithm, draw)."""
    exponentials = np.exp(utilities - utilities.max(axis=1, keepdims=True))
    ratings: Array32 = exponentials / exponentials.sum(axis=1, keepdims=True)
    return ratings


def shrink(rates: Array32, spread: NDArray[np.float16]) -> Array32:
    """Shrink win rates (time, draw) of a pair towards one half, by the prior standard deviation τ of each draw.

    Let m and s be the mean and standard deviation of the draws at a time, w ~ N(½, τ²) the prior and c = τ² / (τ² + s²).
    The distance of m from ½ shrinks by c, and deviations from m shrink by √c. This is exact in the normal case, and draws
    stay joint over time. An infinite τ changes nothing.
    """
    mean, variance = rates.mean(axis=1, keepdims=True), rates.var(axis=1, keepdims=True)
    kept = 1 / (1 + variance / np.square(spread.astype(np.float32)))
    root = np.sqrt(kept)
    result: Array32 = np.clip(root * rates + (0.5 + kept * (mean - 0.5) - root * mean), 0.0, 1.0)
    return result


def _best(ranks: Ranks, members: Sequence[int]) -> Ranks:
    """Return the best rank among the members, shape (row, time); `ABSENT` unless all of them were observed."""
    chosen = ranks[..., list(members)]
    best: Ranks = np.where((chosen == ABSENT).any(axis=-1), ABSENT, chosen.min(axis=-1)).astype(np.int16)
    return best


def _logistic(difference: Array32) -> Array32:
    rates: Array32 = 0.5 + 0.5 * np.tanh(0.5 * difference)
    return rates


def _pair_index(first: int, second: int, algorithms: int) -> int:
    """Return the position of the pair first < second among `numpy.triu_indices(algorithms, 1)`."""
    return first * (2 * algorithms - first - 1) // 2 + second - first - 1
