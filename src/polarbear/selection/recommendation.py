"""Recommendation of an algorithm or portfolio under a criterion, a preference and a risk attitude.

`select` scores all candidates on the draws of a posterior and returns them in order, with the probability of being best,
the expected regret, and the recommendation as a sentence.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.defaults import TAILS
from polarbear.selection.answers import SURE_ENOUGH
from polarbear.selection.candidates import Candidate, posterior_and_candidates
from polarbear.selection.criterion import FirstPlace
from polarbear.selection.custom_preference import Custom, require_monotone
from polarbear.selection.explanation import explain
from polarbear.selection.measured_copies import measured_copies
from polarbear.selection.observed_times import observed_candidates
from polarbear.selection.portfolio import (
    Valuation,
    can_enumerate,
    enumerate_portfolios,
    portfolio_curves,
    search_portfolios,
    win_rate_against,
)
from polarbear.selection.preference import At, Uniform
from polarbear.selection.risk import Expected, ProbabilityBest
from polarbear.selection.value_units import ValueUnits, units_of
from polarbear.table import as_frame, as_html, as_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Indices
    from polarbear.literals import FrameLibrary
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.candidates import DecidedRace
    from polarbear.selection.criterion import Criterion
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk
    from polarbear.table import Table


SHOWN = 10  # candidates that a table for people lists
_ROUNDING = 1e-12  # relative to the largest value
_TIES = 20  # portfolios with exactly the best score whose win rates are compared
_TESTED = 200  # drawn curves on which a custom preference is tested for monotonicity


@dataclass(frozen=True, eq=False)
class Selection:
    """A recommendation, with all candidates and an explanation.

    Attributes
    ----------
    candidates
        All candidates, the best first.
    sentence
        The recommendation as a sentence.
    values
        The drawn values (draw, candidate), for further analysis.
    criterion
        The criterion at each budget, as text.
    best_single
        For a portfolio: the recommended algorithm for one machine, by the same preference and risk attitude.
    win_rate_against_best_single
        For a portfolio: the expected share of instances on which its best member beats that algorithm, averaged over time by
        the preference (over the grid for a custom one). Ties count one half, also where the algorithm itself is the best
        member. None for a single algorithm.
    not_observed
        The algorithms that are left out, because they were not observed together with another one at these budgets.
    risk
        The attitude to risk by which candidates are ordered, as text.
    units
        The units in which values are shown to people; see `shown_table`.
    """

    candidates: tuple[Candidate, ...]
    sentence: str
    values: Array
    criterion: str = str(FirstPlace())
    best_single: str | None = None
    win_rate_against_best_single: float | None = None
    not_observed: tuple[str, ...] = ()
    risk: str = str(Expected())
    units: ValueUnits = field(default_factory=ValueUnits)

    @property
    def recommendation(self) -> str | tuple[str, ...]:
        """The recommended algorithm, or the members of the recommended portfolio."""
        members = self.candidates[0].members
        return members[0] if len(members) == 1 else members

    @property
    def probability_best(self) -> float:
        """The probability that no other candidate has a higher value."""
        return self.candidates[0].probability_best

    @property
    def is_sure(self) -> bool:
        """Whether the recommendation is sure enough; otherwise it is too close to call."""
        return len(self.candidates) == 1 or self.probability_best >= SURE_ENOUGH

    @property
    def regret(self) -> float:
        """The expected loss in value of the recommendation against the candidate that turns out best."""
        return self.candidates[0].regret

    def shown_table(self, most: int | None = None) -> tuple[list[str], list[list[str]]]:
        """Return headings and rows for people: per cents, or ranks for the mean rank; the best `most` candidates."""
        return self.units.heads(), self.units.rows(self.candidates[:most])

    def to_table(self) -> Table:
        """Return the candidates for programs, one row each, the best first; values are shares from 0 to 1."""
        each = self.candidates
        return {
            "choice": [one.name for one in each],
            "score": [one.score for one in each],
            "expected": [one.expected for one in each],
            "lower": [one.lower for one in each],
            "upper": [one.upper for one in each],
            "probability_best": [one.probability_best for one in each],
            "regret": [one.regret for one in each],
        }

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def _repr_html_(self) -> str:
        heads, rows = self.shown_table()
        return as_html(dict(zip(heads, zip(*rows, strict=True), strict=True)), title=self.sentence)

    def __repr__(self) -> str:
        return f"Selection({self.sentence})"

    def __str__(self) -> str:
        heads, rows = self.shown_table(SHOWN)
        lines = [self.sentence, "", *as_lines(heads, rows)]
        if len(self.candidates) > SHOWN:
            lines.append(f"... and {len(self.candidates) - SHOWN} more")
        return "\n".join(lines)


def select(
    posterior: Posterior | DecidedRace,
    preference: Preference | None = None,
    risk: Risk | None = None,
    *,
    among: Sequence[str] | None = None,
    portfolio: int = 1,
    copies: bool = True,
    criterion: Criterion | None = None,
) -> Selection:
    """Recommend an algorithm or portfolio from a posterior, at once and without new runs.

    Parameters
    ----------
    posterior
        A posterior, or the result of a race.
    preference
        How budgets are weighted: `Uniform` (default), `At`, `Final`, `LogUniform`, `Between`, `Weighted`,
        `BudgetDistribution` or `Custom`.
    risk
        `Expected` (default), `ProbabilityBest`, `Quantile` or `Regret`.
    among
        The candidates; by default all algorithms of a posterior, and the Pareto set of a race. Ratings and ranks remain
        those among all algorithms. Algorithms that were not observed at budgets with more than 5 % of the weight are left
        out.
    portfolio
        The number of machines that run side by side. The best result counts, and an algorithm may run on several machines.
        The value of different algorithms is the sum of their ratings. Repeated runs on the same problems measure what
        copies add; without these, Plackett-Luce supplies it, and the sentence says so.
    copies
        Whether an algorithm may run on several machines. If not, machines beyond the number of candidates stay idle.
    criterion
        The criterion at each budget: `FirstPlace` (default), `TopK`, `MeanRank` or `WinRateAgainst`. Portfolios are
        compared by `FirstPlace` only.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import polarbear as pb
    >>> values = [[[1.0, 2.0], [1.0, 2.0]], [[1.0, 3.0], [2.0, 1.0]], [[0.5, 0.7], [0.4, 0.6]]]
    >>> choices = pb.Choices.from_values(values, grid=[10, 100], names=["cma", "rs"])
    >>> posterior = pb.fit(choices, prior=pb.RandomWalk(), seed=1)
    >>> pb.select(posterior, pb.At(10)).recommendation
    'cma'
    >>> pb.select(posterior, pb.At(10), criterion=pb.WinRateAgainst("rs")).recommendation
    'cma'
    """
    preference = Uniform() if preference is None else preference
    risk = Expected() if risk is None else risk
    criterion = FirstPlace() if criterion is None else criterion
    _check_arguments(preference, risk, criterion)
    posterior, names = posterior_and_candidates(posterior, among)
    size = _check_size(portfolio)
    if size > 1 and not isinstance(criterion, FirstPlace):
        raise ValueError(
            f"expected FirstPlace() as the criterion of a portfolio, got {criterion!r} for {size} machines; leave the "
            "criterion out, or choose a single algorithm"
        )
    wanted, names = names, observed_candidates(posterior, names, preference, criterion)
    left_out = tuple(name for name in wanted if name not in names)
    columns = [posterior.names.index(name) for name in names]
    if not copies:
        size = min(size, len(names))
    valuation = _valuation(posterior, preference, criterion, columns, copies=copies and size > 1)
    if isinstance(preference, Custom):
        _require_monotone(preference, valuation.curves, size)
    exhaustive = can_enumerate(valuation, size, copies=copies)
    counts = (
        enumerate_portfolios(len(names), size, copies=copies)
        if exhaustive
        else search_portfolios(valuation, size, risk, copies=copies)
    )
    neighbours = _neighbours(posterior, preference, criterion, columns, copies=copies and size > 1)
    values = valuation.values(counts)
    best = _probability_best(values, neighbours, counts)
    scores = best if isinstance(risk, ProbabilityBest) else risk.score(values)
    order = np.argsort(-scores, kind="stable")
    single = None
    if size > 1:
        alone = valuation.members
        chances = _probability_best(alone, neighbours, np.eye(len(names), dtype=np.intp))
        single = names[int((chances if isinstance(risk, ProbabilityBest) else risk.score(alone)).argmax())]
    if valuation.copies is not None and single is not None:
        order = _break_ties(posterior, preference, single, names, counts, scores, order)
    low, high = np.quantile(values, TAILS, axis=0)
    means = values.mean(axis=0)
    regret = values.max(axis=1).mean() - means
    regret[regret < _ROUNDING * np.abs(means).max()] = 0.0  # or negative, by rounding only
    candidates = tuple(
        Candidate(
            members=_members(names, counts[index]),
            score=float(scores[index]),
            expected=float(means[index]),
            lower=float(low[index]),
            upper=float(high[index]),
            probability_best=float(best[index]),
            regret=float(regret[index]),
        )
        for index in order
    )
    win_rate = None if single is None else _win_rate(posterior, preference, candidates[0].members, single)
    observed = observed_candidates(posterior, posterior.names, preference, criterion)
    units = units_of(preference, risk, criterion, len(observed))
    sentence = explain(
        posterior,
        preference,
        risk,
        criterion,
        candidates,
        units=units,
        single=single,
        win_rate=win_rate,
        exhaustive=exhaustive,
        idle=portfolio - size,
        not_observed=left_out,
    )
    return Selection(
        candidates, sentence, values[:, order], str(criterion), single, win_rate, left_out, str(risk), units
    )


def _valuation(
    posterior: Posterior, preference: Preference, criterion: Criterion, columns: list[int], *, copies: bool
) -> Valuation:
    """Return the valuation of the candidates at the times with weight: a single budget needs only two grid times."""
    times = slice(None)
    weighting: Array | Custom
    if isinstance(preference, Custom):
        weighting = preference
    else:
        weights = preference.weights(posterior.grid)
        used = np.flatnonzero(weights)
        times = slice(int(used[0]), int(used[-1]) + 1)
        weighting = weights[times]
    curves = criterion.curves(posterior, times)
    everything = columns == list(range(len(posterior.names)))
    if not everything:
        curves = curves.transpose(1, 2, 0)[:, columns].transpose(2, 0, 1)  # keeps draws contiguous in memory
    measured = measured_copies(posterior, columns, times) if copies else None
    return Valuation(curves, weighting, all_algorithms=everything, copies=measured)


def _neighbours(
    posterior: Posterior, preference: Preference, criterion: Criterion, columns: list[int], *, copies: bool
) -> list[Valuation]:
    """Return the valuations at the two grid times around a known budget; none if it is a grid time itself."""
    if not isinstance(preference, At):
        return []
    places = np.flatnonzero(preference.weights(posterior.grid))
    if len(places) == 1:
        return []
    times = [At(float(posterior.grid.times[place])) for place in places]
    return [_valuation(posterior, each, criterion, columns, copies=copies) for each in times]


def _probability_best(values: Array, neighbours: list[Valuation], counts: Indices) -> Array:
    """Return the probability that each candidate is the best choice.

    Each draw of a value between two grid times is an average, in which their errors partly cancel. The probabilities are
    limited to the highest one at these two, since an answer would otherwise often be surer than both of theirs.
    """
    best = ProbabilityBest().score(values)
    most = [ProbabilityBest().score(each.values(counts)).max() for each in neighbours]
    return np.minimum(best, max(most, default=1.0))


def _break_ties(
    posterior: Posterior,
    preference: Preference,
    single: str,
    names: tuple[str, ...],
    counts: Indices,
    scores: Array,
    order: Indices,
) -> Indices:
    """Return the order with exact ties for the first place broken by the win rate over the best single algorithm.

    Portfolios of all algorithms always come first, whatever the further machines run; measured copies show which ones help.
    """
    tied = order[: np.count_nonzero(scores == scores[order[0]])][:_TIES]
    if len(tied) < 2:
        return order
    rates = [_win_rate(posterior, preference, _members(names, counts[each]), single) for each in tied]
    better = tied[np.argsort(-np.array(rates), kind="stable")]
    return np.concatenate([better, order[len(tied) :]])


def _members(names: tuple[str, ...], counts: Indices) -> tuple[str, ...]:
    """Return the members of a portfolio, each as often as it has copies."""
    return tuple(name for name, count in zip(names, counts, strict=True) for _ in range(count))


def _win_rate(posterior: Posterior, preference: Preference, members: tuple[str, ...], single: str) -> float:
    """Return the expected win rate of a portfolio over the best single algorithm, averaged over time."""
    places = [posterior.names.index(name) for name in members]
    rates = win_rate_against(posterior, places, posterior.names.index(single))
    if isinstance(preference, Custom):
        return float(rates.mean())
    return float(preference.weights(posterior.grid) @ rates)


def _check_size(portfolio: int) -> int:
    """Return the number of machines, after checking that it is a positive whole number."""
    try:
        size = -1 if isinstance(portfolio, bool) else operator.index(portfolio)
    except TypeError:
        size = -1
    if size < 1:
        raise ValueError(f"expected a portfolio of a whole number of machines, at least 1, got {portfolio!r}")
    return size


def _require_monotone(preference: Custom, curves: Array, size: int) -> None:
    """Test a custom preference on draws of every candidate, alone and, for portfolios, as copies on all machines."""
    draws, times, algorithms = curves.shape
    some = curves[:: max(1, draws * algorithms // _TESTED)]
    for copies in {1, size}:
        tested = portfolio_curves(some, copies * np.eye(algorithms, dtype=np.intp))
        require_monotone(preference, tested.reshape(-1, times), rng=np.random.default_rng(0))


def _check_arguments(preference: object, risk: object, criterion: object) -> None:
    needed = (
        (preference, "preference", "weights", "Uniform()"),
        (risk, "risk", "score", "Expected()"),
        (criterion, "criterion", "curves", "TopK(3)"),
    )
    for given, kind, method, example in needed:
        if isinstance(given, type):
            raise ValueError(f"expected a {kind} such as {example}, got the class {given.__name__}; add parentheses")
        if not (hasattr(given, method) or (kind == "preference" and isinstance(given, Custom))):
            raise ValueError(f"expected a {kind} such as {example}, got {given!r}")
