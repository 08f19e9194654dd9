"""Criteria: what counts at one budget.

A criterion turns a posterior into curves (draw, budget, candidate) in [0, 1]; higher is better. A preference turns each
curve into a value, and a risk attitude turns the values into scores. `StrongestRival` applies the preference to the win
rates of each pair and takes the minimum over rivals afterwards, so that a value for several budgets is one order of the
pairs, too.

`TopK` needs whole rankings: those of the weighted instances under `BayesianBootstrap`, and those of the Plackett-Luce model
under other priors. All others are exact for every posterior, since a posterior consists of ratings and win rates.
"""

from __future__ import annotations

import math
import operator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.names import index_of
from polarbear.observe.rankings import ABSENT
from polarbear.posterior.first_places import first_places_among
from polarbear.posterior.keyed_numbers import keyed_generator

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.arrays import Array, Array32, Indices, Ranks
    from polarbear.posterior.pair_beliefs import PairBeliefs
    from polarbear.posterior.posterior import Posterior


_WHOLE = slice(None)  # all budgets

# Step of the trapezoidal rule over log x in `plackett_luce_top`. The rule converges exponentially. The integrand waits for k
# arrivals and steepens with √k, so the step shrinks with √k. Measured errors are at most 5e-6 for 4 to 100 algorithms.
_LONGEST_STEP = 0.6
_STEP_OF_ONE = 1.1
# Start of the integral, in units of the mean time of the first arrival; the part before it is added in closed form.
_EARLIEST = 1e-3
_LATEST = 18.0  # end of the integral, in mean arrival times of the k-th strongest algorithm: it omits e⁻¹⁸
_WEAKEST = 1e-12  # lower bound of ratings, which bounds the number of steps
_AT_ONCE = 200_000  # numbers per block, so that a block stays in cache


class _Curves:
    """A criterion whose value under a preference is the value of the candidate's own curve."""

    def curves(self, posterior: Posterior, columns: Indices, budgets: slice = _WHOLE) -> Array:
        raise NotImplementedError

    def values(
        self, posterior: Posterior, columns: Indices, value: Callable[[Array], Array], budgets: slice = _WHOLE
    ) -> Array:
        """Return values (draw, candidate); `value` maps curves (draw, budget) to values (draw,)."""
        curves = self.curves(posterior, columns, budgets)
        return np.stack([value(curves[..., place]) for place in range(len(columns))], axis=1)

    def losses(self, values: Array, half: float) -> Array:
        """Return the loss of each candidate in each draw, in the shape of `values`: against the best candidate.

        `half` is the value of a win rate of one half.
        """
        return np.asarray(values.max(axis=1, keepdims=True) - values)


@dataclass(frozen=True)
class StrongestRival(_Curves):
    """The win rate against the strongest rival, min_b w(a, b) in each draw, over the other candidates b.

    It is the criterion of the default belief. A single candidate has the value one.
    """

    def curves(self, posterior: Posterior, columns: Indices, budgets: slice = _WHOLE) -> Array:
        """Return curves (draw, budget, candidate) at the selected budgets; rivals are those observed there, too."""
        observed = posterior.observed[budgets][:, columns]
        lowest = np.ones((*observed.shape, posterior.draws), dtype=np.float32)
        for a, b in _pairs(posterior, columns):
            rates = posterior.win_rates(int(columns[a]), int(columns[b]))[budgets]
            np.minimum(lowest[:, a], rates, out=lowest[:, a], where=observed[:, [b]])
            np.minimum(lowest[:, b], 1 - rates, out=lowest[:, b], where=observed[:, [a]])
        return lowest.transpose(2, 0, 1)

    def values(
        self, posterior: Posterior, columns: Indices, value: Callable[[Array], Array], budgets: slice = _WHOLE
    ) -> Array:
        """Return values (draw, candidate): the lowest value over rivals of the win rates (draw, budget) against each."""
        lowest = np.ones((len(columns), posterior.draws))
        for a, b in _pairs(posterior, columns):
            rates = posterior.win_rates(int(columns[a]), int(columns[b]))[budgets].T
            np.minimum(lowest[a], value(rates.astype(np.float64)), out=lowest[a])
            np.minimum(lowest[b], value((1 - rates).astype(np.float64)), out=lowest[b])
        if len(columns) == 1:
            lowest[:] = value(np.ones((posterior.draws, len(posterior.grid.budgets[budgets]))))
        return lowest.T

    def losses(self, values: Array, half: float) -> Array:
        """Return by how much the strongest rival wins more than half, in the shape of `values`."""
        return np.maximum(half - values, 0.0)

    def describe(self, value: float, algorithms: int) -> str:
        """Return the meaning of a value, as the predicate of a sentence about an algorithm."""
        return f"wins on {_percent(value)} of instances against its strongest rival"

    def __str__(self) -> str:
        return "the win rate against the strongest rival"


@dataclass(frozen=True)
class FirstPlace(_Curves):
    """The probability of coming first on a new instance: the rating. It is the only criterion for portfolios.

    It is the criterion of the paper's priors, under which it is a rating among all algorithms. Under `BayesianBootstrap` it
    is the share of first places among the candidates, on the instances that all of them share.
    """

    def curves(self, posterior: Posterior, columns: Indices, budgets: slice = _WHOLE) -> Array:
        """Return curves (draw, budget, candidate) at the selected budgets."""
        if posterior.beliefs is None:
            return posterior.ratings[:, budgets][..., columns]
        places = np.arange(len(posterior.grid))[budgets]
        require_shared_instances(posterior, columns, places, str(self))
        return first_places_among(posterior.beliefs, columns, places)

    def describe(self, value: float, algorithms: int) -> str:
        """Return the meaning of a value, as the predicate of a sentence about an algorithm."""
        return f"comes first on {_percent(value)} of instances"

    def __str__(self) -> str:
        return "the probability of coming first"


@dataclass(frozen=True)
class TopK(_Curves):
    """The probability of being among the first k on a new instance.

    `TopK(1)` is `FirstPlace()`. Algorithms that tie for the last of these places share it.

    Under `BayesianBootstrap` this is the weighted share among the candidates, on the instances on which all of them were
    observed. Under the other priors it follows from Plackett-Luce, among all algorithms. At budgets at which some algorithms
    were not observed, the first k places are those among the others.

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

    def curves(self, posterior: Posterior, columns: Indices, budgets: slice = _WHOLE) -> Array:
        """Return curves (draw, budget, candidate) at the selected budgets."""
        ranked = np.arange(len(posterior.names)) if posterior.beliefs is None else columns
        if self.k > len(ranked):
            who = "algorithms" if posterior.beliefs is None else "candidates"
            raise ValueError(
                f"expected TopK of at most {len(ranked)}, the number of {who}, got {self.k}; all are among the first "
                f"{len(ranked)}"
            )
        if self.k == 1:
            return FirstPlace().curves(posterior, columns, budgets)
        places = np.arange(len(posterior.grid))[budgets]
        if posterior.beliefs is not None:
            require_shared_instances(posterior, columns, places, str(self))
        patterns, index = np.unique(posterior.observed[budgets][:, ranked], axis=0, return_inverse=True)
        result = np.zeros((len(places), len(posterior.names), posterior.draws))
        for number, observed in enumerate(patterns):  # usually a single one: all algorithms at all budgets
            at, known = np.flatnonzero(index.ravel() == number), ranked[observed]
            if known.size:
                result[np.ix_(at, known)] = _top(posterior, self.k, places[at], known)
        return result[:, columns].transpose(2, 0, 1)

    def describe(self, value: float, algorithms: int) -> str:
        """Return the meaning of a value, as the predicate of a sentence about an algorithm."""
        return f"is in the top {self.k} on {_percent(value)} of instances"

    def __str__(self) -> str:
        return f"the probability of being in the top {self.k}"


@dataclass(frozen=True)
class MeanRank(_Curves):
    """The expected rank among all algorithms, or among the candidates under `BayesianBootstrap`.

    The value is (n − rank) / (n − 1), the mean win rate against the n − 1 others, so that higher is better. At each budget
    only algorithms that were observed count as others.
    """

    def curves(self, posterior: Posterior, columns: Indices, budgets: slice = _WHOLE) -> Array:
        """Return curves (draw, budget, candidate) at the selected budgets."""
        ranked = np.arange(len(posterior.names)) if posterior.beliefs is None else columns
        observed = posterior.observed[budgets]
        wins = np.zeros((len(observed), len(posterior.names), posterior.draws))
        for first, second in _pairs(posterior, ranked):
            a, b = int(ranked[first]), int(ranked[second])
            rates = posterior.win_rates(a, b)[budgets]
            wins[:, a] += np.where(observed[:, [b]], rates, 0.0)
            wins[:, b] += np.where(observed[:, [a]], 1 - rates, 0.0)
        others = observed[:, ranked].sum(axis=1, keepdims=True) - observed
        shares: Array = wins / np.maximum(others, 1)[..., None]
        return shares[:, columns].transpose(2, 0, 1)

    def describe(self, value: float, algorithms: int) -> str:
        """Return the meaning of a value, as the predicate of a sentence about an algorithm."""
        return f"has a mean rank of {algorithms - (algorithms - 1) * value:.2f} among {algorithms}"

    def __str__(self) -> str:
        return "the mean rank"


@dataclass(frozen=True)
class WinRateAgainst(_Curves):
    """The win rate against one algorithm, such as the one in use today; its win rate against itself is one half.

    Parameters
    ----------
    baseline
        The name of the algorithm. It need not be a candidate.
    """

    baseline: str

    def curves(self, posterior: Posterior, columns: Indices, budgets: slice = _WHOLE) -> Array:
        """Return curves (draw, budget, candidate) at the selected budgets."""
        baseline = index_of(self.baseline, posterior.names)
        rates = np.full((len(columns), len(posterior.grid.budgets[budgets]), posterior.draws), 0.5)
        for place, a in enumerate(columns.tolist()):
            if a != baseline:
                rates[place] = posterior.win_rates(a, baseline)[budgets]
        return rates.transpose(2, 1, 0)

    def describe(self, value: float, algorithms: int) -> str:
        """Return the meaning of a value, as the predicate of a sentence about an algorithm."""
        return f"beats {self.baseline} on {_percent(value)} of instances"

    def __str__(self) -> str:
        return f"the win rate against {self.baseline}"


Criterion = StrongestRival | FirstPlace | TopK | MeanRank | WinRateAgainst


def default_criterion(posterior: Posterior) -> Criterion:
    """Return the criterion by which a posterior orders algorithms: the order by which it drops them.

    Under Plackett-Luce, ratings and win rates give the same order (the paper's Proposition 1).
    """
    return FirstPlace() if posterior.beliefs is None else StrongestRival()


def _pairs(posterior: Posterior, columns: Indices) -> combinations[tuple[int, int]]:
    """Return the pairs of positions in `columns`, in the order of names: rounding does not depend on that of columns."""
    return combinations(sorted(range(len(columns)), key=lambda place: posterior.names[columns[place]]), 2)


def require_shared_instances(posterior: Posterior, columns: Indices, budgets: Indices, what: str) -> None:
    """Raise a ValueError if the candidates share fewer than half of the instances that compare any of them.

    A candidate without any run at a budget is left out there.
    """
    assert posterior.beliefs is not None
    present = posterior.beliefs.sample.rankings.ranks[:, budgets][..., columns] != ABSENT
    known = present.any(axis=0)
    shared, any_two = (present | ~known).all(axis=2).sum(axis=0), (present.sum(axis=2) > 1).sum(axis=0)
    few = np.flatnonzero(2 * shared < any_two)
    if few.size:
        worst = int(few[(shared[few] / any_two[few]).argmin()])
        counts = np.where(known[worst], present[:, worst].sum(axis=0), len(present))
        sparse = posterior.names[int(columns[counts.argmin()])]
        raise ValueError(
            f"expected candidates that share at least half of the instances, for {what}, got {shared[worst]} shared of "
            f"{any_two[worst]}; {sparse} ran on {counts.min()}: leave it out, or choose a "
            "single algorithm by StrongestRival()"
        )


def _top(posterior: Posterior, k: int, budgets: Indices, columns: Indices) -> Array:
    """Return P(among the first k) of some algorithms among themselves, shape (budget, algorithm, draw)."""
    if posterior.beliefs is not None:
        return _top_of_outcomes(posterior.beliefs, k, budgets, columns)
    return plackett_luce_top(posterior.ratings.transpose(1, 2, 0)[np.ix_(budgets, columns)], k)


def plackett_luce_top(ratings: Array, k: int) -> Array:
    """Return P(among the first k) under Plackett-Luce for ratings (budget, algorithm, draw), in the same shape.

    A Plackett-Luce ranking is the order of independent arrival times X_a ~ Exp(θ_a). The probability is therefore
    ∫ θ_a exp(−θ_a x) P(fewer than k others arrive before x) dx, computed by the trapezoidal rule over log x. The number of
    other arrivals is Poisson-binomial. One recursion runs over the algorithms before a in the array, one over those after
    a, and a convolution combines the two.
    """
    budgets, algorithms, draws = ratings.shape
    if k >= algorithms:
        return np.ones_like(ratings)
    result = np.empty((budgets, algorithms, draws))
    step = min(_LONGEST_STEP, _STEP_OF_ONE / math.sqrt(k))
    for t in range(budgets):
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


def _top_of_outcomes(beliefs: PairBeliefs, k: int, budgets: Indices, columns: Indices) -> Array:
    """Return P(among the first k), shape (budget, algorithm, draw), from weighted instances.

    Only the algorithms `columns` count, and only instances on which all of them were observed. The prior is as heavy as one
    instance: its first place is divided at random, as in ratings, and the other places evenly.
    """
    sample = beliefs.sample
    ranks = sample.rankings.ranks[:, budgets][..., columns]
    weights = ((ranks != ABSENT).all(axis=2) * sample.shares[:, budgets]).astype(np.float32)
    instances, used, algorithms = ranks.shape
    shares = (_shares_of_top(ranks, k) * weights[..., None]).reshape(instances, -1)
    sums = beliefs.weighted_sums(np.hstack([shares, weights]))
    placed, total = sums[: shares.shape[1]].reshape(used, algorithms, -1), sums[shares.shape[1] :, None]
    prior = keyed_generator(beliefs.seed, "first places").standard_gamma(1 / algorithms, (beliefs.draws, algorithms)).T
    mass, among_others = prior.sum(axis=0), min((k - 1) / max(algorithms - 1, 1), 1.0)
    prior_placed = prior + among_others * (mass - prior)
    result: Array = np.clip((placed + prior_placed) / (total + mass), 0.0, 1.0)
    return result


def _shares_of_top(ranks: Ranks, k: int) -> Array32:
    """Return the share of each algorithm in the first k places, for ranks (row, budget, algorithm).

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
