"""Relations between algorithms under the posterior (the paper's "Confidence-Based Relations").

All relations are pairwise: they compare the win rate of the row over the column with one half. Under `BayesianBootstrap`
probabilities at one budget are exact; probabilities of several budgets together, and under the other priors, are shares of
draws. In every matrix the row is compared with the column, and the diagonal is zero.

At budgets at which the two were not compared (`Posterior.observed_pairs`) the draws come from the prior and are no evidence.
There, `dominance` is one half and `equivalence` zero, so that the pair is undecided. A pair with such a budget has no
`anytime_dominance`, and its `crossing` rests on the other budgets. `win_rates` and `win_probability` return the draws and
their mean at all budgets. Under `BayesianBootstrap`, statements about every budget leave out budgets at which the pair ties
on all common instances (`Posterior.differing_pairs`), such as early ones without a solution.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe.names import index_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Mask
    from polarbear.posterior.posterior import Posterior

_LARGEST_BYTES = 2_000_000_000  # memory limit for the win rates of all pairs


def win_rates(posterior: Posterior, first: str | None = None, second: str | None = None) -> Array:
    """Return draws of win rates, shape (draw, budget, algorithm, algorithm), or (draw, budget) for one pair.

    The win rate of the row A over the column B is the probability that A beats B on a new instance, where a tie counts one
    half.

    Parameters
    ----------
    posterior
        The posterior.
    first, second
        Names of two algorithms, for the win rate of the first over the second only. All pairs by default; if these would
        take more than two gigabytes, request one pair at a time.

    Examples
    --------
    >>> import polarbear as pb
    >>> choices = pb.Choices.from_values([[[1.0, 2.0]], [[1.0, 3.0]], [[5.0, 4.0]]], grid=[10], names=["cma", "rs"])
    >>> posterior = pb.fit(choices, prior=pb.BayesianBootstrap(), draws=1000)
    >>> pb.win_rates(posterior).shape, bool(pb.win_rates(posterior, "cma", "rs").mean() > 0.5)
    ((1000, 1, 2, 2), True)
    """
    names = posterior.names
    if (first is None) != (second is None):
        raise ValueError(f"expected two algorithms or none, got {first!r} and {second!r}; name both")
    if first is not None and second is not None:
        return posterior.win_rates(index_of(first, names), index_of(second, names)).T.astype(np.float64)
    draws, budgets, algorithms = posterior.draws, len(posterior.grid), len(posterior.names)
    size = 8 * draws * budgets * algorithms**2
    if size > _LARGEST_BYTES:
        raise ValueError(
            f"expected win rates of at most {_LARGEST_BYTES / 1e9:.0f} GB, got {algorithms} algorithms at {budgets} "
            f"budgets in {draws} draws, which need {size / 1e9:.1f} GB; request one pair, such as "
            f"win_rates(posterior, {names[0]!r}, {names[1]!r}), or thin the posterior"
        )
    return posterior.all_win_rates()


def dominance(posterior: Posterior, *, where: ArrayLike = True) -> Array:
    """Return P(the row beats the column on most instances at t), shape (budget, algorithm, algorithm).

    "Most" is a win rate above one half; under Plackett-Luce this is θ_A(t) > θ_B(t). Off the diagonal,
    P(A beats B) + P(B beats A) = 1, except for draws with a win rate of exactly one half. Where A or B was not observed,
    both are one half: undecided.

    Parameters
    ----------
    posterior
        The posterior.
    where
        The entries to compute, as in NumPy: a mask that broadcasts to the shape of the result. The other entries are zero.
    """
    above = posterior.win_rate_above
    shares = apply_to_pairs(posterior, where, lambda a, b: (above(a, b), above(b, a)))
    return fill_unobserved(posterior, shares, where, 0.5)


def win_probability(posterior: Posterior, *, where: ArrayLike = True) -> Array:
    """Return the posterior mean of the win rate of the row over the column, shape (budget, algorithm, algorithm).

    For `where` see `dominance`.
    """

    def mean(a: int, b: int) -> tuple[Array, Array]:
        expected = posterior.expected_win_rate(a, b)
        return expected, 1 - expected

    return apply_to_pairs(posterior, where, mean)


def equivalence(posterior: Posterior, *, margin: float = 0.05, where: ArrayLike = True, at_least: float = 0.0) -> Array:
    """Return P(the win rate lies within `margin` of one half), shape (budget, algorithm, algorithm).

    It is zero where one of the two was not observed.

    Parameters
    ----------
    posterior
        The posterior.
    margin
        ε, half the width of the region of practical equivalence of the win rate around one half.
    where
        The entries to compute, see `dominance`.
    at_least
        The probability that matters: clearly lower ones may be approximate.
    """
    check_margin(margin)

    def within(a: int, b: int) -> tuple[Array, Array]:
        share = posterior.win_rate_within(a, b, margin, at_least=at_least)
        return share, share

    return fill_unobserved(posterior, apply_to_pairs(posterior, where, within), where, 0.0)


def anytime_dominance(posterior: Posterior, *, where: ArrayLike = True) -> Array:
    """Return P(the row beats the column on most instances at every t), shape (algorithm, algorithm); needs joint draws.

    It is zero for pairs of which one was not observed at some budget, and for pairs that never differ. For `where` see
    `dominance`.
    """
    posterior.require_joint("anytime dominance")
    wanted = np.broadcast_to(where, (len(posterior.names),) * 2) & _comparable(posterior)
    return np.where(wanted, _always_ahead(posterior, wanted), 0.0)


def crossing(posterior: Posterior) -> Array:
    """Return P(neither beats the other at every t), shape (algorithm, algorithm); needs joint draws.

    Budgets at which one of the two was not observed do not count.
    """
    posterior.require_joint("crossing")
    ahead = _always_ahead(posterior, np.ones((len(posterior.names),) * 2, dtype=bool))
    result = 1 - (ahead + ahead.T)
    np.fill_diagonal(result, 0.0)
    return np.clip(result, 0.0, 1.0)


def pareto_probability(posterior: Posterior) -> Array:
    """Return P(no other algorithm beats it at every t) for each algorithm; needs joint draws."""
    posterior.require_joint("membership in the Pareto set")
    beaten = is_dominated(posterior)
    inside: Array = 1 - beaten.mean(axis=1)
    return inside


def is_dominated(posterior: Posterior) -> Mask:
    """Return whether some other algorithm beats each one at every t, shape (algorithm, draw).

    An algorithm that was not observed at some budget neither beats others at every t nor is beaten.
    """
    beaten = np.zeros((len(posterior.names), posterior.draws), dtype=bool)
    for a, b in _pairs(posterior, _comparable(posterior)):
        rates = posterior.win_rates(a, b)[posterior.differing_pairs[:, a, b]]
        beaten[b] |= (rates > 0.5).all(axis=0)
        beaten[a] |= (rates < 0.5).all(axis=0)
    return beaten


def _always_ahead(posterior: Posterior, wanted: Mask) -> Array:
    """Return P(the row beats the column at every budget at which the two differ), one half if there is none.

    Pairs for which neither direction is wanted are zero.
    """
    result, counts = np.zeros(wanted.shape), posterior.observed_pairs & posterior.differing_pairs
    for a, b in _pairs(posterior, wanted):
        rates = posterior.win_rates(a, b)
        if not counts[:, a, b].all():
            rates = rates[counts[:, a, b]]
        if not len(rates):
            result[a, b] = result[b, a] = 0.5
            continue
        result[a, b] = np.count_nonzero((rates > 0.5).all(axis=0)) / rates.shape[1]
        result[b, a] = np.count_nonzero((rates < 0.5).all(axis=0)) / rates.shape[1]
    return result


def _comparable(posterior: Posterior) -> Mask:
    """Return the pairs that were compared at every budget and differ at some budget, shape (algorithm, algorithm)."""
    return np.asarray(posterior.observed_pairs.all(axis=0) & posterior.differing_pairs.any(axis=0))


def check_margin(margin: float) -> None:
    """Raise a ValueError unless `margin` is a margin around one half."""
    if not 0 <= margin < 0.5:
        raise ValueError(f"expected margin in [0, 0.5), got {margin!r}; use a value such as 0.05")


def fill_unobserved(posterior: Posterior, shares: Array, where: ArrayLike, value: float) -> Array:
    """Replace the wanted entries of pairs of which one was not observed; the diagonal stays zero."""
    unobserved = ~posterior.observed_pairs & ~np.eye(len(posterior.names), dtype=bool)
    return np.where(unobserved & np.asarray(where, dtype=bool), value, shares)


def _pairs(posterior: Posterior, wanted: Mask) -> Iterator[tuple[int, int]]:
    """Yield the pairs (a, b) of which one direction is wanted, in the order of their names, so that rounding is the same."""
    for pair in np.argwhere(np.triu(wanted | wanted.T, 1)).tolist():
        a, b = sorted(pair, key=posterior.names.__getitem__)
        yield a, b


def apply_to_pairs(
    posterior: Posterior,
    where: ArrayLike,
    quantity: Callable[[int, int], tuple[Array, Array]],
    *,
    quantities: tuple[int, ...] = (),
) -> Array:
    """Compute quantities of each pair, in both directions; shape (..., budget, algorithm, algorithm).

    `quantity` takes the positions of a pair and returns two arrays of shape (*quantities, budget), one per direction.
    """
    budgets, n = len(posterior.grid), len(posterior.names)
    wanted = np.broadcast_to(where, (budgets, n, n))
    result = np.zeros((*quantities, budgets, n, n))
    for a, b in _pairs(posterior, np.atleast_2d(wanted.any(axis=0))):
        result[..., a, b], result[..., b, a] = quantity(a, b)
    return np.where(wanted & ~np.eye(n, dtype=bool), result, 0.0)
