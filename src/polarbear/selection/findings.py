"""What limits a recommendation: the data of the posterior, budgets that it does not know, and how portfolios are valued."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.findings import Code, Finding
from polarbear.posterior.findings import reliability_findings
from polarbear.selection.budget_distribution import BudgetDistribution
from polarbear.selection.preference import At, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.candidates import Candidate
    from polarbear.selection.portfolio import Portfolios
    from polarbear.selection.preference import Preference

_NEARLY_ALL = 0.99  # share of a budget distribution within the grid; a smaller share is a finding


def findings_on(
    posterior: Posterior,
    preference: Preference,
    used: Preference,
    best: Candidate,
    *,
    not_observed: tuple[str, ...],
    found: Portfolios | None,
    copies: bool,
) -> Iterator[Finding]:
    """Yield what limits a recommendation.

    Parameters
    ----------
    posterior
        The posterior at the budgets of the query.
    preference, used
        The preference of the query, and the preference that was evaluated.
    best, not_observed
        The recommendation, and the algorithms that are left out.
    found, copies
        For a portfolio: all portfolios that were compared, and whether copies of an algorithm were wanted.
    """
    yield from reliability_findings(posterior)
    if used is not preference and isinstance(preference, At) and isinstance(used, At):
        numbers = {"budget": float(preference.budget), "used": float(used.budget)}
        yield Finding(Code.NEAREST_BUDGET, "note", numbers=numbers)
    if not_observed:
        yield Finding(Code.LEFT_OUT, "note", not_observed)
    if isinstance(preference, BudgetDistribution) and (share := preference.mass_within(posterior.grid)) < _NEARLY_ALL:
        yield Finding(Code.BUDGETS_OUTSIDE, "tentative", numbers={"share": share})
    if not posterior.joint and not isinstance(preference, At | Final):
        yield Finding(Code.SEPARATE_BUDGETS, "tentative", numbers={"prior": posterior.prior})
    if found is not None:
        yield from _on_portfolios(posterior, best, found, copies=copies)


def _on_portfolios(posterior: Posterior, best: Candidate, found: Portfolios, *, copies: bool) -> Iterator[Finding]:
    """Yield how portfolios were valued and compared."""
    most = max(map(best.members.count, best.members))
    if found.kind == "copies" or (posterior.beliefs is None and most > 1):
        yield Finding(Code.SUMMED_RATINGS, "note", numbers={"only_copies": found.kind == "copies"})
    elif found.repetitions is not None:
        instances, fewest, largest = found.repetitions.extent
        numbers = {"instances": instances, "fewest": fewest, "most": largest, "enough": most <= fewest}
        yield Finding(Code.MEASURED_COPIES, "note", numbers=numbers)
    elif posterior.beliefs is not None and copies:
        yield Finding(Code.NO_COPIES, "note")
    if found.kind == "visited":
        yield Finding(Code.SEARCHED, "note")
