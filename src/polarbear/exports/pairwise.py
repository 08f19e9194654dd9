"""The table of pairs: one row per ordered pair, summarised over time; and the number of comparisons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.relations import anytime_dominance, dominance, equivalence, win_probability

if TYPE_CHECKING:
    from collections.abc import Collection

    from polarbear.arrays import Array
    from polarbear.posterior.posterior import Posterior
    from polarbear.table import Table


def pairwise_table(posterior: Posterior, *, margin: float = 0.05, among: Collection[str] | None = None) -> Table:
    """Return one row per ordered pair: win rates, and the probability that the first beats the second on most instances.

    With `among`, only pairs of these algorithms have a row.

    `beats_everywhere` is this probability jointly over all budgets. Under a prior that treats each budget alone,
    `beats_at_each_budget` replaces it: the probability at the least certain budget. `win_rate` is the expected share of
    instances on which the first beats the second, averaged over the budgets. Budgets at which one of the two was not
    observed do not count, and what would be about such budgets is NaN.
    """
    known, included = posterior.observed_pairs, np.array([among is None or name in among for name in posterior.names])
    where = included & included[:, None]
    beats, wins, equal = (
        np.where(known, each, np.nan)
        for each in (
            dominance(posterior, where=where),
            win_probability(posterior, where=where),
            equivalence(posterior, margin=margin, where=where),
        )
    )
    least = beats.min(axis=0)
    # A pair that wins in no draw at some budget cannot win at all budgets; skip it.
    everywhere = anytime_dominance(posterior, where=where & (least > 0)) if posterior.joint else least
    everywhere = np.where(known.all(axis=0), everywhere, np.nan)
    rows, columns = np.nonzero(where & ~np.eye(len(posterior.names), dtype=bool))
    return {
        "algorithm_name": [posterior.names[a] for a in rows],
        "against": [posterior.names[b] for b in columns],
        "beats_everywhere" if posterior.joint else "beats_at_each_budget": everywhere[rows, columns],
        "beats_at_start": beats[0][rows, columns],
        "beats_at_end": beats[-1][rows, columns],
        "win_rate": _mean_over_time(wins[:, rows, columns]),
        "win_rate_at_start": wins[0][rows, columns],
        "win_rate_at_end": wins[-1][rows, columns],
        "equal_share": _mean_over_time(equal[:, rows, columns]),
    }


def comparisons_by_name(posterior: Posterior) -> dict[str, list[int]] | None:
    """Return the number of comparisons of each algorithm at each budget of the grid; None if it is unknown."""
    if posterior.comparisons is None:
        return None
    return dict(zip(posterior.names, posterior.comparisons.T.tolist(), strict=True))


def _mean_over_time(values: Array) -> Array:
    """Return the means over time of values (budget, pair), without NaN; NaN for pairs without any value."""
    known = np.isfinite(values)
    sums: Array = np.where(known, values, 0.0).sum(axis=0)
    means: Array = np.divide(sums, known.sum(axis=0), out=np.full_like(sums, np.nan), where=known.any(axis=0))
    return means
