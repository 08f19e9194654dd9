"""Checks of the arguments of priors, in one place so that all priors raise the same errors."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import TypeGuard


def require_finite(what: str, value: object) -> None:
    """Raise an error unless `value` is a finite number."""
    if not is_number(value) or not -math.inf < value < math.inf:
        raise ValueError(f"expected a finite number for {what}, got {value!r}")


def require_positive(what: str, value: object) -> None:
    """Raise an error unless `value` is a finite number above zero."""
    if not is_number(value) or not 0 < value < math.inf:
        raise ValueError(f"expected a finite number above 0 for {what}, got {value!r}")


def require_count(what: str, value: object, *, least: int) -> None:
    """Raise an error unless `value` is an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"expected a whole number of at least {least} for {what}, got {value!r}")


def is_number(value: object) -> TypeGuard[float]:
    """Return whether `value` is a real number; True and False are not."""
    return isinstance(value, Real) and not isinstance(value, bool)
