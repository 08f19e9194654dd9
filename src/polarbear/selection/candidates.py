"""The algorithms and portfolios that a query compares, and their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Protocol

from polarbear.posterior.elimination import pareto_set
from polarbear.posterior.posterior import Posterior

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class DecidedRace(Protocol):
    """The result of a race, as far as a selection needs it."""

    @property
    def posterior(self) -> Posterior:
        """The posterior of all algorithms that have run."""

    @property
    def kept(self) -> tuple[str, ...]:
        """The algorithms that have not been dropped."""


@dataclass(frozen=True)
class Candidate:
    """An algorithm or portfolio that `select` compares.

    Attributes
    ----------
    members
        The algorithm, or the algorithms that run side by side.
    score
        The score under the risk attitude; higher is better.
    expected, lower, upper
        Mean, 2.5 % quantile and 97.5 % quantile of the value.
    probability_best
        The probability that no other candidate has a higher value.
    loss
        The expected loss: in value against the candidate that turns out best or, under `StrongestRival`, the expectation of
        max(0, ½ − s), by how much the strongest rival wins more than half.
    beats_all
        Under `StrongestRival`, the probability that it beats every other candidate; else None.
    same_as
        Further algorithms with the same result on every instance.
    """

    members: tuple[str, ...]
    score: float
    expected: float
    lower: float
    upper: float
    probability_best: float
    loss: float
    beats_all: float | None = None
    same_as: tuple[str, ...] = ()

    @property
    def sorting_key(self) -> tuple[float, float, str]:
        """The order of candidates: by score, then by expected value, then by name."""
        return -self.score, -self.expected, portfolio_name(self.members)

    @property
    def name(self) -> str:
        """The members as text, such as "cma + 2 x de", or a single one with the algorithms that are the same."""
        single = len(self.members) == 1
        return " = ".join([portfolio_name(self.members), *(self.same_as if single else ())])


def posterior_and_candidates(
    source: Posterior | DecidedRace, among: Sequence[str] | None
) -> tuple[Posterior, tuple[str, ...]]:
    """Return the posterior of a fit or a race, and the requested candidates in its order.

    By default, these are the kept algorithms of a race as far as they have run, the algorithms that are not dominated under
    `BayesianBootstrap`, and all algorithms under the paper's priors.
    """
    if isinstance(source, Posterior):
        if among is None and source.beliefs is not None:
            among = pareto_set(source)
        return source, check_candidates(source, among)
    if not hasattr(source, "kept"):
        raise _type_error(source)
    posterior = source.posterior
    known = [name for name in source.kept if name in posterior.names]
    return posterior, check_candidates(posterior, known if among is None else among)


def merge_same(posterior: Posterior, names: tuple[str, ...]) -> tuple[tuple[str, ...], dict[str, tuple[str, ...]]]:
    """Return the candidates without repetitions, and the algorithms that are the same as one of them.

    Two algorithms are the same if they have the same instances at every budget, at least one, and tie on all of them. Only
    `BayesianBootstrap` has outcomes that show it.
    """
    if posterior.beliefs is None:
        return names, {}
    same: dict[str, tuple[str, ...]] = {}
    for name in names:
        column = posterior.names.index(name)
        twin = next((each for each in same if posterior.beliefs.are_same(posterior.names.index(each), column)), None)
        if twin is None:
            same[name] = ()
        else:
            same[twin] = (*same[twin], name)
    return tuple(same), {name: others for name, others in same.items() if others}


def check_candidates(posterior: Posterior, among: Sequence[str] | None) -> tuple[str, ...]:
    """Return the requested candidates in the order of the posterior."""
    if not isinstance(posterior, Posterior):
        raise _type_error(posterior)
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


def _type_error(source: object) -> ValueError:
    own = hasattr(source, "posterior")
    advice = "pass its posterior" if own else "pass the posterior of a fit, or of the result of a race"
    return ValueError(f"expected a posterior, got {type(source).__name__}; {advice}")


def portfolio_name(members: Iterable[str]) -> str:
    """Return the members of a portfolio as text.

    Examples
    --------
    >>> portfolio_name(["cma", "de", "de"])
    'cma + 2 x de'
    """
    return " + ".join(name if count == 1 else f"{count} x {name}" for name, count in Counter(members).items())
