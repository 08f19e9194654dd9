"""Write the sentences of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.selection.observed_budgets import unobserved_sentence
from polarbear.wording import format_number, with_noun

if TYPE_CHECKING:
    from polarbear.findings import Trust
    from polarbear.posterior.elimination import Drop
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.outcome import RaceOutcome

_PERCENT = "\u00a0%"  # no-break space: the sign stays with its number

_RUNNING = "The race is running; not every pair is decided yet."

_MEANING: dict[Trust, str] = {
    "firm": "No check gives reason to doubt it.",
    "tentative": "It may change; the top of this page states the reasons.",
    "unreliable": "The computation or the data contradict it; the top of this page states the reasons.",
}


def trust_sentences(trust: Trust) -> str:
    """Return how far the answer can be trusted, and what that means."""
    return f"The answer is {trust}. {_MEANING[trust]}"


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


def stop_sentence(result: RaceOutcome, *, running: bool) -> str:
    """Return a sentence on why the race stopped, or that it is running."""
    return _RUNNING if running and not result.finished else result.why_stopped


def prior_sentences(posterior: Posterior) -> list[str]:
    """Return sentences on what the prior assumes, and what that means for the probabilities."""
    if posterior.beliefs is not None:
        return [
            "Prior: the Bayesian bootstrap. Which instances come next is uncertain, so each draw weights the observed "
            "instances at random. Each pair of algorithms has a prior of its own: a statement about two algorithms does not "
            "depend on which others take part. Correlation within a run over time is accounted for.",
        ]
    model = (
        f"Prior: the Plackett-Luce model with {posterior.prior}. One rating per algorithm and budget determines "
        "how often each algorithm beats each other one, on every kind of instance."
    )
    if not posterior.joint:
        return [model]
    return [
        model,
        "It treats the rankings of a run at different budgets as independent. On runs whose rankings are correlated over "
        "time, as they usually are, its probabilities are overconfident.",
    ]


def diagnostic_sentences(posterior: Posterior, draws: int) -> list[str]:
    """Return sentences on what the diagnostics of the posterior mean."""
    diagnostics, sentences = posterior.diagnostics, []
    if not diagnostics.reliable:
        warning = "The computation did not pass its own checks; treat every number on this page with caution."
        sentences += [warning, diagnostics.message]
    elif posterior.beliefs is None:  # independent draws of weights need no check
        passed = (
            "The computation passed its own checks: the draws follow the model. Whether the model fits the data is another "
            "question."
        )
        sentences += [passed, diagnostics.message]
    total = posterior.draws
    thinned = (
        ", so that its numbers may differ by a few percentage points from those at the top" if draws < total else ""
    )
    what = "the ratings" if posterior.beliefs is None else "the win rates"
    sentences.append(f"The explorer computes with {draws:,} of {total:,} draws of {what}{thinned}.")
    if not posterior.joint:
        sentences.append(
            f"The prior {posterior.prior} treats each budget alone. Over several budgets expected values hold, but "
            "probabilities, quantiles and expected losses assume that the budgets are independent."
        )
    return sentences


def uncertainty_sentences(result: RaceOutcome) -> list[str]:
    """Return a sentence on what more data could gain; empty if there is a single candidate."""
    if len(result.kept) < 2:
        return []
    bounds = result.loss
    gain, loss = (percent(max(each, 0.001)).removesuffix(_PERCENT) for each in (bounds.upper, bounds.irreducible))
    return [
        f"Whatever the query, knowing the algorithms exactly would gain at most {gain} percentage points, and most around "
        f"{format_number(bounds.budget)} {result.state.settings.clock}. What no data remove: without knowing the budget, "
        f"{bounds.choice} loses least, up to {loss} points at its worst budget."
    ]


def drop_detail(drop: Drop, unit: str) -> str:
    """Return a sentence on when a race dropped an algorithm, and after which effort."""
    assert drop.instances is not None
    effort = f"{with_noun(drop.instances, 'instance')} and {format_number(float(f'{drop.cost:.3g}'))} {unit}"
    return f"Dropped in round {drop.round}, after {effort}."


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
