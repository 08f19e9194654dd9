"""Worst-case regret: the expected loss from not knowing the ratings exactly, under the least favourable preference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.candidates import posterior_and_candidates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.candidates import DecidedRace


@dataclass(frozen=True)
class RegretBounds:
    """Bounds of the worst-case reducible regret, in units of the probability of being first.

    Attributes
    ----------
    lower
        Lower bound: the regret of one preference, a single budget or a weight over time.
    upper
        Upper bound.
    time
        The single budget with the largest regret.
    """

    lower: float
    upper: float
    time: float


def worst_case_regret(posterior: Posterior | DecidedRace, *, among: Sequence[str] | None = None) -> RegretBounds:
    r"""Bound the worst-case reducible regret over monotone preferences.

    Under a preference u, with V_A = u(θ_A), the best A given the posterior has the expected regret
    E[max_B V_B] − max_A E[V_A] (the paper's minimum of Regret(A, u) over A). It is the value of perfect information about θ,
    and it vanishes as the posterior concentrates, so it is reducible. A preference may be multiplied by any number, so the
    supremum is taken over preferences that are 1-Lipschitz in the ratings,
    |u(θ) − u(θ')| ≤ max_t |θ(t) − θ'(t)|: averages over time with any weights, single budgets, minima, and more.

    *Upper bound.* Write m_A = E[V_A]. Since max_B V_B ≤ max_B m_B + max_B (V_B − m_B),

        E[max_B V_B] − max_A m_A  ≤  E[max_B (V_B − m_B)].

    Let θ' be an independent copy of θ, and θ ∨ θ' the pointwise maximum. Since u is monotone and 1-Lipschitz,
    u(θ) ≤ u(θ ∨ θ') ≤ u(θ') + max_t (θ(t) − θ'(t))⁺. Hence
    V_B − m_B = E'[u(θ_B) − u(θ'_B)] ≤ E'[max_t (θ_B(t) − θ'_B(t))⁺] =: D_B(θ_B), and

        sup_u min_A Regret(A, u)  ≤  E[max_B D_B(θ_B)].

    *Lower bound.* The largest value of the left-hand side over single budgets and over averages of neighbouring budgets, all
    of which are such preferences. With a single candidate both bounds are zero. Where an algorithm was not observed, its
    rating counts as zero: it is not recommended there.

    Expectations are averages over draws. Those of the upper bound use 200 draws and all their pairs.

    Parameters
    ----------
    posterior
        A posterior, or the result of a race.
    among
        The candidates; by default all algorithms of a posterior, and the Pareto set of a race.
    """
    posterior, names = posterior_and_candidates(posterior, among)
    if len(names) == 1:
        return RegretBounds(0.0, 0.0, float(posterior.grid.times[0]))
    columns = [posterior.names.index(name) for name in names]
    ratings = np.ascontiguousarray(posterior.ratings.transpose(1, 2, 0)[:, columns])  # contiguous draws are faster
    ratings[~posterior.observed[:, columns]] = 0.0
    at_times = _value_of_information(ratings)
    worst = int(at_times.argmax())
    lower = max(float(at_times[worst]), 0.0)  # the value of information is negative by rounding only
    if posterior.joint:
        averages, width = ratings, 1
        while 2 * width <= len(ratings):
            averages = (averages[:-width] + averages[width:]) / 2  # doubles the number of neighbours per average
            width *= 2
            lower = max(lower, float(_value_of_information(averages).max()))
    return RegretBounds(lower, max(lower, _upper_bound(ratings)), float(posterior.grid.times[worst]))


def _value_of_information(values: Array) -> Array:
    """Return E[max_B V_B] − max_A E[V_A] per preference, for values (preference, algorithm, draw)."""
    value: Array = values.max(axis=1).mean(axis=1) - values.mean(axis=2).max(axis=1)
    return value


def _upper_bound(ratings: Array, *, copies: int = 200) -> float:
    """Return E[max_B D_B(θ_B)] for ratings (time, algorithm, draw), with both expectations over evenly spaced draws."""
    draws = ratings.shape[2]
    chosen = ratings[..., np.linspace(0, draws - 1, min(copies, draws)).astype(int)]
    number = chosen.shape[2]
    # A draw has distance zero to itself and is no independent copy, so the mean is over number - 1.
    distance = np.array([(chosen[..., [k]] - chosen).max(axis=0).clip(0).sum(axis=1) for k in range(number)])
    return float(distance.max(axis=1).mean() / max(number - 1, 1))
