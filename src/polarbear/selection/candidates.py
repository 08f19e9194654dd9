"""The algorithms that a query compares, and the names of portfolios of them."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from polarbear.posterior.posterior import Posterior


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
