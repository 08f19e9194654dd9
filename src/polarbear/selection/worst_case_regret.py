"""Worst-case regret: what is still lost, under the least convenient preference, by not knowing the ratings exactly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.recommendation import among_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from polarbear.posterior.posterior import Posterior

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

    Let θ' be an independent copy of θ, and θ ∨ θ' the higher of both at each time. As u is monotone and changes no faster
    than the ratings, u(θ) ≤ u(θ ∨ θ') ≤ u(θ') + max_t (θ(t) − θ'(t))⁺. Hence
    V_B − m_B = E'[u(θ_B) − u(θ'_B)] ≤ E'[max_t (θ_B(t) − θ'_B(t))⁺] =: D_B(θ_B), and

        sup_u min_A Regret(A, u)  ≤  E[max_B D_B(θ_B)].

    *Lower bound*: the largest value of the left-hand side over single budgets and over averages of neighbouring ones, each
    of which is such a preference. With a single candidate nothing is to be decided, and both bounds are zero.

    Expectations are averages over draws, those of the upper bound over 200 of them and all their pairs.

    Parameters
    ----------
    posterior
        The belief.
    among
        The algorithms to choose from, such as a race's Pareto set; all by default.
    """
    names = among_names(posterior, among)
    if len(names) == 1:
        return RegretBounds(0.0, 0.0, float(posterior.grid.times[0]))
    columns = [posterior.names.index(name) for name in names]
    ratings = np.ascontiguousarray(posterior.ratings.transpose(1, 2, 0)[:, columns])  # draws side by side: faster
    at_times = _value_of_information(ratings)
    worst = int(at_times.argmax())
    lower = max(float(at_times[worst]), 0.0)  # rounding apart, knowing more never costs
    if posterior.joint:
        averages, width = ratings, 1
        while 2 * width <= len(ratings):
            averages = (averages[:-width] + averages[width:]) / 2  # of twice as many neighbours
            width *= 2
            lower = max(lower, float(_value_of_information(averages).max()))
    return RegretBounds(lower, max(lower, _upper_bound(ratings)), float(posterior.grid.times[worst]))


def _value_of_information(values: Array) -> Array:
    """E[max_B V_B] − max_A E[V_A] of values (preference, algorithm, draw), for each preference."""
    value: Array = values.max(axis=1).mean(axis=1) - values.mean(axis=2).max(axis=1)
    return value


def _upper_bound(ratings: Array, *, copies: int = 200) -> float:
    """E[max_B D_B(θ_B)] of ratings (time, algorithm, draw), both expectations over draws that are evenly spread."""
    draws = ratings.shape[2]
    chosen = ratings[..., np.linspace(0, draws - 1, min(copies, draws)).astype(int)]
    number = chosen.shape[2]
    # A draw is at distance zero from itself, and an independent copy is not.
    distance = np.array([(chosen[..., [k]] - chosen).max(axis=0).clip(0).sum(axis=1) for k in range(number)])
    return float(distance.max(axis=1).mean() / max(number - 1, 1))
