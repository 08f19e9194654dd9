"""The joint log-density of choices, hyperparameters and coefficients as a function of one vector.

A position is an unconstrained vector, as samplers and optimisers need it: the logarithms of the hyperparameters, then the
coefficients. Under the temporal priors the coefficients are the white noise z of η = L(h) z (the non-centred form). Under
the Dirichlet priors they are the Helmert coordinates η of the log-ratings at each budget. The functions work in any array
namespace, so that JAX can compile them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from polarbear.models import TemporalPrior
from polarbear.models.dirichlet import contrast_log_density
from polarbear.models.helmert import helmert
from polarbear.models.namespace import namespace_of
from polarbear.models.plackett_luce import log_sum_exp, traceable_log_likelihood
from polarbear.observe import Grid

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.models import Hyperprior, PlackettLucePrior
    from polarbear.observe import Choices


_FEWEST_SETS = 8
_ONE_BUDGET = Grid([1.0])


class Tables(NamedTuple):
    """The choices as arrays: wins W (budget, algorithm), membership (budget, set, algorithm) and counts C (budget, set)."""

    wins: Array
    members: Array
    counts: Array


def padded_tables(choices: Choices) -> Tables:
    """Return the choices with the number of sets padded to a power of two.

    Arrays of equal shape let later rounds of a race reuse compiled functions.

    Examples
    --------
    >>> from polarbear.observe import Choices
    >>> choices = Choices.from_values([[[1, 2, 3]], [[2, 1, 3]]], grid=[10])
    >>> padded_tables(choices).counts.tolist()
    [[1.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0, 0.0]]
    """
    budgets, sets, algorithms = choices.members.shape
    more = max(_FEWEST_SETS, 1 << (sets - 1).bit_length()) - sets
    members = np.concatenate([choices.members, np.ones((budgets, more, algorithms), dtype=bool)], axis=1)
    return Tables(
        choices.wins, members.astype(np.float64), np.concatenate([choices.counts, np.zeros((budgets, more))], axis=1)
    )


@dataclass(frozen=True)
class JointDensity:
    """The joint log-density of a model for given algorithms and grid; the data are an argument.

    Examples
    --------
    >>> from polarbear.models import BSpline
    >>> from polarbear.observe import Choices
    >>> choices = Choices.from_values([[[1, 2], [1, 2], [2, 1]]], grid=[1, 2, 3])
    >>> density = JointDensity(BSpline(), choices.grid, 2)
    >>> density.size, round(float(density(np.zeros(density.size), padded_tables(choices))), 2)
    (5, -5.98)
    """

    prior: PlackettLucePrior
    grid: Grid
    algorithms: int

    @cached_property
    def hyperpriors(self) -> tuple[Hyperprior, ...]:
        """Hyperpriors of the hyperparameters, in order."""
        return tuple(self.prior.hyperpriors_for(self.algorithms).values())

    @cached_property
    def shape(self) -> tuple[int, int]:
        """Shape of the coefficients: (coefficient, latent function)."""
        if not isinstance(self.prior, TemporalPrior):
            return len(self.grid), self.algorithms - 1
        typical = [hyperprior.quantile(0.5) for hyperprior in self.hyperpriors]
        return self.prior.factor(self.grid, *typical).shape[1], self.algorithms - 1

    @property
    def size(self) -> int:
        """Length of a position."""
        return len(self.hyperpriors) + math.prod(self.shape)

    @cached_property
    def contrasts(self) -> Array:
        """The Helmert matrix Q."""
        return helmert(self.algorithms)

    def hyperparameters(self, positions: Any) -> Any:
        """Return the hyperparameters of positions (..., size)."""
        return namespace_of(positions).exp(positions[..., : len(self.hyperpriors)])

    def split(self, position: Any) -> tuple[Any, Any]:
        """Split a position into log-hyperparameters and coefficients (coefficient, latent function)."""
        count = len(self.hyperpriors)
        return position[:count], position[count:].reshape(self.shape)

    def utilities(self, position: Any) -> Any:
        """Return the utilities μ of a position, shape (budget, algorithm)."""
        _, coefficients = self.split(position)
        if isinstance(self.prior, TemporalPrior):
            coefficients = self.prior.factor(self.grid, *self.hyperparameters(position)) @ coefficients
        return coefficients @ self.contrasts.T

    def __call__(self, position: Any, tables: Tables) -> Any:
        """Return the joint log-density of choices and position."""
        log_hyperparameters, coefficients = self.split(position)
        utilities = self.utilities(position)
        value = traceable_log_likelihood(utilities, *tables)
        for hyperprior, log_value in zip(self.hyperpriors, log_hyperparameters, strict=True):
            value += hyperprior.log_density(log_value)
        if isinstance(self.prior, TemporalPrior):
            return value - 0.5 * ((coefficients**2).sum() + math.prod(self.shape) * math.log(2 * math.pi))
        concentration = self.prior.concentration_for(self.algorithms, *self.hyperparameters(position))
        totals = log_sum_exp(utilities, axis=1)
        return value + contrast_log_density(totals, algorithms=self.algorithms, concentration=concentration).sum()


def independent_parts(choices: Choices, prior: PlackettLucePrior) -> tuple[JointDensity, Tables]:
    """Split the model into independent parts, and return their density and their tables along a new first axis.

    Under a Dirichlet prior with fixed concentration each budget is a part; otherwise there is a single part.
    """
    algorithms, tables = len(choices.names), padded_tables(choices)
    if prior.hyperpriors_for(algorithms):
        return JointDensity(prior, choices.grid, algorithms), Tables(*(table[None] for table in tables))
    return JointDensity(prior, _ONE_BUDGET, algorithms), Tables(*(table[:, None] for table in tables))
