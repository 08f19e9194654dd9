"""The table of pairs: one row per ordered pair, summarised over time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.posterior.relations import anytime_dominance, dominance, equivalence, win_probability

if TYPE_CHECKING:
    from polarbear.posterior.posterior import Posterior
    from polarbear.table import Table


def pairwise_table(posterior: Posterior, *, rope: float = 0.05) -> Table:
    """Return one row per ordered pair: win rates, and the probability that the first beats the second on most instances.

    `beats_everywhere` is this probability jointly over all times. Under a prior that treats each time alone,
    `beats_at_each_time` replaces it: the probability at the least certain time. `win_rate` is the expected share of
    instances on which the first beats the second, averaged over the times.
    """
    beats, wins, equal = dominance(posterior), win_probability(posterior), equivalence(posterior, rope=rope)
    # A pair that wins in no draw at some time cannot win at all times; skip it.
    everywhere = anytime_dominance(posterior, where=beats.min(axis=0) > 0) if posterior.joint else beats.min(axis=0)
    pairs = [(a, b) for a in range(len(posterior.names)) for b in range(len(posterior.names)) if a != b]
    rows, columns = np.array(pairs, dtype=int).reshape(-1, 2).T
    return {
        "algorithm_name": [posterior.names[a] for a in rows],
        "against": [posterior.names[b] for b in columns],
        "beats_everywhere" if posterior.joint else "beats_at_each_time": everywhere[rows, columns],
        "beats_at_start": beats[0][rows, columns],
        "beats_at_end": beats[-1][rows, columns],
        "win_rate": wins[:, rows, columns].mean(axis=0),
        "win_rate_at_start": wins[0][rows, columns],
        "win_rate_at_end": wins[-1][rows, columns],
        "equal_share": equal[:, rows, columns].mean(axis=0),
    }
