"""What limits the answer of a posterior: its data, its model, and dropped algorithms.

In: a posterior, its model check if the runs are known, and the dropped algorithms. Out: findings.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.findings import Code, Finding, GiveRuns, Restore, ShowPair, UseBootstrap
from polarbear.observe.rankings import ABSENT
from polarbear.posterior.findings import observation_findings, reliability_findings
from polarbear.posterior.first_places import first_shares

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from polarbear.arrays import Array, Ranks
    from polarbear.checks.findings import Decision
    from polarbear.checks.model_check import ModelCheck
    from polarbear.posterior.posterior import Posterior

_DEPENDENT = 0.5  # share of the budgets below which they are not nearly independent
_OFTEN = 0.05  # share of first places from which a dropped algorithm is named
_FEWEST = 3  # instances on which it comes first
_FEW = 8  # common instances; below this number, a pair's belief depends on its prior as much as on its data


def find_doubts(
    posterior: Posterior,
    *,
    decisions: Sequence[Decision],
    circles: Sequence[tuple[str, ...]],
    check: ModelCheck | None,
    same: Mapping[str, tuple[str, ...]],
    is_race: bool,
) -> list[Finding]:
    """Return what limits the answer of a posterior.

    Parameters
    ----------
    posterior
        The posterior.
    decisions, circles, same
        The dropped algorithms, the kept ones that beat each other in a circle, and the algorithms that tie with a kept one.
    check
        The model check; None if the runs are not known.
    is_race
        Whether the data come from a race. A race may end runs early on purpose, and its algorithms can run again.
    """
    return [
        *reliability_findings(posterior),
        *observation_findings(posterior, may_end_early=is_race),
        *([Finding(Code.NOT_CHECKED, "tentative", remedy=GiveRuns())] if check is None else []),
        *(find_model_doubts(check, decisions, is_race=is_race) if check is not None else []),
        *(_on_dependent_budgets(posterior, check) if check is not None else []),
        *_on_drops(posterior, decisions),
        *(Finding(Code.CIRCLE, "note", each) for each in circles),
        *(Finding(Code.SAME_RESULTS, "note", (name, *others)) for name, others in same.items()),
    ]


def find_model_doubts(check: ModelCheck, decisions: Sequence[Decision], *, is_race: bool) -> list[Finding]:
    """Return where the outcomes of pairs contradict the posterior, or do not support the drop of an algorithm."""
    found = []
    for each in check.check_drops(decisions):
        numbers: dict[str, Any] = {"probability": each.probability, "own": each.own, "budget": each.budget}
        if each.contradicted:
            remedy = Restore(each.name) if is_race else ShowPair(each.by, each.name)
            found.append(Finding(Code.DROP_CONTRADICTED, "unreliable", (each.name, each.by), numbers, remedy))
        elif each.unsupported:  # under a model that drops it, a restored algorithm would be dropped again
            found.append(Finding(Code.DROP_UNSUPPORTED, "tentative", (each.name, each.by), numbers, UseBootstrap()))
    if check.misfits:
        worst = asdict(check.misfits[0])
        pair = worst.pop("name"), worst.pop("other")
        numbers = {**worst, "more": len(check.misfits) - 1}
        found.append(Finding(Code.MODEL_MISFIT, "tentative", pair, numbers, UseBootstrap()))
    if check.influences:
        worst = asdict(check.influences[0])
        numbers = {**worst, "others": [each.name for each in check.influences[1:]]}
        found.append(Finding(Code.MODEL_INFLUENCE, "tentative", (worst["name"],), numbers, UseBootstrap()))
    return found


def _on_dependent_budgets(posterior: Posterior, check: ModelCheck) -> list[Finding]:
    """Return the finding that the prior counts correlated rankings of an instance at several budgets as independent."""
    budgets = len(posterior.grid)
    if posterior.beliefs is not None or check.independent_budgets > _DEPENDENT * budgets:
        return []
    numbers = {"prior": posterior.prior, "budgets": budgets, "independent": check.independent_budgets}
    return [Finding(Code.DEPENDENT_BUDGETS, "tentative", numbers=numbers, remedy=UseBootstrap())]


def _on_drops(posterior: Posterior, decisions: Sequence[Decision]) -> list[Finding]:
    """Return the drops that rest on few common instances, and the dropped algorithms that come first on some."""
    if posterior.beliefs is None:
        return []
    ranks, found, first = posterior.beliefs.sample.rankings.ranks, [], []
    for each in decisions:
        name, by = (posterior.names.index(one) for one in (each.name, each.by))
        common = int((ranks[..., [name, by]] != ABSENT).all(axis=2).sum(axis=0).max())
        if common < _FEW:
            found.append(Finding(Code.DROP_ON_FEW, "tentative", (each.name, each.by), {"instances": common}))
        shares, counts = _came_first(ranks, name)
        shares = np.where(counts >= _FEWEST, shares, 0.0)
        if shares.max() > _OFTEN:
            budget = float(posterior.grid.budgets[int(shares.argmax())])
            first.append({"name": each.name, "share": float(shares.max()), "budget": budget})
    if first:
        names = tuple(str(each["name"]) for each in first)
        found.append(Finding(Code.DROPPED_FIRST_SOMEWHERE, "note", names, {"algorithms": first}))
    return found


def _came_first(ranks: Ranks, algorithm: int) -> tuple[Array, Array]:
    """Return the share of instances on which an algorithm came first, and their number, shape (budget,) each.

    Instances count where it was observed together with another algorithm. Ties share the first place. Where all algorithms
    tie, for example before any of them has a solution, no algorithm comes first.
    """
    observed = ranks != ABSENT
    compared = observed[..., algorithm] & (observed.sum(axis=2) > 1)
    differ = (ranks > 0).any(axis=2)
    first: Array = np.where(compared & differ, first_shares(ranks)[..., algorithm], 0.0).sum(axis=0)
    return first / np.maximum(compared.sum(axis=0), 1), first
