"""Which algorithms were observed at which budgets, so that nothing is claimed where there are no data.

`observed_candidates` returns the candidates that a query can compare. `describe_unobserved` lists the budgets at which
algorithms were not observed.
"""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.names import index_of
from polarbear.selection.criterion import WinRateAgainst
from polarbear.selection.custom_preference import Custom
from polarbear.wording import format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Mask
    from polarbear.observe import Grid
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.criterion import Criterion
    from polarbear.selection.preference import Preference

# Largest share of a preference's weight at which a candidate may be unobserved. Broad preferences give some weight to all
# budgets, and a share this small hardly changes a value; the explorer of the report uses the same number.
_NEGLIGIBLE = 0.05
_MOST = 10  # groups of algorithms that are listed

_CLAUSE = "not observed together with another algorithm"


class NotObservedError(ValueError):
    """A query about budgets at which no candidate was observed together with another algorithm."""


def observed_candidates(
    posterior: Posterior, names: tuple[str, ...], preference: Preference, criterion: Criterion
) -> tuple[str, ...]:
    """Return the candidates that were observed where the preference has weight; raise an error if there is none.

    A candidate may be unobserved at budgets with at most 5 % of the weight. A custom preference may depend on every budget,
    so its candidates must be observed at all of them. A win rate needs the other algorithm at the same budgets, too.
    """
    observed = posterior.observed
    if isinstance(criterion, WinRateAgainst):
        observed = observed & observed[:, [index_of(criterion.baseline, posterior.names)]]
    if observed.all():
        return names
    # A custom preference has no weights, and any budget may decide its value.
    weights = np.ones(len(observed)) if isinstance(preference, Custom) else preference.weights(posterior.grid)
    enough = dict(zip(posterior.names, (weights @ ~observed <= _NEGLIGIBLE).tolist(), strict=True))
    kept = tuple(name for name in names if enough[name])
    if kept:
        return kept
    against = isinstance(criterion, WinRateAgainst)
    needed = (
        f"both a candidate and {criterion.baseline} were"
        if isinstance(criterion, WinRateAgainst)
        else "a candidate was"
    )
    gaps = "; ".join(describe_unobserved(posterior, among=posterior.names if against else names))
    raise NotObservedError(
        f"expected budgets at which {needed} observed together with another algorithm, got "
        f"{preference}, for which there is none ({_CLAUSE}: {gaps}); ask for other budgets, or run the algorithms longer"
    )


def describe_unobserved(posterior: Posterior, *, among: Sequence[str] | None = None) -> list[str]:
    """Return one phrase for each group of algorithms that were not observed at the same budgets; empty if all were.

    Examples
    --------
    >>> import polarbear as pb
    >>> values = [[[1.0, 2.0, 3.0], [1.0, 2.0, float("nan")]]] * 4
    >>> choices = pb.Choices.from_values(values, grid=[10, 100], names=["cma", "de", "short"])
    >>> describe_unobserved(pb.fit(choices, draws=100))
    ['short after 10']
    """
    groups: dict[str, list[str]] = {}
    for name in posterior.names if among is None else among:
        observed = posterior.observed[:, posterior.names.index(name)]
        if not observed.all():
            groups.setdefault(_gaps(posterior.grid, observed), []).append(name)
    phrases = [f"{_join(names)} {gaps}" for gaps, names in groups.items()]
    more = sum(map(len, list(groups.values())[_MOST:]))
    return [*phrases[:_MOST], f"{more} more algorithms at some budgets"] if more else phrases


def unobserved_sentence(posterior: Posterior, *, among: Sequence[str] | None = None) -> str:
    """Return a sentence on which algorithms were not observed when; empty if all were observed at all budgets."""
    phrases = describe_unobserved(posterior, among=among)
    return f"{_CLAUSE[0].upper()}{_CLAUSE[1:]}: {'; '.join(phrases)}." if phrases else ""


def _gaps(grid: Grid, observed: Mask) -> str:
    """Return the budgets without observations in words, such as "before 5 and after 10"."""
    if not observed.any():
        return f"at {format_number(grid.budgets[0])}" if len(grid) == 1 else "at any budget"
    budgets, last, words = grid.budgets, len(observed) - 1, []
    for known, group in groupby(range(len(observed)), key=lambda k: bool(observed[k])):
        places = list(group)
        if known:
            continue
        before, after = places[0] - 1, places[-1] + 1
        if before < 0:
            words.append(f"before {format_number(budgets[after])}")
        elif after > last:
            words.append(f"after {format_number(budgets[before])}")
        else:
            words.append(f"between {format_number(budgets[before])} and {format_number(budgets[after])}")
    return _join(words)


def _join(words: Sequence[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"
