"""What a function or a class declares about its parameters, for the command line, race.toml and the checks of values.

A parameter is declared once: its name, type and default in the signature, its description in the docstring, and its limits
as `Annotated` metadata such as `Gt(0)`.
"""

from __future__ import annotations

import re
from dataclasses import fields
from inspect import getdoc
from numbers import Integral, Real
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le, Lt

from polarbear.wording import suggest

if TYPE_CHECKING:
    from collections.abc import Mapping

_LIMITS = {Gt: "above {0.gt}", Ge: "at least {0.ge}", Lt: "below {0.lt}", Le: "at most {0.le}"}


def descriptions(source: Any) -> dict[str, str]:
    """Return the first sentence about each parameter, from the docstring of a function or class; nothing under `-OO`.

    Examples
    --------
    >>> from polarbear.models import BSpline
    >>> descriptions(BSpline)["degree"]
    'Degree of the splines; 3 (cubic) by default.'
    """
    _, _, section = (getdoc(source) or "").partition("Parameters\n----------\n")
    entries = re.findall(r"^(\w+(?:, \w+)*)\n((?: {4}.*\n?)+)", section, flags=re.MULTILINE)
    sentences = {names: re.split(r"(?<=\.)\s", " ".join(text.split()))[0] for names, text in entries}
    return {name: sentence for names, sentence in sentences.items() for name in names.split(", ")}


def check_fields(instance: Any, hints: Mapping[str, Any]) -> None:
    """Raise an error unless each field of a dataclass is one of its `Literal` values, and within its limits.

    Parameters
    ----------
    instance
        The dataclass.
    hints
        The types of its fields, with their metadata.
    """
    for field in fields(instance):
        value, hint = getattr(instance, field.name), hints.get(field.name)
        options = _without_none(hint)
        if value is None and None.__class__ in get_args(hint):
            continue
        if get_origin(options) is Literal and value not in get_args(options):
            known = ", ".join(map(repr, get_args(options)))
            hint_ = suggest(value, get_args(options)) if isinstance(value, str) else ""
            message = f"expected {field.name} to be one of {known}, got {value!r}"
            raise ValueError(f"{message}; {hint_}" if hint_ else message)
        if get_origin(options) is Annotated:
            kind, *limits = get_args(options)
            words = " and ".join(_LIMITS[type(limit)].format(limit) for limit in limits if type(limit) in _LIMITS)
            if not _is_within(value, kind, limits):
                what = "a whole number" if kind is int else "a number"
                raise ValueError(f"expected {field.name} as {what} {words}, got {value!r}")


def _without_none(hint: Any) -> Any:
    """Return X of X | None, and other types as they are."""
    rest = [each for each in get_args(hint) if each is not None.__class__]
    return rest[0] if None.__class__ in get_args(hint) and len(rest) == 1 else hint


def _is_within(value: Any, kind: type, limits: list[Any]) -> bool:
    if isinstance(value, bool) or not isinstance(value, Integral if kind is int else Real):
        return False
    number: Any = value
    return all(
        (not isinstance(limit, Gt) or number > limit.gt)
        and (not isinstance(limit, Ge) or number >= limit.ge)
        and (not isinstance(limit, Lt) or number < limit.lt)
        and (not isinstance(limit, Le) or number <= limit.le)
        for limit in limits
    )
