"""Features of instances: one number or category per instance, which may be missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices

FeatureKind = Literal["number", "category"]


@dataclass(frozen=True, eq=False)
class Feature:
    """One feature of all instances.

    Attributes
    ----------
    name
        Its name.
    kind
        "number": splits compare it with a threshold. "category": splits separate one level from the others.
    values
        Shape (instance,): the numbers, or the positions of the levels; NaN where the value is missing.
    levels
        The levels of a category, as text; empty for a number.
    """

    name: str
    kind: FeatureKind
    values: Array
    levels: tuple[str, ...] = ()

    def take(self, rows: Indices) -> Feature:
        """Return the feature of some instances."""
        return Feature(self.name, self.kind, self.values[rows], self.levels)

    def equals(self, other: Feature) -> bool:
        """Return whether two features have the same values, whatever their names."""
        if (self.kind, self.levels) != (other.kind, other.levels):
            return False
        return np.array_equal(self.values, other.values, equal_nan=True)
