"""Win rates of portfolios over single algorithms, which the page cannot compute from ratings.

Only outcomes show on which instances the members of a portfolio fail together. The page therefore holds the expected win
rate of the best member of a set over each single algorithm, at each time, for all sets that it may recommend, as long as
these are few. Copies of one algorithm and posteriors without outcomes follow Plackett-Luce, and need no table.
"""

from __future__ import annotations

import base64
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.selection.portfolio import win_rate_against

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.posterior.posterior import Posterior

MACHINES = 5  # in a portfolio of the page, at most; as in query.js
_CURVES = 500  # sets times single algorithms, at most: half a second, and 40 kB at 30 times
_POINTS = 1_000_000_000  # of all curves: instances times budgets times draws; about half a second
_FEWEST = 200  # draws; their mean is then off by less than half a percentage point, for a standard deviation of seven
_LARGEST = 65535  # of an unsigned integer of sixteen bits


def portfolio_win_rates(posterior: Posterior, candidates: Sequence[int]) -> dict[str, Any] | None:
    """Return the expected win rates of sets of algorithms over single ones; None if they follow from ratings.

    Returns
    -------
    dict or None
        `columns` are the algorithms of the sets: all of them, or the candidates if all are too many. `largest` is the size
        up to which all sets are contained; 1 if there are too many pairs. `packed` holds the rates as shares of 65,535 in
        base64: little-endian, sixteen bits, in the order (set, single, time), with smaller sets first.
    """
    if posterior.beliefs is None:
        return None
    (rows, times, _), draws = posterior.beliefs.sample.rankings.ranks.shape, posterior.draws
    most = min(_CURVES, _POINTS // (rows * times * min(draws, _FEWEST)))
    every = range(len(posterior.names))
    columns = list(every if _largest_size(len(every), most) == min(MACHINES, len(every)) else candidates)
    largest = _largest_size(len(columns), most)
    curves = sum(len(columns) * comb(len(columns), size) for size in range(2, largest + 1))
    thinned = posterior.thin(min(draws, _POINTS // (rows * times * max(curves, 1))))
    rates = [
        win_rate_against(thinned, members, single)
        for size in range(2, largest + 1)
        for members in combinations(columns, size)
        for single in columns
    ]
    packed = np.rint(np.array(rates) * _LARGEST).astype("<u2").tobytes()
    return {"columns": columns, "largest": largest, "packed": base64.b64encode(packed).decode("ascii")}


def _largest_size(algorithms: int, most: int) -> int:
    """Return the largest size such that all sets of two algorithms up to it, times single ones, are at most `most`."""
    size, curves = 1, 0
    while size < min(MACHINES, algorithms):
        curves += algorithms * comb(algorithms, size + 1)
        if curves > most:
            break
        size += 1
    return size
