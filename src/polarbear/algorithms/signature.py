"""Checks of the functions that users hand in, made when they are wrapped and not in the middle of a race."""

from __future__ import annotations

import reprlib
from inspect import signature


def check_callable(function: object, arguments: tuple[str, ...], *, wrapper: str) -> None:
    """Refuse what cannot be called with these arguments by position."""
    shape = f"function({', '.join(arguments)})"
    if not callable(function):
        raise ValueError(f"expected a {shape} for pb.{wrapper}, got {reprlib.repr(function)}, which cannot be called")
    try:
        expected = signature(function)
    except (TypeError, ValueError):  # some built-in functions do not tell
        return
    try:
        expected.bind(*arguments)
    except TypeError as error:
        name = getattr(function, "__qualname__", reprlib.repr(function))
        raise ValueError(f"expected a {shape} for pb.{wrapper}, got {name}{expected}: {error}") from None
