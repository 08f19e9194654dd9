"""Check the Plackett-Luce model: compare the win rates of the posterior with the observed ones of each pair.

Plackett-Luce has one rating per algorithm and time, from which the win rate of every pair follows: how often A beats B does
not depend on C (independence of irrelevant alternatives). Real algorithms violate this, for instance if two of them are
variants of each other. The check answers three questions. Do the observed win rates of each pair agree with the posterior?
Do the other win rates change when one algorithm is left out? Do the outcomes of the pair alone confirm each elimination?

The win rates of a `BayesianBootstrap` are observed outcomes, blended with a Plackett-Luce fit. They can deviate from the
observed ones only through that fit, and leaving an algorithm out changes them only in proportion to the weight of the fit.
The outcomes of the pair alone then use the same weighted instances, so that clusters are weighted as a whole.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Protocol

import numpy as np
from scipy import stats

from polarbear.checks.leave_one_out import LeftOut, leave_one_out
from polarbear.checks.pair_outcomes import effective_comparisons, observed_win_rates
from polarbear.checks.run_scores import standard_scores
from polarbear.checks.score_correlation import independent_times, score_correlation
from polarbear.observe import Choices, Rankings
from polarbear.posterior.posterior import Posterior
from polarbear.posterior.relations import win_probability

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from polarbear.arrays import Array
    from polarbear.observe import Grid
    from polarbear.posterior.outcome_draws import OutcomeDraws


FALSE_ALARMS = 0.01  # probability that a check rejects a correct model, over all pairs and times
SMALLEST_MISFIT = 0.05  # of a win rate, equal to the default rope: smaller misfits change no decision that matters
DOUBTFUL = 0.05  # an elimination is contradicted if the pair's own outcomes give it a smaller probability
RELEVANT_SHARE = 0.5  # of Plackett-Luce in a win rate; if outcomes weigh more, leave-one-out fits are skipped


class Decision(Protocol):
    """An elimination: `by` beats `name` with some probability."""

    @property
    def name(self) -> str:
        """The eliminated algorithm."""

    @property
    def by(self) -> str:
        """The algorithm that beats it."""

    @property
    def probability(self) -> float:
        """The probability that `by` beats `name` under the posterior."""


@dataclass(frozen=True)
class Misfit:
    """A pair whose observed win rate contradicts the posterior, at the time where the two differ most.

    Attributes
    ----------
    name, other
        `name` beat `other` on the share `observed` of the instances; the posterior expects `modelled`.
    time
        The time of the largest difference; the misfit is significant from `first` to `last`.
    errors
        The difference in standard errors.
    instances
        The effective number of instances that compare the pair at this time.
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
        """A sentence that states the misfit."""
        return (
            f"{self.name} beat {self.other} on {self.observed:.0%} of {self.instances:,.0f} instances at {self.time:,.6g}, "
            f"but the posterior expects {self.modelled:.0%} ({abs(self.errors):.1f} standard errors)"
        )


@dataclass(frozen=True)
class Influence:
    """An algorithm whose removal changes the other pairs, with the pair and the time that change most.

    Attributes
    ----------
    name
        The algorithm that is left out.
    first, second, time
        The pair and the time whose win rate changes most.
    rate, without
        The win rate of the first over the second in a Plackett-Luce fit to all algorithms, and to all but this one.
    errors
        The change in standard errors, see `LeftOut`.
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
        """A sentence that states the change."""
        return (
            f"at {self.time:,.6g} the fitted win rate of {self.first} over {self.second} is {self.rate:.0%} with "
            f"{self.name} and {self.without:.0%} without it ({abs(self.errors):.1f} standard errors)"
        )


@dataclass(frozen=True)
class PairCheck:
    """An elimination, checked against the outcomes of the pair alone.

    Attributes
    ----------
    name, by, probability
        The elimination: `by` beats `name`, with this probability under the posterior.
    own
        The smallest probability, over the times at which the two were compared, that `by` beats `name` on more than half of
        the instances, from the outcomes of the pair alone.
    time
        The time of the smallest probability.
    """

    name: str
    by: str
    probability: float
    own: float
    time: float

    @property
    def contradicted(self) -> bool:
        """Whether the pair's own outcomes contradict the elimination."""
        return self.own < DOUBTFUL

    @property
    def unsupported(self) -> bool:
        """Whether the pair's own outcomes neither contradict nor support the elimination, for instance if there are none."""
        return DOUBTFUL <= self.own <= 0.5

    @property
    def sentence(self) -> str:
        """A sentence that states both probabilities."""
        return (
            f"{self.by} beats {self.name} with probability {self.probability:.3f} under the posterior, but with "
            f"{self.own:.3f} at {self.time:,.6g} from the outcomes of these two alone"
        )


@dataclass(frozen=True, eq=False)
class ModelCheck:
    """Observed and expected win rates, arrays of shape (time, algorithm, algorithm), row against column.

    Attributes
    ----------
    names, grid
        The algorithms and the times.
    compared
        The effective number of instances that compare row and column.
    observed
        The weighted share of them on which the row beat the column; ties count one half. NaN for pairs never compared.
    modelled
        The expected win rates under the posterior.
    deviation
        The standard deviations of the observed win rates.
    own
        P(the row beats the column on more than half of the instances), from the outcomes of the pair alone.
    model_share
        The share of Plackett-Luce in the posterior's win rates: 1 under the Plackett-Luce priors.
    independent_times
        The effective number of independent times, for the multiplicity correction of the largest misfit.
    left_out
        The change of the other win rates when one algorithm is left out, by its name. Empty for two algorithms, and if
        outcomes weigh more than Plackett-Luce.
    """

    names: tuple[str, ...]
    grid: Grid
    compared: Array
    observed: Array
    modelled: Array
    deviation: Array
    own: Array
    model_share: Array
    independent_times: float
    left_out: Mapping[str, LeftOut]

    @cached_property
    def errors(self) -> Array:
        """observed − modelled, in standard errors of the observed win rate; zero for pairs never compared."""
        return np.where(self.compared > 0, np.nan_to_num(self.observed - self.modelled) / self.deviation, 0.0)

    @property
    def threshold(self) -> float:
        """The standard errors at which a misfit is significant (Bonferroni over all pairs and independent times)."""
        pairs = len(self.names) * (len(self.names) - 1) / 2
        return self._bonferroni(pairs)

    def _bonferroni(self, tests: float) -> float:
        """Return the two-sided normal threshold for this number of tests at each of the independent times."""
        return float(stats.norm.isf(FALSE_ALARMS / (2 * tests * self.independent_times)))

    @cached_property
    def misfits(self) -> tuple[Misfit, ...]:
        """The pairs whose outcomes contradict the posterior, the largest difference first."""
        found = []
        gap = np.where(self.compared > 0, np.abs(np.nan_to_num(self.observed - self.modelled)), 0.0)
        wrong = (np.abs(self.errors) > self.threshold) & (gap > SMALLEST_MISFIT) & (self.model_share > 0)
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
    def disturbances(self) -> tuple[Influence, ...]:
        """The algorithms whose removal changes other pairs, the largest change first."""
        if not self.left_out:
            return ()
        found, others = [], len(self.names) - 1
        threshold = self._bonferroni(len(self.names) * others * (others - 1) / 2)
        for name, each in self.left_out.items():
            change = np.nan_to_num(np.abs(each.without - each.rate)) * self.model_share
            change[np.nan_to_num(np.abs(each.errors)) <= threshold] = 0.0
            change = np.triu(change)  # each pair once
            t, a, b = np.unravel_index(np.argmax(change), change.shape)
            if change[t, a, b] > SMALLEST_MISFIT:
                found.append(
                    Influence(
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

    def judged(self, decisions: Iterable[Decision]) -> tuple[PairCheck, ...]:
        """Return each elimination checked against the outcomes of its pair alone."""
        opinions = []
        for each in decisions:
            a, b = self.names.index(each.by), self.names.index(each.name)
            t = int(np.argmin(np.where(self.compared[:, a, b] > 0, self.own[:, a, b], np.inf)))
            opinions.append(
                PairCheck(each.name, each.by, each.probability, float(self.own[t, a, b]), float(self.grid.times[t]))
            )
        return tuple(opinions)

    def sentences(self, decisions: Iterable[Decision] = ()) -> list[str]:
        """Return warnings for the user: where the model fails, what follows and what to do; none if the model holds."""
        opinions = self.judged(decisions)
        contradicted = [each for each in opinions if each.contradicted]
        unsupported = [each for each in opinions if each.unsupported]
        if not self.misfits and not self.disturbances and not contradicted:
            return []
        warnings = []
        if self.misfits:
            worst, more = self.misfits[0], len(self.misfits) - 1
            also = ("", "; one more pair contradicts it", f"; {more} more pairs contradict it")[min(more, 2)]
            warnings.append(f"Rankings contradict the model (Plackett-Luce): {worst.sentence}{also}.")
        if self.disturbances:
            most, *others = self.disturbances
            also = f"; leaving out {' or '.join(each.name for each in others)} changes win rates too" if others else ""
            warnings.append(
                "A pair's win rate depends on a third algorithm, which the model (Plackett-Luce) excludes: "
                f"{most.sentence}{also}."
            )
        warnings += [f"The pair's own outcomes contradict this elimination: {each.sentence}." for each in contradicted]
        warnings += [
            f"The model supports this elimination; the pair's own outcomes do not: {each.sentence}."
            for each in unsupported
        ]
        if contradicted or unsupported:
            warnings.append("Run such a pair on more instances to settle it.")
        elif opinions:
            warnings.append("The pairs' own outcomes contradict no elimination.")
        if self.model_share.min() == 1:
            warnings.append("To rely on outcomes instead of the model, fit with prior=BayesianBootstrap().")
        elif self.model_share.max() > 0:
            warnings.append("To rely on outcomes alone, fit with prior=BayesianBootstrap(plackett_luce=0).")
        return warnings


def model_check(posterior: Posterior, choices: Choices) -> ModelCheck:
    """Compare the win rates of a posterior with the outcomes of each pair.

    Parameters
    ----------
    posterior
        The posterior, fitted to these choices.
    choices
        The observed choices, with the rankings of each instance.

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
            "expected choices with the rankings of each instance, got choices that have only their counts; make them with "
            "per_instance=True"
        )
    if choices.names != posterior.names or choices.grid != posterior.grid:
        raise ValueError(
            f"expected the choices that the posterior was fitted to, of {', '.join(posterior.names)} on {posterior.grid}; "
            f"got those of {', '.join(choices.names)} on {choices.grid}"
        )
    rankings = _weighted_rankings(posterior, choices.rankings)
    compared, observed = effective_comparisons(rankings), observed_win_rates(rankings)
    modelled, share = win_probability(posterior), _model_share(posterior)
    deviation = _binomial_deviation(modelled, compared)
    if posterior.outcomes is None:
        own = _jeffreys(observed, compared)
    else:
        own, spread = _by_outcomes_alone(posterior.outcomes)
        deviation = np.maximum(deviation, spread)
    relevant = len(choices.names) > 2 and share.max() >= RELEVANT_SHARE
    return ModelCheck(
        names=posterior.names,
        grid=posterior.grid,
        compared=compared,
        observed=observed,
        modelled=modelled,
        deviation=deviation,
        own=own,
        model_share=share,
        independent_times=_independent_times(posterior, choices),
        left_out=leave_one_out(choices) if relevant else {},
    )


def _weighted_rankings(posterior: Posterior, rankings: Rankings) -> Rankings:
    """Return the observed rankings with their expected weights under the posterior."""
    rows = posterior.outcomes
    if rows is None:
        return rankings
    observed = np.count_nonzero(rankings.weight_of_each.any(axis=1))  # the other rows are pseudo-instances
    weights = np.repeat(rows.sizes[:observed, None], len(rankings.grid), axis=1)
    if rows.scale is not None:
        weights = weights * rows.scale[:observed]
    return Rankings(rows.ranks[:observed], rankings.names, rankings.grid, weights)


def _model_share(posterior: Posterior) -> Array:
    """Return the share of Plackett-Luce in the win rates of the posterior, (time, algorithm, algorithm)."""
    shape = len(posterior.grid), len(posterior.names), len(posterior.names)
    rows = posterior.outcomes
    if rows is None or np.isinf(rows.model_weight):
        return np.ones(shape)
    share = np.zeros(shape)
    for a, b in combinations(range(shape[1]), 2):
        share[:, a, b] = share[:, b, a] = rows.model_weight / (rows.model_weight + rows.comparisons(a, b))
    return share


def _binomial_deviation(rate: Array, compared: Array) -> Array:
    """Return √(p (1 − p) / P), the standard deviation of observed win rates whose expectation is p.

    Rates are clipped to half an instance from 0 and 1, so that the deviation is never zero.
    """
    instances = np.maximum(compared, 1)
    inside = np.clip(rate, 0.5 / instances, 1 - 0.5 / instances)
    deviation: Array = np.sqrt(inside * (1 - inside) / instances)
    return deviation


def _jeffreys(observed: Array, compared: Array) -> Array:
    """Return P(win rate > ½) of independent instances, under Jeffreys' prior: Beta(½ + wins, ½ + losses)."""
    wins = np.nan_to_num(observed) * compared
    return np.asarray(stats.beta.sf(0.5, 0.5 + wins, 0.5 + compared - wins))


def _by_outcomes_alone(rows: OutcomeDraws) -> tuple[Array, Array]:
    """Return P(win rate > ½) and the deviation of win rates without Plackett-Luce, both (time, algorithm, algorithm)."""
    _, times, algorithms = rows.ranks.shape
    own, deviation = np.zeros((2, times, algorithms, algorithms))
    for a, b in combinations(range(algorithms), 2):
        rates = rows.best_of([a], [b])
        own[:, a, b] = (rates > 0.5).mean(axis=1) + 0.5 * (rates == 0.5).mean(axis=1)
        own[:, b, a] = 1 - own[:, a, b]
        deviation[:, a, b] = deviation[:, b, a] = rates.std(axis=1)
    return own, deviation


def _independent_times(posterior: Posterior, choices: Choices) -> float:
    """Return the effective number of independent times, from the correlation of Plackett-Luce scores within runs."""
    if posterior.outcomes is None:
        utilities = np.log(np.maximum(posterior.ratings, np.finfo(np.float64).tiny)).mean(axis=0)
    elif posterior.outcomes.utilities is None:
        return float(len(posterior.grid))
    else:
        utilities = posterior.outcomes.utilities.mean(axis=2, dtype=np.float64)
    return independent_times(score_correlation(standard_scores(utilities, choices)[0]))
