"""The comparison of all portfolios of one size, and the search for a good one where they are too many."""

from __future__ import annotations

import math
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING, Protocol

import numpy as np

from polarbear.selection.risk import Expected, ExpectedLoss, ProbabilityBest

if TYPE_CHECKING:
    from polarbear.arrays import Array, Indices
    from polarbear.selection.risk import Risk

_COMPARED = 30_000_000  # numbers behind all portfolios that are compared exhaustively: some tenths of a second
_SEARCHED = 10_000_000  # numbers behind all first exchanges of a search; sets its number of draws
_FEWEST_DRAWS = 200
_FEWEST = 20  # portfolios compared after a search, at least


class Valuation(Protocol):
    """The values of portfolios of candidates under one preference."""

    @property
    def candidates(self) -> int:
        """The number of candidates."""

    @property
    def draws(self) -> int:
        """The number of draws."""

    @property
    def numbers(self) -> int:
        """The cost of the value of one portfolio, as the numbers that are read for it."""

    def values(self, counts: Indices) -> Array:
        """Return the values of portfolios, shape (draw, portfolio), from the number of machines of each candidate."""

    def thin(self, draws: int) -> Valuation:
        """Return a valuation with fewer draws."""


def list_portfolios(valuation: Valuation, size: int, most: int) -> Indices | None:
    """Return all portfolios with at most `most` copies of a candidate, (portfolio, candidate); None if they are too many.

    The numbers are those of the machines of each candidate.
    """
    candidates = valuation.candidates
    number = math.comb(candidates if most == 1 else candidates + size - 1, size)
    if number * max(valuation.numbers, 4000) > _COMPARED:  # with few draws, listing the portfolios takes the time
        return None
    choose = combinations if most == 1 else combinations_with_replacement
    members = np.array(list(choose(range(candidates), size)), dtype=np.intp)
    counts = np.zeros((len(members), candidates), dtype=np.intp)
    np.add.at(counts, (np.arange(len(members))[:, None], members), 1)
    return np.asarray(counts[counts.max(axis=1) <= most])


def search_portfolios(valuation: Valuation, size: int, most: int, risk: Risk) -> Indices:
    """Return the portfolios that greedy construction and local search visit, including the best one found.

    Greedy construction adds the best member one at a time. Local search then exchanges one member for another as long as the
    score improves; it also starts from copies of the best candidate. The search may use some of the draws only, and returns
    no more portfolios than can be compared on all of them.
    """
    if isinstance(risk, ExpectedLoss):
        risk = Expected()  # both give the same order, but the expected loss needs all portfolios
    if isinstance(risk, ProbabilityBest):
        raise ValueError(
            "expected a risk attitude that a search can use, got ProbabilityBest(), which needs all portfolios, and there "
            "are too many; use Expected() or Quantile(), fewer machines, or fewer candidates"
        )
    one = np.eye(valuation.candidates, dtype=np.intp)
    of_a_draw = size * len(one) * valuation.numbers / valuation.draws
    some = valuation.thin(max(_FEWEST_DRAWS, int(_SEARCHED / of_a_draw)))
    visited: list[Indices] = []

    def best_of(options: Indices) -> tuple[float, Indices]:
        allowed = options[(options <= most).all(axis=1)]
        if allowed[0].sum() == size:
            visited.append(allowed)
        scores = risk.score(some.values(allowed))
        return float(scores.max()), allowed[scores.argmax()]

    greedy = np.zeros_like(one[0])
    for _ in range(size):
        _, greedy = best_of(greedy + one)
    for start in [greedy, *([best_of(size * one)[1]] if most >= size else [])]:
        score, current = best_of(start[None])
        while True:  # the exchanges include the current portfolio, a member replaced by itself
            better, changed = best_of(np.array([current - old + new for old in one[current > 0] for new in one]))
            if not better > score:
                break
            score, current = better, changed
    different = np.unique(np.concatenate(visited), axis=0)
    kept = max(_FEWEST, _COMPARED // max(valuation.numbers, 1))
    if len(different) > kept:
        different = different[np.sort(np.argsort(-risk.score(some.values(different)), kind="stable")[:kept])]
    return different
