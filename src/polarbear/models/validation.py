"""Checks of the arguments of priors, in one place so that all priors raise the same errors."""

from __future__ import annotations

import math
from numbers import Integral, Real


def require_finite(what: str, value: object) -> None:
    """Raise an error unless `value` is a finite number."""
    if not _is_number(value) or not -math.inf < value < math.inf:  # type: ignore[operator]
        raise ValueError(f"{what} must be a finite number, got {value!r}")


def require_positive(what: str, value: object) -> None:
    """Raise an error unless `value` is a finite number above zero."""
    if not _is_number(value) or not 0 < value < math.inf:  # type: ignore[operator]
        raise ValueError(f"{what} must be a finite number above 0, got {value!r}")


def require_count(what: str, value: object, *, least: int) -> None:
    """Raise an error unless `value` is an integer of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise ValueError(f"{what} must be a whole number of at least {least}, got {value!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
