"""Does Plackett-Luce hold? Observed win rates of each pair against those that the model implies, and decisions without it.

Plackett-Luce has one rating for each algorithm at a time, from which the win rate of every pair follows; whether B is
better than A has nothing to do with C (independence of irrelevant alternatives). Real algorithms may be alike in ways that
this does not know. So each pair is looked at alone: how often did one beat the other, how often by the model, and what would
be decided from the pair's own outcomes, without any model but that instances are drawn independently? And each algorithm is
left out: do the others then do differently against each other?
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy import stats

from polarbear.head_to_head import seen_together, win_rates
from polarbear.inference.run_scores import standard_scores
from polarbear.inference.score_correlation import independent_times, score_correlation
from polarbear.irrelevant_alternatives import LeftOut, leave_one_out
from polarbear.observe import Choices
from polarbear.posterior import Posterior
from polarbear.relations import win_probability

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from polarbear.observe import Grid

    Array = NDArray[np.float64]

FALSE_ALARMS = 0.01  # how often a model that holds may be called contradicted by one check, over all pairs and times
SMALLEST_MISFIT = 0.05  # of a win rate: smaller ones change no decision that matters (the default rope)
DOUBTFUL = 0.05  # a decision is contradicted where the pair's own outcomes leave it no more than this


class Decision(Protocol):
    """An elimination: `by` beats `name` with some probability."""

    @property
    def name(self) -> str:
        """The loser."""

    @property
    def by(self) -> str:
        """Who beats it."""

    @property
    def probability(self) -> float:
        """How surely, by the model."""


@dataclass(frozen=True)
class Misfit:
    """A pair whose observed win rate the model does not explain, at the time where it is furthest off.

    Attributes
    ----------
    name, other
        `name` beat `other` in the share `observed` of the instances; the model says `modelled`.
    time
        When; the misfit is significant from `first` to `last`.
    errors
        How many standard errors lie between the two.
    instances
        How many instances compare the two then.
    """

    name: str
    other: str
    time: float
    first: float
    last: float
    observed: float
    modelled: float
    errors: float
    instances: float

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"{self.name} beat {self.other} on {self.observed:.0%} of {self.instances:,.0f} instances at {self.time:,.6g}, "
            f"and the model says {self.modelled:.0%} ({abs(self.errors):.1f} standard errors)"
        )


@dataclass(frozen=True)
class Disturbance:
    """An algorithm without which others do differently against each other: the pair and the time that change most.

    Attributes
    ----------
    name
        Who is left out.
    first, second, time
        The pair that does differently without it, and when.
    rate, without
        The win rate of the first against the second by ratings of all algorithms, and of all but this one.
    errors
        How many standard errors lie between the two, see `LeftOut`.
    """

    name: str
    first: str
    second: str
    time: float
    rate: float
    without: float
    errors: float

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"by ratings of {self.time:,.6g} alone, {self.first} beats {self.second} on {self.without:.0%} of instances "
            f"without {self.name}, and on {self.rate:.0%} with it ({abs(self.errors):.1f} standard errors)"
        )


@dataclass(frozen=True)
class SecondOpinion:
    """A decision, judged a second time by the pair's own outcomes alone.

    Attributes
    ----------
    name, by, probability
        The decision: `by` beats `name`, with this probability under the model.
    own
        The smallest probability, over the times at which the two were compared, that `by` beats `name` in more than half of
        the instances, from their own outcomes alone.
    time
        Where that is.
    """

    name: str
    by: str
    probability: float
    own: float
    time: float

    @property
    def contradicted(self) -> bool:
        """Whether the pair's own outcomes speak clearly against it."""
        return self.own < DOUBTFUL

    @property
    def unsupported(self) -> bool:
        """Whether their own outcomes do not speak for it, if not clearly against it; also if there are none."""
        return DOUBTFUL <= self.own <= 0.5

    @property
    def sentence(self) -> str:
        """In words."""
        return (
            f"that {self.by} beats {self.name} has probability {self.probability:.3f} under the model, but at "
            f"{self.time:,.6g} only {self.own:.3f} from their own outcomes alone"
        )


@dataclass(frozen=True, eq=False)
class ModelCheck:
    """Observed and modelled win rates, arrays of shape (time, algorithm, algorithm), row against column.

    Attributes
    ----------
    names, grid
        The algorithms and the times.
    compared
        On how many instances both were observed; of unequal weights, as many equal ones.
    observed
        The weighted share of them on which the row was better; ties count half. NaN where the two were never compared.
    modelled
        What the posterior expects.
    independent_times
        As how many times the largest misfit over all of them is to be judged: fewer, where a run's rankings are alike.
    left_out
        What happens to the others when one algorithm is left out, by its name; none of two algorithms.
    """

    names: tuple[str, ...]
    grid: Grid
    compared: Array
    observed: Array
    modelled: Array
    independent_times: float
    left_out: Mapping[str, LeftOut]

    @cached_property
    def errors(self) -> Array:
        """(observed − modelled) in standard errors √(p (1 − p) / P) of the observed rate; zero where none was compared."""
        rate = np.clip(self.modelled, 0.5 / np.maximum(self.compared, 1), 1 - 0.5 / np.maximum(self.compared, 1))
        deviation = np.sqrt(rate * (1 - rate) / np.maximum(self.compared, 1))
        return np.where(self.compared > 0, np.nan_to_num(self.observed - self.modelled) / deviation, 0.0)

    @cached_property
    def own(self) -> Array:
        """P(the row beats the column in more than half of the instances), from their own outcomes alone.

        The rate has Jeffreys' prior, and the posterior Beta(½ + wins, ½ + losses).
        """
        wins = np.nan_to_num(self.observed) * self.compared
        return np.asarray(stats.beta.sf(0.5, 0.5 + wins, 0.5 + self.compared - wins))

    @property
    def threshold(self) -> float:
        """The standard errors from which a misfit counts: Bonferroni's, over all pairs and independent times."""
        pairs = len(self.names) * (len(self.names) - 1) / 2
        return self._bonferroni(pairs)

    def _bonferroni(self, looks: float) -> float:
        """Of so many looks at each of the independent times."""
        return float(stats.norm.isf(FALSE_ALARMS / (2 * looks * self.independent_times)))

    @cached_property
    def misfits(self) -> tuple[Misfit, ...]:
        """The pairs that contradict the model, the worst first."""
        found = []
        gap = np.where(self.compared > 0, np.abs(np.nan_to_num(self.observed - self.modelled)), 0.0)
        wrong = (np.abs(self.errors) > self.threshold) & (gap > SMALLEST_MISFIT)
        for a, b in zip(*np.nonzero(wrong.any(axis=0)), strict=True):
            if a < b:
                where = np.flatnonzero(wrong[:, a, b])
                t = where[np.argmax(gap[where, a, b])]
                found.append(
                    Misfit(
                        self.names[a],
                        self.names[b],
                        time=float(self.grid.times[t]),
                        first=float(self.grid.times[where[0]]),
                        last=float(self.grid.times[where[-1]]),
                        observed=float(self.observed[t, a, b]),
                        modelled=float(self.modelled[t, a, b]),
                        errors=float(self.errors[t, a, b]),
                        instances=float(self.compared[t, a, b]),
                    )
                )
        return tuple(sorted(found, key=lambda each: -abs(each.observed - each.modelled)))

    @cached_property
    def disturbances(self) -> tuple[Disturbance, ...]:
        """The algorithms without which others do differently against each other, the one that matters most first."""
        if not self.left_out:
            return ()
        found, others = [], len(self.names) - 1
        threshold = self._bonferroni(len(self.names) * others * (others - 1) / 2)
        for name, each in self.left_out.items():
            change = np.nan_to_num(np.abs(each.without - each.rate))
            change[np.nan_to_num(np.abs(each.errors)) <= threshold] = 0.0
            change = np.triu(change)  # each pair once
            t, a, b = np.unravel_index(np.argmax(change), change.shape)
            if change[t, a, b] > SMALLEST_MISFIT:
                found.append(
                    Disturbance(
                        name,
                        self.names[a],
                        self.names[b],
                        time=float(self.grid.times[t]),
                        rate=float(each.rate[t, a, b]),
                        without=float(each.without[t, a, b]),
                        errors=float(each.errors[t, a, b]),
                    )
                )
        return tuple(sorted(found, key=lambda each: -abs(each.without - each.rate)))

    def judged(self, decisions: Iterable[Decision]) -> tuple[SecondOpinion, ...]:
        """Each decision a second time, from the pair's own outcomes alone."""
        opinions = []
        for each in decisions:
            a, b = self.names.index(each.by), self.names.index(each.name)
            t = int(np.argmin(np.where(self.compared[:, a, b] > 0, self.own[:, a, b], np.inf)))
            opinions.append(
                SecondOpinion(each.name, each.by, each.probability, float(self.own[t, a, b]), float(self.grid.times[t]))
            )
        return tuple(opinions)

    def sentences(self, decisions: Iterable[Decision] = ()) -> list[str]:
        """What the user must know: nothing where the model holds; else where it does not, what follows, what to do."""
        opinions = self.judged(decisions)
        contradicted = [each for each in opinions if each.contradicted]
        unsupported = [each for each in opinions if each.unsupported]
        if not self.misfits and not self.disturbances and not contradicted:
            return []
        told = []
        if self.misfits:
            worst, more = self.misfits[0], len(self.misfits) - 1
            also = f", and so do {more} more pairs" if more > 1 else ", and so does one more pair" if more else ""
            told.append(f"Rankings contradict the model (Plackett-Luce): {worst.sentence}{also}.")
        if self.disturbances:
            most, *others = self.disturbances
            also = f"; rates change without {' or '.join(each.name for each in others)} too" if others else ""
            told.append(f"Who else was there matters, and by the model it must not: {most.sentence}{also}.")
        told += [f"Judge this again: {each.sentence}." for each in contradicted]
        told += [f"Little speaks for it but the model: {each.sentence}." for each in unsupported]
        if contradicted or unsupported:
            told.append(
                "Race such a pair alone, or without the algorithms that are like one of the two: what a third one does then "
                "no longer matters."
            )
        else:
            if opinions:
                told.append("No elimination is contradicted by the pair's own outcomes.")
            told.append("For probabilities of such a pair, trust its own outcomes, or fit the two alone.")
        if self.disturbances and len(self.names) > 3:
            told.append(f"To see how the others do among themselves, fit them without {self.disturbances[0].name}.")
        return told


def model_check(posterior: Posterior, choices: Choices) -> ModelCheck:
    """Compare the posterior with the outcomes of each pair.

    Parameters
    ----------
    posterior
        The belief, fitted to these choices.
    choices
        What was seen, with the rankings of each instance.

    Returns
    -------
    ModelCheck

    Examples
    --------
    >>> import polarbear as pb
    >>> cycle = np.tile([[[1, 2, 3]], [[3, 1, 2]], [[2, 3, 1]]], (20, 1, 1))  # A beats B beats C beats A, on two of three
    >>> choices = pb.Choices.from_values(cycle, grid=[1], per_instance=True)
    >>> check = pb.model_check(pb.fit(choices, prior=pb.Dirichlet()), choices)
    >>> check.observed[0].round(2).tolist()
    [[0.0, 0.67, 0.33], [0.33, 0.0, 0.67], [0.67, 0.33, 0.0]]
    """
    for given, kind in ((posterior, Posterior), (choices, Choices)):
        if not isinstance(given, kind):
            raise ValueError(
                f"expected a Posterior and then the Choices that it was fitted to, got a {type(given).__name__} for the "
                f"{kind.__name__}"
            )
    if choices.rankings is None:
        raise ValueError(
            "the check looks at the outcomes of each instance, and these choices have only their counts; make them with "
            "per_instance=True"
        )
    if choices.names != posterior.names or choices.grid != posterior.grid:
        raise ValueError(
            f"expected the choices that the posterior was fitted to, of {', '.join(posterior.names)} on {posterior.grid}; "
            f"got those of {', '.join(choices.names)} on {choices.grid}"
        )
    return ModelCheck(
        names=posterior.names,
        grid=posterior.grid,
        compared=seen_together(choices.rankings),
        observed=win_rates(choices.rankings),
        modelled=win_probability(posterior),
        independent_times=_independent_times(posterior, choices),
        left_out=leave_one_out(choices) if len(choices.names) > 2 else {},
    )


def _independent_times(posterior: Posterior, choices: Choices) -> float:
    utilities = np.log(np.maximum(posterior.ratings, np.finfo(np.float64).tiny)).mean(axis=0)
    return independent_times(score_correlation(standard_scores(utilities, choices)[0]))
