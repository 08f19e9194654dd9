"""What limits every statement of a posterior: its computation, few instances, and budgets without observations."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.findings import Code, Finding, UseBootstrap

if TYPE_CHECKING:
    from polarbear.arrays import Array, Mask
    from polarbear.posterior.posterior import Posterior

FIRM_INSTANCES, FIRM_CLUSTERS = 30, 20
"""Independent instances, or clusters, below which an answer is tentative."""

_THIN = 0.25  # share of the largest number of comparisons below which a budget has few data


def independent_units(posterior: Posterior) -> int:
    """Return the number of instances, or of clusters if the answer generalises to new ones."""
    return posterior.instances if posterior.beliefs is None else posterior.beliefs.sample.number_of_units


def reliability_findings(posterior: Posterior) -> list[Finding]:
    """Return the findings that the computation is not reliable, and that instances are few."""
    found = []
    diagnostics = posterior.diagnostics
    if not diagnostics.reliable:
        numbers = {name: getattr(diagnostics, name) for name in ("method", "effective_draws", "pareto_k", "r_hat")}
        numbers |= {"divergences": diagnostics.divergences}
        found.append(Finding(Code.UNRELIABLE_POSTERIOR, "unreliable", numbers=numbers, remedy=UseBootstrap()))
    number, clustered = independent_units(posterior), _is_clustered(posterior)
    needed = FIRM_CLUSTERS if clustered else FIRM_INSTANCES
    if number < needed:
        numbers = {"number": number, "clusters": clustered, "needed": needed}
        found.append(Finding(Code.FEW_INSTANCES, "unreliable" if number == 1 else "tentative", numbers=numbers))
    return found


def observation_findings(posterior: Posterior, *, may_end_early: bool = False) -> list[Finding]:
    """Return the findings on budgets at which few instances compare algorithms, or none.

    A race `may_end_early` on purpose, so that few instances at some budgets are no finding.
    """
    found = [] if may_end_early else _on_thin_budgets(posterior)
    if gaps := _unobserved(posterior):
        names = tuple(name for each in gaps for name in each["algorithms"])
        found.append(Finding(Code.NOT_OBSERVED, "tentative", names, {"gaps": gaps}))
    return found


def _is_clustered(posterior: Posterior) -> bool:
    return posterior.beliefs is not None and posterior.beliefs.sample.has_clusters


def _on_thin_budgets(posterior: Posterior) -> list[Finding]:
    """Return the finding that far fewer instances compare algorithms at some budgets than elsewhere."""
    if posterior.comparisons is None:
        return []
    counts = posterior.comparisons.max(axis=1)  # of the most often compared algorithm at each budget
    thin = (counts > 0) & (counts < _THIN * counts.max())
    if not thin.any():
        return []
    first, last = posterior.grid.budgets[np.flatnonzero(thin)[[0, -1]]].tolist()
    numbers = {"start": first, "stop": last, "instances": int(counts[thin].max()), "elsewhere": int(counts.max())}
    return [Finding(Code.FEW_AT_BUDGETS, "tentative", numbers=numbers)]


def _unobserved(posterior: Posterior) -> list[dict[str, list[Any]]]:
    """Return the algorithms that were not observed at some budgets, with the gaps as pairs of observed neighbours.

    A gap of (None, b) lies before b, (a, None) after a, and (None, None) is the whole grid.
    """
    groups: dict[tuple[tuple[float | None, float | None], ...], list[Any]] = {}
    for name, observed in zip(posterior.names, posterior.observed.T, strict=True):
        if not observed.all():
            groups.setdefault(tuple(_gaps(posterior.grid.budgets, observed)), []).append(name)
    return [{"algorithms": names, "gaps": list(gaps)} for gaps, names in groups.items()]


def _gaps(budgets: Array, observed: Mask) -> list[tuple[float | None, float | None]]:
    gaps, start = [], 0
    for known, group in groupby(observed.tolist()):
        stop = start + len(list(group))
        if not known:
            before = float(budgets[start - 1]) if start else None
            gaps.append((before, float(budgets[stop]) if stop < len(budgets) else None))
        start = stop
    return gaps
