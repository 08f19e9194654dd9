"""Recommendation of an algorithm or portfolio under a criterion, a preference and a risk attitude.

`select` scores all candidates on the draws of a posterior and returns them in order, with the probability of being best,
the expected loss, and the recommendation as a sentence.
"""

from __future__ import annotations

import operator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from polarbear.defaults import TAILS
from polarbear.observe.pair_outcomes import pair_outcomes
from polarbear.posterior.posterior import Posterior
from polarbear.posterior.probability_best import probability_best
from polarbear.selection.answers import SURE_ENOUGH
from polarbear.selection.candidates import Candidate, merge_same, posterior_and_candidates
from polarbear.selection.criterion import FirstPlace, StrongestRival, default_criterion
from polarbear.selection.custom_preference import Custom, require_monotone
from polarbear.selection.findings import findings_on
from polarbear.selection.known_budget import at_budget
from polarbear.selection.observed_budgets import observed_candidates
from polarbear.selection.portfolio import compare_portfolios, win_rate_against
from polarbear.selection.preference import Uniform, value_function
from polarbear.selection.risk import Expected, ExpectedLoss, ProbabilityBest
from polarbear.table import as_frame

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Indices
    from polarbear.findings import Finding
    from polarbear.literals import FrameLibrary
    from polarbear.selection.candidates import DecidedRace
    from polarbear.selection.criterion import Criterion
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk
    from polarbear.table import Table


_ROUNDING = 1e-12  # relative to the largest value
_TESTED = 200  # drawn curves on which a custom preference is tested for monotonicity


@dataclass(frozen=True)
class Rival:
    """The strongest rival of a recommended algorithm.

    Attributes
    ----------
    name
        The rival.
    expected
        The expected share of new instances on which the recommended algorithm wins.
    observed, instances
        The share of the observed instances on which it won, ties counted as half, and their number; None if the query is
        about several budgets.
    is_dropped
        Whether the rival is no candidate, since there is none.
    """

    name: str
    expected: float
    observed: float | None = None
    instances: int | None = None
    is_dropped: bool = False


@dataclass(frozen=True, eq=False)
class Selection:
    """A recommendation, with all candidates.

    Attributes
    ----------
    candidates
        All candidates, the best first.
    values
        The drawn values (draw, candidate), for further analysis.
    preference, risk, criterion
        The query.
    is_usual
        Whether the criterion is the default for this posterior and number of machines.
    used
        The preference that was evaluated: without runs, the nearest grid budget below replaces a known budget.
    algorithms
        The number of algorithms that are ranked.
    rival
        The strongest rival of the recommended algorithm; None under other criteria.
    best_single
        For a portfolio: the recommended algorithm for one machine, by the same preference and risk attitude.
    win_rate_against_best_single
        For a portfolio: the expected share of instances on which its best member beats that algorithm, averaged over budgets
        by the preference (over the grid for a custom one). Ties count one half, also where the algorithm itself is the best
        member. None for a single algorithm.
    valued
        How candidates are valued: by the "criterion"; portfolios also by "ratings", whose sum may be above one, or by
        "repeated runs".
    not_observed
        The algorithms that are left out, because they were not observed together with another one at these budgets.
    findings
        What limits the recommendation.
    """

    candidates: tuple[Candidate, ...]
    values: Array
    preference: Preference
    risk: Risk
    criterion: Criterion
    is_usual: bool
    used: Preference
    algorithms: int
    rival: Rival | None = None
    best_single: str | None = None
    win_rate_against_best_single: float | None = None
    valued: Literal["criterion", "ratings", "repeated runs"] = "criterion"
    not_observed: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

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
        """Whether the recommendation is sure enough; otherwise it is unclear."""
        return len(self.candidates) == 1 or self.probability_best >= SURE_ENOUGH

    @property
    def loss(self) -> float:
        """The expected loss of the recommendation; see `Candidate`."""
        return self.candidates[0].loss

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
            "loss": [one.loss for one in each],
        }

    def to_frame(self, *, backend: FrameLibrary = "pandas") -> Any:
        """Return `to_table` as a data frame of pandas, polars or pyarrow."""
        return as_frame(self.to_table(), backend)

    def to_dict(self) -> dict[str, Any]:
        """Return the recommendation as plain values, for JSON."""
        return {
            "choice": list(self.candidates[0].members),
            "preference": str(self.preference),
            "risk": str(self.risk),
            "criterion": str(self.criterion),
            "rival": None if self.rival is None else asdict(self.rival),
            "best_single": self.best_single,
            "win_rate_against_best_single": self.win_rate_against_best_single,
            "candidates": [asdict(each) for each in self.candidates],
            "not_observed": list(self.not_observed),
            "findings": [each.to_dict() for each in self.findings],
        }

    def __repr__(self) -> str:
        best = self.candidates[0]
        return f"Selection({best.name!r} of {len(self.candidates)}, best with {best.probability_best:.2f})"


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
        `ProbabilityBest`, `Expected`, `Quantile` or `ExpectedLoss`. By default the recommendation is the most probable best
        choice under `StrongestRival`, and has the highest expected value under other criteria.
    among
        The candidates; by default the Pareto set of a race, the algorithms that are not `dominated` under
        `BayesianBootstrap`, and all algorithms under the paper's priors. For portfolios of a fit they are all algorithms,
        since a dominated one may be the best where the others fail. Algorithms that were not observed at budgets with more
        than 5 % of the weight are left out. Algorithms with the same result on every instance are one candidate.
    portfolio
        The number of machines that run side by side. The best result counts. Under `BayesianBootstrap` a portfolio is valued
        by the share of instances on which one of its members comes first among the candidates. Under the paper's priors its
        rating is the sum of its members' ratings, with multiplicity.
    copies
        Whether an algorithm may run on several machines. Under `BayesianBootstrap` it may only if the candidates' runs were
        repeated on at least half of the instances. These instances then show the value of all portfolios: how often they
        beat one independent run of every candidate.
    criterion
        The criterion at each budget: `StrongestRival` (default), `FirstPlace` (default under the paper's priors), `TopK`,
        `MeanRank` or `WinRateAgainst`. Portfolios are compared by `FirstPlace` only.

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
    is_fit = isinstance(posterior, Posterior)
    posterior, singles = posterior_and_candidates(posterior, among)
    size = _check_size(portfolio)
    # A dominated algorithm is never the best single one, but may be the best where the others fail.
    names = posterior.names if size > 1 and among is None and is_fit else singles
    preference = Uniform() if preference is None else preference
    if criterion is None:
        criterion = default_criterion(posterior) if size == 1 else FirstPlace()
    wanted_risk = risk
    if risk is None:
        risk = ProbabilityBest() if isinstance(criterion, StrongestRival) else Expected()
    _check_arguments(preference, risk, criterion)
    if size > 1 and not isinstance(criterion, FirstPlace):
        raise ValueError(
            f"expected FirstPlace() as the criterion of a portfolio, got {criterion!r} for {size} machines; leave the "
            "criterion out, or choose a single algorithm"
        )
    posterior, used = at_budget(posterior, preference)
    wanted, names = names, observed_candidates(posterior, names, used, criterion)
    names, same = merge_same(posterior, names)
    columns = np.array([posterior.names.index(name) for name in names])
    value, budgets = value_function(used, posterior.grid)
    if isinstance(preference, Custom):
        highest = size if copies and posterior.beliefs is None else 1  # the rating of copies of one algorithm
        _require_monotone(preference, criterion.curves(posterior, columns), highest)
    found, single, win_rate = None, None, None
    if size == 1:
        counts, values = np.eye(len(names), dtype=np.intp), criterion.values(posterior, columns, value, budgets)
    else:
        found = compare_portfolios(posterior, used, risk, columns, size=size, copies=copies)
        counts, values = found.counts, found.values
    half = value(np.full((1, len(posterior.grid.budgets[budgets])), 0.5)).item()
    members = [_members(names, each) for each in counts]
    beats_all = (values > half).mean(axis=0) if isinstance(criterion, StrongestRival) and len(names) > 1 else None
    unsorted = _candidates(members, values, criterion.losses(values, half), risk, beats_all, same)
    order = sorted(range(len(unsorted)), key=lambda place: unsorted[place].sorting_key)
    candidates = tuple(unsorted[place] for place in order)
    if size > 1:
        single = select(posterior, used, wanted_risk, among=singles).candidates[0].members[0]
        win_rate = _win_rate(posterior, used, candidates[0].members, single)
    merged = {other for each in same.values() for other in each}
    left_out = tuple(name for name in wanted if name not in names and name not in merged)
    ranked = names if posterior.beliefs else observed_candidates(posterior, posterior.names, used, criterion)
    valued: Literal["criterion", "ratings", "repeated runs"] = "criterion"
    if found is not None and not isinstance(preference, Custom):
        by_ratings = posterior.beliefs is None and copies
        valued = "ratings" if by_ratings else "criterion" if found.repetitions is None else "repeated runs"
    about: dict[str, Any] = {"not_observed": left_out, "found": found, "copies": copies}
    return Selection(
        candidates=candidates,
        values=values[:, order],
        preference=preference,
        risk=risk,
        criterion=criterion,
        is_usual=size > 1 or criterion == default_criterion(posterior),
        used=used,
        algorithms=len(ranked),
        rival=_strongest_rival(posterior, used, criterion, candidates),
        best_single=single,
        win_rate_against_best_single=win_rate,
        valued=valued,
        not_observed=left_out,
        findings=tuple(findings_on(posterior, preference, used, candidates[0], **about)),
    )


def _strongest_rival(
    posterior: Posterior, used: Preference, criterion: Criterion, candidates: tuple[Candidate, ...]
) -> Rival | None:
    """Return the strongest rival of the best candidate; the strongest other algorithm if there is no other candidate."""
    if not isinstance(criterion, StrongestRival) or posterior.beliefs is None or isinstance(used, Custom):
        return None
    weights, best = used.weights(posterior.grid), candidates[0]
    column, names = posterior.names.index(best.members[0]), [each.members[0] for each in candidates[1:]]
    if is_alone := not names:
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
        return None
    name = min(names, key=lambda each: expected[each])
    rival = Rival(name, expected[name], is_dropped=is_alone)
    if np.count_nonzero(weights) > 1:
        return rival
    budget = int(weights.argmax())
    found = pair_outcomes(posterior.beliefs.sample.rankings, column, posterior.names.index(name))
    wins, losses, number = (int(each[:, budget].sum()) for each in found)
    observed = (number + wins - losses) / (2 * number) if number else None
    return replace(rival, observed=observed, instances=number)


def _candidates(
    members: list[tuple[str, ...]],
    values: Array,
    losses: Array,
    risk: Risk,
    beats_all: Array | None,
    same: dict[str, tuple[str, ...]],
) -> list[Candidate]:
    """Return each candidate with its score, from its values and losses in each draw, (draw, candidate)."""
    best, means, loss = probability_best(values), values.mean(axis=0), losses.mean(axis=0)
    low, high = np.quantile(values, TAILS, axis=0)
    scores = (
        best if isinstance(risk, ProbabilityBest) else -loss if isinstance(risk, ExpectedLoss) else risk.score(values)
    )
    loss = np.where(loss < _ROUNDING * np.abs(means).max(), 0.0, loss)  # or negative, by rounding only
    return [
        Candidate(
            members=own,
            score=float(scores[place]),
            expected=float(means[place]),
            lower=float(low[place]),
            upper=float(high[place]),
            probability_best=float(best[place]),
            loss=float(loss[place]),
            beats_all=None if beats_all is None else float(beats_all[place]),
            same_as=tuple(other for name in own for other in same.get(name, ())),
        )
        for place, own in enumerate(members)
    ]


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


def _require_monotone(preference: Custom, curves: Array, highest: int) -> None:
    """Test a custom preference on draws of every candidate, alone and as a sum of copies."""
    draws, budgets, algorithms = curves.shape
    some = curves[:: max(1, draws * algorithms // _TESTED)].swapaxes(1, 2).reshape(-1, budgets)
    for copies in {1, highest}:
        require_monotone(preference, copies * some, highest=copies, rng=np.random.default_rng(0))


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
