"""The algorithms and portfolios that a query compares, and their names."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from polarbear.posterior.posterior import Posterior


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
    regret
        The expected loss in value against the candidate that turns out best.
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
        """The members as text, such as "cma + 2 x de"."""
        return portfolio_name(self.members)


def check_candidates(posterior: Posterior, among: Sequence[str] | None) -> tuple[str, ...]:
    """Return the requested candidates in the order of the posterior."""
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


def portfolio_name(members: Iterable[str]) -> str:
    """Return the members of a portfolio as text.

    Examples
    --------
    >>> portfolio_name(["cma", "de", "de"])
    'cma + 2 x de'
    """
    return " + ".join(name if count == 1 else f"{count} x {name}" for name, count in Counter(members).items())
