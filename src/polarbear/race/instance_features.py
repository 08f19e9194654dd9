"""Features of instances: what counts as missing, as a number, as a truth value and as text, for races, tables and policies.

Worker processes import this module, so it imports nothing.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

Value = float | bool | str | None  # None if it is missing
Features = Mapping[str, Value]

MISSING = frozenset({"", "?", "na", "<na>", "n/a", "nan", "nat", "null"})
TRUTHS = {"true": True, "false": False, "yes": True, "no": False}

_MOST = 10_000  # features of one instance
_LONGEST = 1000  # characters of a name or a value


def parse_value(value: Any) -> Value:
    """Return a value as a number, a truth value or text; None if it is missing or not finite.

    Examples
    --------
    >>> [parse_value(each) for each in ("7", "True", "no", "none", "?", None, float("nan"), 3, False)]
    [7.0, True, False, 'none', None, None, None, 3.0, False]
    """
    numpy = sys.modules.get("numpy")  # every worker has this module, and must not import NumPy for it
    value = value.item() if numpy is not None and isinstance(value, numpy.generic) else value
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return None
    text = str(value).strip()
    if text.lower() in MISSING:
        return None
    if "_" in text:  # a name, even if float() accepts it
        return text
    try:
        number = float(text)
    except ValueError:
        return TRUTHS.get(text.lower(), text)
    return number if math.isfinite(number) else None


def level_name(value: float | bool | str) -> str:
    """Return the name of a level of a category: whole numbers without a point, truth values as true and false.

    Examples
    --------
    >>> level_name(1234567.0), level_name(0.1), level_name(True), level_name("a")
    ('1234567', '0.1', 'true', 'a')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value
    return str(int(value)) if value.is_integer() else repr(value)


def plain_features(given: object) -> dict[str, Value] | None:
    """Return features as plain values by name: numbers, truth values, text, or None if missing; None if there are none.

    Anything else becomes text. The features of an instance come from the user's code, so nothing about them is assumed.

    Examples
    --------
    >>> import numpy as np
    >>> plain_features({"dimension": np.int64(5), "kind": "smooth", "ruggedness": float("nan"), "rotated": True})
    {'dimension': 5.0, 'kind': 'smooth', 'ruggedness': None, 'rotated': True}
    """
    if given is None or not isinstance(given, Mapping) or not given:
        return None
    return {str(name)[:_LONGEST]: _plain(value) for name, value in list(given.items())[:_MOST]}


def _plain(value: Any) -> Value:
    parsed = parse_value(value)
    return parsed[:_LONGEST] if isinstance(parsed, str) else parsed


def features_by_index(given: Mapping[int, object] | Sequence[object]) -> dict[int, Features]:
    """Return the features of instances by index, from a mapping or a list in the order of the instances."""
    pairs = given.items() if isinstance(given, Mapping) else enumerate(given)
    plain = {int(index): plain_features(each) for index, each in pairs}
    return {index: each for index, each in plain.items() if each is not None}


def check_features(given: object, instances: object) -> Mapping[int, object] | None:
    """Return features that a user gave for the instances of a race by index, or None if there are none.

    Raises
    ------
    ValueError
        If they are not one mapping per instance, in the order of the instances or by index, with a single value per name.
    """
    if given is None:
        return None
    wanted = "one mapping from names to values per instance, such as [{'kind': 'smooth'}, {'kind': 'rugged'}]"
    if isinstance(given, str | bytes | PathLike) or not isinstance(given, Mapping | Sequence):
        raise ValueError(
            f"expected features as {wanted}, got {type(given).__name__}; name a file as features in [instances] of "
            "race.toml, or pass the table to pb.explain and pb.policy"
        )
    if isinstance(given, Sequence) and isinstance(instances, Sequence) and len(given) != len(instances):
        raise ValueError(
            f"expected features as {wanted}, got {len(given)} for {len(instances)} instances; give None for an instance "
            "without features, or a mapping by index"
        )
    by_index = given if isinstance(given, Mapping) else dict(enumerate(given))
    for index, each in by_index.items():
        if isinstance(index, str) or not hasattr(index, "__index__"):
            raise ValueError(
                f"expected features as {wanted}, or by index, got the key {index!r}; number the instances from 0"
            )
        if each is not None and not isinstance(each, Mapping):
            raise ValueError(f"expected features as {wanted}, got {type(each).__name__} for instance {index}")
        for name, value in (each or {}).items():
            if isinstance(value, list | tuple | dict | set) or bool(getattr(value, "ndim", 0)):
                raise ValueError(
                    f"expected one number, truth value or text as feature {name!r} of instance {index}, got "
                    f"{type(value).__name__}; give one mapping per instance"
                )
    return by_index


def group_label(features: Features | None, name: str) -> str | None:
    """Return the group of an instance by a feature, as text; None if the feature is missing.

    Examples
    --------
    >>> group_label({"dimension": 5.0}, "dimension"), group_label({"rotated": "yes"}, "rotated"), group_label({}, "kind")
    ('5', 'true', None)
    """
    value = None if features is None else parse_value(features.get(name))
    return None if value is None else level_name(value)
