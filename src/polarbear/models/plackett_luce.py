"""The Plackett-Luce likelihood of choices (the paper's section 3), its derivatives, and rankings drawn from it.

With utilities μ(t) and choices (W, C) the log-likelihood at a budget is Σ_i W_i μ_i − Σ_S C_S log Σ_{j∈S} exp μ_j.
It depends only on differences of utilities and is concave in them. The log-likelihood of all budgets is a sum over budgets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.models.log_masses import WIDEST_RANGE, sum_log_masses
from polarbear.models.namespace import namespace_of

if TYPE_CHECKING:
    from polarbear.arrays import Array, Mask
    from polarbear.observe import Choices


_NUMBERS_AT_ONCE = 1 << 23  # elements of the (budget, set, algorithm) table of the derivatives at once, to bound memory
_NUMBERS_IN_CACHE = 1 << 16  # elements of the (budget, set, draw) table processed at once, to stay in cache


def log_likelihood(utilities: Array, choices: Choices) -> Array:
    """Return the log-likelihood of the choices, summed over budgets; leading axes of the utilities (draws) are kept.

    Parameters
    ----------
    utilities
        μ, shape (..., budget, algorithm).
    choices
        The sufficient statistics.

    Returns
    -------
    Array
        Shape (...); zero-dimensional for utilities of shape (budget, algorithm).

    Examples
    --------
    >>> from polarbear.observe import Choices
    >>> choices = Choices.from_values([[[1.0, 2.0, 3.0]]], grid=[1.0], names=["a", "b", "c"])
    >>> float(np.exp(log_likelihood(np.log([[2.0, 1.0, 1.0]]), choices)))
    0.25
    """
    utilities = np.asarray(utilities, dtype=np.float64)
    expected = (len(choices.grid), len(choices.names))
    if utilities.shape[-2:] != expected:
        raise ValueError(
            f"expected utilities of shape (..., {expected[0]} budgets, {expected[1]} algorithms), got {utilities.shape}"
        )
    draws_last = np.moveaxis(utilities.reshape(-1, *expected), 0, -1)
    summed: Array = log_likelihood_by_budget(draws_last, choices).sum(axis=0)
    return summed.reshape(utilities.shape[:-2])


def log_likelihood_by_budget(utilities: Array, choices: Choices, *, dtype: type[np.floating] = np.float64) -> Array:
    """Return the log-likelihood at each budget, shape (budget, draw), of utilities (budget, algorithm, draw)."""
    # Processing one budget after another keeps the (set, draw) table in cache.
    return np.array([log_likelihood_at(t, mu, choices, dtype=dtype) for t, mu in enumerate(utilities)])


def log_likelihood_at(t: int, utilities: Array, choices: Choices, *, dtype: type[np.floating] = np.float64) -> Array:
    """Return the log-likelihood, shape (draw,), at the t-th budget of the grid, of utilities (algorithm, draw).

    In single precision the error is about 10⁻⁷ √Σ_S C_S² times the range of the utilities, 10⁻⁴ for a thousand instances.
    That is accurate enough for importance weights, and nearly twice as fast.
    """
    members, counts = _observed_sets(choices, t)
    centred = utilities - utilities.max(axis=0)
    value: Array = choices.wins[t] @ centred - sum_log_masses(members, counts, centred, dtype)
    return value


def log_likelihood_and_gradient(utilities: Array, choices: Choices) -> tuple[Array, Array]:
    """Return the log-likelihood (draw) and its gradient (budget, algorithm, draw) for utilities (budget, algorithm, draw).

    With p_S the probabilities of choosing each member of S, the gradient is W − Σ_S C_S p_S.
    """
    budgets, _, draws = utilities.shape
    value, gradient = np.zeros(draws), np.empty_like(utilities)
    portion = max(1, _NUMBERS_IN_CACHE // (choices.counts.shape[1] * draws))
    for first in range(0, budgets, portion):
        here = slice(first, first + portion)
        observed = (choices.counts[here] > 0).any(axis=0)
        members, counts = choices.members[here, observed].astype(np.float64), choices.counts[here, observed, None]
        wins = choices.wins[here, :, None]
        centred = utilities[here] - utilities[here].max(axis=1, keepdims=True)
        log_masses, expected = _expected_choices(members, counts, centred)
        value += (wins * centred).sum(axis=(0, 1)) - (counts * log_masses).sum(axis=(0, 1))
        gradient[here] = wins - expected
    return value, gradient


def _expected_choices(members: Array, counts: Array, utilities: Array) -> tuple[Array, Array]:
    """Return log Σ_{j∈S} exp μ_j of each set (budget, set, draw), and Σ_S C_S p_S (budget, algorithm, draw)."""
    if utilities.min() < -WIDEST_RANGE:
        inside = np.where(members[..., None] > 0, utilities[:, None], -np.inf)
        best = inside.max(axis=2)
        chosen = np.exp(inside - best[:, :, None])
        masses = chosen.sum(axis=2)
        return best + np.log(masses), np.einsum("tsd,tsjd->tjd", counts / masses, chosen)
    exponential = np.exp(utilities)
    masses = members @ exponential
    return np.log(masses), exponential * (members.transpose(0, 2, 1) @ (counts / masses))


def derivatives(utilities: Array, choices: Choices) -> tuple[Array, Array, Array]:
    """Return the log-likelihood (budget), gradient (budget, algorithm) and negative Hessian (budget, algorithm, algorithm).

    The negative Hessian is Σ_S C_S (diag p_S − p_S p_Sᵀ), positive semi-definite; utilities have shape (budget, algorithm).
    """
    centred = utilities - utilities.max(axis=-1, keepdims=True)
    wide = bool(centred.min() < -WIDEST_RANGE)
    budgets, sets, algorithms = choices.members.shape
    portion = max(1, _NUMBERS_AT_ONCE // (sets * algorithms))
    parts = [
        _derivatives(centred[here], choices.wins[here], choices.members[here], choices.counts[here], wide=wide)
        for here in (slice(first, first + portion) for first in range(0, budgets, portion))
    ]
    if len(parts) == 1:
        return parts[0]
    value, gradient, curvature = (np.concatenate(each) for each in zip(*parts, strict=True))
    return value, gradient, curvature


def _derivatives(
    centred: Array, wins: Array, members: Mask, counts: Array, *, wide: bool
) -> tuple[Array, Array, Array]:
    """Return the derivatives at some budgets; `wide` utilities need a maximum of their own in each set."""
    if wide:
        inside = np.where(members, centred[:, None, :], -np.inf)
        best = inside.max(axis=-1)
        chosen = np.exp(inside - best[..., None])
    else:
        best = np.zeros(counts.shape)
        chosen = members * np.exp(centred)[:, None, :]
    masses = chosen.sum(axis=-1)
    value = (wins * centred).sum(axis=-1) - (counts * (best + np.log(masses))).sum(axis=-1)
    chosen /= masses[..., None]
    weighted = chosen * counts[..., None]
    expected = weighted.sum(axis=1)
    curvature = -np.matmul(weighted.transpose(0, 2, 1), chosen)
    diagonal = np.arange(centred.shape[-1])
    curvature[:, diagonal, diagonal] += expected
    return value, wins - expected, curvature


def traceable_log_likelihood(utilities: Array, wins: Array, members: Array, counts: Array) -> Array:
    """Return the log-likelihood in any `namespace_of` the utilities (budget, algorithm), in a form that compiles.

    `members` holds numbers, 0 or 1, and padding sets of count zero are allowed. In the choice sets, utilities more than 600
    below the best are raised to 600 below it, where the odds against a choice are e⁶⁰⁰.
    """
    xp = namespace_of(utilities)
    centred = utilities - utilities.max(axis=-1, keepdims=True)
    masses = (members @ xp.exp(xp.maximum(centred, -WIDEST_RANGE))[..., None])[..., 0]
    value: Array = (wins * centred).sum() - (counts * xp.log(masses)).sum()
    return value


def log_sum_exp(utilities: Array, *, axis: int) -> Array:
    """Return log Σ exp μ over the axis of algorithms."""
    xp = namespace_of(utilities)
    largest: Array = utilities.max(axis=axis, keepdims=True)
    total: Array = xp.log(xp.exp(utilities - largest).sum(axis=axis)) + largest.squeeze(axis)
    return total


def log_ratings(utilities: Array, *, axis: int) -> Array:
    """Return the logarithms of the ratings, μ − log Σ exp μ over the axis of algorithms."""
    return utilities - np.expand_dims(log_sum_exp(utilities, axis=axis), axis)


def sample_rankings(utilities: Array, instances: int, *, rng: np.random.Generator) -> Array:
    """Draw values whose rankings follow the model: minus (utility plus Gumbel noise), so that lower is better.

    This is Thurstone's formulation of Plackett-Luce: U_i(t) = μ_i(t) + ε, ε ~ Gumbel(0, 1), independent over algorithms,
    budgets and instances.

    Parameters
    ----------
    utilities
        μ, shape (budget, algorithm).
    instances
        The number of rankings to draw at each budget.
    rng
        The random number generator.

    Returns
    -------
    Array
        Shape (instance, budget, algorithm), ready for `Choices.from_values`.

    Examples
    --------
    >>> values = sample_rankings(np.log([[3.0, 1.0]]), 10_000, rng=np.random.default_rng(0))
    >>> share = (values[:, 0, 0] < values[:, 0, 1]).mean()
    >>> bool(abs(share - 3 / (3 + 1)) < 0.02)
    True
    """
    utilities = np.asarray(utilities, dtype=np.float64)
    return -(utilities + rng.gumbel(size=(instances, *utilities.shape)))


def _observed_sets(choices: Choices, t: int) -> tuple[Array, Array]:
    """Return membership (set, algorithm) and counts of the sets observed at a budget, without padding."""
    observed = choices.counts[t] > 0
    return choices.members[t, observed].astype(np.float64), choices.counts[t, observed]
