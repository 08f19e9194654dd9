"""Values and their ranks: at one budget the algorithm with the lowest value has rank 0, and equal values share a rank."""

from __future__ import annotations

import math
from numbers import Number
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.defaults import RELATIVE_TOLERANCE, SAME_SENTINEL, SENTINELS
from polarbear.observe.rankings import ABSENT

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polarbear.arrays import Array, Mask, Ranks


def rank_values(
    values: ArrayLike,
    *,
    absolute_tolerance: float = 0.0,
    relative_tolerance: float = RELATIVE_TOLERANCE,
    maximise: bool = False,
) -> Ranks:
    """Return dense ranks of values along the last axis: 0 is best (lowest), and equal values share a rank.

    A value y is tied with the best value b of a group if y - b <= absolute + relative * abs(b). The distance is measured
    from the best of the group, so that a chain of small steps does not become one large tie. The default tolerates what
    arithmetic in another order changes, in floats only: integers and fractions are exact. With both tolerances zero, only
    exactly equal values are ties.

    Parameters
    ----------
    values
        Real numbers, with algorithms on the last axis. NaN (or None) means not observed. +inf is no solution yet: it is
        worst and tied with every other +inf. So are the values that solvers report without a solution, such as 1e20 and
        1e30 of either sign. -inf is an error. Integers are compared as integers, however large.
    absolute_tolerance, relative_tolerance
        The tolerances of the formula above; finite and not negative.
    maximise
        Whether higher values are better. The rules above then apply to the negated values.

    Returns
    -------
    NDArray of int16
        Ranks in the shape of `values`; -1 (`ABSENT`) where a value was not observed.

    Examples
    --------
    >>> rank_values([3.0, 1.0, np.inf, 1.0, np.nan]).tolist()
    [1, 0, 2, 0, -1]
    >>> rank_values([0.0, 0.9, 1.8], absolute_tolerance=1).tolist()
    [0, 0, 1]
    """
    for name, tolerance in (("absolute", absolute_tolerance), ("relative", relative_tolerance)):
        if not (math.isfinite(tolerance) and tolerance >= 0):
            raise ValueError(f"expected a finite {name}_tolerance, not negative, got {tolerance}")
    losses, absent = _as_losses(real_array(values), maximise)
    relative_tolerance = relative_tolerance_of(losses, relative_tolerance)
    if losses.ndim == 0:
        raise ValueError("expected values with algorithms on the last axis, got a single number")
    ranks = np.full(losses.shape, ABSENT, dtype=np.int16)
    if not losses.size:
        return ranks
    try:
        if losses.dtype.kind in "fO" and (losses == -math.inf).any():
            where = tuple(int(i) for i in np.argwhere(losses == -math.inf)[0])
            raise ValueError(
                f"expected no {'+inf' if maximise else '-inf'}, better than any solution, got it at index {where}; "
                "give the value found, or NaN if nothing was observed"
            )
        order = np.argsort(losses, axis=-1, kind="stable")
        ascending = np.take_along_axis(losses, order, axis=-1)
        if absolute_tolerance or relative_tolerance:
            steps = _steps(ascending, absolute_tolerance, relative_tolerance)
        else:
            steps = ascending[..., 1:] != ascending[..., :-1]
    except (TypeError, OverflowError) as error:
        raise ValueError(f"expected values that can be compared with one another, got {error}; use floats") from error
    ascending_ranks = np.zeros(losses.shape, dtype=np.int16)
    np.cumsum(steps, axis=-1, out=ascending_ranks[..., 1:])
    np.put_along_axis(ranks, order, ascending_ranks, axis=-1)
    ranks[absent] = ABSENT
    return ranks


def real_array(values: ArrayLike) -> NDArray[Any]:
    """Return real numbers as an array of their own type; Python integers that a float would round stay objects."""
    try:
        array = np.asarray(values)
        if array.dtype.kind == "f" and not hasattr(values, "__array__"):
            # NumPy converts [2**63 + 1, nan] and [2**63 + 1, 2] to floats, which rounds them.
            objects = np.array(values, dtype=object)
            if any(isinstance(value, int) and abs(value) > 2**53 for value in objects.flat):
                array = objects
    except ValueError as error:
        raise ValueError(
            f"expected a rectangular array of values, use NaN for what was not observed: {error}"
        ) from error
    if array.dtype.kind == "O":
        for value in array.flat:
            if not (value is None or (isinstance(value, Number) and not isinstance(value, complex))):
                raise ValueError(f"expected real numbers, got {value!r}")
    elif array.dtype.kind not in "fiub":
        raise ValueError(f"expected real numbers, got {array.dtype}; convert them first")
    return array


def relative_tolerance_of(values: NDArray[Any], relative: float) -> float:
    """Return the relative tolerance for these values: the default applies to floats only, since other numbers are exact."""
    return 0.0 if values.dtype.kind != "f" and relative == RELATIVE_TOLERANCE else relative


def losses_of(values: NDArray[Any], *, maximise: bool) -> Array:
    """Return values as losses in double precision: lower is better, NaN is not observed, +inf is no solution yet."""
    losses, absent = _as_losses(values, maximise)
    result: Array = np.array(losses, dtype=np.float64)
    result[absent] = math.nan
    return result


def without_sentinels(values: NDArray[Any], worst: float) -> NDArray[Any]:
    """Return floats in which the values that solvers report without a solution are replaced by the worst value.

    Examples
    --------
    >>> without_sentinels(np.array([3.0, 1e20, -1e30]), np.inf).tolist()
    [3.0, inf, inf]
    """
    size = np.abs(values.astype(np.float64, copy=False))
    if not (size > SENTINELS[0] / 2).any():
        return values
    result = values.copy()
    for sentinel in SENTINELS:
        result[np.abs(size / sentinel - 1) < SAME_SENTINEL] = worst
    return result


def _as_losses(values: NDArray[Any], maximise: bool) -> tuple[NDArray[Any], Mask]:
    """Return losses (lower is better, missing values sort last) and the mask of missing values."""
    kind = values.dtype.kind
    if kind == "f":
        known = without_sentinels(values, -math.inf if maximise else math.inf)
        return (-known if maximise else known), np.isnan(values)
    if kind == "O":
        absent = np.array([value is None or value != value for value in values.flat], dtype=bool).reshape(values.shape)
        losses = np.where(absent, -math.inf if maximise else math.inf, values)
        return (-losses if maximise else losses), absent
    integers = values.astype(np.uint8) if kind == "b" else values
    if maximise and integers.size:
        fits = integers.max() <= np.iinfo(np.int64).max and integers.min() > np.iinfo(np.int64).min
        integers = -integers.astype(np.int64 if fits else object)
    return integers, np.zeros(values.shape, dtype=bool)


def _steps(ascending: NDArray[Any], absolute: float, relative: float) -> Mask:
    """Return the mask of positions, from the second on, at which a new group of tied values begins."""
    kind, shape = ascending.dtype.kind, ascending.shape
    ascending = ascending.reshape(-1, shape[-1])
    steps = np.zeros(ascending.shape, dtype=bool)
    if kind == "f":
        ascending = ascending.astype(np.result_type(ascending.dtype, np.float64), copy=False)
    best = ascending[:, 0]
    for position in range(1, shape[-1]):
        value = ascending[:, position]
        # inf - inf and overflowing differences are not ties by tolerance; equality is checked separately.
        with np.errstate(over="ignore", invalid="ignore"):
            if kind in "iu":
                # value >= best, so the difference is exact in unsigned arithmetic modulo 2^64.
                distance = (value.astype(np.uint64) - best.astype(np.uint64)).astype(np.float64)
                size = abs(best.astype(np.float64))
            else:
                distance, size = value - best, abs(best)
            near = (distance <= (absolute + relative * size if relative else absolute)) & (value < math.inf)
        tied = (near | (value == best)).astype(bool)
        steps[:, position] = ~tied
        best = np.where(tied, best, value)
    return steps.reshape(shape)[..., 1:]
