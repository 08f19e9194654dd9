"""The recommendation as a sentence, with remarks on its assumptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.selection.budget_distribution import BudgetDistribution
from polarbear.selection.criterion import FirstPlace
from polarbear.selection.custom_preference import Custom
from polarbear.selection.observed_times import observed_candidates
from polarbear.selection.preference import At, Final

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.candidates import Candidate
    from polarbear.selection.criterion import Criterion
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk

_NEARLY_ALL = 0.99  # share of a budget distribution within the grid; a smaller one is reported


def explain(
    posterior: Posterior,
    preference: Preference,
    risk: Risk,
    criterion: Criterion,
    candidates: tuple[Candidate, ...],
    *,
    single: str | None = None,
    win_rate: float | None = None,
    exhaustive: bool = True,
    not_observed: tuple[str, ...] = (),
) -> str:
    """Return the recommendation in words, with remarks on the criterion, the portfolio and the posterior.

    Parameters
    ----------
    posterior, preference, risk, criterion
        The arguments of `select`.
    candidates
        All candidates, the best first.
    single, win_rate
        For a portfolio: the best single algorithm, and the portfolio's win rate against it.
    exhaustive
        Whether all portfolios were compared, rather than those that a search visited.
    not_observed
        The algorithms that are left out, because they were not observed at these budgets.
    """
    sentences = [
        _answer(preference, risk, criterion, candidates),
        *_remarks_on_left_out(not_observed),
        *_remarks_on_criterion(
            preference,
            criterion,
            candidates[0],
            len(observed_candidates(posterior, posterior.names, preference, criterion)),
        ),
        *_remarks_on_portfolio(preference, candidates[0], single, win_rate, exhaustive),
        *_remarks_on_posterior(posterior, preference),
    ]
    return ". ".join(sentences) + "."


def _answer(preference: Preference, risk: Risk, criterion: Criterion, candidates: tuple[Candidate, ...]) -> str:
    best = candidates[0]
    value = "" if isinstance(criterion, FirstPlace) else f", where the value is {criterion}"
    words = f"For {preference}, by {risk}{value}, choose {best.name}"
    if len(candidates) > 1:
        words += (
            f": it is the best of {len(candidates)} with probability {best.probability_best:.2f}, and costs "
            f"{best.regret:.3f} in expected regret; next comes {candidates[1].name}"
        )
    return words


def _remarks_on_left_out(not_observed: tuple[str, ...]) -> list[str]:
    if not not_observed:
        return []
    return [f"Left out, since not observed together with another algorithm at these budgets: {', '.join(not_observed)}"]


def _remarks_on_criterion(preference: Preference, criterion: Criterion, best: Candidate, algorithms: int) -> list[str]:
    if isinstance(criterion, FirstPlace) or isinstance(preference, Custom):
        return []  # the user defines the value of a custom preference
    return [f"It {criterion.describe(best.expected, algorithms)}{_on_average(preference)}"]


def _remarks_on_portfolio(
    preference: Preference, best: Candidate, single: str | None, win_rate: float | None, exhaustive: bool
) -> list[str]:
    if single is None or win_rate is None:
        return []
    shared = f", counting one half where {single} is its best member" if single in best.members else ""
    remarks = [
        f"It beats the best single algorithm, {single}, on {100 * win_rate:.0f} % of instances{_on_average(preference)}"
        f"{shared}"
    ]
    if len(set(best.members)) < len(best.members):
        remarks.append(
            "The value of copies of one algorithm is computed from Plackett-Luce; repeated runs with virtual_portfolio "
            "measure it"
        )
    if not exhaustive:
        remarks.append(
            "There are too many portfolios to compare them all; this is the best that the search found, and probability "
            "and regret compare it with the others that the search visited"
        )
    return remarks


def _remarks_on_posterior(posterior: Posterior, preference: Preference) -> list[str]:
    remarks = []
    if isinstance(preference, BudgetDistribution) and (mass := preference.mass_within(posterior.grid)) < _NEARLY_ALL:
        remarks.append(f"Only {100 * mass:.2g} % of the budgets lie within the grid; the others are left out")
    if not posterior.joint and not isinstance(preference, At | Final):
        remarks.append(
            f"The prior {posterior.prior} treats each time alone: over several times expected values of linear "
            "preferences hold, but probabilities and regret treat the times as independent; use a prior with joint draws"
        )
    if not posterior.diagnostics.reliable:
        remarks.append("The posterior is not reliable: " + posterior.diagnostics.message.rstrip("."))
    return remarks


def _on_average(preference: Preference) -> str:
    return "" if isinstance(preference, At | Final) else " on average over these budgets"
