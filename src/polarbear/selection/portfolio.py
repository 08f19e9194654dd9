"""Portfolios: several algorithms that run side by side, each on a machine of its own.

The value of a portfolio at a time is the probability that its best member comes first. For different algorithms this is the
sum v of their ratings under every posterior. Further copies add v' = v + (1 − v) h, where h is the chance that one of them
comes first where the members do not. Repeated runs on the same problems measure h (`polarbear.posterior.extra_runs`). One
run per instance does not show it, and Plackett-Luce supplies it: h = e / (1 + e) with e = Σ (k_a − 1) θ_a over the members,
for k_a copies of algorithm a. The value is then s / (s + r), with s = Σ k_a θ_a and the sum r of the other ratings.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.observe.names import index_of
from polarbear.posterior.extra_runs import extra_runs
from polarbear.selection.custom_preference import Custom
from polarbear.selection.measured_copies import plackett_luce_chance
from polarbear.selection.risk import Expected, ProbabilityBest, Regret

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from polarbear.arrays import Array, Indices, Mask
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.measured_copies import MeasuredCopies
    from polarbear.selection.risk import Risk

    Counts = Indices  # (portfolio, algorithm): the number of copies of each algorithm

_COMPARED = 30_000_000  # limit of exhaustive comparison in curve points: some tenths of a second
_SORTED = 4  # cost of one value in curve points, since quantiles sort the values
_SEARCHED = 10_000_000  # curve points for all first exchanges; sets the number of starts of the local search
_SEARCHED_TIMES = 8  # in a search among measured copies
_AT_ONCE = 30_000_000  # curve points in memory at once: a quarter of a gigabyte
_IN_CACHE = 100_000  # values per block of the sum over time, so that a block stays in cache
_FEWEST = 20  # minimum number of portfolios compared after a search, for any number of draws and times


@dataclass(frozen=True, eq=False)
class Valuation:
    """The values of candidates, and of portfolios of them, under one preference.

    Attributes
    ----------
    curves
        Ratings, or another criterion for single algorithms, shape (draw, time, candidate).
    preference
        Weights of the times, or a custom function of a curve.
    all_algorithms
        Whether every algorithm of the posterior is a candidate.
    copies
        What copies add, by repeated runs; None under Plackett-Luce.
    """

    curves: Array
    preference: Array | Custom
    all_algorithms: bool = False
    copies: MeasuredCopies | None = None

    @cached_property
    def members(self) -> Array:
        """The values of the single candidates, shape (draw, candidate)."""
        if isinstance(self.preference, Custom):
            return self._custom_values(self.preference, np.eye(self.curves.shape[2], dtype=np.intp))
        values: Array = self.preference @ self.curves
        return values

    def values(self, counts: Counts) -> Array:
        """Return the values of portfolios, shape (draw, portfolio)."""
        if counts.shape[0] == counts.shape[1] and np.array_equal(counts, np.eye(len(counts))):
            return self.members
        if isinstance(self.preference, Custom):
            return self._custom_values(self.preference, counts)
        copies = (counts > 1).any(axis=1)
        values = np.empty((len(self.curves), len(counts)))
        values[:, ~copies] = self.members @ counts[~copies].T
        values[:, copies] = self._values_with_copies(self.preference, counts[copies])
        values[:, self._are_complete(counts)] = 1.0
        return np.minimum(values, 1.0, out=values)  # ratings from a file sum to one with a few digits only

    def thin(self, draws: int) -> Valuation:
        """Return a valuation on at most `draws` evenly spaced draws."""
        number = len(self.curves)
        if draws >= number:
            return self
        kept = np.linspace(0, number - 1, draws).astype(int)
        return replace(self, curves=self.curves[kept], copies=None if self.copies is None else self.copies.thin(kept))

    def thin_times(self, most: int) -> Valuation:
        """Return a valuation at no more than `most` times, each with the weight of the times around it.

        It is for a search among measured copies, whose cost grows with the times; a custom function needs all of them.
        """
        if self.copies is None or isinstance(self.preference, Custom) or len(self.preference) <= most:
            return self
        kept = np.linspace(0, len(self.preference) - 1, most).round().astype(np.intp)
        nearest = np.abs(np.arange(len(self.preference))[:, None] - kept).argmin(axis=1)
        weights: Array = np.bincount(nearest, self.preference, most).astype(np.float64)
        return replace(self, curves=self.curves[:, kept], preference=weights, copies=self.copies.at_times(kept))

    def points(self, portfolios: int, with_copies: int) -> int:
        """Return the cost of valuing portfolios, of which `with_copies` contain copies, in curve points."""
        times = int(self.curves.shape[1])
        draws = max(len(self.curves), 1000)  # with few draws, listing the portfolios dominates the time
        if self.copies is not None:
            return draws * _SORTED * portfolios + with_copies * self.copies.points
        if isinstance(self.preference, Custom):
            return portfolios * draws * times
        return draws * (_SORTED * portfolios + with_copies * times)

    def _custom_values(self, custom: Custom, counts: Counts) -> Array:
        draws, times, _ = self.curves.shape
        each = max(1, _AT_ONCE // (draws * times))
        values = np.empty((draws, len(counts)))
        for first in range(0, len(counts), each):
            part = slice(first, first + each)
            curves = portfolio_curves(self.curves, counts[part], self.copies)
            curves[:, self._are_complete(counts[part])] = 1.0
            values[:, part] = custom(curves)
        return values

    @cached_property
    def _known(self) -> dict[bytes, Array]:
        """The values (draw,) of portfolios with measured copies, by their counts: a search meets them again and again."""
        return {}

    def _are_complete(self, counts: Counts) -> Mask:
        """Return which portfolios contain all algorithms; their value is exactly 1, so that they tie despite rounding."""
        different = np.count_nonzero(counts, axis=1)
        complete: Mask = different == (counts.shape[1] if self.all_algorithms and counts.shape[1] > 1 else -1)
        return complete

    def _values_with_copies(self, weights: Array, counts: Counts) -> Array:
        """Return weighted sums over time of the values with copies, which are not linear in the ratings."""
        draws = len(self.curves)
        if self.copies is not None:
            known = self._known
            for each in counts:
                if each.tobytes() not in known:
                    known[each.tobytes()] = portfolio_curves(self.curves, each[None], self.copies)[:, 0] @ weights
            return np.array([known[each.tobytes()] for each in counts]).reshape(-1, draws).T
        runs = counts.astype(np.float64)
        surplus = np.maximum(runs - 1, 0)
        values = np.zeros((len(counts), draws))
        each = max(1, _IN_CACHE // draws)
        for time in np.flatnonzero(weights):
            ratings = np.ascontiguousarray(self.curves[:, time].T)
            for first in range(0, len(counts), each):
                part = slice(first, first + each)
                strength = runs[part] @ ratings
                strength /= surplus[part] @ ratings + 1
                strength *= weights[time]
                values[part] += strength
        return values.T


def portfolio_curves(ratings: Array, counts: Counts, copies: MeasuredCopies | None = None) -> Array:
    """Return curves of portfolios, shape (draw, portfolio, time), from ratings (draw, time, algorithm); at most 1."""
    curves: Array = np.einsum("dta,pa->dpt", ratings, (counts > 0).astype(np.float64), optimize=True)
    np.minimum(curves, 1.0, out=curves)
    for portfolio in np.flatnonzero((counts > 1).any(axis=1)):
        base = curves[:, portfolio]
        chance = (
            plackett_luce_chance(ratings, np.maximum(counts[portfolio] - 1, 0))
            if copies is None
            else copies.chance(counts[portfolio], base=base.T, ratings=ratings).T
        )
        base += (1 - base) * chance
    return curves


def enumerate_portfolios(algorithms: int, size: int, *, copies: bool = True) -> Counts:
    """Return all multisets of `size` algorithms, or all sets without copies, as counts."""
    choose = combinations_with_replacement if copies else combinations
    members = np.array(list(choose(range(algorithms), size)), dtype=np.intp)
    counts = np.zeros((len(members), algorithms), dtype=np.intp)
    np.add.at(counts, (np.arange(len(members))[:, None], members), 1)
    return counts


def can_enumerate(valuation: Valuation, size: int, *, copies: bool = True) -> bool:
    """Return whether an exhaustive comparison of all portfolios of this size is affordable."""
    candidates = valuation.curves.shape[2]
    different = math.comb(candidates, size)
    number = math.comb(candidates + size - 1, size) if copies else different
    return size == 1 or valuation.points(number, number - different) <= _COMPARED


def search_portfolios(valuation: Valuation, size: int, risk: Risk, *, copies: bool = True) -> Counts:
    """Return the portfolios that greedy construction and local search visit, including the best one found.

    Greedy construction adds the best member one at a time. Local search then exchanges one member for another as long as the
    score improves. It restarts from copies of the best single algorithm, and of the next ones while the cost stays small;
    without copies it starts from the greedy portfolio only. With many draws the search uses a subset of them, and returns no
    more portfolios than can be compared on all draws.
    """
    if isinstance(risk, Regret):
        risk = Expected()  # both give the same order, but regret needs all portfolios
    if isinstance(risk, ProbabilityBest):
        raise ValueError(
            "expected a risk attitude that a search can use, got ProbabilityBest(), which needs all portfolios, and there "
            "are too many; use Expected() or Quantile(), fewer machines, or fewer candidates"
        )
    draws, times, candidates = valuation.curves.shape
    # One exchange replaces any member by any candidate.
    neighbours = size * candidates
    enough = draws * _SEARCHED // max(valuation.points(neighbours, neighbours), 1)
    some = valuation.thin(max(enough, 200)).thin_times(_SEARCHED_TIMES)
    starts = max(1, _SEARCHED // some.points(neighbours, neighbours))
    one_more = np.eye(candidates, dtype=np.intp)
    most = size if copies else 1  # copies of one algorithm
    visited = size * one_more[: len(one_more) if copies else 0]
    greedy = np.zeros_like(one_more[0])
    for _ in range(size):
        additions = greedy + one_more
        additions = additions[(additions <= most).all(axis=1)]
        greedy = additions[risk.score(some.values(additions)).argmax()]
    promising = visited[np.argsort(-risk.score(some.values(visited)), kind="stable")]
    for current in (greedy, *promising[:starts]):
        best = -np.inf
        while True:
            exchanges = np.array([current - old + new for old in one_more[current > 0] for new in one_more])
            exchanges = exchanges[(exchanges <= most).all(axis=1)]
            visited = np.concatenate([visited, current[None]])
            scores = risk.score(some.values(exchanges))  # includes the current portfolio: a member replaced by itself
            if not scores.max() > best:
                break
            best, current = scores.max(), exchanges[scores.argmax()]
        visited = np.concatenate([visited, exchanges])
    different = np.unique(visited, axis=0)
    kept = max(_FEWEST, _COMPARED // (draws * times if valuation.copies is None else valuation.points(1, 1)))
    if len(different) > kept:
        different = different[np.sort(np.argsort(-risk.score(some.values(different)), kind="stable")[:kept])]
    return different


def win_rate_against(posterior: Posterior, members: Sequence[int], single: int) -> Array:
    """Return the expected win rate of a portfolio over one algorithm at each time.

    If the algorithm is a member, it shares its run with the portfolio. If the posterior has outcomes, these give the rate of
    different members, and repeated runs that of copies. Otherwise Plackett-Luce gives s / (s + θ) with s = Σ k_a θ_a, and
    1 − θ / (2 s) for a member, whose run ties with the portfolio where it is the best.
    """

    def by_model(members: Sequence[int]) -> Array:
        alone = posterior.ratings[..., single].T
        strength = posterior.ratings[..., list(members)].sum(axis=-1).T
        wins, total = (2 * strength - alone, 2 * strength) if single in members else (strength, strength + alone)
        return _ratio(wins, total)

    return _expected_win_rate(posterior, members, [single], by_model)


def portfolio_win_probability(posterior: Posterior, first: Sequence[str], second: Sequence[str]) -> Array:
    """Return P(the first portfolio beats the second on a new instance) at each time, the posterior mean of its win rate.

    If the posterior weights instances (`BayesianBootstrap`), this is the share of instances on which the best member of the
    first beats the best member of the second. Ties count one half, and an algorithm in both portfolios ties with itself.
    Copies in one of the portfolios are measured by repeated runs. Without these, with copies in both, and under the paper's
    priors, every machine is a separate entrant under Plackett-Luce: E[s / (s + s')] with the sums s and s' of the members'
    ratings.

    Parameters
    ----------
    posterior
        Draws of ratings and, under `BayesianBootstrap`, of outcomes.
    first, second
        Names of the members; an algorithm on two machines is named twice.
    """
    one, other = (_member_indices(posterior, names) for names in (first, second))
    if len(set(other)) < len(other) and len(set(one)) == len(one):
        return 1 - portfolio_win_probability(posterior, second, first)

    def by_model(members: Sequence[int]) -> Array:
        strengths = [posterior.ratings[..., list(each)].sum(axis=-1).T for each in (members, other)]
        return _ratio(strengths[0], strengths[0] + strengths[1])

    return _expected_win_rate(posterior, one, other, by_model)


def _expected_win_rate(
    posterior: Posterior, members: Sequence[int], rivals: Sequence[int], by_model: Callable[[Sequence[int]], Array]
) -> Array:
    """Return the expected win rate of a portfolio over its rivals at each time, by the best source there is.

    The model gives the win rate of members, shape (time, draw). Without copies among the rivals, outcomes give the win rate
    of different members, and repeated runs the chance that copies add to it.
    """
    beliefs, different = posterior.beliefs, list(dict.fromkeys(members))
    copied, repeated = len(different) < len(members), extra_runs(beliefs)
    if beliefs is None or len(set(rivals)) < len(rivals) or (copied and repeated is None):
        return np.asarray(by_model(members).mean(axis=1))
    base: NDArray[Any] = beliefs.best_of(different, rivals)
    if copied and repeated is not None:
        extra = {each: number - 1 for each, number in Counter(members).items() if number > 1}
        without = by_model(different)

        def chance(some: Mapping[int, int]) -> Array:
            copies = [each for each, number in some.items() for _ in range(number)]
            return _ratio(by_model([*different, *copies]) - without, 1 - without)

        base = base + (1 - base) * repeated.chance(different, rivals, extra, base=base, by_model=chance)
    rates: Array = base.mean(axis=1, dtype=np.float64)
    return rates


def _ratio(part: Array, total: Array) -> Array:
    """Return part / total, and one half (no information) where the total underflows to zero, as in single precision."""
    share: Array = np.divide(part, total, out=np.full_like(total, 0.5), where=total > 0)
    return share


def _member_indices(posterior: Posterior, names: Sequence[str]) -> list[int]:
    members = [names] if isinstance(names, str) else list(names)
    if not members:
        raise ValueError("expected at least one member of a portfolio, got none; name one")
    return [index_of(name, posterior.names) for name in members]
