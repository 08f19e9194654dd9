"""Binary data of the page in base64: the draws from which the explorer computes, and win rates of each pair over time.

Under the default belief the explorer needs draws of the win rates of the pairs of algorithms that are kept, one byte each,
and for portfolios of the share of instances on which each algorithm comes first. Under the paper's priors it needs draws of
the ratings of all algorithms. The page holds the square roots of these shares and ratings in sixteen bits, so that small
ones keep their digits. The error is at most 0.002 for a win rate, and 1.6e-5 for a rating.
"""

from __future__ import annotations

import base64
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.observe.pair_outcomes import pair_outcomes
from polarbear.selection.candidates import merge_same
from polarbear.selection.criterion import FirstPlace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array
    from polarbear.posterior.posterior import Posterior

_DRAWS_OF_PAIRS = 300  # of the explorer; a probability then has a standard error below three percentage points
_DRAWS_OF_RATINGS = 1000  # of the explorer, and of the intervals of win rates over time
_BYTES = 880_000  # of the explorer's draws in base64; ten kept algorithms at 50 budgets then have 203 draws
_LARGEST = 65535  # of an unsigned integer of sixteen bits


def pack_draws(
    posterior: Posterior, kept: Sequence[str], *, members: Sequence[str] | None = None, limit: int = _BYTES
) -> dict[str, Any]:
    """Return the first draws of a posterior for the explorer, at most `limit` bytes in base64.

    Parameters
    ----------
    posterior
        The posterior.
    kept
        The algorithms that are compared.
    members
        The algorithms that may be members of portfolios under the default belief; by default those that are kept, too.
    limit
        The number of bytes.

    Returns
    -------
    dict
        `columns` are algorithms, without those that are the same as another one; `same` are these, for each column; `kept`
        are the places of the compared algorithms among the columns. `draws` is the number of draws. `ratings` are in the
        order (budget, column, draw). `rates`, which the paper's priors do not have, are in the order (pair, budget, draw),
        with pairs a < b of kept columns. `refusal` says why there are no ratings and no portfolios, if the algorithms share
        too few instances.
    """
    names, by_pairs = posterior.names, posterior.beliefs is not None
    members = names if not by_pairs else kept if members is None else members
    different, same = merge_same(posterior, tuple(dict.fromkeys([*kept, *members])))
    columns = np.array(sorted(names.index(name) for name in different))
    compared = [place for place, column in enumerate(columns.tolist()) if names[column] in kept]
    pairs = list(combinations(columns[compared].tolist(), 2)) if by_pairs else []
    of_a_draw = len(posterior.grid) * (len(pairs) + 2 * len(columns))  # bytes, of which base64 turns three into four
    most = _DRAWS_OF_PAIRS if by_pairs else _DRAWS_OF_RATINGS
    thinned = posterior.thin(max(1, min(most, limit * 3 // 4 // of_a_draw)))
    ratings, refusal = "", ""
    try:
        roots = np.sqrt(FirstPlace().curves(thinned, columns).transpose(1, 2, 0))
        ratings = _base64(np.rint(roots * _LARGEST).astype("<u2"))
    except ValueError as error:
        if len(compared) < len(columns):  # fewer algorithms may share more instances
            return pack_draws(posterior, kept, limit=limit)
        refusal = str(error)
    return {
        "draws": thinned.draws,
        "columns": columns.tolist(),
        "kept": compared,
        "same": [[names.index(other) for other in same.get(names[column], ())] for column in columns],
        "ratings": ratings,
        "rates": _as_bytes(np.array([thinned.win_rates(a, b) for a, b in pairs])) if by_pairs else None,
        "refusal": refusal,
    }


def pack_win_rates(posterior: Posterior, *, level: float) -> str:
    """Return win rates of each pair a < b over time in base64, one byte each, in the order (pair, quantity, budget).

    The quantities are the mean, the lower and the upper end of the credible interval, and the probability of a win rate
    above one half. Intervals are from at most a thousand draws. One byte resolves steps of 1/255, finer than a chart shows.
    """
    thinned, tails = posterior.thin(_DRAWS_OF_RATINGS), [(1 - level) / 2, (1 + level) / 2]
    shares = [
        [
            posterior.expected_win_rate(a, b),
            *np.quantile(thinned.win_rates(a, b), tails, axis=1),
            posterior.win_rate_above(a, b),
        ]
        for a, b in combinations(range(len(posterior.names)), 2)
    ]
    return _as_bytes(np.array(shares))


def pack_observed(posterior: Posterior) -> str:
    """Return what was observed of each pair a < b in base64, sixteen bits each, in the order (pair, quantity, budget).

    The quantities are the share of the compared instances that a won, in units of 1/65535, and their number. Ties count one
    half. Under the paper's priors, which keep no outcomes, the text is empty.
    """
    if posterior.beliefs is None:
        return ""
    numbers = []
    for a, b in combinations(range(len(posterior.names)), 2):
        found = pair_outcomes(posterior.beliefs.sample.rankings, a, b)
        wins, losses, compared = (each.sum(axis=0) for each in found)
        share = (compared + wins - losses) / (2 * np.maximum(compared, 1))
        numbers.append([share * _LARGEST, np.minimum(compared, _LARGEST)])
    return _base64(np.rint(np.array(numbers)).astype("<u2"))


def _as_bytes(shares: Array) -> str:
    return _base64(np.rint(255 * shares).astype(np.uint8))


def _base64(numbers: np.ndarray[Any, Any]) -> str:
    return base64.b64encode(np.ascontiguousarray(numbers).tobytes()).decode("ascii")
