"""Checks of the functions that users pass, made when they are wrapped rather than during a race."""

from __future__ import annotations

import reprlib
from inspect import signature


def check_callable(function: object, arguments: tuple[str, ...], *, wrapper: str) -> None:
    """Raise a ValueError unless `function` can be called with these positional arguments."""
    shape = f"function({', '.join(arguments)})"
    if not callable(function):
        raise ValueError(f"expected a {shape} for pb.{wrapper}, got {reprlib.repr(function)}, which cannot be called")
    try:
        expected = signature(function)
    except (TypeError, ValueError):  # some built-in functions have no signature
        return
    try:
        expected.bind(*arguments)
    except TypeError as error:
        name = getattr(function, "__qualname__", reprlib.repr(function))
        raise ValueError(f"expected a {shape} for pb.{wrapper}, got {name}{expected}: {error}") from None
