"""Mixtures of Beta distributions: the prior and the posterior of the win rate of one pair.

The prior of a win rate is Σ_j π_j Beta(a_j, b_j). With k strict wins, l strict losses and m ties at a budget, component j
becomes

    w = V/2 + (1 − V) B,    V ~ Beta(m, a_j + b_j + k + l),    B ~ Beta(a_j + k, b_j + l),

with independent V (the share of ties) and B; without ties w = B. The weights become π_j exp(ē_j), up to a constant, where
ē_j is the mean over budgets, weighted by k + l, of log B(a_j + k, b_j + l) / B(a_j, b_j). Budgets of one run depend on each
other, so a mean counts a whole trajectory as one observation. One set of weights serves all budgets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import scipy

if TYPE_CHECKING:
    from polarbear.arrays import Array, Mask

# "One nearly always wins", "anything goes", and so on to "practically equal".
_CONCENTRATIONS = np.array([0.1, 0.5, 2.0, 8.0, 32.0, 128.0])
_NODES = 32  # of the quadrature over the share of ties; its error is below 1e-4
_TAIL = 9.0  # how far the quadrature reaches, in standard deviations of the logit of the share of ties
_NEGLIGIBLE = 1e-9  # weight of a component that the quadrature leaves out
_FAR = 0.1  # by which a normal approximation must miss a probability for the quadrature to be left out


@dataclass(frozen=True, eq=False)
class BetaMixture:
    """A mixture of Beta distributions at each budget, with the same weights at all budgets.

    Attributes
    ----------
    weights
        Shape (component,): they sum to one.
    first, second
        Shape (component, budget): the parameters of the Beta distributions.
    ties
        Shape (budget,): the number of ties.
    """

    weights: Array
    first: Array
    second: Array
    ties: Array

    def mean(self) -> Array:
        """Return the expected win rate, shape (budget,)."""
        return self._average(self._moments()[0])

    def deviation(self) -> Array:
        """Return the standard deviation of the win rate, shape (budget,)."""
        mean, variance = self._moments()
        return np.sqrt(np.maximum(self._average(variance + mean**2) - self._average(mean) ** 2, 0.0))

    def above(self, threshold: float = 0.5) -> Array:
        """Return the probability that the win rate exceeds a threshold, shape (budget,)."""
        result = self._average(np.asarray(scipy.special.betaincc(self.first, self.second, threshold), dtype=np.float64))
        if threshold != 0.5 and self.ties.any():  # w > ½ says the same as B > ½
            tied = self.ties > 0
            result[tied] = self._above_with_ties(tied, threshold)
        return result

    def below(self, threshold: float = 0.5) -> Array:
        """Return the probability that the win rate is less than a threshold, shape (budget,)."""
        return self.reversed().above(1 - threshold)

    def within(self, margin: float, *, at_least: float = 0.0) -> Array:
        """Return P(|w − ½| ≤ margin), shape (budget,).

        With `at_least`, the quadrature is left out at budgets at which the probability is clearly lower, by a normal
        approximation of each component. The approximation stands in for the probability there.
        """
        result = self._normal_within(margin)
        near = result >= at_least - _FAR
        if near.any():
            close = BetaMixture(self.weights, self.first[:, near], self.second[:, near], self.ties[near])
            result[near] = np.maximum(1 - close.above(0.5 + margin) - close.below(0.5 - margin), 0.0)
        return result

    def _normal_within(self, margin: float) -> Array:
        mean, variance = self._moments()
        upper, lower = ((0.5 + side * margin - mean) / np.sqrt(variance) for side in (1, -1))
        return self._average(scipy.special.ndtr(upper) - scipy.special.ndtr(lower))

    def _moments(self) -> tuple[Array, Array]:
        """Return the mean and the variance of each component, shape (component, budget): those of a Dirichlet mean."""
        total = self.first + self.second + self.ties
        mean = (self.first + self.ties / 2) / total
        square = (self.first + self.ties / 4) / total  # of the outcome of an instance
        return mean, np.maximum(square - mean**2, 1e-300) / (total + 1)

    def reversed(self) -> BetaMixture:
        """Return the distribution of 1 − w, the win rate of the other algorithm."""
        return BetaMixture(self.weights, self.second, self.first, self.ties)

    def _average(self, values: Array) -> Array:
        """Return the weighted mean over components; it is exact if they agree, whatever the rounding of the weights."""
        result: Array = values[0].copy()
        for weight, value in zip(self.weights[1:], values[1:], strict=True):
            result += weight * (value - values[0])
        return result

    def _above_with_ties(self, budgets: Mask, threshold: float) -> Array:
        """Return P(w > ½ + δ) = E[P(B > ½ + δ / (1 − V))] at some budgets, by Gauss-Legendre quadrature over logit V.

        For δ > 0 the inner probability is zero from V = 1 − 2δ on, and for δ < 0 it is one from V = 1 + 2δ on.
        """
        delta, ties, beta = threshold - 0.5, self.ties[budgets], scipy.special.betaincc
        kept = self.weights > _NEGLIGIBLE
        first, second = self.first[kept][:, budgets], self.second[kept][:, budgets]  # (component, budget)
        strict = first + second
        centre, reach = np.log(ties / strict), _TAIL * np.sqrt(1 / ties + 1 / strict)
        top = np.minimum(scipy.special.logit(1 - 2 * abs(delta)), centre + reach)
        bottom = np.minimum(centre, top) - reach
        nodes, node_weights = _gauss_legendre()
        place = bottom[..., None] + (top - bottom)[..., None] * nodes
        density = np.exp(
            scipy.special.log_expit(place) * ties[:, None]
            + scipy.special.log_expit(-place) * strict[..., None]
            - scipy.special.betaln(ties, strict)[..., None]
        )
        inside = beta(first[..., None], second[..., None], 0.5 + delta / scipy.special.expit(-place))
        width, above_top = top - bottom, beta(ties, strict, scipy.special.expit(top))
        # What is left lies below: V may be too small for a float there, if ties have a small weight.
        below_bottom = np.maximum(1 - width * (density @ node_weights) - above_top, 0.0)
        mass = width * ((density * inside) @ node_weights)
        mass += below_bottom * beta(first, second, 0.5 + delta / scipy.special.expit(-bottom))
        if delta < 0:
            mass += above_top
        result: Array = np.clip(self.weights[kept] @ mass, 0.0, 1.0)
        return result


@cache
def symmetric_prior(near_equal: float, budgets: int) -> BetaMixture:
    """Return the prior of a pair of which nothing is known: a mixture of symmetric Beta distributions.

    With ψ = 1 − `near_equal`, the components Beta(1/10, 1/10) and Beta(1/2, 1/2) have the weights ψ/3 and 2ψ/3, and
    Beta(c, c) with c = 2, 8, 32, 128 share the rest evenly.
    """
    apart = 1 - near_equal
    weights = np.array([apart / 3, 2 * apart / 3, *[near_equal / 4] * 4])
    shape = np.repeat(_CONCENTRATIONS[:, None], budgets, axis=1)
    return BetaMixture(weights, shape, shape, np.zeros(budgets))


def prior_about(rates: Array, near_equal: float) -> BetaMixture:
    """Return the prior of a pair in a group of instances, given its win rates in the other groups, shape (budget,).

    One half is the symmetric prior, and one half are Beta distributions of strength 4, 16 and 64 about these rates.
    """
    symmetric, strengths = symmetric_prior(near_equal, len(rates)), np.array([4.0, 16.0, 64.0])
    return BetaMixture(
        np.concatenate([symmetric.weights / 2, np.full(3, 1 / 6)]),
        np.concatenate([symmetric.first, strengths[:, None] * rates]),
        np.concatenate([symmetric.second, strengths[:, None] * (1 - rates)]),
        symmetric.ties,
    )


def update(prior: BetaMixture, wins: Array, losses: Array, ties: Array, *, weights: Array | None = None) -> BetaMixture:
    """Return the posterior after strict wins, strict losses and ties, each of shape (budget,).

    `weights` are the weights of the components if they are known from other budgets.

    Examples
    --------
    >>> counts = np.array([3.0])
    >>> float(update(symmetric_prior(0.4, 1), counts, counts, 2 * counts).above()[0])
    0.5
    """
    first, second = prior.first + wins, prior.second + losses
    if weights is not None:
        return BetaMixture(weights, first, second, ties)
    evidence = scipy.special.betaln(first, second) - scipy.special.betaln(prior.first, prior.second)
    strict = wins + losses
    if not strict.any():
        return BetaMixture(prior.weights, first, second, ties)
    mean = (evidence * strict).sum(axis=1) / strict.sum()
    weights = prior.weights * np.exp(mean - mean.max())
    return BetaMixture(weights / weights.sum(), first, second, ties)


@cache
def _gauss_legendre() -> tuple[Array, Array]:
    """Return nodes and weights on the interval from 0 to 1."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (1 + nodes) / 2, weights / 2
