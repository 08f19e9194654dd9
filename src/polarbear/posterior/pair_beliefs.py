"""The default belief: for each pair of algorithms a posterior of the win rate that depends on the two algorithms only.

A draw gives each unit i (an instance or a cluster) a weight g_i ~ Gamma(1), the Bayesian bootstrap (Rubin, 1981), chooses a
component j of the pair's prior, and draws G₁ and G₂ ~ Gamma(c_j). With the outcomes x_i(t) = 1, ½, 0 for win, tie and loss,

    w(t) = (Σ_i g_i x_i(t) + G₁) / (Σ_i g_i + G₁ + G₂),

where both sums run over the units that compare the pair at t. Given the weights of the components, this is the textbook
posterior Σ_j π'_j Beta(c_j + k_t, c_j + l_t) at each budget, if there are no ties. The dependence over budgets, pairs and
quantities is the dependence in the data, since g_i belongs to the instance.

Random numbers have keys. The key of g_i is the instance, the key of G₁ and G₂ the two names; in each draw one number chooses
the component of all pairs. Each pair is computed alone, by arrays of its own shape. Therefore every number about a pair is
bit-identical whatever other algorithms take part, in any order. Nothing needs to be stored: draws are made again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.pair_outcomes import outcomes_of_ranks
from polarbear.observe.rankings import ABSENT
from polarbear.posterior.beta_mixture import BetaMixture, prior_about, symmetric_prior, update
from polarbear.posterior.keyed_numbers import keyed_generator
from polarbear.single_thread import single_thread

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polarbear.arrays import Array, Array32, Indices, Mask, Ranks
    from polarbear.observe import Rankings
    from polarbear.posterior.sample import Sample
    from polarbear.posterior.unit_outcomes import UnitOutcomes

_KEPT_BYTES = (
    200_000_000  # of win rates, and as much of weights of units, that are kept; the rest is made again on demand
)
_UNITS_AT_ONCE = 4096  # whose weights are in memory together


@dataclass(frozen=True, eq=False)
class PairBelief:
    """The belief about a pair, in the order of its names.

    Attributes
    ----------
    prior
        The prior of the win rate.
    weights
        The weights of its components after the outcomes.
    wins, losses, ties
        Shape (budget,): effective numbers of observations.
    ahead
        Shape (budget,): P(w > ½), exact if `independent`.
    compared
        Shape (budget,): whether the pair was compared.
    independent
        Whether closed forms are exact. If not, draws decide.
    """

    prior: BetaMixture
    weights: Array
    wins: Array
    losses: Array
    ties: Array
    ahead: Array
    compared: Mask
    independent: bool

    @property
    def posterior(self) -> BetaMixture:
        """The distribution of the win rate."""
        return BetaMixture(self.weights, self.prior.first + self.wins, self.prior.second + self.losses, self.ties)


@dataclass(frozen=True, eq=False)
class PairBeliefs:
    """The beliefs about all pairs of algorithms.

    Attributes
    ----------
    sample
        The observed instances.
    near_equal
        The prior probability that two algorithms are nearly equal; see `BayesianBootstrap`.
    seed, draws
        The seed of all random numbers, and the number of draws. The first of more draws are the same draws.
    others
        For a group of instances: the instances of the other groups, about whose win rates the prior of this group lies.
    on_grid
        For budgets that are not in the grid: the beliefs on the grid, which determine the weights of the components.
    """

    sample: Sample
    near_equal: float
    seed: int
    draws: int
    others: Sample | None = None
    on_grid: PairBeliefs | None = None
    _beliefs: dict[tuple[int, int], PairBelief] = field(default_factory=dict, repr=False)
    _rates: dict[tuple[int, int], Array32] = field(default_factory=dict, repr=False)

    @property
    def algorithms(self) -> int:
        """The number of algorithms."""
        return len(self.sample.rankings.names)

    def thin(self, draws: int) -> PairBeliefs:
        """Return the beliefs with their first draws."""
        return replace(self, draws=min(draws, self.draws), _beliefs=self._beliefs, _rates={})

    def at(self, rankings: Rankings) -> PairBeliefs:
        """Return the beliefs at other budgets: the outcomes are exact, and the components have the weights of the grid."""
        return replace(self, sample=self.sample.at(rankings), on_grid=self, _beliefs={}, _rates={})

    def free_memory(self) -> None:
        """Forget the win rates that are kept; they are made again when they are needed."""
        self._rates.clear()
        self.__dict__.pop("_exponentials", None)

    def win_rates(self, first: int, second: int) -> Array32:
        """Return draws of the share of instances on which the first beats the second, a tie as one half, (budget, draw)."""
        if first == second:
            return np.full((len(self.sample.rankings.grid), self.draws), 0.5, dtype=np.float32)
        if self._is_reversed(first, second):
            return 1 - self.win_rates(second, first)
        if (first, second) not in self._rates:
            rates = self._draw_win_rates(first, second)
            if sum(each.nbytes for each in self._rates.values()) + rates.nbytes > _KEPT_BYTES:
                return rates
            rates.flags.writeable = False
            self._rates[first, second] = rates
        return self._rates[first, second]

    def mean(self, first: int, second: int) -> Array:
        """Return the expected win rate, shape (budget,)."""
        belief = self.belief(first, second)
        if not belief.independent:
            return np.asarray(self.win_rates(first, second).mean(axis=1, dtype=np.float64))
        mean = belief.posterior.mean()
        return 1 - mean if self._is_reversed(first, second) else mean

    def deviation(self, first: int, second: int) -> Array:
        """Return the standard deviation of the win rate, shape (budget,)."""
        belief = self.belief(first, second)
        if not belief.independent:
            return np.asarray(self.win_rates(first, second).std(axis=1, dtype=np.float64))
        return belief.posterior.deviation()

    def above(self, first: int, second: int, threshold: float = 0.5) -> Array:
        """Return P(w > threshold), shape (budget,)."""
        belief = self.belief(first, second)
        if not belief.independent:
            return _share_of_draws(self.win_rates(first, second) > threshold)
        reverse = self._is_reversed(first, second)
        if threshold == 0.5:
            return 1 - belief.ahead if reverse else belief.ahead
        return (belief.posterior.reversed() if reverse else belief.posterior).above(threshold)

    def observed(self, first: int, second: int) -> tuple[Array, Array]:
        """Return the observed win rate, NaN without observations, and the effective number of observations, (budget,)."""
        belief = self.belief(first, second)
        number = belief.wins + belief.losses + belief.ties
        ahead = belief.losses if self._is_reversed(first, second) else belief.wins
        share = np.full(number.shape, np.nan)
        return np.divide(ahead + belief.ties / 2, number, out=share, where=number > 0), number

    def within(self, first: int, second: int, margin: float, *, at_least: float = 0.0) -> Array:
        """Return P(|w − ½| ≤ margin), shape (budget,); see `BetaMixture.within` for `at_least`."""
        belief = self.belief(first, second)
        if not belief.independent:
            return _share_of_draws(np.abs(self.win_rates(first, second) - np.float32(0.5)) <= margin)
        return belief.posterior.within(margin, at_least=at_least)

    def were_compared(self, first: int, second: int) -> Mask:
        """Return whether any instance compares the pair, shape (budget,)."""
        return self.belief(first, second).compared

    def differ(self, first: int, second: int) -> Mask:
        """Return whether the pair differs on any common instance, shape (budget,)."""
        belief = self.belief(first, second)
        return np.asarray(belief.wins + belief.losses > 0)

    def are_same(self, first: int, second: int) -> bool:
        """Return whether two algorithms have the same instances at every budget, at least one, and tie on all of them.

        At budgets that are not in the grid, they are the same if they are on the grid, too.
        """
        if self.on_grid is not None and not self.on_grid.are_same(first, second):
            return False
        one, other = (self.sample.rankings.ranks[..., each] != ABSENT for each in (first, second))
        if not np.array_equal(one, other) or not one.any(axis=0).all():
            return False
        return not self.differ(first, second).any()

    def belief(self, first: int, second: int) -> PairBelief:
        """Return the belief about a pair, in the order of the two names."""
        pair = (second, first) if self._is_reversed(first, second) else (first, second)
        if pair not in self._beliefs:
            self._beliefs[pair] = self._infer(*pair, self.sample.outcomes(*pair))
        return self._beliefs[pair]

    def weighted_sums(self, scores: Array32) -> Array32:
        """Return the weighted sums over instances, shape (column, draw), of scores (instance, column).

        A unit's weight is divided among its instances. Instances that compare no algorithms have none.
        """
        sample = self.sample
        of_units = np.zeros((len(sample.units), scores.shape[1]), dtype=np.float32)
        np.add.at(of_units, sample.unit, scores)
        of_units /= sample.shapes[:, None].astype(np.float32)
        return self._products(np.arange(len(of_units)), sample.shapes, of_units)[0]

    def unit_weights(self) -> Array32:
        """Return the weights of all units relative to their expected weights, shape (unit, draw)."""
        units, shapes = np.arange(len(self.sample.units)), self.sample.shapes
        drawn = np.concatenate([block for _, block in self._blocks(units, shapes)])
        drawn /= shapes[:, None].astype(np.float32)
        return drawn

    def best_of(self, members: Sequence[int], rivals: Sequence[int]) -> Array32:
        """Return the share of instances on which the best member beats the best rival, shape (budget, draw)."""
        ranks = self.sample.rankings.ranks
        return self.share_won(_best(ranks, members), _best(ranks, rivals))

    def share_won(self, first: Ranks, second: Ranks) -> Array32:
        """Return the share of instances on which the first of two ranks (instance, budget) is better, shape (budget, draw).

        Ties count one half. Instances where one of the two is absent do not count.
        """
        found = outcomes_of_ranks(first, second)
        shares = self.sample.shares.astype(np.float32)
        sums = self.weighted_sums(np.hstack([found.scores * shares, found.compared * shares]))
        won, total = np.split(sums, 2)
        prior = self.draw_portfolio_prior()
        rates: Array32 = (won + prior[0]) / (total + prior.sum(axis=0))
        return rates

    def draw_portfolio_prior(self) -> Array32:
        """Return draws of the prior masses of victory and defeat of a portfolio, one instance together, shape (2, draw)."""
        rng = keyed_generator(self.seed, "portfolios")
        return rng.standard_gamma(0.5, (2, self.draws)).astype(np.float32)

    def _is_reversed(self, first: int, second: int) -> bool:
        names = self.sample.rankings.names
        return names[first] > names[second]

    def _infer(self, first: int, second: int, outcomes: UnitOutcomes) -> PairBelief:
        budgets = len(outcomes.wins)
        if self.others is None:
            prior = symmetric_prior(self.near_equal, budgets)
        else:
            elsewhere = self.others.outcomes(first, second)
            rates = (elsewhere.wins + 0.5) / (elsewhere.wins + elsewhere.losses + 1)
            prior = prior_about(rates, self.near_equal)
        weights = None if self.on_grid is None else self.on_grid.belief(first, second).weights
        posterior = update(prior, outcomes.wins, outcomes.losses, outcomes.ties, weights=weights)
        return PairBelief(
            prior=prior,
            weights=posterior.weights,
            wins=outcomes.wins,
            losses=outcomes.losses,
            ties=outcomes.ties,
            ahead=posterior.above(),
            compared=np.asarray(outcomes.compared.any(axis=0)),
            independent=outcomes.independent,
        )

    def _draw_win_rates(self, first: int, second: int) -> Array32:
        outcomes = self.sample.outcomes(first, second)
        if (first, second) not in self._beliefs:
            self._beliefs[first, second] = self._infer(first, second, outcomes)
        belief = self._beliefs[first, second]
        ahead, total = self._draw_prior_masses(first, second, belief)
        if len(outcomes.units):
            won, compared = self._products(outcomes.units, outcomes.shapes, outcomes.scores, outcomes.compared)
            boost = outcomes.boost[:, None].astype(np.float32)
            ahead, total = ahead + boost * won, total + boost * compared
        rates: Array32 = (ahead / total).astype(np.float32)
        return rates

    def _draw_prior_masses(self, first: int, second: int, belief: PairBelief) -> tuple[Array, Array]:
        """Return draws of G₁ and of G₁ + G₂, shapes (budget, draw) and (draw,).

        If the prior depends on the budget, G₁(t) is the value at a/(a + b) of a gamma process with a total of shape a + b,
        so that each budget has its own Beta(a, b) and neighbouring budgets have nearly the same draw.
        """
        names = self.sample.rankings.names
        edges = np.cumsum(belief.weights)
        chosen = np.searchsorted(edges / edges[-1], keyed_generator(self.seed, "component").random(self.draws))
        ahead, total = np.empty((belief.prior.first.shape[1], self.draws)), np.empty(self.draws)
        for component in range(len(edges)):
            own = np.flatnonzero(chosen == component)
            strength = belief.prior.first[component, 0] + belief.prior.second[component, 0]
            levels, place = np.unique(belief.prior.first[component], return_inverse=True)
            shapes = np.diff(levels, prepend=0.0, append=strength)
            rng = keyed_generator(self.seed, "pair", names[first], names[second], component)
            steps = rng.standard_gamma(np.broadcast_to(shapes, (len(own), len(shapes))))
            process = np.cumsum(steps, axis=1)
            ahead[:, own], total[own] = process[:, place].T, process[:, -1]
        return ahead, total

    def _products(self, units: Indices, shapes: Array, *scores: Array32) -> tuple[Array32, ...]:
        """Return weighted sums over units, shape (column, draw) each, of arrays of scores (unit, column).

        Neighbouring columns with equal scores are computed once.
        """
        distinct = [_distinct_columns(each) for each in scores]
        sums = [np.zeros((each.shape[1], self.draws), dtype=np.float32) for each, _ in distinct]
        with single_thread():
            for rows, weights in self._blocks(units, shapes):
                for total, (each, _) in zip(sums, distinct, strict=True):
                    total += each[rows].T @ weights
        return tuple(total[place] for total, (_, place) in zip(sums, distinct, strict=True))

    def _blocks(self, units: Indices, shapes: Array) -> Iterator[tuple[slice, Array32]]:
        """Yield the weights of some units, (unit, draw), in blocks of fixed size; `shapes` are their expected weights."""
        usual = bool((shapes == 1).all())
        for start in range(0, len(units), _UNITS_AT_ONCE):
            rows = slice(start, start + _UNITS_AT_ONCE)
            if usual and self._exponentials is not None:
                whole = len(units) == len(self._exponentials)
                yield rows, self._exponentials[rows] if whole else self._exponentials[units[rows]]
            else:
                yield rows, self._draw_units(units[rows], shapes[rows])

    @cached_property
    def _exponentials(self) -> Array32 | None:
        """The weights of all units with an expected weight of one, shape (unit, draw); None if they take much memory."""
        units = np.arange(len(self.sample.units))
        return None if 4 * self.draws * len(units) > _KEPT_BYTES else self._draw_units(units, np.ones(len(units)))

    def _draw_units(self, units: Indices, shapes: Array) -> Array32:
        weights, rng = np.empty((len(units), self.draws), dtype=np.float32), None
        for row, unit, shape in zip(weights, units.tolist(), shapes.tolist(), strict=True):
            rng = keyed_generator(self.seed, "unit", self.sample.units[unit], reuse=rng)
            if shape == 1:
                rng.standard_exponential(dtype=np.float32, out=row)
            else:
                rng.standard_gamma(shape, dtype=np.float32, out=row)
        return weights


def _share_of_draws(true: Mask) -> Array:
    return np.asarray(np.count_nonzero(true, axis=1) / true.shape[1])


def _distinct_columns(scores: Array32) -> tuple[Array32, Indices]:
    """Return the columns that differ from the one before, and for each column its position among them."""
    changes = (scores[:, 1:] != scores[:, :-1]).any(axis=0)
    starts = np.concatenate([[True], changes])
    return np.ascontiguousarray(scores[:, starts]), np.cumsum(starts) - 1


def _best(ranks: Ranks, members: Sequence[int]) -> Ranks:
    """Return the best rank among the members, shape (instance, budget); `ABSENT` unless all of them were observed."""
    chosen = ranks[..., list(members)]
    best: Ranks = np.where((chosen == ABSENT).any(axis=-1), ABSENT, chosen.min(axis=-1)).astype(np.int16)
    return best
