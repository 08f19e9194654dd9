"""Portfolios: several algorithms side by side, each on a machine of its own (the paper's θ_S, the sum of their ratings)."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.preference import Custom
from polarbear.selection.risk import Expected, ProbabilityBest, Regret

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from polarbear.posterior import Posterior
    from polarbear.selection.risk import Risk

    Array = NDArray[np.float64]
    Counts = NDArray[np.intp]  # (portfolio, algorithm): how many times an algorithm is in it

_MOST_NUMBERS = 30_000_000  # drawn values or curve points that are held at once: a quarter of a gigabyte


def values_of(ratings: Array, weights: Array | Custom, counts: Counts) -> Array:
    """Values (draw, portfolio) of ratings (draw, time, algorithm), by the weights of a linear preference or a custom one."""
    if isinstance(weights, Custom):
        curves = np.einsum("dta,pa->dpt", ratings, counts.astype(np.float64), optimize=True)
        return weights(curves)
    used = np.flatnonzero(weights)  # a single budget needs two times of the grid, not all
    if used.size < len(weights):
        part = slice(used[0], used[-1] + 1)
        ratings, weights = ratings[:, part], weights[part]
    of_members: Array = weights @ ratings
    if counts.shape[0] == counts.shape[1] and np.array_equal(counts, np.eye(len(counts))):
        return of_members
    return of_members @ counts.T


def all_portfolios(algorithms: int, size: int) -> Counts:
    """Every multiset of so many algorithms."""
    members = np.array(list(combinations_with_replacement(range(algorithms), size)), dtype=np.intp)
    counts = np.zeros((len(members), algorithms), dtype=np.intp)
    np.add.at(counts, (np.arange(len(members))[:, None], members), 1)
    return counts


def few_enough(ratings: Array, weights: Array | Custom, size: int) -> bool:
    """Whether all portfolios of this size can be compared at once."""
    draws, times, algorithms = ratings.shape
    number = math.comb(algorithms + size - 1, size)
    numbers = number * draws * (times if isinstance(weights, Custom) else 1)
    return bool(numbers <= _MOST_NUMBERS)


def search(ratings: Array, weights: Array | Custom, size: int, risk: Risk) -> Counts:
    """Portfolios met by greedy construction and local search, the best of them last.

    Members are added one by one, each the best addition; then one member at a time is exchanged for another while that
    improves the score.
    """
    if isinstance(risk, Regret):
        risk = Expected()  # they rank alike, and regret would need all portfolios
    if isinstance(risk, ProbabilityBest) and isinstance(weights, Custom):
        raise ValueError(
            "the probability of being the best portfolio needs all of them, and there are too many; "
            "use Expected() or Quantile(), fewer machines, or fewer candidates"
        )
    algorithms = ratings.shape[2]
    current, one_more = np.zeros(algorithms, dtype=np.intp), np.eye(algorithms, dtype=np.intp)
    met = []
    for _ in range(size):
        current, _ = _best(ratings, weights, current + one_more, risk)
    score = -np.inf
    while True:
        met.append(current)
        exchanges = [current - out + into for out in one_more[current > 0] for into in one_more]
        neighbour, best = _best(ratings, weights, np.array(exchanges), risk)
        if not best > max(score, _score(ratings, weights, current[None], risk)[0]):
            return np.unique(np.array([*exchanges, *met]), axis=0)
        current, score = neighbour, best


def _best(ratings: Array, weights: Array | Custom, counts: Counts, risk: Risk) -> tuple[Counts, float]:
    scores = _score(ratings, weights, counts, risk)
    return counts[scores.argmax()], float(scores.max())


def _score(ratings: Array, weights: Array | Custom, counts: Counts, risk: Risk) -> Array:
    if isinstance(risk, ProbabilityBest):
        # Of all portfolios of this size under a linear preference the best one is the best algorithm repeated.
        assert not isinstance(weights, Custom)
        members = weights @ ratings
        best = counts.sum(axis=1) * members.max(axis=1, keepdims=True)
        share: Array = (members @ counts.T >= best * (1 - 1e-12)).mean(axis=0)
        return share
    return np.concatenate([risk.score(values_of(ratings, weights, part)) for part in _parts(ratings, weights, counts)])


def _parts(ratings: Array, weights: Array | Custom, counts: Counts) -> list[Counts]:
    draws, times, _ = ratings.shape
    each = max(1, _MOST_NUMBERS // (draws * (times if isinstance(weights, Custom) else 1)))
    return [counts[first : first + each] for first in range(0, len(counts), each)]


def portfolio_win_probability(posterior: Posterior, first: Sequence[str], second: Sequence[str]) -> Array:
    """P(the first portfolio beats the second on a new instance) at each time, E[θ_S / (θ_S + θ_S')].

    Parameters
    ----------
    posterior
        The belief.
    first, second
        Names of the members; an algorithm that runs on two machines is named twice.
    """
    one, other = (posterior.ratings @ _membership(posterior, names) for names in (first, second))
    probability: Array = (one / (one + other)).mean(axis=0)
    return probability


def _membership(posterior: Posterior, names: Iterable[str]) -> Array:
    counts = np.zeros(len(posterior.names))
    listed = [names] if isinstance(names, str) else list(names)
    if not listed:
        raise ValueError("a portfolio needs at least one member")
    for name in listed:
        if name not in posterior.names:
            raise ValueError(f"expected one of {', '.join(posterior.names)}, got {name!r}")
        counts[posterior.names.index(name)] += 1
    return counts
