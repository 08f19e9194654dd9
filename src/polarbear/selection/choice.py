"""The choice: which algorithm, or portfolio, to deploy under a preference and a risk attitude, and how sure that is."""

from __future__ import annotations

import operator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.portfolio import all_portfolios, few_enough, member_values, search, values_of
from polarbear.selection.preference import At, BudgetDistribution, Custom, Final, Uniform, require_monotone
from polarbear.selection.risk import Expected, ProbabilityBest, quantiles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polarbear.posterior import Posterior
    from polarbear.selection.preference import Preference
    from polarbear.selection.risk import Risk

    Array = NDArray[np.float64]

_TRIED = 200  # drawn curves on which a custom preference must be monotone
_NEARLY_ALL = 0.99  # of a distribution of budgets; less within the grid is worth a word


@dataclass(frozen=True)
class Candidate:
    """One thing that could be chosen.

    Attributes
    ----------
    members
        The algorithm, or those that run side by side.
    score
        Under the risk attitude, the higher the better.
    expected, lower, upper
        Mean, 5 % and 95 % quantile of the value.
    probability_best
        That no other candidate has a higher value.
    regret
        What choosing it costs on average against whoever turns out best.
    """

    members: tuple[str, ...]
    score: float
    expected: float
    lower: float
    upper: float
    probability_best: float
    regret: float

    @property
    def name(self) -> str:
        """For people."""
        counted = {member: self.members.count(member) for member in self.members}
        return " + ".join(name if number == 1 else f"{number} x {name}" for name, number in counted.items())


@dataclass(frozen=True, eq=False)
class Selection:
    """An answer that explains itself.

    Attributes
    ----------
    candidates
        All that were compared, the best first.
    sentence
        The answer in words.
    values
        The drawn values (draw, candidate), for any other question.
    """

    candidates: tuple[Candidate, ...]
    sentence: str
    values: Array

    @property
    def choice(self) -> str | tuple[str, ...]:
        """The algorithm to deploy, or the members of the portfolio."""
        members = self.candidates[0].members
        return members[0] if len(members) == 1 else members

    @property
    def probability_best(self) -> float:
        """How sure it is that nothing else would have been better."""
        return self.candidates[0].probability_best

    @property
    def regret(self) -> float:
        """What the choice costs on average against whoever turns out best."""
        return self.candidates[0].regret

    def __repr__(self) -> str:
        return f"Selection({self.sentence})"

    def __str__(self) -> str:
        width = max(9, *(len(each.name) for each in self.candidates[:10]))
        lines = [self.sentence, "", f"{'':{width}}  value [5 %, 95 %]     P(best)  regret"]
        for each in self.candidates[:10]:
            value = f"{each.expected:.3f} [{each.lower:.3f}, {each.upper:.3f}]"
            lines.append(f"{each.name:{width}}  {value}  {each.probability_best:7.3f}  {each.regret:.4f}")
        if len(self.candidates) > 10:
            lines.append(f"... and {len(self.candidates) - 10} more")
        return "\n".join(lines)


def select(
    posterior: Posterior,
    preference: Preference | None = None,
    risk: Risk | None = None,
    *,
    among: Sequence[str] | None = None,
    portfolio: int = 1,
) -> Selection:
    """Choose what to deploy; milliseconds, and nothing is run.

    Parameters
    ----------
    posterior
        The belief that a race or a fit left.
    preference
        How time counts: `Uniform` (default), `At`, `Final`, `LogUniform`, `Between`, `Weighted`, `BudgetDistribution` or
        `Custom`.
    risk
        `Expected` (default), `ProbabilityBest`, `Quantile` or `Regret`.
    among
        The algorithms to choose from, such as a race's Pareto set; all by default.
    portfolio
        How many machines run side by side; an algorithm may be on several.

    Returns
    -------
    Selection

    Examples
    --------
    >>> import polarbear as pb
    >>> values = [[[1.0, 2.0], [1.0, 2.0]], [[1.0, 3.0], [2.0, 1.0]], [[0.5, 0.7], [0.4, 0.6]]]
    >>> choices = pb.Choices.from_values(values, grid=[10, 100], names=["cma", "rs"])
    >>> posterior = pb.fit(choices, prior=pb.RandomWalk(), seed=1)
    >>> pb.select(posterior, pb.At(10)).choice
    'cma'
    """
    preference = Uniform() if preference is None else preference
    risk = Expected() if risk is None else risk
    _check(preference, risk)
    names = among_names(posterior, among)
    size = _machines(portfolio)
    columns = [posterior.names.index(name) for name in names]
    custom = preference if isinstance(preference, Custom) else None
    if isinstance(preference, Custom):
        members = posterior.ratings[..., columns]
        _require_monotone(preference, members, size)
    else:
        members = member_values(posterior.ratings, preference.weights(posterior.grid))[:, columns]
    exhaustive = few_enough(members, size)
    counts = all_portfolios(len(names), size) if exhaustive else search(members, size, risk, custom)
    values = values_of(members, counts, custom)
    scores = risk.score(values)
    order = np.argsort(-scores, kind="stable")
    best = ProbabilityBest().score(values)
    low, high = quantiles(values, 0.05, 0.95)
    means = values.mean(axis=0)
    regret = np.maximum(values.max(axis=1).mean() - means, 0.0)  # rounding apart, nothing beats the best
    candidates = tuple(
        Candidate(
            members=tuple(name for name, count in zip(names, counts[index], strict=True) for _ in range(count)),
            score=float(scores[index]),
            expected=float(means[index]),
            lower=float(low[index]),
            upper=float(high[index]),
            probability_best=float(best[index]),
            regret=float(regret[index]),
        )
        for index in order
    )
    sentence = _sentence(posterior, preference, risk, candidates, exhaustive)
    return Selection(candidates, sentence, values[:, order])


def _sentence(
    posterior: Posterior, preference: Preference, risk: Risk, candidates: tuple[Candidate, ...], exhaustive: bool
) -> str:
    best = candidates[0]
    words = [f"For {preference}, by {risk}, choose {best.name}"]
    if len(candidates) > 1:
        words[0] += (
            f": it is the best of {len(candidates)} with probability {best.probability_best:.2f}, and costs "
            f"{best.regret:.3f} in expected regret; next comes {candidates[1].name}"
        )
    if not exhaustive:
        words.append("There are too many portfolios to compare them all; this is the best that a search met")
    elif len(best.members) > 1 and not isinstance(preference, Custom) and isinstance(risk, Expected | ProbabilityBest):
        words.append(
            "For a preference that is linear in the ratings, copies of the best algorithm are the best portfolio"
        )
    if isinstance(preference, BudgetDistribution) and (mass := preference.mass_within(posterior.grid)) < _NEARLY_ALL:
        words.append(f"Only {100 * mass:.2g} % of the budgets lie within the grid; the others are left out")
    if not posterior.joint and not isinstance(preference, At | Final):
        words.append(
            f"The prior {posterior.prior} treats each time alone: over several times expected values of linear "
            "preferences hold, but probabilities and regret take the times for independent; a temporal prior does not"
        )
    if not posterior.diagnostics.reliable:
        words.append("The posterior is not reliable: " + posterior.diagnostics.message.rstrip("."))
    return ". ".join(words) + "."


def among_names(posterior: Posterior, among: Sequence[str] | None) -> tuple[str, ...]:
    """The candidates that were asked for, in the posterior's order."""
    if among is None:
        return posterior.names
    names = (among,) if isinstance(among, str) else tuple(among)
    unknown = [name for name in names if name not in posterior.names]
    if unknown or not names or len(set(names)) < len(names):
        near = [close for name in unknown for close in get_close_matches(str(name), posterior.names, n=1)]
        raise ValueError(
            f"expected different candidates among {', '.join(posterior.names)}, got {', '.join(map(repr, names)) or 'none'}"
            + (f"; did you mean {' and '.join(map(repr, near))}?" if near else "")
        )
    return tuple(name for name in posterior.names if name in names)


def _machines(portfolio: int) -> int:
    try:
        size = -1 if isinstance(portfolio, bool) else operator.index(portfolio)
    except TypeError:
        size = -1
    if size < 1:
        raise ValueError(f"portfolio is a whole number of machines, at least 1, got {portfolio!r}")
    return size


def _require_monotone(preference: Custom, ratings: Array, size: int) -> None:
    """Try a custom preference on some draws of every candidate, alone and, for portfolios, on every machine."""
    draws, times, algorithms = ratings.shape
    some = ratings[:: max(1, draws * algorithms // _TRIED)]
    curves = np.moveaxis(some, -1, 1).reshape(-1, times)
    for copies in {1, size}:
        require_monotone(preference, copies * curves, highest=copies, rng=np.random.default_rng(0))


def _check(preference: object, risk: object) -> None:
    for given, kind, example in ((preference, "preference", "Uniform()"), (risk, "risk", "Expected()")):
        method = "weights" if kind == "preference" else "score"
        if isinstance(given, type):
            raise ValueError(f"expected a {kind} such as {example}, got the class {given.__name__}; add parentheses")
        if not (hasattr(given, method) or (kind == "preference" and isinstance(given, Custom))):
            raise ValueError(f"expected a {kind} such as {example}, got {given!r}")
