"""Weights on instances for one group that borrows from the others.

The posterior of a group is a Dirichlet distribution in which an instance of the group has the parameter 1 and an instance of
another group the parameter λ. With λ = 0 the group is fitted alone; with λ = 1 all instances have the same weight. The
others together weigh as much as λ times their number of instances, so that a few instances of the group's own are not
outvoted unless λ is large.

A cluster with members in the group counts as one unit, however many members it has in other groups: these only share its
weight, in the proportion 1 to λ. Otherwise the same function in another dimension would count as a new function.

In: the rows of all instances, and which of them belong to the group. Out: the expected weight of each row under each λ, and
draws of the weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.bootstrap.instance_weights import clear_negligible

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices, Mask
    from polarbear.inference.bootstrap.instance_weights import Rows


@dataclass(frozen=True, eq=False)
class GroupRows:
    """The rows of all instances, from the point of view of one group.

    Attributes
    ----------
    rows
        The observed rows of all groups, then the pseudo-instances.
    own
        Shape (observed row,): whether the row belongs to the group.
    """

    rows: Rows
    own: Mask

    @property
    def unit(self) -> Indices:
        """The unit of each observed row."""
        return self.rows.unit[: self.rows.observed]

    @property
    def own_units(self) -> Mask:
        """Whether each unit has rows of the group."""
        result = np.zeros(self.rows.units, dtype=np.bool_)
        result[self.unit[self.own]] = True
        return result

    @property
    def others(self) -> float:
        """The number of units in the rows of other groups; parts of a unit count as such."""
        return float(self.rows.sizes[: self.rows.observed][~self.own].sum())

    def shares(self, factor: float) -> Array:
        """Return the weight of each observed row relative to the gamma variable of its unit, for λ = `factor`."""
        members = np.bincount(self.unit, minlength=self.rows.units)
        weight = self.rows.sizes[: self.rows.observed] * members[self.unit]  # of each instance, one by default
        of_row = np.where(self.own, 1.0, factor)
        of_unit = np.bincount(self.unit, of_row, self.rows.units)
        borrowed_only = ~self.own_units[self.unit]
        return np.where(
            borrowed_only, weight / members[self.unit], of_row * weight / np.maximum(of_unit[self.unit], 1e-300)
        )

    def expected(self, factor: float) -> Array:
        """Return the expected weights of the observed rows, in units, for λ = `factor`."""
        shares, of_unit = self.shares(factor), self._unit_shapes(factor)
        return shares * of_unit[self.unit] * self._kish(shares, of_unit)

    def with_sizes(self, observed: Array) -> Rows:
        """Return the rows with these expected weights of the observed ones."""
        return replace(self.rows, sizes=np.concatenate([observed, self.rows.sizes[self.rows.observed :]]))

    def draw(self, factor: float, draws: int, *, rng: np.random.Generator) -> Array32:
        """Draw weights, shape (row, draw), that sum to one over rows, for λ = `factor`."""
        rows, shares, shapes = self.rows, self.shares(factor), self._unit_shapes(factor)
        gammas = np.empty((rows.units, draws), dtype=np.float32)
        own = self.own_units
        gammas[own] = rng.standard_exponential((int(own.sum()), draws), dtype=np.float32)
        gammas[~own] = rng.standard_gamma(np.float32(factor), (int((~own).sum()), draws), dtype=np.float32)
        scaled = (shares * self._kish(shares, shapes)).astype(np.float32)
        weights = np.empty((len(rows.ranks), draws), dtype=np.float32)
        np.multiply(gammas[self.unit], scaled[:, None], out=weights[: rows.observed])
        pseudo = len(rows.ranks) - rows.observed
        weights[rows.observed :] = rng.standard_gamma(np.float32(rows.sizes[-1]), (pseudo, draws), dtype=np.float32)
        weights /= weights.sum(axis=0)
        return clear_negligible(weights)

    def _unit_shapes(self, factor: float) -> Array:
        """Return the shape of each unit's gamma variable: 1 if it has rows of the group, otherwise λ."""
        return np.where(self.own_units, 1.0, factor)

    def _kish(self, shares: Array, shapes: Array) -> float:
        """Return the factor by which weights sum to their effective number, as in `weighted_rows`; one without weights."""
        totals = np.bincount(self.unit, shares, self.rows.units)
        squares = float(shapes @ totals**2)
        return float(shapes @ totals) / squares if squares > 0 else 1.0
