"""The sample behind a posterior: the observed instances, and the units among them that carry random weights.

A unit is an instance or, if the answer generalises to new clusters, a cluster. Units have keys, so that their random weights
belong to them whatever the order of the instances. Sums run over units in the order of the keys for the same reason.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.losses import PairOutcomes
from polarbear.observe.pair_outcomes import pair_outcomes
from polarbear.observe.rankings import were_compared
from polarbear.posterior.keyed_numbers import key_of, keys_of_instances
from polarbear.posterior.unit_outcomes import outcomes_of_units

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices, Mask
    from polarbear.observe import Rankings
    from polarbear.posterior.unit_outcomes import UnitOutcomes


@dataclass(frozen=True, eq=False)
class Sample:
    """The observed instances and their units.

    Attributes
    ----------
    rankings
        The rankings and the values behind them.
    keys
        The key of each instance.
    unit_keys
        The key of the unit of each instance.
    """

    rankings: Rankings
    keys: tuple[bytes, ...]
    unit_keys: tuple[bytes, ...]

    def at(self, rankings: Rankings) -> Sample:
        """Return the sample at other budgets. An instance keeps the weight in its unit that it has on the grid."""
        result = replace(self, rankings=rankings)
        result.__dict__["comparing"] = self.comparing | result.comparing
        return result

    def outcomes(self, first: int, second: int) -> UnitOutcomes:
        """Return the outcomes of a pair, with instances in canonical order."""
        found = PairOutcomes(*(each[self._order] for each in pair_outcomes(self.rankings, first, second)))
        return outcomes_of_units(found, self._weights, self._unit if self.has_clusters else None)

    @property
    def has_clusters(self) -> bool:
        """Whether some unit has several instances."""
        return len(self.units) < len(self.keys)

    @cached_property
    def units(self) -> tuple[bytes, ...]:
        """The keys of the units, in ascending order."""
        return tuple(sorted(set(self.unit_keys)))

    @cached_property
    def unit(self) -> Indices:
        """The number of the unit of each instance."""
        number = {key: place for place, key in enumerate(self.units)}
        return np.array([number[key] for key in self.unit_keys], dtype=np.intp)

    @cached_property
    def comparing(self) -> Mask:
        """Whether each instance compares any algorithms."""
        return np.asarray(were_compared(self.rankings).any(axis=(1, 2)))

    @property
    def number_of_units(self) -> int:
        """The number of units that compare any algorithms."""
        return len(np.unique(self.unit[self.comparing]))

    @cached_property
    def shares(self) -> Array:
        """The weight of each instance in its unit, shape (instance, budget): its own, divided by the unit's members."""
        weights = np.where(self.comparing[:, None], self.rankings.weight_of_each, 0.0)
        members = np.bincount(self.unit[self.comparing], minlength=len(self.units))
        result: Array = weights / np.maximum(members, 1)[self.unit][:, None]
        return result

    @cached_property
    def shapes(self) -> Array:
        """The expected weight of each unit, shape (unit,); one by default, and for units that compare no algorithms."""
        result: Array = np.round(np.bincount(self.unit, self.shares.max(axis=1), len(self.units)), 12)
        result[result == 0] = 1.0
        return result

    @cached_property
    def _order(self) -> Indices:
        """The canonical order of the instances: by unit, then by their own keys."""
        places = range(len(self.keys))
        return np.array(sorted(places, key=lambda place: (self.unit_keys[place], self.keys[place])), dtype=np.intp)

    @cached_property
    def _unit(self) -> Indices:
        return self.unit[self._order]

    @cached_property
    def _weights(self) -> Array | None:
        weights = self.rankings.weight_of_each
        return None if (weights == 1).all() else weights[self._order]


def sample_of(rankings: Rankings, *, generalise_to: str = "clusters") -> Sample:
    """Return the sample of rankings; with `generalise_to="instances"` each instance is a unit."""
    keys = keys_of_instances(rankings.instances)
    if rankings.clusters is None or generalise_to == "instances":
        return Sample(rankings, keys, keys)
    return Sample(rankings, keys, tuple(key_of("cluster", label) for label in rankings.clusters.labels))
