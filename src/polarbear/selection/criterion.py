"""Criteria: what counts at one budget.

A criterion turns a posterior into curves (draw, time, algorithm) in [0, 1]; higher is better. Preferences and risk attitudes
then turn the curves into scores. `FirstPlace`, `MeanRank` and `WinRateAgainst` are exact for every posterior, since a
posterior consists of ratings and win rates. `TopK` needs whole rankings: those of the weighted instances under
`BayesianBootstrap`, and those of the Plackett-Luce model under other priors.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.names import index_of
from polarbear.observe.rankings import ABSENT
from polarbear.posterior.outcome_draws import model_share
from polarbear.single_thread import single_thread

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices, Ranks
    from polarbear.posterior.outcome_draws import OutcomeDraws
    from polarbear.posterior.posterior import Posterior


_WHOLE = slice(None)  # all times

# Step of the trapezoidal rule over log x in `plackett_luce_top`. The rule converges exponentially. The integrand waits for k
# arrivals and steepens with √k, so the step shrinks with √k. Measured errors are at most 5e-6 for 4 to 100 algorithms.
_LONGEST_STEP = 0.6
_STEP_OF_ONE = 1.1
# Start of the integral, in units of the mean time of the first arrival; the part before it is added in closed form.
_EARLIEST = 1e-3
_LATEST = 18.0  # end of the integral, in mean arrival times of the k-th strongest algorithm: it omits e⁻¹⁸
_WEAKEST = 1e-12  # lower bound of ratings, which bounds the number of steps
_AT_ONCE = 200_000  # numbers per block, so that a block stays in cache


@dataclass(frozen=True)
class FirstPlace:
    """The probability of coming first on a new instance: the rating. It is the only criterion for portfolios."""

    def curves(self, posterior: Posterior, times: slice = _WHOLE) -> Array:
        """Return curves (draw, time, algorithm) at the selected times."""
        return posterior.ratings[:, times]

    def describe(self, value: float, algorithms: int) -> str:
        """Return the meaning of a value, as the predicate of a sentence about an algorithm."""
        return f"comes first on {_percent(value)} of instances"

    def __str__(self) -> str:
        return "the probability of coming first"


@dataclass(frozen=True)
class TopK:
    """The probability of being among the first k on a new instance.

    `TopK(1)` is `FirstPlace()`. Algorithms that tie for the last of these places share it.

    Under `BayesianBootstrap` this is the weighted share among the instances on which all algorithms were observed: if one is
    missing, the first k places of the others are unknown. The share is blended with the Plackett-Luce fit as the ratings
    are, with the weight of the fit relative to these instances. Under the other priors it follows from Plackett-Luce. At
    times at which some algorithms were not observed, the first k places are those among the others.

    Parameters
    ----------
    k
        The number of places, at least 1.
    """

    k: int

    def __post_init__(self) -> None:
        try:
            k = 0 if isinstance(self.k, bool) else operator.index(self.k)
        except TypeError:
            k = 0
        if k < 1:
            raise ValueError(f"expected TopK of a whole number of places, at least 1, got {self.k!r}; write TopK(3)")
        object.__setattr__(self, "k", k)

    def curves(self, posterior: Posterior, times: slice = _WHOLE) -> Array:
        """Return curves (draw, time, algorithm) at the selected times."""
        algorithms = len(posterior.names)
        if self.k > algorithms:
            raise ValueError(
                f"expected TopK of at most {algorithms}, the number of algorithms, got {self.k}; all are among the first "
                f"{algorithms}"
            )
        if self.k == 1:
            return posterior.ratings[:, times]
        places = np.arange(len(posterior.grid))[times]
        patterns, index = np.unique(posterior.observed[times], axis=0, return_inverse=True)
        result = np.zeros((len(places), algorithms, len(posterior.ratings)))
        for number, observed in enumerate(patterns):  # usually a single one: all algorithms at all times
            at, columns = np.flatnonzero(index.ravel() == number), np.flatnonzero(observed)
            if columns.size:
                result[np.ix_(at, columns)] = _top(posterior, self.k, places[at], columns)
        return result.transpose(2, 0, 1)

    def describe(self, value: float, algorithms: int) -> str:
        """Return the meaning of a value, as the predicate of a sentence about an algorithm."""
        return f"is in the top {self.k} on {_percent(value)} of instances"

    def __str__(self) -> str:
        return f"the probability of being in the top {self.k}"


@dataclass(frozen=True)
class MeanRank:
    """The expected rank among all algorithms.

    The value is (n − rank) / (n − 1), the mean win rate against the n − 1 other algorithms, so that higher is better. At
    each time only algorithms that were observed count as others.
    """

    def curves(self, posterior: Posterior, times: slice = _WHOLE) -> Array:
        """Return curves (draw, time, algorithm) at the selected times."""
        number = len(posterior.names)
        draws, used = len(posterior.ratings), len(posterior.grid.times[times])
        observed = posterior.observed[times]
        wins = np.zeros((used, number, draws))
        for a, b in zip(*np.triu_indices(number, 1), strict=True):
            rates = posterior.win_rates(int(a), int(b))[times]
            wins[:, a] += np.where(observed[:, [b]], rates, 0.0)
            wins[:, b] += np.where(observed[:, [a]], 1 - rates, 0.0)
        others = observed.sum(axis=1, keepdims=True) - observed
        shares: Array = wins / np.maximum(others, 1)[..., None]
        return shares.transpose(2, 0, 1)

    def describe(self, value: float, algorithms: int) -> str:
        """Return the meaning of a value, as the predicate of a sentence about an algorithm."""
        return f"has a mean rank of {algorithms - (algorithms - 1) * value:.2f} among {algorithms}"

    def __str__(self) -> str:
        return "the mean rank"


@dataclass(frozen=True)
class WinRateAgainst:
    """The win rate against one algorithm, such as the one in use today; its win rate against itself is one half.

    Parameters
    ----------
    baseline
        The name of the algorithm. It need not be a candidate.
    """

    baseline: str

    def curves(self, posterior: Posterior, times: slice = _WHOLE) -> Array:
        """Return curves (draw, time, algorithm) at the selected times."""
        baseline = index_of(self.baseline, posterior.names)
        draws, used = len(posterior.ratings), len(posterior.grid.times[times])
        rates = np.full((used, len(posterior.names), draws), 0.5)
        for a in range(len(posterior.names)):
            if a != baseline:
                rates[:, a] = posterior.win_rates(a, baseline)[times]
        return rates.transpose(2, 0, 1)

    def describe(self, value: float, algorithms: int) -> str:
        """Return the meaning of a value, as the predicate of a sentence about an algorithm."""
        return f"beats {self.baseline} on {_percent(value)} of instances"

    def __str__(self) -> str:
        return f"the win rate against {self.baseline}"


Criterion = FirstPlace | TopK | MeanRank | WinRateAgainst


def _top(posterior: Posterior, k: int, times: Indices, columns: Indices) -> Array:
    """Return P(among the first k) of some algorithms among themselves, shape (time, algorithm, draw)."""
    if posterior.outcomes is not None:
        return _top_of_outcomes(posterior.outcomes, k, times, columns)
    return plackett_luce_top(posterior.ratings.transpose(1, 2, 0)[np.ix_(times, columns)], k)


def plackett_luce_top(ratings: Array, k: int) -> Array:
    """Return P(among the first k) under Plackett-Luce for ratings (time, algorithm, draw), in the same shape.

    A Plackett-Luce ranking is the order of independent arrival times X_a ~ Exp(θ_a). The probability is therefore
    ∫ θ_a exp(−θ_a x) P(fewer than k others arrive before x) dx, computed by the trapezoidal rule over log x. The number of
    other arrivals is Poisson-binomial. One recursion runs over the algorithms before a in the array, one over those after
    a, and a convolution combines the two.
    """
    times, algorithms, draws = ratings.shape
    if k >= algorithms:
        return np.ones_like(ratings)
    result = np.empty((times, algorithms, draws))
    step = min(_LONGEST_STEP, _STEP_OF_ONE / math.sqrt(k))
    for t in range(times):
        theta = np.maximum(ratings[t] / ratings[t].sum(axis=0), _WEAKEST)
        slowest = np.partition(theta, algorithms - k, axis=0)[algorithms - k].min()
        steps = np.arange(math.log(_EARLIEST), math.log(_LATEST / slowest) + step, step)
        each = max(1, _AT_ONCE // (algorithms * k * len(steps)))
        for first in range(0, draws, each):
            part = slice(first, first + each)
            result[t, :, part] = _top_by_quadrature(theta[:, part], np.exp(steps), step, k)
    return result


def _top_by_quadrature(theta: Array, x: Array, step: float, k: int) -> Array:
    """Return P(among the first k), shape (algorithm, draw), by quadrature over arrival times x with equal steps of log x."""
    waiting = np.exp(-theta[:, None] * x[:, None])  # P(has not arrived), shape (algorithm, x, draw)
    arrived = 1 - waiting
    algorithms = len(theta)
    # P(j of the algorithms after a have arrived) for j < k, then its cumulative sum, P(at most j have arrived).
    behind = np.zeros((algorithms, k, *waiting.shape[1:]))
    behind[-1, 0] = 1.0
    for a in range(algorithms - 1, 0, -1):
        behind[a - 1] = _add_entrant(behind[a], waiting[a], arrived[a])
    for j in range(1, k):
        behind[:, j] += behind[:, j - 1]
    result, before = np.empty_like(theta), behind[-1] * 0
    before[0] = 1.0
    for a in range(algorithms):
        fewer_than_k = before[0] * behind[a, k - 1]
        for j in range(1, k):
            fewer_than_k += before[j] * behind[a, k - 1 - j]
        result[a] = step * theta[a] * (x @ (waiting[a] * fewer_than_k))
        before = _add_entrant(before, waiting[a], arrived[a])
    # Before x[0] the integrand over log x is θ x, and the sum is a geometric series.
    result += theta * (step * x[0] / math.expm1(step))
    return np.minimum(result, 1.0, out=result)


def _add_entrant(counts: Array, waiting: Array, arrived: Array) -> Array:
    """Return the distribution of the number of arrivals, truncated below k, after adding one algorithm."""
    updated: Array = counts * waiting
    updated[1:] += counts[:-1] * arrived
    return updated


def _top_of_outcomes(outcomes: OutcomeDraws, k: int, times: Indices, columns: Indices) -> Array:
    """Return P(among the first k), shape (time, algorithm, draw), from weighted instances blended with the model fit.

    Only the algorithms `columns` count, and only instances on which all of them were observed.
    """
    model = None
    weights = outcomes.model_weights_in_ratings
    if outcomes.utilities is not None and weights is not None:
        utilities = outcomes.utilities[np.ix_(times, columns)].astype(np.float64)
        strengths = np.exp(utilities - utilities.max(axis=1, keepdims=True))
        model = plackett_luce_top(strengths, k)
        if np.isinf(weights).all():
            return model
    ranks = outcomes.ranks[:, times][..., columns]
    complete = (ranks != ABSENT).all(axis=2)
    scale = complete.astype(np.float32)
    if outcomes.scale is not None:
        scale *= outcomes.scale[:, times]
    shares = _shares_of_top(ranks, k) * scale[..., None]
    rows, used, algorithms = ranks.shape
    with single_thread():
        total = (scale.T @ outcomes.weights)[:, None]
        sums = (shares.reshape(rows, -1).T @ outcomes.weights).reshape(used, algorithms, -1)
    # A draw without weight on complete instances is uninformative: all algorithms get k / n.
    result = np.divide(sums, total, out=np.full_like(sums, min(k / algorithms, 1.0)), where=total > 0).astype(
        np.float64
    )
    if model is not None and weights is not None:
        result += model_share(weights, outcomes.sizes @ complete)[:, None] * (model - result)
    blended: Array = np.clip(result, 0.0, 1.0)
    return blended


def _shares_of_top(ranks: Ranks, k: int) -> Array32:
    """Return the share of each algorithm in the first k places, for ranks (row, time, algorithm).

    Complete rows sum to k. Tied algorithms share the places that they occupy together. So do unranked algorithms, which are
    only known to be worse than the ranked ones.
    """
    better, tied = np.zeros(ranks.shape, dtype=np.int16), np.zeros(ranks.shape, dtype=np.int16)
    for other in np.moveaxis(ranks, -1, 0):
        better += other[..., None] < ranks
        tied += other[..., None] == ranks
    shares: Array32 = np.clip((k - better) / tied, 0.0, 1.0).astype(np.float32)
    return shares


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
