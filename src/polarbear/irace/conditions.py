"""Conditions of parameters: comparisons with constants, joined by & and |. They are read, never evaluated as R code."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from polarbear.irace.r_values import Tokens, take_value

Values = Mapping[str, str | float | None]
Condition = Callable[[Values], bool]

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def read_condition(text: str, source: str, line: int = 1) -> Condition:
    """Return a function that says whether a condition holds for the values of a configuration.

    A comparison with a parameter that is not active does not hold, as in irace.

    Examples
    --------
    >>> holds = read_condition('mode %in% c("x", "y") & alpha > 0.5', "example")
    >>> holds({"mode": "x", "alpha": 1.0}), holds({"mode": "z", "alpha": 1.0}), holds({"mode": "x", "alpha": None})
    (True, False, False)
    """
    tokens = Tokens(text, source, line)
    condition = _either(tokens)
    if tokens.peek():
        raise tokens.error("expected the end of the condition")
    return condition


def _either(tokens: Tokens) -> Condition:
    left = _both(tokens)
    while tokens.take_if("|", "||"):
        left = _joined(any, left, _both(tokens))
    return left


def _both(tokens: Tokens) -> Condition:
    left = _single(tokens)
    while tokens.take_if("&", "&&"):
        left = _joined(all, left, _single(tokens))
    return left


def _joined(join: Callable[[list[bool]], bool], left: Condition, right: Condition) -> Condition:
    return lambda values: join([left(values), right(values)])


def _single(tokens: Tokens) -> Condition:
    if tokens.take_if("!"):
        inner = _single(tokens)
        return lambda values: not inner(values)
    if tokens.take_if("("):
        whole = _either(tokens)
        tokens.expect(")")
        return whole
    if tokens.kind() != "name":
        raise tokens.error('expected a condition such as mode == "x" or mode %in% c("x", "y")')
    name = tokens.take()
    sign = tokens.take_if("%in%", *_COMPARISONS)
    if not sign:
        raise tokens.error(f"expected %in%, ==, != or a comparison after {name}")
    constant = take_value(tokens)
    if sign == "%in%":
        among = constant if isinstance(constant, tuple) else (constant,)
        return lambda values: any(_compare("==", values[name], each) for each in among)
    if isinstance(constant, tuple):
        raise tokens.error(f"expected one constant after {sign}, as with %in% several are allowed")
    return lambda values: _compare(sign, values[name], constant)


def _compare(sign: str, value: str | float | None, constant: object) -> bool:
    """Compare as R does: as numbers if both are, otherwise as text."""
    if value is None or constant is None:
        return False
    if isinstance(value, str) or isinstance(constant, str):
        return _COMPARISONS[sign](_text(value), _text(constant))
    return _COMPARISONS[sign](value, constant)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return f"{value:.15g}" if isinstance(value, float) else str(value)
