"""The fitness of a candidate for loops that ask for one, such as LLaMEA: its probability of entering the Pareto set.

A language model learns little from a number alone. The fitness therefore comes with a reason in words: where the candidate
leads, or which algorithm beats it and where it comes closest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.defaults import TAILS
from polarbear.driver.race import Race
from polarbear.observe import Choices
from polarbear.posterior.relations import is_dominated
from polarbear.race.outcome import RaceOutcome, outcome_of
from polarbear.selection import decision_map
from polarbear.wording import format_number, format_percent, suggest

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from concurrent.futures import Executor
    from os import PathLike

    from polarbear.driver.race import ProposalKey
    from polarbear.observe import Trajectory
    from polarbear.posterior.posterior import Posterior


_KEY: ProposalKey = "candidates"  # of the candidates in the race file
_CLOSE = 0.05  # a probability of being the best choice that is higher by no more needs no explanation


@dataclass(frozen=True)
class Fitness:
    """How good a candidate is.

    Attributes
    ----------
    probability
        The probability that no other algorithm of the race beats it on most instances at every budget. In simulations with
        20 budgets, values between 0.2 and 0.8 are too high by 0.14 to 0.28, and more if algorithms are nearly equal.
    sentence
        The reason in words: where it leads, or which algorithm beats it and where it comes closest.
    """

    probability: float
    sentence: str


def evaluate_candidate(
    race: Race, name: str, algorithm: Any, *, executor: Executor | None = None, **limits: Any
) -> Fitness:
    """Race a new algorithm against those of a race, and return its fitness: what a loop such as LLaMEA calls.

    The algorithm runs on the known instances first, and the race drops it early if it is hopeless. If it survives,
    the next candidate must compete with it. A loop that is run again continues the race of its file: a candidate that the
    file has is not raced again. Such a loop must give the same algorithm under the same name: a race file stores the name
    and the arguments of a function, but not its code.

    Parameters
    ----------
    race
        The race, with at least one algorithm to compete with.
    name, algorithm
        The candidate. Its name must be new, except in a loop that is run again; `pareto_fitness` returns the fitness of an
        algorithm that the race knows. Its failures count as bad runs, so that code that does not work gets a low fitness.
    executor, **limits
        Arguments of `Race.run`, such as `max_instances=40`.

    Returns
    -------
    Fitness

    Raises
    ------
    ValueError
        The race has another algorithm of this name.
    """
    known = race.algorithms.get(name)
    if known is not None and known is not algorithm:
        raise ValueError(
            f"expected a new name for the candidate, got {name!r} again; choose another name, or use "
            f"pb.pareto_fitness(race, {name!r}) for the fitness of the algorithm that the race knows"
        )
    if name not in race.state.names:
        # First, so that a killed loop can open its race again.
        race.note_proposals(_KEY, [*race.about.get(_KEY, ()), name])
    if name not in race.algorithms:
        race.add(name, algorithm)
    if not any(other == name for other, _ in race.state.observations.runs):
        race.drive(executor, **{"accept_failures": True, "progress": "none", "max_instances": 40, **limits})
    result = race.outcome
    own = [run for run in result.runs if run.trajectory.algorithm == name]
    failures = [run.failure for run in own if run.failure is not None]
    if own and len(failures) == len(own):
        return Fitness(0.0, f"{name} failed in every run: {failures[-1].error}.")
    return pareto_fitness(result, name)


def pareto_fitness(
    race: Race | RaceOutcome | str | PathLike[str], candidate: str, runs: Iterable[Trajectory] = ()
) -> Fitness:
    """Return the probability that a candidate belongs to the Pareto set of a race, with the reason in words.

    Parameters
    ----------
    race
        A race, its result, or a race file.
    candidate
        The name of the candidate.
    runs
        Its runs on instances of the race, if it did not take part in the race. They should reach the end of the grid.

    Returns
    -------
    Fitness

    Examples
    --------
    >>> import numpy as np, polarbear as pb
    >>> levels = {"old": 1.0, "older": 1.5}
    >>> def run(name, level, instance):
    ...     return pb.Trajectory(name, instance, [1, 10], [5.0, level + np.sin(instance) / 9], end=10)
    >>> known = [run(name, level, instance) for instance in range(16) for name, level in levels.items()]
    >>> from polarbear.driver.race import Race
    >>> race = Race(list(levels), None, [5, 10])
    >>> result = race.drive(pb.ReplayExecutor(known), progress="none")
    >>> pb.pareto_fitness(result, "new", [run("new", 0.5, instance) for instance in range(16)]).probability > 0.9
    True
    """
    posterior, rivals = _posterior(race, candidate, list(runs))
    own = posterior.names.index(candidate)
    inside = 1 - float(is_dominated(posterior)[own].mean())
    return Fitness(
        inside,
        f"{_reason(posterior, candidate, rivals, inside)} Probability of belonging to the Pareto set, that is, that no "
        f"algorithm beats it at every budget: {format_percent(inside)}.",
    )


def _posterior(
    race: Race | RaceOutcome | str | PathLike[str], candidate: str, runs: list[Trajectory]
) -> tuple[Posterior, list[str]]:
    """Return a posterior that has the candidate, and the algorithms that it competes with."""
    race = outcome_of(race)
    if not isinstance(race, Race | RaceOutcome):
        with Race.open(race) as opened:
            return _posterior(opened.outcome, candidate, runs)
    result = race.outcome if isinstance(race, Race) else race
    rivals = [name for name in result.kept if name != candidate]
    if not runs:
        if candidate not in result.posterior.names:
            hint = suggest(candidate, result.posterior.names) or "give its runs"
            raise ValueError(f"expected a candidate that took part in the race, got {candidate!r}; {hint}")
        return result.posterior, rivals
    return _fit_with(result, candidate, runs), rivals


def _fit_with(result: RaceOutcome, candidate: str, runs: Sequence[Trajectory]) -> Posterior:
    """Fit the posterior of a race together with the runs of a candidate on its instances."""
    from polarbear.inference.fitting import fit

    settings = result.state.settings
    if candidate in result.state.names:
        raise ValueError(f"{candidate!r} is an algorithm of the race; give runs only for a candidate that is not")
    if wrong := {each.algorithm for each in runs} - {candidate}:
        raise ValueError(f"expected runs of {candidate!r} only, got also {', '.join(map(str, sorted(wrong, key=str)))}")
    used = {run.trajectory.instance for run in result.runs}
    if not used.intersection(each.instance for each in runs):
        raise ValueError("expected runs on instances of the race, got none; run the candidate on the same instances")
    known = [run.trajectory for run in result.runs]
    choices = Choices.from_trajectories(
        [*known, *(each for each in runs if each.instance in used)],
        grid=settings.grid,
        failure="missing" if settings.failure == "missing" else "last",
        absolute_tolerance=settings.absolute_tolerance,
        relative_tolerance=settings.relative_tolerance,
    )
    return fit(choices, prior=settings.prior, method=settings.method, draws=settings.draws, seed=settings.seed)


def _reason(posterior: Posterior, candidate: str, rivals: Sequence[str], inside: float) -> str:
    """Return where the candidate leads, or which algorithm beats it and where it comes closest.

    If its rivals beat each other in a circle, a candidate may lose to its strongest rival less often than they do to theirs,
    and still lose to one of them at every budget. The reason must then explain the lower of the two probabilities.
    """
    overview = decision_map(posterior, among=[candidate, *(name for name in rivals if name in posterior.names)])
    peak = overview.probability_best[:, overview.names.index(candidate)]
    best = int(peak.argmax())
    leads, start = float(peak[best]), f"{candidate} is never clearly the best choice"
    if leads > 0.5:
        when, sure = format_number(float(posterior.grid.budgets[best])), format_percent(leads)
        if leads <= inside + _CLOSE:
            return f"{candidate} is the best choice at {when} with a probability of {sure}."
        start = (
            f"{candidate} loses to its strongest rival less often at {when} than the others do to theirs, with a "
            f"probability of {sure}"
        )
    own = posterior.names.index(candidate)
    strongest, curve = "", None
    for name in (each for each in overview.names if each != candidate):
        rates = posterior.win_rates(own, posterior.names.index(name))  # (budget, draw)
        if curve is None or rates.mean(axis=1).max() < curve.mean(axis=1).max():
            strongest, curve = name, rates
    if curve is None:
        return f"{candidate} has no competitor."
    closest = int(curve.mean(axis=1).argmax())
    low, high = np.quantile(curve[closest], TAILS)
    when = format_number(float(posterior.grid.budgets[closest]))
    return (
        f"{start}; against {strongest} it does best at {when}, where it wins on {100 * low:.0f} to {100 * high:.0f} % of "
        "instances."
    )
