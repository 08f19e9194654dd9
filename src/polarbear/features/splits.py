"""Splits of the instances by one feature, and how much each of them gains.

A split sends the instances with a small value, or with one level of a category, to the left. Its gain is the increase of
the share of first places if each side gets its own best algorithms, instead of one choice for all. The gains of all splits
follow from one matrix product.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from polarbear.wording import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Array32, Mask
    from polarbear.features.feature import Feature

_THRESHOLDS = 15  # per number: between all neighbouring values if they are few
_ROUNDING = 1e-6  # of sums of weights


@dataclass(frozen=True)
class Condition:
    """What the instances on one side of a split have in common.

    Attributes
    ----------
    feature, relation, value
        The feature, how it compares, and the threshold or the level, as text.
    or_missing
        Whether instances without a value are on this side, too.
    """

    feature: str
    relation: Literal["=", "≠", "≤", ">"]
    value: str
    or_missing: bool = False

    def __str__(self) -> str:
        return describe_conditions([self])


def describe_conditions(conditions: Sequence[Condition]) -> str:
    """Return the conditions of a group in words; of two thresholds in one direction, only the later and stricter one.

    Examples
    --------
    >>> large, larger = Condition("size", ">", "2"), Condition("size", ">", "8")
    >>> describe_conditions([large, Condition("smooth", "=", "true"), larger])
    'size > 8 and smooth = true'
    >>> describe_conditions([Condition("size", ">", "2", or_missing=True), Condition("smooth", "=", "true")])
    'size > 2 (or missing) and smooth = true'
    >>> describe_conditions([])
    'all instances'
    """
    latest = {(each.feature, each.relation, "" if each.relation in "≤>" else each.value): each for each in conditions}
    or_missing = {each.feature: each.or_missing for each in conditions}  # a later condition decides
    addition = " or missing" if len(latest) == 1 else " (or missing)"
    words = [
        f"{each.feature} {each.relation} {each.value}{addition if or_missing[each.feature] else ''}"
        for each in latest.values()
    ]
    return " and ".join(words) or "all instances"


@dataclass(frozen=True)
class Split:
    """A question about one feature; the answer "yes" sends an instance to the left.

    Attributes
    ----------
    feature
        The name of the feature.
    threshold
        The largest number that goes left; None for a category.
    level
        The level that goes left; None for a number.
    other_level
        The level that goes right, if the category has only two.
    missing_left
        Whether instances without a value go left: they go with the majority.
    has_missing
        Whether there are such instances in the data. Their side then has a condition such as "kind = smooth or missing".
    """

    feature: str
    threshold: float | None
    level: str | None
    missing_left: bool
    other_level: str | None = None
    has_missing: bool = False

    @property
    def left(self) -> Condition:
        """The condition of the left side."""
        missing = self.has_missing and self.missing_left
        if self.threshold is not None:
            return Condition(self.feature, "≤", format_number(self.threshold), missing)
        return Condition(self.feature, "=", str(self.level), missing)

    @property
    def right(self) -> Condition:
        """The condition of the right side."""
        missing = self.has_missing and not self.missing_left
        if self.threshold is not None:
            return Condition(self.feature, ">", format_number(self.threshold), missing)
        if self.other_level is not None:
            return Condition(self.feature, "=", self.other_level, missing)
        return Condition(self.feature, "≠", str(self.level), missing)

    def goes_left(self, feature: Feature) -> Mask:
        """Return which instances go left, shape (instance,)."""
        if self.threshold is not None:
            left = feature.values <= self.threshold
        else:
            left = feature.values == (feature.levels.index(self.level) if self.level in feature.levels else -1)
        return np.where(np.isnan(feature.values), self.missing_left, left).astype(bool)


@dataclass(frozen=True, eq=False)
class Splits:
    """Candidate splits of some instances.

    Attributes
    ----------
    splits
        The questions.
    left
        Shape (split, instance), single precision: one where the instance goes left.
    """

    splits: tuple[Split, ...]
    left: Array32


def candidate_splits(features: Sequence[Feature], weights: Array, *, least: float) -> Splits:
    """Return all splits that leave at least `least` of the total weight of the instances on both sides.

    Parameters
    ----------
    features
        The features of the instances.
    weights
        Shape (instance,): the weights of the instances.
    least
        The smallest weight of a side.
    """
    found: dict[bytes, tuple[Split, Mask]] = {}  # the first of several splits that separate the same instances
    total = weights.sum()
    for feature in features:
        known = ~np.isnan(feature.values)
        for threshold, level in _questions(feature, known):
            left = known & (feature.values <= threshold if level is None else feature.values == threshold)
            missing_left = bool(weights[left].sum() > weights[known & ~left].sum())
            side = left | (~known & missing_left)
            key = min(side.tobytes(), (~side).tobytes())
            if key not in found and least - _ROUNDING <= weights[side].sum() <= total - least + _ROUNDING:
                others = [each for each in feature.levels if level is not None and each != level]
                other = others[0] if len(others) == 1 else None
                number = threshold if level is None else None
                found[key] = Split(feature.name, number, level, missing_left, other, not known.all()), side
    left_sides = [side for _, side in found.values()]
    return Splits(
        tuple(split for split, _ in found.values()),
        np.array(left_sides, dtype=np.float32).reshape(len(left_sides), len(weights)),
    )


def _questions(feature: Feature, known: Mask) -> list[tuple[float, str | None]]:
    """Return the thresholds of a number, or the positions and names of the levels of a category."""
    values = np.unique(feature.values[known])
    if feature.kind == "category":
        return [(float(value), feature.levels[int(value)]) for value in values] if len(values) > 1 else []
    places = np.arange(len(values) - 1)
    if len(places) > _THRESHOLDS:
        # In each of as many parts of the instances: the widest gap between neighbouring values.
        counts = np.searchsorted(np.sort(feature.values[known]), values[1:])
        part = (counts - 1) * _THRESHOLDS // np.count_nonzero(known)
        gaps = np.diff(values)
        widest = np.lexsort((-gaps, part))
        _, first = np.unique(part[widest], return_index=True)
        places = widest[first]
    return [(round_between(values[place], values[place + 1]), None) for place in places]


def round_between(low: float, high: float) -> float:
    """Return the number with the fewest digits from `low` (included) to `high`, close to their middle.

    Examples
    --------
    >>> round_between(2.0, 10.0), round_between(0.1234, 0.1267), round_between(5.0, 5.0001)
    (6.0, 0.125, 5.0)
    """
    middle = low + (high - low) / 2
    for digits in range(1, 17):
        rounded = float(f"{middle:.{digits}g}")
        if low <= rounded < high:
            return rounded
    return float(low)


def gains_of(left: Array32, first: Array32) -> Array:
    """Return the gain of each split in the share of first places, shape (split,).

    Parameters
    ----------
    left
        Shape (split, instance), see `Splits`.
    first
        Shape (instance, range, algorithm), see `Scores`.
    """
    on_left = sums_on_left(left, first)
    return gains_of_sums(on_left, first.sum(axis=0).T[..., None])


def sums_on_left(left: Array32, first: Array32) -> Array32:
    """Return the sum of scores on the left of each split, shape (algorithm, range, split).

    The splits are the last axis, so that maxima over the few algorithms run along contiguous memory.
    """
    instances, ranges, algorithms = first.shape
    by_algorithm = first.transpose(2, 1, 0).reshape(algorithms * ranges, instances)
    sums: Array32 = (by_algorithm @ left.T).reshape(algorithms, ranges, len(left))
    return sums


def gains_of_sums(on_left: Array32, total: Array32) -> Array:
    """Return the gain of each split, shape (..., split), from sums of scores on its left and in total.

    Parameters
    ----------
    on_left
        Shape (algorithm, range, ..., split).
    total
        Shape (algorithm, range, ..., 1).
    """
    gains: Array = (on_left.max(axis=0) + (total - on_left).max(axis=0) - total.max(axis=0)).sum(axis=0)
    return gains
