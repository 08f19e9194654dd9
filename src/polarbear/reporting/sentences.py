"""Write the sentences of the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.observed_times import unobserved_sentence
from polarbear.wording import format_error_bound, format_number, with_noun

if TYPE_CHECKING:
    from polarbear.posterior.outcome_draws import OutcomeDraws
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.result import RaceResult
    from polarbear.race.rounds import Eliminated

_PERCENT = "\u00a0%"  # no-break space: the sign stays with its number

_RUNNING = "The race is running; not every pair is decided yet."


def comparisons_sentence(posterior: Posterior) -> str:
    """Return on how many instances the algorithms were compared, and where they were not."""
    counts = posterior.comparisons
    if counts is None:
        return ""
    least, most = int(counts.min()), int(counts.max())
    number = f"{least:,}" if least == most else f"{least:,} to {most:,}"
    sentence = (
        f"Each algorithm was compared with others on {number} of {posterior.instances:,} instances at each budget."
    )
    gaps = unobserved_sentence(posterior)
    return f"{sentence} {gaps} There nothing is claimed about them, and they are not recommended." if gaps else sentence


def stop_sentence(result: RaceResult, *, running: bool) -> str:
    """Return a sentence on why the race stopped, or that it is running."""
    return _RUNNING if running and not result.finished else result.why_stopped


def scope_sentence(posterior: Posterior) -> str:
    """Return a sentence on what the answer generalises to; empty if the posterior has no scope."""
    return f"The answer generalises {posterior.scope}." if posterior.scope else ""


def prior_sentences(posterior: Posterior) -> list[str]:
    """Return sentences on what the prior assumes, and what that means for the probabilities."""
    if posterior.outcomes is not None:
        return [
            "Prior: the Bayesian bootstrap. Which instances come next is uncertain, so each draw weights the observed "
            "instances at random, and every win rate and rating is a weighted share of instances. Correlation within a run "
            "over time is accounted for.",
            _plackett_luce_share(posterior.outcomes),
        ]
    model = (
        f"Prior: the Plackett-Luce model with {posterior.prior}. One rating per algorithm and time determines "
        "how often each algorithm beats each other one, on every kind of instance."
    )
    if not posterior.joint:
        return [model]
    return [
        model,
        "It treats the rankings of a run at different times as independent. On runs whose rankings are correlated over "
        "time, as they usually are, its probabilities are overconfident.",
    ]


def _plackett_luce_share(outcomes: OutcomeDraws) -> str:
    """Return a sentence on how much of the win rates comes from the Plackett-Luce fit."""
    weight = outcomes.model_weight
    if weight == 0:
        return "Win rates and ratings are outcomes alone, without a Plackett-Luce model: instances may differ in kind."
    if math.isinf(weight):
        return (
            "Win rates and ratings come from a Plackett-Luce fit under these weights, not from the outcomes themselves."
        )
    pairs = [(a, b) for a in range(outcomes.algorithms) for b in range(a + 1, outcomes.algorithms)]
    shares = [weight / (weight + outcomes.comparisons(a, b)) for a, b in pairs]
    lowest, highest = (percent(float(edge(np.concatenate(shares)))) for edge in (np.min, np.max))
    part = highest if lowest == highest else f"{lowest} to {highest}"
    return (
        f"Outcomes are blended with a Plackett-Luce fit whose weight equals {weight:,.3g} instances: {part} of each win "
        "rate comes from the model. This share falls as instances are added."
    )


def diagnostic_sentences(posterior: Posterior, draws: int) -> list[str]:
    """Return sentences on what the diagnostics of the posterior mean."""
    diagnostics, sentences = posterior.diagnostics, []
    if not diagnostics.reliable:
        warning = "The computation did not pass its own checks; treat every number on this page with caution."
        sentences += [warning, diagnostics.message]
    elif posterior.outcomes is None:  # independent draws of weights need no check
        sentences += ["The computation passed its own checks.", diagnostics.message]
    sentences.append(f"The explorer computes with {draws:,} of {len(posterior.ratings):,} draws of the ratings.")
    if not posterior.joint:
        sentences.append(
            f"The prior {posterior.prior} treats each time alone. Over several budgets expected values hold, but "
            "probabilities, quantiles and regret assume that the times are independent."
        )
    return sentences


def uncertainty_sentences(result: RaceResult) -> list[str]:
    """Return a sentence on what more data could gain; empty if there is a single candidate."""
    if len(result.pareto_set) < 2:
        return []
    return [
        "Whatever the query, knowing the ratings exactly would raise the share of first places by at most "
        f"{percent(result.regret.upper)}; the gain is largest around {format_number(result.regret.time)} "
        f"{result.state.settings.clock}."
    ]


def elimination_detail(elimination: Eliminated, unit: str) -> str:
    """Return sentences on when a race eliminated an algorithm, and on what the outcomes alone prove about it."""
    effort = (
        f"{with_noun(elimination.instances, 'instance')} and {format_number(float(f'{elimination.cost:.3g}'))} {unit}"
    )
    proof = error_bound_clause(elimination.error_bound)
    return f"Eliminated in round {elimination.round}, after {effort}. {proof}."


def error_bound_clause(error_bound: float | None) -> str:
    """Return a clause on what the outcomes alone prove about an elimination, whatever the model.

    Examples
    --------
    >>> error_bound_clause(0.9)
    'The outcomes alone do not prove it'
    """
    bound = format_error_bound(error_bound)
    if not bound.endswith("%"):
        return "The outcomes alone do not prove it"
    return f"Whatever the model, this is wrong with a probability of at most {bound.replace(' %', _PERCENT)}"


def percent(probability: float) -> str:
    """Return a probability as a percentage.

    Examples
    --------
    >>> ", ".join(map(percent, [0.0, 0.00001, 0.0123, 0.4567])).replace("\N{NO-BREAK SPACE}", " ")
    '0 %, below 0.1 %, 1.2 %, 46 %'
    """
    if probability <= 0:
        return f"0{_PERCENT}"
    if probability < 0.001:
        return f"below 0.1{_PERCENT}"
    return f"{100 * probability:.{1 if probability < 0.1 else 0}f}{_PERCENT}"
