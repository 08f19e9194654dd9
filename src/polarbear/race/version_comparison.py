"""The rule that decides whether a new version of an algorithm is nowhere worse than the old one.

The comparison is sequential: it looks at the data after 24, 48, 96, ... instances and stops as soon as it is decided. Each
look may err, so the probability of error at one look is multiplied by the number of planned looks (Bonferroni).

Its prior leaves out near-equality, which protects a race: there, many pairs are compared and the largest difference is
reported. Here there is one pair, and its margin of equality is fixed in advance. In 100 comparisons per setting (20 budgets,
up to 500 instances), a loss of 15 points was noticed after 104 to 129 instances on average, instead of 193 to 206 with
near_equal=0.4 and 218 to 223 with 0.8. Versions just at the margin were called worse in 0 to 3 %, equal ones never.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from polarbear.models import BayesianBootstrap
from polarbear.observe.scope import count_instances, member_noun, unit_noun
from polarbear.posterior.findings import independent_units
from polarbear.posterior.non_inferiority import non_inferiority
from polarbear.race.forecast import roughly
from polarbear.wording import format_number, format_percent, percent, plural, round_off, with_unit

if TYPE_CHECKING:
    from polarbear.observe import Choices, Clusters
    from polarbear.posterior.non_inferiority import NonInferiority
    from polarbear.posterior.posterior import Posterior

Verdict = Literal["no worse", "worse", "undecided"]

PRIOR = BayesianBootstrap(near_equal=0.0)
EXIT_CODES: dict[Verdict, int] = {"no worse": 0, "worse": 1, "undecided": 2}

_FIRST_LOOK = 24  # with 16 instances, one lopsided budget among 20 made one comparison of equal versions in 80 fail
_SHORT_STEP = 1.25  # a look is left out if the last one follows with less than this multiple of its instances


@dataclass(frozen=True, eq=False)
class VersionComparison:
    """The comparison of a new version of an algorithm with the old one.

    Attributes
    ----------
    old, new
        The names of the two versions.
    answer
        "no worse": at every budget, the new version's win rate is at least ½ − margin. "worse": at some budget it is less.
        "undecided": more instances are needed.
    probability
        How sure the verdict is, corrected for the number of looks; of an undecided comparison, the larger of the two.
    win_rates
        The win rate of the new version over the old one at each budget, with its probabilities.
    instances, units
        The number of instances on which both were run, and of the independent ones: clusters, if instances are repeated.
    instances_needed
        The expected total number of instances that decides; infinite if it is more than 1,024 times the present number.
    confidence, margin, looks
        The required probability, the margin of equality, and the number of planned looks at the data.
    unit
        The unit of the budgets.
    clusters
        The clusters of the instances, such as repetitions of each; None if all are independent.
    posterior
        The posterior behind all of this.
    """

    old: str
    new: str
    answer: Verdict
    probability: float
    win_rates: NonInferiority
    instances: int
    units: int
    instances_needed: float
    confidence: float
    margin: float
    looks: int
    unit: str
    clusters: Clusters | None
    posterior: Posterior

    def __repr__(self) -> str:
        return f"VersionComparison({self.answer}, {self.sentence})"

    @property
    def probability_needed(self) -> float:
        """What the probability of a verdict must reach at one look, so that all looks together have the confidence."""
        return required_at_one_look(self.confidence, self.looks)

    @property
    def exit_code(self) -> int:
        """0 if the new version is no worse, 1 if it is worse, 2 if more instances are needed."""
        return EXIT_CODES[self.answer]

    @property
    def data(self) -> str:
        """The number of instances in words, such as "2 instances with 48 repetitions"."""
        return count_instances(self.instances, self.clusters)

    @property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        rates = self.win_rates
        members = plural(unit_noun(self.clusters) if self.units == self.instances else member_noun(self.clusters))
        worst = rates.worst if self.answer != "no worse" else int(rates.mean.argmin())
        share, at = percent(float(rates.mean[worst])), with_unit(float(rates.budgets[worst]), self.unit)
        low, high = percent(float(rates.lower[worst])).removesuffix(" %"), percent(float(rates.upper[worst]))
        sure = f"{format_percent(self.probability)} sure"
        margin = f"{round_off(100 * rates.least)} %"
        if self.answer == "no worse":
            return (
                f"{self.new} is nowhere worse than {self.old} by more than the margin: {sure} that it wins on at least "
                f"{margin} of {members} {self._range()} (at worst {share}, at "
                f"{format_number(float(rates.budgets[worst]))})."
            )
        if self.answer == "worse":
            return (
                f"{self.new} is worse than {self.old}: at {at} it wins on {share} of {members} "
                f"({low} to {high}; {sure} that it wins on less than {margin} at some budget)."
            )
        demand = (
            "a verdict demands certainty at every budget"
            if self.looks == 1
            else "repeated looks at all budgets demand more certainty"
        )
        return (
            f"Undecided after {self.data}: at {at} {self.new} wins on {share} of {members} ({low} to {high}), and {margin} "
            f"or more count as no worse; {demand}: {self._further_data()}."
        )

    def _further_data(self) -> str:
        """Return how much more data should decide; of repeated instances, others are needed, not more repetitions."""
        growth, least = self.instances_needed / self.instances, least_units(self.confidence)
        noun = plural(unit_noun(self.clusters))
        if self.units < least:
            return f"it takes at least {least} {noun}"
        if math.isfinite(growth):
            further = roughly(max((growth - 1) * self.units, 1.0))
            return f"expect a decision after about {further:,.0f} more {noun}"
        return f"even {round_off(1024 * self.units)} {noun} would hardly decide"

    def to_data(self) -> dict[str, Any]:
        """Return the comparison as plain values, for JSON.

        "probability" is corrected for the number of looks. "probability_no_worse" and "probability_worse" are those of the
        posterior at this look, and a verdict needs one of them to reach "probability_needed".
        """
        rates = self.win_rates
        return {
            "old": self.old,
            "new": self.new,
            "answer": self.answer,
            "exit_code": self.exit_code,
            "sentence": self.sentence,
            "probability": self.probability,
            "probability_no_worse": rates.nowhere_worse,
            "probability_worse": rates.worse_somewhere,
            "probability_needed": self.probability_needed,
            "instances": self.instances,
            "units": self.units,
            "instances_needed": self.instances_needed,
            "units_needed": self.instances_needed * self.units / self.instances,
            "confidence": self.confidence,
            "margin": self.margin,
            "looks": self.looks,
            "unit": self.unit,
            "budgets": rates.budgets.tolist(),
            "win_rate": rates.mean.tolist(),
            "lower": rates.lower.tolist(),
            "upper": rates.upper.tolist(),
        }

    def _range(self) -> str:
        first, last = (float(self.win_rates.budgets[position]) for position in (0, -1))
        until = with_unit(last, self.unit)
        return f"at {until}" if first == last else f"at every budget from {format_number(first)} to {until}"


def planned_looks(most_instances: int) -> tuple[int, ...]:
    """Return the numbers of instances at which a comparison looks at its data: 24, 48, 96, ... and the last one.

    Examples
    --------
    >>> planned_looks(500), planned_looks(100), planned_looks(10)
    ((24, 48, 96, 192, 384, 500), (24, 48, 100), (10,))
    """
    looks = []
    number = _FIRST_LOOK
    while number * _SHORT_STEP <= most_instances:
        looks.append(number)
        number *= 2
    return (*looks, most_instances)


def correct_for_looks(probability: float, looks: int) -> float:
    """Return a probability whose complement is multiplied by the number of looks (Bonferroni), at least 0."""
    return max(0.0, 1 - looks * (1 - probability))


def required_at_one_look(confidence: float, looks: int) -> float:
    """Return the probability that `correct_for_looks` turns into the confidence."""
    return 1 - (1 - confidence) / looks


def least_units(confidence: float) -> int:
    """Return the least number of independent instances for a verdict: of fewer, equal versions win or lose all too often.

    Examples
    --------
    >>> least_units(0.95)
    5
    """
    return math.ceil(math.log2(1 / (1 - confidence)))


def judge(
    choices: Choices,
    old: str,
    new: str,
    *,
    confidence: float = 0.95,
    margin: float = 0.05,
    looks: int = 1,
    draws: int = 4000,
    seed: int = 0,
    unit: str = "evaluations",
) -> VersionComparison:
    """Compare two versions on the instances so far.

    Parameters
    ----------
    choices
        The outcomes of both versions on the same instances.
    old, new
        The names of the versions.
    confidence
        The probability that a verdict needs, after the correction for looks.
    margin
        How far below one half the win rate of the new version may lie without counting as worse.
    looks
        The number of planned looks at growing data; 1 if these data are all.
    draws, seed
        The number of posterior draws, and their seed.
    unit
        The unit of the budgets.
    """
    from polarbear.inference.fitting import fit  # imports inference, which reading a race does not need

    if not 0.5 < confidence < 1:
        raise ValueError(f"expected confidence between 0.5 and 1, got {confidence!r}; use a value such as 0.95")
    posterior = fit(choices, prior=PRIOR, draws=draws, seed=seed)
    rates = non_inferiority(posterior, old, new, margin=margin)
    no_worse, worse = (correct_for_looks(each, looks) for each in (rates.nowhere_worse, rates.worse_somewhere))
    least, units = least_units(confidence), independent_units(posterior)
    sure = max(no_worse, worse) >= confidence and units >= least
    answer: Verdict = "undecided" if not sure else "no worse" if no_worse >= worse else "worse"
    growth = rates.growth_to(required_at_one_look(confidence, looks)) if answer == "undecided" else 1.0
    return VersionComparison(
        old=old,
        new=new,
        answer=answer,
        probability=max(no_worse, worse),
        win_rates=rates,
        instances=choices.instances,
        units=units,
        instances_needed=max(growth, least / units) * choices.instances,
        confidence=confidence,
        margin=margin,
        looks=looks,
        unit=unit,
        clusters=None if choices.rankings is None else choices.rankings.clusters,
        posterior=posterior,
    )
