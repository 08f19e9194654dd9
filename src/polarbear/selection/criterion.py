"""Criteria: what makes an algorithm a good choice at one budget.

A criterion turns a posterior into curves (draw, time, algorithm) in [0, 1], the higher the better; preferences and risk
attitudes do the rest. `FirstPlace`, `MeanRank` and `WinRateAgainst` are exact for every posterior, since ratings and win
rates are what a posterior consists of. `TopK` needs whole rankings: those of the weighted instances under
`BayesianBootstrap`, those of Plackett-Luce otherwise.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.names import index_of
from polarbear.observe.rankings import ABSENT
from polarbear.single_thread import single_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.posterior.outcome_draws import OutcomeDraws
    from polarbear.posterior.posterior import Posterior

    Array = NDArray[np.float64]

_WHOLE = slice(None)  # all times

# The quadrature of Plackett-Luce: steps of log x. The trapezoidal rule converges exponentially; the integrand becomes
# steeper with √k, the number of arrivals that it waits for. Errors of up to 5e-6 were measured, for 4 to 100 algorithms.
_LONGEST_STEP = 0.6
_STEP_OF_ONE = 1.1
# The race begins here, in units of the mean time of the first arrival; what happens before is added in closed form.
_EARLIEST = 1e-3
_LATEST = 18.0  # where it ends, in units of the k-th strongest algorithm's mean arrival time: e⁻¹⁸ is left out
_WEAKEST = 1e-12  # smaller ratings are raised to this, which bounds the number of steps
_AT_ONCE = 200_000  # numbers that are held at once: they stay in cache


@dataclass(frozen=True)
class FirstPlace:
    """The probability of coming first on a new instance: the rating, and the only criterion for portfolios."""

    def curves(self, posterior: Posterior, times: slice = _WHOLE) -> Array:
        """Curves (draw, time, algorithm) at some of the times."""
        return posterior.ratings[:, times]

    def worded(self, value: float, algorithms: int) -> str:
        """What a value means, as the rest of a sentence about an algorithm."""
        return f"comes first on {_percent(value)} of instances"

    def __str__(self) -> str:
        return "the probability of coming first"


@dataclass(frozen=True)
class TopK:
    """The probability of being among the first k on a new instance.

    `TopK(1)` is `FirstPlace()`. Algorithms that tie for the last of these places share it.

    Under `BayesianBootstrap` this is the weighted share of instances, of those on which all algorithms were observed: where
    one was not, it is open whether the others are among the first k. It is blended with the Plackett-Luce fit like the
    ratings, with the share that the fit has beside these instances. Under the other priors it follows from Plackett-Luce.

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
        """Curves (draw, time, algorithm) at some of the times."""
        algorithms = len(posterior.names)
        if self.k > algorithms:
            raise ValueError(
                f"expected TopK of at most {algorithms}, the number of algorithms, got {self.k}; all are among the first "
                f"{algorithms}"
            )
        if self.k == 1:
            return posterior.ratings[:, times]
        if posterior.outcomes is None:
            ratings = posterior.ratings.transpose(1, 2, 0)[times]
            return plackett_luce_top(ratings, self.k).transpose(2, 0, 1)
        return _top_of_outcomes(posterior.outcomes, self.k, times).transpose(2, 0, 1)

    def worded(self, value: float, algorithms: int) -> str:
        """What a value means, as the rest of a sentence about an algorithm."""
        return f"is in the top {self.k} on {_percent(value)} of instances"

    def __str__(self) -> str:
        return f"the probability of being in the top {self.k}"


@dataclass(frozen=True)
class MeanRank:
    """The expected rank among all algorithms.

    A rank is turned so that higher is better: the value is (n − rank) / (n − 1), the mean win rate over the n − 1 others.
    """

    def curves(self, posterior: Posterior, times: slice = _WHOLE) -> Array:
        """Curves (draw, time, algorithm) at some of the times."""
        number = len(posterior.names)
        draws, used = len(posterior.ratings), len(posterior.grid.times[times])
        won = np.zeros((used, number, draws))
        for a, b in zip(*np.triu_indices(number, 1), strict=True):
            rates = posterior.win_rates(int(a), int(b))[times]
            won[:, a] += rates
            won[:, b] += 1 - rates
        shares: Array = won / max(number - 1, 1)
        return shares.transpose(2, 0, 1)

    def worded(self, value: float, algorithms: int) -> str:
        """What a value means, as the rest of a sentence about an algorithm."""
        return f"has a mean rank of {algorithms - (algorithms - 1) * value:.2f} among {algorithms}"

    def __str__(self) -> str:
        return "the mean rank"


@dataclass(frozen=True)
class WinRateAgainst:
    """The win rate against one algorithm, such as the one in use today; against itself that is one half.

    Parameters
    ----------
    baseline
        The algorithm's name. It need not be among the candidates.
    """

    baseline: str

    def curves(self, posterior: Posterior, times: slice = _WHOLE) -> Array:
        """Curves (draw, time, algorithm) at some of the times."""
        baseline = index_of(self.baseline, posterior.names)
        draws, used = len(posterior.ratings), len(posterior.grid.times[times])
        rates = np.full((used, len(posterior.names), draws), 0.5)
        for a in range(len(posterior.names)):
            if a != baseline:
                rates[:, a] = posterior.win_rates(a, baseline)[times]
        return rates.transpose(2, 0, 1)

    def worded(self, value: float, algorithms: int) -> str:
        """What a value means, as the rest of a sentence about an algorithm."""
        return f"beats {self.baseline} on {_percent(value)} of instances"

    def __str__(self) -> str:
        return f"the win rate against {self.baseline}"


Criterion = FirstPlace | TopK | MeanRank | WinRateAgainst


def plackett_luce_top(ratings: Array, k: int) -> Array:
    """P(among the first k) under Plackett-Luce, of ratings (time, algorithm, draw), in the same shape.

    The ranking is the order of arrival in a race with independent X_a ~ Exp(θ_a). So the probability is
    ∫ θ_a exp(−θ_a x) P(fewer than k others arrive before x) dx, by the trapezoidal rule over log x. The number of
    others that have arrived is Poisson-binomial: its recursion runs over the algorithms before a and over those behind a,
    and the two are combined.
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
            result[t, :, part] = _race(theta[:, part], np.exp(steps), step, k)
    return result


def _race(theta: Array, x: Array, step: float, k: int) -> Array:
    """P(among the first k), shape (algorithm, draw), from the times x of the race, which are in even steps of log x."""
    waiting = np.exp(-theta[:, None] * x[:, None])  # P(has not arrived), shape (algorithm, x, draw)
    arrived = 1 - waiting
    algorithms = len(theta)
    # P(j of the algorithms behind a have arrived), j < k, then P(at most j have).
    behind = np.zeros((algorithms, k, *waiting.shape[1:]))
    behind[-1, 0] = 1.0
    for a in range(algorithms - 1, 0, -1):
        behind[a - 1] = _with_another(behind[a], waiting[a], arrived[a])
    for j in range(1, k):
        behind[:, j] += behind[:, j - 1]
    result, before = np.empty_like(theta), behind[-1] * 0
    before[0] = 1.0
    for a in range(algorithms):
        fewer_than_k = before[0] * behind[a, k - 1]
        for j in range(1, k):
            fewer_than_k += before[j] * behind[a, k - 1 - j]
        result[a] = step * theta[a] * (x @ (waiting[a] * fewer_than_k))
        before = _with_another(before, waiting[a], arrived[a])
    # Before the first of the times the integrand is θ x: a geometric series.
    result += theta * (step * x[0] / math.expm1(step))
    return np.minimum(result, 1.0, out=result)


def _with_another(counts: Array, waiting: Array, arrived: Array) -> Array:
    """The distribution of the number of arrivals, below k, with one more algorithm."""
    joined: Array = counts * waiting
    joined[1:] += counts[:-1] * arrived
    return joined


def _top_of_outcomes(outcomes: OutcomeDraws, k: int, times: slice) -> Array:
    """P(among the first k), shape (time, algorithm, draw), by weighted instances blended with their Plackett-Luce fit."""
    model = None
    if outcomes.utilities is not None and outcomes.model_weight > 0:
        utilities = outcomes.utilities[times].astype(np.float64)
        strengths = np.exp(utilities - utilities.max(axis=1, keepdims=True))
        model = plackett_luce_top(strengths, k)
        if math.isinf(outcomes.model_weight):
            return model
    ranks = outcomes.ranks[:, times]
    complete = (ranks != ABSENT).all(axis=2)
    scale = complete.astype(np.float32)
    if outcomes.scale is not None:
        scale *= outcomes.scale[:, times]
    shares = _shares_of_top(ranks, k) * scale[..., None]
    rows, used, algorithms = ranks.shape
    with single_thread():
        total = (scale.T @ outcomes.weights)[:, None]
        placed = (shares.reshape(rows, -1).T @ outcomes.weights).reshape(used, algorithms, -1)
    # In a draw that gives complete instances no weight at all, nothing is known.
    result = np.divide(placed, total, out=np.full_like(placed, k / algorithms), where=total > 0).astype(np.float64)
    if model is not None:
        share = outcomes.model_weight / (outcomes.model_weight + outcomes.sizes @ complete)
        result += share[:, None, None] * (model - result)
    blended: Array = np.clip(result, 0.0, 1.0)
    return blended


def _shares_of_top(ranks: NDArray[np.int16], k: int) -> NDArray[np.float32]:
    """The share of each algorithm in the first k places, of ranks (row, time, algorithm); complete rows sum to k.

    Ties share the places that they occupy together; so do algorithms that are only known to be worse than the ranked ones.
    """
    better, tied = np.zeros(ranks.shape, dtype=np.int16), np.zeros(ranks.shape, dtype=np.int16)
    for other in np.moveaxis(ranks, -1, 0):
        better += other[..., None] < ranks
        tied += other[..., None] == ranks
    shares: NDArray[np.float32] = np.clip((k - better) / tied, 0.0, 1.0).astype(np.float32)
    return shares


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
