"""Worst-case loss: what a choice loses from not knowing the algorithms exactly, or the budget."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from polarbear.selection.candidates import posterior_and_candidates

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array, Indices
    from polarbear.posterior.posterior import Posterior
    from polarbear.selection.candidates import DecidedRace

_COPIES = 200  # draws of the upper bound, all pairs of which are compared
_NUMBERS = 12_000_000  # of the curves of all pairs: a hundred megabytes


@dataclass(frozen=True)
class LossBounds:
    """The worst-case loss of a choice without knowing the preference, in units of the value at one budget.

    Attributes
    ----------
    lower, upper
        Bounds of the reducible loss, which more data would remove.
    budget
        The single budget with the largest reducible loss.
    irreducible
        The loss that no data remove: how much the best fixed choice loses at its worst budget against the best choice
        there, if the values were exactly their expectations.
    choice
        The fixed choice that loses least at its worst budget.
    """

    lower: float
    upper: float
    budget: float
    irreducible: float
    choice: str


def worst_case_loss(posterior: Posterior | DecidedRace, *, among: Sequence[str] | None = None) -> LossBounds:
    r"""Bound the worst-case loss over monotone preferences, reducible and irreducible.

    Under a preference u, with values V_A, the best A given the posterior has the expected loss
    E[max_B V_B] − max_A E[V_A] (the paper's minimum of Regret(A, u) over A). It is the value of perfect information, and it
    vanishes as the posterior concentrates, so it is reducible. A preference may be multiplied by any number, so the supremum
    is taken over preferences that are 1-Lipschitz in the curves, |u(θ) − u(θ')| ≤ max_t |θ(t) − θ'(t)|: averages over time
    with any weights, single budgets, minima, and more. Values are V_A = u(θ_A) under the paper's priors. Under
    `BayesianBootstrap` they are V_A = min_b u(w_Ab), the win rate against the strongest rival.

    *Upper bound.* Write m_A = E[V_A]. Since max_B V_B ≤ max_B m_B + max_B (V_B − m_B),

        E[max_B V_B] − max_A m_A  ≤  E[max_B (V_B − m_B)].

    Let θ' be an independent copy of θ, and θ ∨ θ' the pointwise maximum. Since u is monotone and 1-Lipschitz,
    u(θ) ≤ u(θ ∨ θ') ≤ u(θ') + max_t (θ(t) − θ'(t))⁺, and likewise for the minimum over rivals with max over t and b. Hence
    V_B − m_B ≤ E'[max (θ_B − θ'_B)⁺] =: D_B(θ_B), and

        sup_u min_A Regret(A, u)  ≤  E[max_B D_B(θ_B)].

    *Lower bound.* The largest value of the left-hand side over single budgets and over averages of neighbouring budgets, all
    of which are such preferences.

    *Irreducible loss.* Different preferences may want different candidates, however much is known. The smallest loss of a
    fixed choice at its worst budget is min_A max_t (max_B m_B(t) − m_A(t)).

    With a single candidate all are zero. Where an algorithm was not observed, its value counts as zero: it is not
    recommended there. Expectations are averages over draws. Those of the upper bound use 200 draws and all their pairs.

    Parameters
    ----------
    posterior
        A posterior, or the result of a race.
    among
        The candidates, by default those of `select`.
    """
    posterior, names = posterior_and_candidates(posterior, among)
    if len(names) == 1:
        return LossBounds(0.0, 0.0, float(posterior.grid.budgets[0]), 0.0, names[0])
    curves = _curves(posterior, np.array([posterior.names.index(name) for name in names]))
    at_budgets = _value_of_information(curves)
    worst = int(at_budgets.argmax())
    lower = max(float(at_budgets[worst]), 0.0)  # the value of information is negative by rounding only
    if posterior.joint:
        averages, width = curves, 1
        while 2 * width <= len(curves):
            averages = (averages[:-width] + averages[width:]) / 2  # doubles the number of neighbours per average
            width *= 2
            lower = max(lower, float(_value_of_information(averages).max()))
    expected = curves.min(axis=2).mean(axis=2)  # (budget, candidate)
    losses = (expected.max(axis=1, keepdims=True) - expected).max(axis=0)
    best = int(losses.argmin())
    return LossBounds(
        lower=lower,
        upper=max(lower, _upper_bound(curves)),
        budget=float(posterior.grid.budgets[worst]),
        irreducible=float(losses[best]),
        choice=names[best],
    )


def _curves(posterior: Posterior, columns: Indices) -> Array:
    """Return curves (budget, candidate, rival, draw) whose minimum over rivals is the value; one "rival" for ratings."""
    observed = posterior.observed[:, columns]
    if posterior.beliefs is None:
        ratings = np.ascontiguousarray(posterior.ratings.transpose(1, 2, 0)[:, columns])  # contiguous draws are faster
        ratings[~observed] = 0.0
        return ratings[:, :, None]
    number, budgets = len(columns), len(posterior.grid)
    thinned = posterior.thin(max(_COPIES, _NUMBERS // (number**2 * budgets)))
    curves = np.ones((budgets, number, number, thinned.draws))
    for a, b in combinations(range(number), 2):
        rates = thinned.win_rates(int(columns[a]), int(columns[b]))
        curves[:, a, b], curves[:, b, a] = rates, 1 - rates
    curves.swapaxes(1, 2)[~observed] = 1.0  # no rival where it was not observed
    curves[~observed] = 0.0
    return curves


def _value_of_information(curves: Array) -> Array:
    """Return E[max_B V_B] − max_A E[V_A] per preference, for curves (preference, candidate, rival, draw)."""
    values = curves.min(axis=2)
    value: Array = values.max(axis=1).mean(axis=1) - values.mean(axis=2).max(axis=1)
    return value


def _upper_bound(curves: Array) -> float:
    """Return E[max_B D_B(θ_B)] for curves (budget, candidate, rival, draw), over evenly spaced draws."""
    draws = curves.shape[-1]
    chosen = curves[..., np.linspace(0, draws - 1, min(_COPIES, draws)).astype(int)]
    number = chosen.shape[-1]
    # A draw has distance zero to itself and is no independent copy, so the mean is over number - 1.
    distance = np.array([(chosen[..., [k]] - chosen).max(axis=(0, 2)).clip(0).sum(axis=1) for k in range(number)])
    return float(distance.max(axis=1).mean() / max(number - 1, 1))
