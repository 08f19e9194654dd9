"""The recommendation as a sentence, with remarks on its assumptions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.extra_runs import extra_runs
from polarbear.selection.answers import SURE_ENOUGH
from polarbear.selection.budget_distribution import BudgetDistribution
from polarbear.selection.criterion import FirstPlace
from polarbear.selection.custom_preference import Custom
from polarbear.selection.observed_times import few_data_sentence, independent_units
from polarbear.selection.preference import At, Final
from polarbear.selection.risk import Expected
from polarbear.wording import format_below, format_percent, join_names, with_noun

if TYPE_CHECKING:
    from polarbear.posterior.extra_runs import Extent
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.candidates import Candidate
    from polarbear.selection.criterion import Criterion
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk
    from polarbear.selection.value_units import ValueUnits

_CONTENDERS = 3  # candidates that are named where it is too close to call
_WORTH_NAMING = 0.01  # smallest probability of a candidate that is named there
_FEW_PROBLEMS = 10  # repeated runs on fewer instances leave Plackett-Luce, which counts like one, with a visible share
_NEARLY_ALL = 0.99  # share of a budget distribution within the grid; a smaller one is reported


def explain(
    posterior: Posterior,
    preference: Preference,
    risk: Risk,
    criterion: Criterion,
    candidates: tuple[Candidate, ...],
    *,
    units: ValueUnits,
    single: str | None = None,
    win_rate: float | None = None,
    exhaustive: bool = True,
    idle: int = 0,
    not_observed: tuple[str, ...] = (),
) -> str:
    """Return the recommendation in words, with remarks on the criterion, the portfolio and the posterior.

    Parameters
    ----------
    posterior, preference, risk, criterion
        The arguments of `select`.
    candidates
        All candidates, the best first.
    units
        The units of their values.
    single, win_rate
        For a portfolio: the best single algorithm, and the portfolio's win rate against it.
    exhaustive
        Whether all portfolios were compared, rather than those that a search visited.
    idle
        The number of machines for which there is no different algorithm.
    not_observed
        The algorithms that are left out, because they were not observed at these budgets.
    """
    caution = few_data_sentence(posterior).rstrip(".")
    alone = independent_units(posterior) == 1
    sentences = [
        *([f"Do not rely on this. {caution}"] if alone else []),
        *_answer(preference, risk, criterion, candidates, units),
        *_remarks_on_left_out(not_observed),
        *_remarks_on_portfolio(posterior, preference, candidates[0], single, win_rate, idle, exhaustive),
        *_remarks_on_posterior(posterior, preference),
        *([caution] if caution and not alone else []),
    ]
    return ". ".join(sentences) + "."


def _answer(
    preference: Preference, risk: Risk, criterion: Criterion, candidates: tuple[Candidate, ...], units: ValueUnits
) -> list[str]:
    """Return the advice, its certainty, and the meaning of its value and of its regret."""
    best = candidates[0]
    value = "" if isinstance(criterion, FirstPlace) else f", judged by {criterion}"
    attitude = "" if isinstance(risk, Expected) else f", by {risk}"
    query = f"For {preference}{value}{attitude}"
    meaning = _meaning(preference, criterion, best, units)
    if len(candidates) == 1:
        return [f"{query}, choose {best.name}", meaning]
    loss = units.format_loss(best.regret) + (" of this value" if units.kind == "number" else "")
    cost = f"Not knowing the best choice for certain costs {loss} on average"
    if best.probability_best >= SURE_ENOUGH:
        sure = f"{format_percent(best.probability_best)} sure that it is the best choice of {len(candidates)}"
        following = f"Next comes {candidates[1].name}"
        return [f"{query}, choose {best.name}: {sure}", meaning, cost, following]
    likely = sorted(candidates, key=lambda each: -each.probability_best)[:_CONTENDERS]
    likely = [each for each in likely if each.probability_best >= _WORTH_NAMING]
    chances = join_names([f"{each.name} ({format_below(each.probability_best, SURE_ENOUGH)})" for each in likely], "or")
    return [
        f"{query}, it is too close to call: the best choice is {chances}",
        f"If you must choose, take {best.name}",
        meaning,
        cost,
    ]


def _meaning(preference: Preference, criterion: Criterion, best: Candidate, units: ValueUnits) -> str:
    """Return what the value of a candidate means."""
    known = units.format(best.lower) == units.format(best.upper)
    interval = "" if known else f" ({units.format_interval(best.lower, best.upper)})"
    if units.kind == "number":
        return f"Its value is {units.format(best.expected)}{interval}"
    who = "Its best member" if len(best.members) > 1 else "It"
    return f"{who} {criterion.describe(best.expected, units.algorithms)}{interval}{_on_average(preference)}"


def _remarks_on_left_out(not_observed: tuple[str, ...]) -> list[str]:
    if not not_observed:
        return []
    return [f"Left out, since not observed together with another algorithm at these budgets: {', '.join(not_observed)}"]


def _remarks_on_portfolio(
    posterior: Posterior,
    preference: Preference,
    best: Candidate,
    single: str | None,
    win_rate: float | None,
    idle: int,
    exhaustive: bool,
) -> list[str]:
    remarks = []
    if single is not None and win_rate is not None:
        its_run = (
            f"its first run of {single} is the best"
            if best.members.count(single) > 1
            else f"{single} is its best member"
        )
        shared = f", counting one half where {its_run}" if single in best.members else ""
        remarks.append(
            f"It beats the best single algorithm, {single}, on {100 * win_rate:.0f} % of instances"
            f"{_on_average(preference)}{shared}"
        )
    if len(set(best.members)) < len(best.members):
        remarks.append(_remark_on_copies(posterior, preference, best.members, single))
    if idle:
        remarks.append(f"Without copies, {with_noun(idle, 'machine')} of {idle + len(best.members)} would be idle")
    if not exhaustive:
        remarks.append(
            "There are too many portfolios to compare them all; this is the best that the search found, and probability "
            "and regret compare it with the others that the search visited"
        )
    return remarks


def _remark_on_copies(
    posterior: Posterior, preference: Preference, members: tuple[str, ...], single: str | None
) -> str:
    """Return how the value of copies was found: by how many repeated runs, or by Plackett-Luce."""
    copies = {name: count for name, count in Counter(members).items() if count > 1}
    extents = _extents_of_copies(posterior, preference, members, single)
    measured = {name: each for name, each in extents.items() if each.problems.any()}
    others = [name for name in copies if name not in measured]
    where = " at these budgets" if extents else ""
    reason = f"since the posterior has no repeated runs of it on the same instances{where}"
    if not measured:
        return f"The value of copies of one algorithm is computed from Plackett-Luce, {reason}"
    most = max(int(each.problems.max()) for each in measured.values())
    whose = join_names(list(measured)) if others else "one algorithm"
    remark = f"The value of copies of {whose} is measured by repeated runs on {with_noun(most, 'instance')}"
    if not all(each.problems.all() for each in measured.values()):
        remark += " (at some budgets there are none, and it is computed from Plackett-Luce)"
    limits = [each for name, each in measured.items() if copies[name] > each.fewest]
    if limits:
        low, high = min(each.fewest for each in limits), max(each.most for each in limits)
        remark += f", with {low if low == high else f'{low} to {high}'} runs on each; further copies add nothing there"
    if others:
        remark += f"; that of copies of {join_names(others)} is computed from Plackett-Luce, {reason}"
    return remark + ("; Plackett-Luce counts like one more instance" if most < _FEW_PROBLEMS else "")


def _extents_of_copies(
    posterior: Posterior, preference: Preference, members: tuple[str, ...], single: str | None
) -> dict[str, Extent]:
    """Return what the value of copies of each algorithm is based on at the weighted times; none without repeated runs."""
    repeated = extra_runs(posterior.beliefs)
    if repeated is None:
        return {}
    if not isinstance(preference, Custom):
        repeated = repeated.at_times(np.flatnonzero(preference.weights(posterior.grid)))
    places = {name: posterior.names.index(name) for name in members}
    rivals = [place for place, name in enumerate(posterior.names) if name not in members]
    if not rivals and single is not None:  # the value is one, and copies matter against the best single algorithm
        rivals = [posterior.names.index(single)]
    own = list(places.values())
    return {name: repeated.extent(own, rivals, place) for name, place in places.items() if members.count(name) > 1}


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
