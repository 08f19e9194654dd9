"""Sums of log masses, the costly part of the Plackett-Luce likelihood, computed with few logarithms.

The mass of a choice set is the sum of exp μ over its members. `sum_log_masses` returns Σ_S C_S log mass_S for many draws.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.arrays import Array


WIDEST_RANGE: Final = 600.0
"""Exponentials of utilities further apart than this underflow in sums and quotients.

Each set is then summed relative to its own largest utility, which is slower.
"""

_FEW_SETS = 16  # up to this many sets, one logarithm per set is faster than products of powers

# exp(±value) is representable in single and in double precision, with headroom for one more factor.
_RANGE_OF = {np.dtype(np.float32): 80.0, np.dtype(np.float64): 700.0}


def sum_log_masses(members: Array, counts: Array, utilities: Array, dtype: type[np.floating]) -> Array:
    """Return Σ_S C_S log Σ_{j∈S} exp μ_j, shape (draw,), with few logarithms if counts have a small common denominator.

    Logarithms are nearly all the cost. The sum is the logarithm of a product of masses, each raised to its count times the
    denominator. With these powers in signed binary digits, C_S = Σ_b d_b(S) 2^b with d_b in {−1, 0, 1}, masses are
    multiplied and one logarithm serves many of them. Masses are divided by those at the draws' mean utilities: the ratios
    are near one, so that many can be multiplied. For few sets, each logarithm is computed directly.
    """
    if len(counts) <= _FEW_SETS:
        few: Array = counts @ _log_masses(members, utilities, dtype)
        return few
    whole, denominator = _as_fractions(counts)
    mean = utilities.mean(axis=1)
    deviations = utilities - mean[:, None]
    if denominator and mean.min() > -WIDEST_RANGE and deviations.max() < _RANGE_OF[np.dtype(dtype)]:
        shares = members * np.exp(mean)
        central = shares.sum(axis=1)
        masses = (shares / central[:, None]).astype(dtype) @ np.exp(deviations.astype(dtype))
        with np.errstate(divide="ignore"):
            widest = float(np.abs(np.log([masses.min(), masses.max()])).max())
        if widest < 0.25 * _RANGE_OF[masses.dtype]:
            value: Array = counts @ np.log(central) + _log_of_powers(masses, whole, widest) / denominator
            return value
    one_by_one: Array = counts @ _log_masses(members, utilities, dtype)
    return one_by_one


def _log_masses(members: Array, utilities: Array, dtype: type[np.floating]) -> Array:
    """Return log Σ_{j∈S} exp μ_j of each set, shape (set, draw); utilities (algorithm, draw) are at most zero."""
    if dtype is np.float32 and utilities.min() > -_RANGE_OF[np.dtype(dtype)]:
        in_single: Array = np.log(members.astype(dtype) @ np.exp(utilities.astype(dtype)))
        return in_single
    masses = members @ np.exp(utilities)
    far_apart = np.flatnonzero(utilities.min(axis=0) < -WIDEST_RANGE)
    if len(far_apart) == 0:
        return np.log(masses, out=masses)
    with np.errstate(divide="ignore"):  # log 0 is recomputed below
        log_masses: Array = np.log(masses, out=masses)
    for draw in far_apart:
        log_masses[:, draw] = np.logaddexp.reduce(np.where(members > 0, utilities[:, draw], -np.inf), axis=1)
    return log_masses


def _log_of_powers(masses: NDArray[np.floating], powers: NDArray[np.int64], widest: float) -> Array:
    """Return Σ_S powers_S log masses_S, shape (draw,), by Horner's rule: square and multiply from the highest digit on.

    The product must stay in the range of floating-point numbers. It is checked after as many factors as could use a quarter
    of the range of exponents. If it has used a quarter, its logarithm is added to the result and it restarts at one.

    Parameters
    ----------
    masses
        Shape (set, draw).
    powers
        Shape (set,); not negative.
    widest
        The largest |log mass|, at most a quarter of the range.
    """
    # The non-adjacent form has the fewest non-zero digits: the bits of 3C/2 minus the bits of C/2, digit by digit.
    plus, minus = (3 * powers & ~powers) >> 1, (powers & ~(3 * powers)) >> 1
    quarter = 0.25 * _RANGE_OF[masses.dtype]
    factors, largest = int(quarter / max(widest, 1e-3)), np.exp(quarter)
    value = np.zeros(masses.shape[1])
    product, divisor = np.ones((2, masses.shape[1]), dtype=masses.dtype)
    binary = np.arange(int(plus.max()).bit_length())[::-1, None]
    for signs in (plus >> binary & 1) - (minus >> binary & 1):
        value *= 2
        product *= product
        rows = np.flatnonzero(signs).tolist()
        for first in range(0, max(len(rows), 1), factors):
            divisor.fill(1)
            for row in rows[first : first + factors]:
                side = product if signs[row] > 0 else divisor
                side *= masses[row]
            product /= divisor
            if product.max() > largest or product.min() < 1 / largest:
                value += np.log(product)
                product.fill(1)
    value += np.log(product)
    return value


def _as_fractions(counts: Array) -> tuple[NDArray[np.int64], int]:
    """Return the counts as integer numerators and a common denominator, which is zero if no small one fits.

    A tie of k weights its sets by inverse binomial coefficients: ties of 2 need halves, of 3 sixths, of 4 twelfths, of 5 or
    6 sixtieths.
    """
    for denominator in (1, 2, 6, 12, 60):
        scaled = counts * denominator
        whole = np.rint(scaled)
        if np.abs(scaled - whole).max(initial=0.0) < 1e-9 * max(1.0, float(whole.max(initial=0.0))):
            return whole.astype(np.int64), denominator
    return np.zeros(0, dtype=np.int64), 0
