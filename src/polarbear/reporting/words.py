"""The sentences of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.models import TemporalPrior
from polarbear.selection.preference import spoken

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.plots import DecisionBands
    from polarbear.posterior import Posterior
    from polarbear.race.result import RaceResult

_NAMED = 80  # letters of names that a sentence bears
_CHANGES = 4  # parts that it bears
_PERCENT = "\u00a0%"  # never on a line of its own

_STOPPED = {
    "resolved": "Every pair of algorithms is decided at every budget.",
    "max_instances": "The race stopped at its limit of instances, before every pair was decided.",
    "max_evaluations": "The race stopped at its limit of cost, before every pair was decided.",
    "max_seconds": "The race stopped at its limit of time, before every pair was decided.",
    "callback": "The race was stopped before every pair was decided.",
    "interrupted": "The race was interrupted before every pair was decided.",
    "instances ran out": "There were no more instances, and not every pair is decided.",
    "paused": "Not every pair is decided yet.",
}
_RUNNING = "The race is running; not every pair is decided yet."


def listed(names: Sequence[str]) -> str:
    """Names in a sentence.

    Examples
    --------
    >>> listed(["a", "b", "c"])
    'a, b and c'
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def answer(candidates: Sequence[str], names: Sequence[str], *, settled: bool) -> str:
    """The anytime Pareto set in one sentence.

    Examples
    --------
    >>> answer(["a"], ["a", "b", "c"], settled=True)
    'Of 3 algorithms one is enough: a. Each of the others is beaten at every budget.'
    """
    number, total = len(candidates), len(names)
    out = total - number
    which = f": {listed(candidates)}" if len(", ".join(candidates)) <= _NAMED else ""
    others = "The other one is" if out == 1 else f"The other {out} are"
    if not settled:
        gone = f" {others} beaten at every budget." if out else ""
        return f"{number} of {total} algorithms are still in the race{which}.{gone}"
    if out == 0:
        return f"All {total} algorithms are worth having: none is beaten at every budget by another."
    if number == 1:
        return f"Of {total} algorithms one is enough: {candidates[0]}. Each of the others is beaten at every budget."
    return f"{number} of {total} algorithms are worth having{which}. {others} beaten at every budget."


def advice(bands: DecisionBands, unit: str) -> str:
    """Whom to choose from which budget to which, where that is short to say."""
    leads = bands.leads
    if len(bands.names) == 1:
        return ""
    if len(leads) == 1:
        return f"At every budget the best choice is {leads[0].name}."
    if len(leads) > _CHANGES or sum(len(each.name) for each in leads) > _NAMED:
        return f"The best choice changes {len(leads) - 1} times over the budgets." if len(leads) > 2 else ""
    parts = [f"Up to about {_rounded(leads[0].stop)} {unit}".rstrip() + f" choose {leads[0].name}"]
    parts += [f"from there to about {_rounded(each.stop)} {each.name}" for each in leads[1:-1]]
    return f"{', '.join(parts)}, beyond that {leads[-1].name}."


def stopped(result: RaceResult, *, running: bool) -> str:
    """Why the race stands where it stands."""
    return _RUNNING if running and not result.finished else _STOPPED[result.stopped]


def trust(posterior: Posterior, draws: int) -> list[str]:
    """What the diagnostics of the posterior mean."""
    told = posterior.diagnostics
    sentences = [
        (
            "The computation passed its own checks."
            if told.reliable
            else "The computation did not pass its own checks; take every number on this page with care."
        ),
        told.message,
        f"The explorer computes with {draws:,} of {len(posterior.ratings):,} draws of the ratings.",
    ]
    if not posterior.joint:
        sentences.append(
            f"The prior {posterior.prior} treats each time alone. Over several budgets expected values hold, but "
            "probabilities, quantiles and regret take the times for independent."
        )
    return sentences


def doubts(result: RaceResult) -> list[str]:
    """What remains uncertain about a race."""
    sentences, unit = [], result.state.settings.clock
    if result.eliminations:
        sentences.append(
            f"The probability that at least one elimination was wrong is {share(result.wrong_elimination)}, judged by all "
            "that is known now."
        )
    if len(result.pareto_set) > 1:
        sentences.append(
            "Whatever the wish, knowing the ratings exactly would raise the chance of being first by "
            f"{share(result.regret.upper)} at most; most is at stake around {_rounded(result.regret.time)} {unit}."
        )
    settings = result.state.settings
    if str(settings.calibration) == "none" and isinstance(settings.prior, TemporalPrior):
        sentences.append(
            "Rankings of one run at different times were counted as independent evidence. On real runs they are not, and "
            "the probabilities are then surer than they should be."
        )
    return sentences + result.check.sentences(result.eliminations)


def share(probability: float) -> str:
    """A probability as a percentage.

    Examples
    --------
    >>> ", ".join(map(share, [0.0, 0.00001, 0.0123, 0.4567])).replace("\N{NO-BREAK SPACE}", " ")
    '0 %, below 0.1 %, 1.2 %, 46 %'
    """
    if probability <= 0:
        return f"0{_PERCENT}"
    if probability < 0.001:
        return f"below 0.1{_PERCENT}"
    return f"{100 * probability:.{1 if probability < 0.1 else 0}f}{_PERCENT}"


def _rounded(time: float) -> str:
    return spoken(float(f"{time:.2g}"))
