"""Portfolios: several algorithms side by side, each on a machine of its own (the paper's θ_S, the sum of their ratings)."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.risk import Expected, ProbabilityBest, Regret

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from polarbear.posterior import Posterior
    from polarbear.selection.preference import Custom
    from polarbear.selection.risk import Risk

    Array = NDArray[np.float64]
    Counts = NDArray[np.intp]  # (portfolio, algorithm): how many times an algorithm is in it

_COMPARED = 30_000_000  # curve points that exhaustive comparison may take: some tenths of a second
_SORTED = 4  # curve points that one value is worth, since quantiles want the values sorted
_SEARCHED = 10_000_000  # curve points of first exchanges: local search starts as often as they allow
_AT_ONCE = 30_000_000  # curve points that are held at once: a quarter of a gigabyte


def member_values(ratings: Array, weights: Array) -> Array:
    """Values (draw, algorithm) under a linear preference with these weights over time."""
    used = np.flatnonzero(weights)  # a single budget needs two times of the grid, not all
    part = slice(used[0], used[-1] + 1)
    values: Array = weights[part] @ ratings[:, part]
    return values


def values_of(members: Array, counts: Counts, custom: Custom | None = None) -> Array:
    """Values (draw, portfolio).

    Under a linear preference from the members' values (draw, algorithm), under a custom one from their ratings
    (draw, time, algorithm): both are sums over the members.
    """
    if custom is None:
        alone = counts.shape[0] == counts.shape[1] and np.array_equal(counts, np.eye(len(counts)))
        return members if alone else members @ counts.T
    draws, times, _ = members.shape
    each = max(1, _AT_ONCE // (draws * times))
    parts = [counts[first : first + each].astype(np.float64) for first in range(0, len(counts), each)]
    return np.concatenate([custom(np.einsum("dta,pa->dpt", members, part, optimize=True)) for part in parts], axis=1)


def all_portfolios(algorithms: int, size: int) -> Counts:
    """Every multiset of so many algorithms."""
    members = np.array(list(combinations_with_replacement(range(algorithms), size)), dtype=np.intp)
    counts = np.zeros((len(members), algorithms), dtype=np.intp)
    np.add.at(counts, (np.arange(len(members))[:, None], members), 1)
    return counts


def few_enough(members: Array, size: int) -> bool:
    """Whether all portfolios of this size can be compared, by the shape of what `values_of` takes."""
    number = math.comb(members.shape[-1] + size - 1, size)
    points = max(members[..., 0].size, 1000)  # with few draws it is the listing of portfolios that takes the time
    return size == 1 or number * points * (1 if members.ndim == 3 else _SORTED) <= _COMPARED


def search(members: Array, size: int, risk: Risk, custom: Custom | None = None) -> Counts:
    """Portfolios met by greedy construction and local search; one of them is the best that was found.

    Members are added one by one, each the best addition; then one member at a time is exchanged for another while that
    improves the score. The exchanges start again from copies of the best algorithm, and of the next ones while this takes
    little time. Copies of each algorithm are compared in any case: under a linear preference one of these is the best in
    every draw, so that probabilities and regrets are the same as among all portfolios.
    """
    if isinstance(risk, Regret):
        risk = Expected()  # they rank alike, and regret would need all portfolios
    if isinstance(risk, ProbabilityBest) and custom is not None:
        raise ValueError(
            "the probability of being the best portfolio needs all of them, and there are too many; "
            "use Expected() or Quantile(), fewer machines, or fewer candidates"
        )
    one_more = np.eye(members.shape[-1], dtype=np.intp)
    met = size * one_more
    greedy = np.zeros_like(met[0])
    for _ in range(size):
        additions = greedy + one_more
        greedy = additions[_score(members, additions, risk, custom).argmax()]
    promising = met[np.argsort(-_score(members, met, risk, custom), kind="stable")]
    exchange = size * math.prod(members.shape) * (1 if members.ndim == 3 else _SORTED)
    for current in (greedy, *promising[: max(1, _SEARCHED // exchange)]):
        best = -np.inf
        while True:
            exchanges = np.array([current - out + into for out in one_more[current > 0] for into in one_more])
            met = np.concatenate([met, current[None]])
            scores = _score(members, exchanges, risk, custom)  # exchanging a member for itself changes nothing
            if not scores.max() > best:
                break
            best, current = scores.max(), exchanges[scores.argmax()]
        met = np.concatenate([met, exchanges])
    return np.unique(met, axis=0)


def _score(members: Array, counts: Counts, risk: Risk, custom: Custom | None) -> Array:
    values = values_of(members, counts, custom)
    if isinstance(risk, ProbabilityBest):
        # Of all portfolios of this size under a linear preference the best one is the best algorithm repeated.
        best = counts.sum(axis=1) * members.max(axis=1, keepdims=True)
        share: Array = (values >= best * (1 - 1e-12)).mean(axis=0)
        return share
    return risk.score(values)


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
    total = one + other
    # Ratings may be zero to rounding, in single precision above all; nothing is known then.
    won = np.divide(one, total, out=np.full_like(total, 0.5), where=total > 0)
    probability: Array = won.mean(axis=0)
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
