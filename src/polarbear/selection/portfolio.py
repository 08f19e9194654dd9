"""Portfolios: several algorithms that run side by side, each on a machine of its own; the best result counts.

Under the paper's priors the rating of a portfolio is the sum of its members' ratings with multiplicity,

    θ_S(t) = Σ_{a ∈ S} θ_a(t),    V_S = u(θ_S),

its equations (36) and (37). If u is linear, V_S is the sum of the members' values, so that under expectation, expected loss
and the probability of being best no portfolio is better than copies of the best algorithm; neither list nor search is
needed.

Under `BayesianBootstrap` V_S is the share of instances whose best result is in the portfolio. Shares of first places of
different algorithms add up. What copies of one algorithm add is known only from repeated runs on the same instances. If
there are some, all portfolios are valued by them: by how often they beat one independent run of every candidate. See
`polarbear.posterior.repetitions`.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from polarbear.observe.names import index_of
from polarbear.posterior.repetitions import repetitions_of
from polarbear.selection.criterion import FirstPlace
from polarbear.selection.custom_preference import Custom
from polarbear.selection.portfolio_search import list_portfolios, search_portfolios
from polarbear.selection.risk import Quantile
from polarbear.wording import join_names, with_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Indices
    from polarbear.posterior.posterior import Posterior
    from polarbear.posterior.repetitions import Repetitions
    from polarbear.selection.portfolio_search import Valuation
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk

_AT_ONCE = 30_000_000  # numbers in memory at once: a quarter of a gigabyte
_SORTED = 4  # numbers that are read for the value of one portfolio in one draw, since quantiles sort the values


@dataclass(frozen=True, eq=False)
class Portfolios:
    """Portfolios of one size, with their values.

    Attributes
    ----------
    counts
        Shape (portfolio, candidate): the number of machines of each candidate.
    values
        Shape (draw, portfolio).
    kind
        Whether these are "all" portfolios, those that a search "visited", or "copies" of one algorithm, the best of which no
        other portfolio exceeds.
    repetitions
        The repeated runs by which the portfolios are valued; None if they are valued by ratings or first places.
    """

    counts: Indices
    values: Array
    kind: Literal["all", "visited", "copies"]
    repetitions: Repetitions | None = None


def compare_portfolios(
    posterior: Posterior, preference: Preference, risk: Risk, columns: Indices, *, size: int, copies: bool
) -> Portfolios:
    """Return the portfolios of `size` machines among the candidates in these columns, with their values."""
    weights, budgets = _weights_and_budgets(posterior, preference)
    repetitions = _measuring_copies(posterior, columns, weights, budgets) if copies else None
    by_rating = posterior.beliefs is None and copies
    most = size if by_rating else 1
    if repetitions is not None:
        most = min(size, repetitions.extent[2])
    if size > most * len(columns):
        raise ValueError(_too_many_machines(posterior, size, most, len(columns), copies=copies))
    valuation: Valuation
    if repetitions is not None:
        valuation = _Measured(repetitions, weights)
    else:
        valuation = _Sums(FirstPlace().curves(posterior, columns, budgets), weights)
        if by_rating and not isinstance(weights, Custom) and not isinstance(risk, Quantile):
            counts = size * np.eye(len(columns), dtype=np.intp)
            return Portfolios(counts, valuation.values(counts), "copies")
    every = list_portfolios(valuation, size, most)
    counts = search_portfolios(valuation, size, most, risk) if every is None else every
    return Portfolios(counts, valuation.values(counts), "visited" if every is None else "all", repetitions)


def win_rate_against(posterior: Posterior, members: Sequence[int], single: int) -> Array:
    """Return the expected win rate of a portfolio over one algorithm at each budget.

    If the algorithm is a member, it shares its run with the portfolio. If the posterior has outcomes, these give the rate of
    different members, and repeated runs that of copies. Otherwise Plackett-Luce gives s / (s + θ) with s = Σ k_a θ_a, and
    1 − θ / (2 s) for a member, whose run ties with the portfolio where it is the best.
    """
    if posterior.beliefs is not None:
        return _share_won(posterior, members, [single])
    alone = posterior.ratings[..., single].T
    strength = posterior.ratings[..., list(members)].sum(axis=-1).T
    wins, total = (2 * strength - alone, 2 * strength) if single in members else (strength, strength + alone)
    return np.asarray(_ratio(wins, total).mean(axis=1))


def portfolio_win_probability(posterior: Posterior, first: Sequence[str], second: Sequence[str]) -> Array:
    """Return P(the first portfolio beats the second on a new instance) at each budget, the posterior mean of its win rate.

    Under `BayesianBootstrap` this is the share of instances on which the best member of the first beats the best member of
    the second. Ties count one half, and an algorithm in both portfolios ties with itself. Copies of one algorithm need
    repeated runs on the same instances, of which each copy has its own. Under the paper's priors every machine is a separate
    entrant: E[s / (s + s')] with the sums s and s' of the members' ratings.

    Parameters
    ----------
    posterior
        Draws of ratings and, under `BayesianBootstrap`, of outcomes.
    first, second
        Names of the members; an algorithm on two machines is named twice.
    """
    one, other = (_member_indices(posterior, names) for names in (first, second))
    if posterior.beliefs is not None:
        return _share_won(posterior, one, other)
    strengths = [posterior.ratings[..., each].sum(axis=-1).T for each in (one, other)]
    return np.asarray(_ratio(strengths[0], strengths[0] + strengths[1]).mean(axis=1))


def _share_won(posterior: Posterior, first: Sequence[int], second: Sequence[int]) -> Array:
    """Return the expected share of instances on which the first portfolio beats the second, by outcomes, shape (budget,).

    It is computed for the one that comes first by its names, so that the two directions sum to one.
    """
    beliefs, names = posterior.beliefs, posterior.names
    assert beliefs is not None
    if sorted(names[each] for each in second) < sorted(names[each] for each in first):
        return 1 - _share_won(posterior, second, first)
    own, against = Counter(first), Counter(second)
    if max(own.values()) == max(against.values()) == 1:
        return np.asarray(beliefs.best_of(first, second).mean(axis=1, dtype=np.float64))
    columns = sorted({*first, *second})
    repetitions = repetitions_of(beliefs, np.array(columns))
    if repetitions is None or not repetitions.problems[1].any():
        raise ValueError(
            f"expected repeated runs of {join_names([names[each] for each in columns])} on the same instances, which show "
            "what copies of one algorithm add, got none; name each algorithm once, or use a posterior under a prior of the "
            "paper"
        )
    sides = [{columns.index(each): number for each, number in side.items()} for side in (own, against)]
    return np.asarray(repetitions.win_rates(*sides).mean(axis=1, dtype=np.float64))


@dataclass(frozen=True, eq=False)
class _Sums:
    """Values of sums of the members' curves, which have the shape (draw, budget, candidate)."""

    curves: Array
    preference: Array | Custom

    @property
    def candidates(self) -> int:
        return int(self.curves.shape[2])

    @property
    def draws(self) -> int:
        return len(self.curves)

    @property
    def numbers(self) -> int:
        return self.draws * (self.curves.shape[1] if isinstance(self.preference, Custom) else _SORTED)

    @cached_property
    def _of_members(self) -> Array:
        assert not isinstance(self.preference, Custom)
        return np.asarray(self.preference @ self.curves)

    def values(self, counts: Indices) -> Array:
        if not isinstance(self.preference, Custom):
            return np.asarray(self._of_members @ counts.T)
        parts = [np.einsum("dta,pa->dpt", self.curves, each, optimize=True) for each in _parts(counts, self.numbers)]
        return np.hstack([self.preference(each) for each in parts])

    def thin(self, draws: int) -> _Sums:
        kept = np.linspace(0, self.draws - 1, min(draws, self.draws)).astype(int)
        return replace(self, curves=self.curves[kept])


@dataclass(frozen=True, eq=False)
class _Measured:
    """Values of portfolios by repeated runs."""

    repetitions: Repetitions
    preference: Array | Custom

    @property
    def candidates(self) -> int:
        return int(self.repetitions.ranks.shape[2])

    @property
    def draws(self) -> int:
        return self.repetitions.beliefs.draws

    @property
    def numbers(self) -> int:
        averages = self.repetitions.ranks.shape[1] if isinstance(self.preference, Custom) else 1
        return averages * self.draws * _SORTED + self.repetitions.ranks.size

    def values(self, counts: Indices) -> Array:
        parts, budgets = _parts(counts, self.numbers), self.repetitions.ranks.shape[1]
        if isinstance(self.preference, Custom):
            return np.hstack([self.preference(self.repetitions.values(each, np.eye(budgets))) for each in parts])
        return np.hstack([self.repetitions.values(each, self.preference[:, None])[..., 0] for each in parts])

    def thin(self, draws: int) -> _Measured:
        return replace(self, repetitions=self.repetitions.thin(draws))


def _parts(counts: Indices, numbers: int) -> list[Indices]:
    """Return the portfolios in parts, each of which fits into memory with the numbers behind its values."""
    return np.array_split(counts, math.ceil(len(counts) * numbers / _AT_ONCE))


def _weights_and_budgets(posterior: Posterior, preference: Preference) -> tuple[Array | Custom, slice]:
    """Return the weights of the budgets from the first to the last with a weight, or a custom preference for all budgets."""
    if isinstance(preference, Custom):
        return preference, slice(None)
    weights = preference.weights(posterior.grid)
    used = np.flatnonzero(weights)
    budgets = slice(int(used[0]), int(used[-1]) + 1)
    return weights[budgets], budgets


def _measuring_copies(
    posterior: Posterior, columns: Indices, weights: Array | Custom, budgets: slice
) -> Repetitions | None:
    """Return the repeated runs of the candidates, if at each weighted budget at least half of the problems were repeated."""
    repetitions = None if posterior.beliefs is None else repetitions_of(posterior.beliefs, columns, budgets)
    if repetitions is None:
        return None
    once, several = repetitions.problems if isinstance(weights, Custom) else repetitions.problems[:, weights > 0]
    return repetitions if several.any() and (2 * several >= once).all() else None


def _too_many_machines(posterior: Posterior, size: int, most: int, candidates: int, *, copies: bool) -> str:
    if posterior.beliefs is None:
        remedy = "or allow copies of one algorithm"
    elif most > 1:
        remedy = "or repeat the runs on each instance more often"
    else:
        remedy = (
            f"{'or' if copies else 'or allow copies and'} repeat the runs on the same instances, which measures what copies "
            "of one algorithm add; under the paper's priors, ratings tell it"
        )
    return (
        f"expected at most {with_noun(most * candidates, 'machine')}, {most} for each candidate, got {size}; use fewer "
        f"machines or more candidates, {remedy}"
    )


def _ratio(part: Array, total: Array) -> Array:
    """Return part / total, and one half (no information) where the total underflows to zero, as in single precision."""
    share: Array = np.divide(part, total, out=np.full_like(total, 0.5), where=total > 0)
    return share


def _member_indices(posterior: Posterior, names: Sequence[str]) -> list[int]:
    members = [names] if isinstance(names, str) else list(names)
    if not members:
        raise ValueError("expected at least one member of a portfolio, got none; name one")
    return [index_of(name, posterior.names) for name in members]
