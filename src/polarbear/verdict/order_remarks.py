"""Remarks on the order of the algorithms: circles, and dropped algorithms that come first on some instances."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.rankings import ABSENT
from polarbear.posterior.first_places import first_shares
from polarbear.verdict.remark import Remark
from polarbear.wording import format_number, join_names, percent, with_noun

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Ranks
    from polarbear.checks.findings import Decision
    from polarbear.posterior.posterior import Posterior

_OFTEN = 0.05  # share of first places from which a dropped algorithm is named
_FEWEST = 3  # instances on which it comes first
_FEW = 8  # instances; below this number, a pair's belief depends on its prior as much as on its data
_NAMED = 3  # dropped algorithms that are named; the others are counted


def order_remarks(posterior: Posterior, decisions: Sequence[Decision], cycles: Sequence[Sequence[str]]) -> list[Remark]:
    """Return a remark for each circle, and one on the dropped algorithms that come first on some instances."""
    remarks = [
        Remark(
            "solid",
            f"{join_names(each)} beat each other in a circle at every budget, so no data drop one of them.",
        )
        for each in cycles
    ]
    remarks += [
        Remark(
            "provisional",
            f"{each.name} is dropped because of {each.by}, but only {with_noun(number, 'instance')} compare the two.",
        )
        for each in decisions
        if (number := _compared(posterior, each)) < _FEW
    ]
    clauses = [clause for each in decisions if (clause := _first_places(posterior, each.name))]
    if clauses:
        more = len(clauses) - _NAMED
        named = clauses[:_NAMED] + ([f"{with_noun(more, 'other dropped algorithm')} also did"] if more > 0 else [])
        text = f'{"; ".join(named)}. Portfolios may need such algorithms: specialists="keep" keeps them.'
        remarks.append(Remark("solid", text))
    return remarks


def _first_places(posterior: Posterior, name: str) -> str:
    """Return where a dropped algorithm comes first most often, as a clause; empty if that is seldom."""
    if posterior.beliefs is None:
        return ""
    shares, counts = _came_first(posterior.beliefs.sample.rankings.ranks, posterior.names.index(name))
    shares = np.where(counts >= _FEWEST, shares, 0.0)
    time = int(shares.argmax())
    if shares[time] <= _OFTEN:
        return ""
    at = format_number(posterior.grid.times[time])
    return f"{name} is dropped, but came first on {percent(shares[time])} of instances at {at}"


def _came_first(ranks: Ranks, algorithm: int) -> tuple[Array, Array]:
    """Return the share of instances on which an algorithm came first, and their number, shape (time,) each.

    Instances count where it was observed together with another algorithm. Ties share the first place. Where all algorithms
    tie, such as early without a solution, nobody comes first.
    """
    observed = ranks != ABSENT
    compared = observed[..., algorithm] & (observed.sum(axis=2) > 1)
    differ = (ranks > 0).any(axis=2)
    first: Array = np.where(compared & differ, first_shares(ranks)[..., algorithm], 0.0).sum(axis=0)
    return first / np.maximum(compared.sum(axis=0), 1), first


def _compared(posterior: Posterior, decision: Decision) -> int:
    """Return the largest number of instances that compare the two algorithms of an elimination at one budget."""
    if posterior.beliefs is None:
        return posterior.instances
    ranks = posterior.beliefs.sample.rankings.ranks
    both = [ranks[..., posterior.names.index(name)] != ABSENT for name in (decision.name, decision.by)]
    return int(np.logical_and(*both).sum(axis=0).max())
