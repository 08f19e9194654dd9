"""Conditions of parameters: comparisons with constants, joined by & and |. They are read, never evaluated as R code."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from polarbear.irace.r_values import Tokens, take_value

Values = Mapping[str, str | float | None]

_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Comparison:
    """A parameter compared with constants: one, or with "%in%" any number. Called with values, it says whether it holds.

    As in R, that is unknown (None) if the parameter is not active, but "%in%" then does not hold.
    """

    name: str
    sign: str
    constants: tuple[object, ...]

    def __call__(self, values: Values) -> bool | None:
        if self.sign == "%in%":
            return any(equals(values[self.name], each) for each in self.constants)
        return _compare(self.sign, values[self.name], self.constants[0])


@dataclass(frozen=True)
class Joined:
    """Two conditions of which both ("&") or at least one ("|") must hold; unknown if that depends on an unknown one."""

    sign: Literal["&", "|"]
    left: Condition
    right: Condition

    def __call__(self, values: Values) -> bool | None:
        sides, decisive = (self.left(values), self.right(values)), self.sign == "|"
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive


@dataclass(frozen=True)
class Negated:
    """The contrary of a condition; unknown if that is."""

    inner: Condition

    def __call__(self, values: Values) -> bool | None:
        inner = self.inner(values)
        return None if inner is None else not inner


Condition = Comparison | Joined | Negated


def read_condition(text: str, source: str, line: int = 1) -> Condition:
    """Return the condition in a text; called with the values of a configuration, it says whether it holds.

    Examples
    --------
    >>> holds = read_condition('mode %in% c("x", "y") & alpha > 0.5', "example")
    >>> holds({"mode": "x", "alpha": 1.0}), holds({"mode": "z", "alpha": 1.0}), holds({"mode": "x", "alpha": None})
    (True, False, None)
    """
    tokens = Tokens(text, source, line)
    condition = _either(tokens)
    if tokens.peek():
        raise tokens.error("expected the end of the condition")
    return condition


def find_comparisons(condition: Condition) -> Iterator[Comparison]:
    """Yield the comparisons of which a condition consists."""
    match condition:
        case Comparison():
            yield condition
        case Joined(_, left, right):
            yield from find_comparisons(left)
            yield from find_comparisons(right)
        case Negated(inner):
            yield from find_comparisons(inner)


def equals(value: str | float | None, constant: object) -> bool:
    """Return whether a value equals a constant as R compares them."""
    return _compare("==", value, constant) is True


def _either(tokens: Tokens) -> Condition:
    left = _both(tokens)
    while tokens.take_if("|", "||"):
        left = Joined("|", left, _both(tokens))
    return left


def _both(tokens: Tokens) -> Condition:
    left = _single(tokens)
    while tokens.take_if("&", "&&"):
        left = Joined("&", left, _single(tokens))
    return left


def _single(tokens: Tokens) -> Condition:
    if tokens.take_if("!"):
        return Negated(_single(tokens))
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
    if isinstance(constant, tuple):
        if sign != "%in%":
            raise tokens.error(f"expected one constant after {sign}, got several; only %in% accepts them")
        return Comparison(name, sign, constant)
    return Comparison(name, sign, (constant,))


def _compare(sign: str, value: str | float | None, constant: object) -> bool | None:
    """Compare as R does: as numbers if both are, otherwise as text; None if one of them is missing."""
    if value is None or constant is None:
        return None
    if isinstance(value, str) or isinstance(constant, str):
        return _COMPARISONS[sign](_text(value), _text(constant))
    return _COMPARISONS[sign](value, constant)


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    return f"{value:.15g}" if isinstance(value, float) else str(value)
