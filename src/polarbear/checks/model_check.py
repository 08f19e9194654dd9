"""Check the Plackett-Luce model: compare the win rates of the posterior with the observed ones of each pair.

Plackett-Luce has one rating per algorithm and budget, from which the win rate of every pair follows: how often A beats B
does not depend on C (independence of irrelevant alternatives). Real algorithms violate this, for instance if two of them
are variants of each other. The check answers three questions. Do the observed win rates of each pair agree with the
posterior? Do the other win rates change when one algorithm is left out? Do the outcomes of the pair alone confirm each
drop?

The beliefs of `BayesianBootstrap` come from the outcomes of each pair alone and assume no model, so nothing is checked.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from polarbear.checks.findings import Influence, Misfit, PairCheck
from polarbear.checks.leave_one_out import LeftOut, leave_one_out
from polarbear.checks.pair_outcomes import (
    beating_probability,
    binomial_deviation,
    effective_comparisons,
    observed_win_rates,
)
from polarbear.checks.run_scores import standard_scores
from polarbear.checks.score_correlation import independent_budgets, score_correlation
from polarbear.observe import Choices
from polarbear.posterior.elimination import drop_probabilities_over_time
from polarbear.posterior.posterior import Posterior
from polarbear.posterior.relations import win_probability

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from polarbear.arrays import Array
    from polarbear.checks.findings import Decision
    from polarbear.observe import Grid
    from polarbear.posterior.pair_beliefs import PairBeliefs


FALSE_ALARMS = 0.01  # probability that a check rejects a correct model, over all pairs and budgets
SMALLEST_MISFIT = 0.05  # of a win rate, equal to the default margin: smaller misfits change no decision that matters
MOST_LEFT_OUT = 30  # algorithms; with more, one fit per algorithm would take minutes, and a single one matters less


@dataclass(frozen=True, eq=False)
class ModelCheck:
    """Observed and expected win rates, arrays of shape (budget, algorithm, algorithm), row against column.

    Attributes
    ----------
    names, grid
        The algorithms and the budgets.
    compared
        The effective number of instances that compare row and column.
    observed
        The weighted share of them on which the row beat the column; ties count one half. NaN for pairs never compared.
    modelled
        The expected win rates under the posterior.
    deviation
        The standard deviations of the observed win rates.
    own
        P(the row beats the column on more than half of the instances), from the outcomes of the pair alone. Under
        `BayesianBootstrap` it is one at budgets at which the pair ties on every instance, as in a drop.
    by_model
        Whether win rates follow from Plackett-Luce. The beliefs about pairs of `BayesianBootstrap` assume no model.
    independent_budgets
        The effective number of independent budgets, for the multiplicity correction of the largest misfit.
    left_out
        The change of the other win rates when one algorithm is left out, by its name. Empty for two algorithms, for more
        than 30, and without a model.
    """

    names: tuple[str, ...]
    grid: Grid
    compared: Array
    observed: Array
    modelled: Array
    deviation: Array
    own: Array
    by_model: bool
    independent_budgets: float
    left_out: Mapping[str, LeftOut]

    @cached_property
    def errors(self) -> Array:
        """observed − modelled, in standard errors of the observed win rate; zero for pairs never compared."""
        return np.where(self.compared > 0, np.nan_to_num(self.observed - self.modelled) / self.deviation, 0.0)

    @property
    def threshold(self) -> float:
        """The standard errors at which a misfit is significant (Bonferroni over all pairs and independent budgets)."""
        pairs = len(self.names) * (len(self.names) - 1) / 2
        return self._bonferroni(pairs)

    def _bonferroni(self, tests: float) -> float:
        """Return the two-sided normal threshold for this number of tests at each of the independent budgets."""
        return float(-scipy.special.ndtri(FALSE_ALARMS / (2 * tests * self.independent_budgets)))

    @cached_property
    def misfits(self) -> tuple[Misfit, ...]:
        """The pairs whose outcomes contradict the posterior, the largest difference first."""
        misfits = []
        gap = np.where(self.compared > 0, np.abs(np.nan_to_num(self.observed - self.modelled)), 0.0)
        wrong = (np.abs(self.errors) > self.threshold) & (gap > SMALLEST_MISFIT) & self.by_model
        for a, b in zip(*np.nonzero(np.triu(wrong.any(axis=0))), strict=True):
            where = np.flatnonzero(wrong[:, a, b])
            first, last = (float(self.grid.budgets[t]) for t in where[[0, -1]])
            values = self._entries(
                (where[np.argmax(gap[where, a, b])], a, b),
                observed=self.observed,
                modelled=self.modelled,
                errors=self.errors,
                instances=self.compared,
            )
            misfits.append(Misfit(self.names[a], self.names[b], first=first, last=last, **values))
        return tuple(sorted(misfits, key=lambda each: -abs(each.observed - each.modelled)))

    @cached_property
    def influences(self) -> tuple[Influence, ...]:
        """The algorithms whose removal changes other pairs, the largest change first."""
        if not self.left_out:
            return ()
        influences, others = [], len(self.names) - 1
        threshold = self._bonferroni(len(self.names) * others * (others - 1) / 2)
        for name, each in self.left_out.items():
            change = np.nan_to_num(np.abs(each.without - each.rate))
            change[np.nan_to_num(np.abs(each.errors)) <= threshold] = 0.0
            change = np.triu(change)  # each pair once
            t, a, b = np.unravel_index(np.argmax(change), change.shape)
            if change[t, a, b] > SMALLEST_MISFIT:
                values = self._entries((t, a, b), rate=each.rate, without=each.without, errors=each.errors)
                influences.append(Influence(name, self.names[a], self.names[b], **values))
        return tuple(sorted(influences, key=lambda each: -abs(each.without - each.rate)))

    def _entries(self, index: tuple[np.intp, np.intp, np.intp], **arrays: Array) -> dict[str, float]:
        """Return the budget of an index (budget, algorithm, algorithm), and the value of each array there."""
        return {"budget": float(self.grid.budgets[index[0]])} | {
            name: float(array[index]) for name, array in arrays.items()
        }

    def check_drops(self, decisions: Iterable[Decision]) -> tuple[PairCheck, ...]:
        """Return each drop checked against the outcomes of its pair alone."""
        pair_checks = []
        for each in decisions:
            a, b = self.names.index(each.by), self.names.index(each.name)
            t = int(np.argmin(np.where(self.compared[:, a, b] > 0, self.own[:, a, b], np.inf)))
            own, budget = float(self.own[t, a, b]), float(self.grid.budgets[t])
            pair_checks.append(PairCheck(each.name, each.by, each.probability, own, budget))
        return tuple(pair_checks)

    def as_dict(self, decisions: Iterable[Decision] = ()) -> dict[str, list[dict[str, Any]]]:
        """Return all findings as plain values, for JSON."""
        return {
            "misfits": [asdict(each) for each in self.misfits],
            "disturbances": [asdict(each) for each in self.influences],
            "own_outcomes": [asdict(each) for each in self.check_drops(decisions)],
        }


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
            "expected choices with the rankings of each instance, got only their counts; make them with per_instance=True"
        )
    if choices.names != posterior.names or choices.grid != posterior.grid:
        raise ValueError(
            f"expected the choices that the posterior was fitted to, of {', '.join(posterior.names)} on {posterior.grid}; "
            f"got outcomes of {', '.join(choices.names)} on {choices.grid}"
        )
    by_model = posterior.beliefs is None
    if posterior.beliefs is None:
        compared, observed = effective_comparisons(choices.rankings), observed_win_rates(choices.rankings)
    else:
        compared, observed = _observed_by_pairs(posterior.beliefs)
    modelled = win_probability(posterior)
    relevant = by_model and 2 < len(choices.names) <= MOST_LEFT_OUT
    return ModelCheck(
        names=posterior.names,
        grid=posterior.grid,
        compared=compared,
        observed=observed,
        modelled=modelled,
        deviation=binomial_deviation(modelled, compared),
        own=beating_probability(observed, compared) if by_model else drop_probabilities_over_time(posterior),
        by_model=by_model,
        # Without Plackett-Luce there is nothing to check, and the number is not needed.
        independent_budgets=_independent_budgets(posterior, choices) if by_model else float(len(posterior.grid)),
        left_out=leave_one_out(choices) if relevant else {},
    )


def _observed_by_pairs(beliefs: PairBeliefs) -> tuple[Array, Array]:
    """Return the effective numbers of comparisons and the observed win rates, (budget, algorithm, algorithm)."""
    n = beliefs.algorithms
    compared, observed = np.zeros((2, len(beliefs.sample.rankings.grid), n, n))
    for a, b in combinations(range(n), 2):
        observed[:, a, b], compared[:, a, b] = beliefs.observed(a, b)
        observed[:, b, a], compared[:, b, a] = 1 - observed[:, a, b], compared[:, a, b]
    return compared, observed


def _independent_budgets(posterior: Posterior, choices: Choices) -> float:
    """Return the effective number of independent budgets, from the correlation of Plackett-Luce scores within runs."""
    utilities = np.log(np.maximum(posterior.ratings, np.finfo(np.float64).tiny)).mean(axis=0)
    return independent_budgets(score_correlation(standard_scores(utilities, choices)[0]))
