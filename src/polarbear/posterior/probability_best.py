"""The probability of being best, from draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polarbear.arrays import Array


def probability_best(values: Array) -> Array:
    """Return the share of draws in which each candidate has the highest value, of values (draw, candidate).

    Tied candidates share a draw, so that the shares sum to one.

    Examples
    --------
    >>> import numpy as np
    >>> probability_best(np.array([[2.0, 1.0], [1.0, 1.0]]))
    array([0.75, 0.25])
    """
    best = values == values.max(axis=1, keepdims=True)
    shares: Array = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares
