"""Tables of features: one row per instance, or per group of instances such as a function."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.features.feature import Feature
from polarbear.race.instance_features import level_name
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polarbear.race.instance_features import Value


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """Features of instances as `read_features` reads them, before they are matched with runs.

    Attributes
    ----------
    columns
        The cells of each column, in the order of the rows.
    origin
        Where the table comes from, for messages.
    keys
        The columns that identify instances; None if `joining` finds them.
    names
        The columns that are features; None for all that are no keys.
    categories
        The columns whose numbers are names, such as the number of a function.
    labels
        The listed instances of a race in their order, if the table names them; otherwise empty.
    """

    columns: Mapping[str, tuple[Value, ...]]
    origin: str
    keys: tuple[str, ...] | None = None
    names: tuple[str, ...] | None = None
    categories: frozenset[str] = frozenset()
    labels: tuple[str, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(next(iter(self.columns.values()), ()))

    def __repr__(self) -> str:
        columns = with_noun(len(self.columns), "column")
        return f"FeatureTable({with_noun(self.rows, 'row')}, {columns}, from {self.origin})"


def make_feature(name: str, cells: Sequence[Value], *, category: bool = False) -> Feature:
    """Return a feature: a number if all known cells are numbers, otherwise a category.

    Examples
    --------
    >>> make_feature("separable", [True, None, False]).levels
    ('false', 'true')
    >>> make_feature("dimension", [2.0, None, 10.0]).values.tolist()
    [2.0, nan, 10.0]
    """
    known = [cell for cell in cells if cell is not None]
    if not category and all(isinstance(cell, float) for cell in known):
        return Feature(name, "number", np.array([np.nan if cell is None else cell for cell in cells], dtype=np.float64))
    levels = tuple(dict.fromkeys(level_name(cell) for cell in sorted(known, key=_order)))
    places = {level: float(place) for place, level in enumerate(levels)}
    values = np.array([np.nan if cell is None else places[level_name(cell)] for cell in cells])
    return Feature(name, "category", values, levels)


def _order(cell: float | bool | str) -> tuple[int, float, str]:
    return (1, 0.0, cell) if isinstance(cell, str) else (0, float(cell), "")
