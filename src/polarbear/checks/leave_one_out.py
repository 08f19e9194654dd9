"""Test the independence of irrelevant alternatives: compare Plackett-Luce fits to all algorithms and to all but one.

By Luce's axiom the win rate of A over B does not depend on C. For rankings that satisfy it, the fitted ratings of the other
algorithms change only by noise when C is left out (Hausman and McFadden, 1984). If they change more, C may be a variant of
one of the others. Under misspecification, removing any algorithm moves the fit; the culprit moves it most.

Ratings are fitted at each budget separately, so that the test involves no prior over time.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from polarbear.checks.pair_outcomes import effective_comparisons
from polarbear.checks.run_scores import scores_by_instance, thin_instances
from polarbear.inference.fields.dirichlet_field import DirichletField
from polarbear.inference.laplace.conditional import laplace_approximation
from polarbear.models.helmert import helmert
from polarbear.observe import Choices, Rankings
from polarbear.observe.rankings import ABSENT, UNRANKED
from polarbear.observe.values import rank_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array


_CONCENTRATION = 0.5  # of the Dirichlet prior, which keeps utilities finite if an algorithm always wins


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The influence of one algorithm on the win rates of the others; arrays of shape (budget, algorithm, algorithm).

    Attributes
    ----------
    name
        The algorithm that is left out.
    rate, without
        The win rate of the row over the column in the fit to all algorithms, and in the fit without this one. The latter is
        NaN in the row and column of this algorithm, and for pairs that were never compared.
    errors
        The change `without` − `rate` in standard errors. Since the standard errors are estimated, the ratio follows
        Student's t; it is reported as the standard normal value with the same tail probability, at most 37 in magnitude.
    """

    name: str
    rate: Array
    without: Array
    errors: Array


def leave_one_out(choices: Choices) -> dict[str, LeftOut]:
    """Return the influence of each algorithm on the win rates of the others, by the name of the algorithm left out.

    Parameters
    ----------
    choices
        The observed choices of three algorithms or more, with the rankings of each instance. At most 400 instances are used.

    Examples
    --------
    >>> import polarbear as pb
    >>> noise = np.random.default_rng(0).gumbel(size=(200, 1, 3))
    >>> scores = np.append(noise, noise[..., :1] - 0.01, axis=2)  # A, B and C are equal, and D is A, a little worse
    >>> choices = pb.Choices.from_values(-scores, grid=[1], per_instance=True)
    >>> without = pb.leave_one_out(choices)["D"]  # A had gained by beating D each budget
    >>> round(float(without.rate[0, 0, 1]), 2), round(float(without.without[0, 0, 1]), 2)
    (0.67, 0.51)
    """
    if not isinstance(choices, Choices):
        raise ValueError(f"expected Choices, got {type(choices).__name__}; make them with Choices.from_values")
    if choices.rankings is None:
        raise ValueError(
            "expected choices with the rankings of each instance, got only their counts; make them with per_instance=True"
        )
    if len(choices.names) < 3:
        raise ValueError(f"expected at least three algorithms, got {len(choices.names)}; a pair has none to leave out")
    rankings = thin_instances(choices.rankings)
    together = effective_comparisons(rankings)
    whole, left_out = _fit_each_budget(restrict_to(rankings, range(len(choices.names)))), {}
    for position, name in enumerate(choices.names):
        rest = [other for other in range(len(choices.names)) if other != position]
        among = np.ix_(range(len(choices.grid)), rest, rest)
        less, part = _fit_each_budget(restrict_to(rankings, rest)), whole.restrict(rest)
        without, errors = np.full((2, *whole.rate.shape), math.nan)
        without[among] = less.rate
        ratio = (less.rate - part.rate) / _standard_error(part, less, together[among])
        errors[among] = _equivalent_normal(ratio, np.maximum(together[among] - 1, 1))
        compared = (together > 0) | np.eye(len(choices.names), dtype=bool)
        left_out[name] = LeftOut(
            name, whole.rate, np.where(compared, without, math.nan), np.where(compared, errors, math.nan)
        )
    return left_out


@dataclass(frozen=True, eq=False)
class _Fit:
    """A Plackett-Luce fit at each budget separately."""

    rate: Array  # win rates of row over column, (budget, algorithm, algorithm)
    covariance: Array  # of the utilities under the model, (budget, algorithm, algorithm)
    influence: Array  # contribution of each instance to the utilities, (budget, algorithm, instance)

    @property
    def slope(self) -> Array:
        """The derivative of the win rate with respect to the difference of utilities."""
        return self.rate * (1 - self.rate)

    def restrict(self, kept: Sequence[int]) -> _Fit:
        """Return the fit restricted to some of the algorithms."""
        return _Fit(self.rate[:, kept][..., kept], self.covariance[:, kept][..., kept], self.influence[:, kept])


def _fit_each_budget(choices: Choices) -> _Fit:
    assert choices.rankings is not None
    budgets, algorithms = len(choices.grid), len(choices.names)
    contrasts = helmert(algorithms)
    posterior = laplace_approximation(DirichletField(_CONCENTRATION, budgets, algorithms), choices, contrasts)
    utilities = posterior.mode @ contrasts.T
    root = contrasts @ posterior.factor.colour(np.tile(np.eye(algorithms - 1), (budgets, 1, 1)))
    scores = np.moveaxis(scores_by_instance(utilities, choices.rankings) @ contrasts, 0, -1)
    return _Fit(
        rate=1 / (1 + np.exp(utilities[:, None, :] - utilities[:, :, None])),
        covariance=root @ root.transpose(0, 2, 1),
        influence=contrasts @ posterior.factor.solve(scores),
    )


def _standard_error(whole: _Fit, less: _Fit, together: Array) -> Array:
    """Return the standard error of the difference in win rates between fits with and without one algorithm.

    It is the largest of three: the empirical error from the scatter of the instances' contributions; the model's error,
    where the variance of the difference is the variance without minus the variance with the algorithm (Hausman); and 1/n,
    the resolution of a win rate from n instances. The first two alone are too small if an algorithm nearly always wins and
    instances are few.
    """

    def covariance(one: _Fit, other: _Fit) -> Array:
        gram = one.influence @ other.influence.transpose(0, 2, 1)
        return one.slope * other.slope * _difference_covariances(gram)

    empirical = covariance(whole, whole) - 2 * covariance(whole, less) + covariance(less, less)
    by_model = less.slope**2 * _difference_covariances(less.covariance) - whole.slope**2 * _difference_covariances(
        whole.covariance
    )
    resolution = 1 / np.maximum(together, 1) ** 2
    error: Array = np.sqrt(np.maximum.reduce([empirical, by_model, resolution]))
    return error


def _equivalent_normal(ratio: Array, freedom: Array) -> Array:
    """Return the standard normal value with the same tail probability as this value of Student's t."""
    tail = np.maximum(scipy.special.stdtr(freedom, -np.abs(ratio)), np.finfo(np.float64).tiny)
    normal: Array = np.copysign(-scipy.special.ndtri(tail), ratio)
    return normal


def _difference_covariances(covariance: Array) -> Array:
    """Return the (co)variances of the differences row − column."""
    own = np.diagonal(covariance, axis1=1, axis2=2)
    result: Array = own[:, :, None] + own[:, None, :] - covariance - covariance.transpose(0, 2, 1)
    return result


def restrict_to(rankings: Rankings, kept: Sequence[int]) -> Choices:
    """Return the choices of some of the algorithms, as if the others had not taken part."""
    ranks = rankings.ranks[..., kept]
    special = (ranks == ABSENT) | (ranks == UNRANKED)
    dense = np.where(special, ranks, rank_values(np.where(special, np.nan, ranks)))
    names = [rankings.names[each] for each in kept]
    return Choices.from_rankings(Rankings(dense, names, rankings.grid, rankings.weights, rankings.clusters))
