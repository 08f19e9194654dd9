"""The recommendation as a sentence, with notes on its assumptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.pair_outcomes import pair_outcomes
from polarbear.selection.answers import SURE_ENOUGH
from polarbear.selection.budget_distribution import BudgetDistribution
from polarbear.selection.criterion import StrongestRival, default_criterion
from polarbear.selection.custom_preference import Custom
from polarbear.selection.observed_budgets import few_data_sentence, independent_units
from polarbear.selection.preference import At, Final
from polarbear.selection.risk import Expected, ProbabilityBest
from polarbear.wording import format_below, format_percent, join_names, percent, with_noun

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.candidates import Candidate
    from polarbear.selection.criterion import Criterion
    from polarbear.selection.portfolio import Portfolios
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk
    from polarbear.selection.value_units import ValueUnits

_CONTENDERS = 3  # candidates that are named where the best choice is unclear
_WORTH_NAMING = 0.01  # smallest probability of a candidate that is named there
_NEARLY_ALL = 0.99  # share of a budget distribution within the grid; a smaller one is reported


def explain(
    posterior: Posterior,
    preference: Preference,
    risk: Risk,
    criterion: Criterion,
    candidates: tuple[Candidate, ...],
    *,
    used: Preference,
    units: ValueUnits,
    found: Portfolios | None = None,
    copies: bool = True,
    single: str | None = None,
    win_rate: float | None = None,
    not_observed: tuple[str, ...] = (),
) -> str:
    """Return the recommendation in words, with notes on the criterion, the portfolio and the posterior.

    Parameters
    ----------
    posterior, preference, risk, criterion
        The arguments of `select`, and the posterior at its budgets.
    candidates
        All candidates, the best first.
    used
        The preference that was evaluated: a known budget may be replaced by the nearest grid budget below.
    units
        The units of their values.
    found, copies
        For a portfolio: all that were compared, and whether copies of one algorithm were wanted.
    single, win_rate
        For a portfolio: the best single algorithm, and the portfolio's win rate against it.
    not_observed
        The algorithms that are left out, because they were not observed at these budgets.
    """
    caution = few_data_sentence(posterior).rstrip(".")
    alone = independent_units(posterior) == 1
    sentences = [
        *([f"Do not rely on this. {caution}"] if alone else []),
        *_answer(posterior, preference, risk, criterion, candidates, units, found),
        *_notes_on_rivals(posterior, used, criterion, candidates),
        *_notes_on_budget(preference, used),
        *_notes_on_left_out(not_observed),
        *_notes_on_win_rate(preference, candidates[0], single, win_rate),
        *([] if found is None else _notes_on_values(posterior, candidates[0], found, copies=copies)),
        *_notes_on_posterior(posterior, preference),
        *([caution] if caution and not alone else []),
    ]
    return ". ".join(sentences) + "."


def _answer(
    posterior: Posterior,
    preference: Preference,
    risk: Risk,
    criterion: Criterion,
    candidates: tuple[Candidate, ...],
    units: ValueUnits,
    found: Portfolios | None,
) -> list[str]:
    """Return the advice, its certainty, and the meaning of its value and of its expected loss."""
    best = candidates[0]
    value = "" if criterion == default_criterion(posterior) or len(best.members) > 1 else f", judged by {criterion}"
    usual = ProbabilityBest if isinstance(criterion, StrongestRival) else Expected
    attitude = "" if isinstance(risk, usual) else f", by {risk}"
    query = f"For {preference}{value}{attitude}"
    meaning = _meaning(preference, criterion, best, units, found)
    if len(candidates) == 1:
        only = isinstance(criterion, StrongestRival)
        return (
            [f"{query}, choose {best.name}, the only candidate"] if only else [f"{query}, choose {best.name}", meaning]
        )
    loss = units.format_loss(best.loss) + (f" of this {units.head}" if units.kind == "number" else "")
    cost = (
        f"Expected loss, by which the strongest rival wins more than half: {loss}"
        if isinstance(criterion, StrongestRival)
        else f"Not knowing the best choice for certain costs {loss} on average"
    )
    if best.probability_best >= SURE_ENOUGH:
        sure = f"{format_percent(best.probability_best)} sure that it is the best choice of {len(candidates)}"
        following = f"Next comes {candidates[1].name}"
        return [f"{query}, choose {best.name}: {sure}", meaning, cost, following]
    likely = sorted(candidates, key=lambda each: -each.probability_best)[:_CONTENDERS]
    likely = [each for each in likely if each.probability_best >= _WORTH_NAMING]
    chances = join_names([f"{each.name} ({format_below(each.probability_best, SURE_ENOUGH)})" for each in likely], "or")
    return [
        f"{query}, it is unclear: the best choice is {chances}",
        f"If you must choose, take {best.name}",
        meaning,
        cost,
    ]


def _meaning(
    preference: Preference, criterion: Criterion, best: Candidate, units: ValueUnits, found: Portfolios | None
) -> str:
    """Return what the value of a candidate means."""
    known = units.format(best.lower) == units.format(best.upper)
    interval = "" if known else f" ({units.format_interval(best.lower, best.upper)})"
    if units.kind == "number":
        where = "" if isinstance(preference, Custom) else _on_average(preference)
        return f"Its {units.head} is {units.format(best.expected)}{interval}{where}"
    who = "Its best member" if len(best.members) > 1 else "It"
    does = criterion.describe(best.expected, units.algorithms)
    if found is not None and found.repetitions is not None:
        does = f"beats an independent run of every candidate on {units.format(best.expected)} of instances"
    return f"{who} {does}{interval}{_on_average(preference)}"


def _notes_on_rivals(
    posterior: Posterior, used: Preference, criterion: Criterion, candidates: tuple[Candidate, ...]
) -> list[str]:
    """Return what was observed against the strongest rival at a known budget; the strongest dropped rival without others."""
    if not isinstance(criterion, StrongestRival) or posterior.beliefs is None or isinstance(used, Custom):
        return []
    weights, best = used.weights(posterior.grid), candidates[0]
    column, names = posterior.names.index(best.members[0]), [each.members[0] for each in candidates[1:]]
    start = "Its strongest rival"
    if not names:
        start = "Among the other algorithms, its strongest rival"
        names = [
            name
            for place, name in enumerate(posterior.names)
            if name not in (*best.members, *best.same_as)
            and posterior.beliefs.were_compared(column, place)[weights > 0].all()
        ]
    expected = {
        name: float(weights @ posterior.expected_win_rate(column, posterior.names.index(name))) for name in names
    }
    if not expected:
        return []
    rival = min(names, key=lambda name: expected[name])
    clause = f"{start} is {rival}, which it is expected to beat on {percent(expected[rival])} of new instances"
    if np.count_nonzero(weights) == 1:
        budget = int(weights.argmax())
        found = pair_outcomes(posterior.beliefs.sample.rankings, column, posterior.names.index(rival))
        wins, losses, number = (int(each[:, budget].sum()) for each in found)
        if number:
            clause += f"; it won {percent((number + wins - losses) / (2 * number))} of the {number} observed"
    return [clause]


def _notes_on_budget(preference: Preference, used: Preference) -> list[str]:
    if used is preference:
        return []
    return [
        f"The posterior has no runs to look up this budget, and the answer is for the nearest grid budget below, {used}"
    ]


def _notes_on_left_out(not_observed: tuple[str, ...]) -> list[str]:
    if not not_observed:
        return []
    return [f"Left out, since not observed together with another algorithm at these budgets: {', '.join(not_observed)}"]


def _notes_on_win_rate(
    preference: Preference, best: Candidate, single: str | None, win_rate: float | None
) -> list[str]:
    if single is None or win_rate is None:
        return []
    its_run = (
        f"its first run of {single} is the best" if best.members.count(single) > 1 else f"{single} is its best member"
    )
    shared = f", counting one half where {its_run}" if single in best.members else ""
    return [
        f"It beats the best single algorithm, {single}, on {100 * win_rate:.0f} % of instances{_on_average(preference)}"
        f"{shared}"
    ]


def _notes_on_values(posterior: Posterior, best: Candidate, found: Portfolios, *, copies: bool) -> list[str]:
    """Return how the portfolios were valued and compared."""
    notes, most = [], max(map(best.members.count, best.members))
    if found.kind == "copies":
        notes.append(
            "A portfolio has the sum of its members' ratings, as if all runs were independent; for this preference the best "
            "choice is therefore the best algorithm on every machine"
        )
    elif posterior.beliefs is None and most > 1:
        notes.append("A portfolio has the sum of its members' ratings, as if all runs were independent")
    elif found.repetitions is not None:
        problems, fewest, largest = found.repetitions.extent
        runs = f"{fewest}" if fewest == largest else f"{fewest} to {largest}"
        notes.append(
            f"This was measured on the {with_noun(problems, 'instance')} on which the runs of all candidates were repeated, "
            f"with {runs} runs on each" + ("; further copies add nothing there" if most > fewest else "")
        )
    elif posterior.beliefs is not None and copies:
        notes.append(
            "Copies of one algorithm are left out: repeated runs of all candidates would measure what they add"
        )
    if found.kind == "visited":
        notes.append(
            "There are too many portfolios to compare them all; this is the best that the search found, and probability "
            "and expected loss compare it with the others that the search visited"
        )
    return notes


def _notes_on_posterior(posterior: Posterior, preference: Preference) -> list[str]:
    notes = []
    if isinstance(preference, BudgetDistribution) and (mass := preference.mass_within(posterior.grid)) < _NEARLY_ALL:
        notes.append(f"Only {100 * mass:.2g} % of the budgets lie within the grid; the others are left out")
    if not posterior.joint and not isinstance(preference, At | Final):
        notes.append(
            f"The prior {posterior.prior} treats each budget alone: over several budgets expected values of linear "
            "preferences hold, but probabilities and the expected loss treat the budgets as independent; use a prior with "
            "joint draws"
        )
    if not posterior.diagnostics.reliable:
        notes.append("The posterior is not reliable: " + posterior.diagnostics.message.rstrip("."))
    return notes


def _on_average(preference: Preference) -> str:
    return "" if isinstance(preference, At | Final) else " on average over these budgets"
