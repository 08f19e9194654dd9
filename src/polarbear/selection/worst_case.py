"""Worst-case regret: what somebody with the least convenient preference still loses by not knowing the ratings exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.choice import among_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polarbear.posterior import Posterior

    Array = NDArray[np.float64]


@dataclass(frozen=True)
class RegretBounds:
    """Bounds of the worst-case reducible regret, in units of the probability of being first.

    Attributes
    ----------
    lower
        It is at least this: the regret of a preference that was found, a single budget or a weight over time.
    upper
        It is at most this.
    time
        The single budget at which most is at stake.
    """

    lower: float
    upper: float
    time: float


def regret(posterior: Posterior, *, among: Sequence[str] | None = None) -> RegretBounds:
    r"""Bound the worst-case reducible regret over monotone preferences.

    Under a preference u, with V_A = u(θ_A), the best choice A now has the expected regret
    E[max_B V_B] − max_A E[V_A] (the paper's minimum of Regret(A, u) over A). It is what knowing θ exactly would be worth,
    and it vanishes when the posterior concentrates: the reducible part. A preference may be multiplied by any number, so the
    supremum is taken over those that change no faster than the ratings,
    |u(θ) − u(θ')| ≤ max_t |θ(t) − θ'(t)|: averages over time with any weights, any single budget, minima, and more.

    *Upper bound.* Write m_A = E[V_A]. Since max_B V_B ≤ max_B m_B + max_B (V_B − m_B),

        E[max_B V_B] − max_A m_A  ≤  E[max_B (V_B − m_B)].

    Let θ' be an independent copy of θ. Then V_B − m_B = E'[u(θ_B) − u(θ'_B)] ≤ E'[max_t |θ_B(t) − θ'_B(t)|] =: D_B(θ_B), and

        sup_u min_A Regret(A, u)  ≤  E[max_B D_B(θ_B)].

    With a single candidate nothing is to be decided, and both bounds are zero. *Lower bound*: the largest value of the
    left-hand side over single budgets and over averages of neighbouring ones, each of which is such a preference.

    Parameters
    ----------
    posterior
        The belief.
    among
        The algorithms to choose from, such as a race's Pareto set; all by default.
    """
    names = among_names(posterior, among)
    ratings = posterior.ratings[..., [posterior.names.index(name) for name in names]]
    if len(names) == 1:
        return RegretBounds(0.0, 0.0, float(posterior.grid.times[0]))
    at_times = _value_of_information(ratings)
    worst = int(at_times.argmax())
    lower = float(at_times[worst])
    for width in (2, 4, 8, 16, 32):
        if posterior.joint and width <= ratings.shape[1]:
            sums = np.cumsum(np.pad(ratings, ((0, 0), (1, 0), (0, 0))), axis=1)
            averages = (sums[:, width:] - sums[:, :-width]) / width
            lower = max(lower, float(_value_of_information(averages).max()))
    return RegretBounds(lower, max(lower, _upper_bound(ratings)), float(posterior.grid.times[worst]))


def _value_of_information(values: Array) -> Array:
    """E[max_B V_B] − max_A E[V_A] of values (draw, preference, algorithm), for each preference."""
    value: Array = values.max(axis=2).mean(axis=0) - values.mean(axis=0).max(axis=1)
    return value


def _upper_bound(ratings: Array, *, copies: int = 200) -> float:
    """E[max_B D_B(θ_B)], the inner expectation over other draws, evenly spread."""
    chosen = ratings[np.linspace(0, len(ratings) - 1, min(copies, len(ratings))).astype(int)]
    distance = np.empty((len(chosen), ratings.shape[2]))
    for row, draw in enumerate(chosen):
        distance[row] = np.abs(chosen - draw).max(axis=1).mean(axis=0)
    # A draw is at distance zero from itself, and an independent copy is not.
    scale = len(chosen) / max(len(chosen) - 1, 1)
    return float(distance.max(axis=1).mean() * scale)
