"""E-values for win rates: model-free evidence about pairs of algorithms.

For algorithms a and b at a budget t, the null hypothesis is that a beats b on at most half of the instances (ties count one
half). A bettor against the null bets on "a beats b" before each instance. With x_p in {0, ½, 1} the outcome on instance p
and a stake λ in (0, 1), the capital after instances 1, ..., P is

    e = ∫₀¹ ∏_p (1 + λ (2 x_p − 1)) dλ.

Under the null no bet has a positive expected gain, so the capital is a non-negative supermartingale that starts at 1, and
the probability that it *ever* reaches 1/δ is at most δ (Ville, 1939; betting as a test: Waudby-Smith and Ramdas, 2024).
The bound holds at every moment and for every stopping rule, for any distribution of instances and any dependence over time
or between algorithms.

Assumptions:

- Instances are independent draws, in the order in which they are used. A sorted list must be shuffled.
- Whether a pair is observed on an instance is decided before that instance is drawn. A race decides which algorithms run,
  and until when, from earlier rounds, so truncated runs and dropped algorithms do not invalidate the bets. The exception
  is runs that fail under `failure="missing"`: the null hypothesis is then about the instances on which both are observed.
- An algorithm that joins later runs on the known instances in their order, and may stop at any of them. Its outcomes there
  are unknown when it joins, so its bets are valid unless it was tuned on these instances. They cease to be exact only if
  it skips some instances because of outcomes known there and then runs on later ones.
- Clusters are complete at every interim analysis. A race that analyses growing clusters is covered by a simulation, not by
  a proof: with 10 to 100 clusters of 2 to 20 members in random order and an analysis after every 8 instances, 0.4 to 3.4 %
  of 1,000 sequences reached 20, where 5 % are allowed.

The capital is averaged over stakes with positive weights that sum to one (Gauss-Legendre nodes), and an average of
supermartingales is a supermartingale. The integral is exact for up to 127 instances; beyond, the average is a finite mixture
close to it, and equally valid.

Decisions need a bound over all pairs. To drop `b` because of `a` is wrong only if a's win rate is at most one half at
*some* budget. The smallest e-value over budgets is at most the e-value at that budget, so the minimum over budgets needs no
correction for the number of budgets. The data select the pair, so the number of pairs does need a correction:
`error_bounds` holds for all ordered pairs at once, and `corrections` extends it to algorithms that join later.

References
----------
Ville, J. (1939). Étude critique de la notion de collectif. Gauthier-Villars.
Waudby-Smith, I., and Ramdas, A. (2024). Estimating means of bounded random variables by betting. Journal of the Royal
Statistical Society, Series B, 86(1), 1-27.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe import Choices
from polarbear.observe.pair_outcomes import pair_outcomes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Indices
    from polarbear.observe import Rankings
    from polarbear.observe.losses import PairOutcomes


# 64 nodes integrate polynomials up to degree 127 exactly and (1 + λ)^5000 to about 1 %; validity does not depend on it.
_NODES = 64
# Factors per product: each is at least 3e-4 (the distance of the largest node from 1), and 3e-4^64 > 1e-230.
_CHUNK = 64
_LARGEST = float(np.log(np.finfo(np.float64).max))
_SMALLEST = float(np.log(np.finfo(np.float64).tiny))


def evidence(choices: Choices) -> Array:
    """Return e-values for "the row beats the column on most instances", shape (budget, algorithm, algorithm).

    The null hypothesis at a budget is that the row's win rate against the column is at most one half, where a tie counts one
    half. With x_p in {0, ½, 1} the outcome on instance p, over the instances where both were observed,

        e = ∫₀¹ ∏_p (1 + λ (2 x_p − 1)) dλ.

    If the null hypothesis is true, the probability that e ever exceeds 1/δ as the data set grows is at most δ, for any model
    and any stopping rule (Ville, 1939; Waudby-Smith and Ramdas, 2024). An e-value of 20 is evidence against the null
    hypothesis like a p-value of 0.05; k wins in a row give (2^(k + 1) − 1) / (k + 1). E-values of several pairs or budgets
    are valid individually, not jointly: see `polarbear.posterior.e_values.error_bounds` for drops.

    Clusters: one bet per cluster, on the mean of 2 x_p − 1 over its members, in the order of arrival. The null hypothesis
    is then about new clusters, and three clusters are three bets, however many instances they have. A cluster counts from
    its first member. Stopping rules are covered if they are evaluated when clusters are complete.

    Weights: instance p stakes λ w_p / max(w) instead of λ, and the null hypothesis is about the weighted win rate. Weights
    must not depend on the outcomes. For repeated analyses the largest weight must be present from the start, since it
    scales all bets.

    Parameters
    ----------
    choices
        Outcomes that keep their rankings (`per_instance=True`, the default).

    Returns
    -------
    NDArray
        0 on the diagonal, 1 for a pair that was never compared, and at most the largest float.

    Examples
    --------
    >>> import polarbear as pb
    >>> wins = pb.Choices.from_values([[[1.0, 2.0]]] * 8, grid=[100], names=["a", "b"])
    >>> evidence(wins).round(3).tolist()
    [[[0.0, 56.778], [0.111, 0.0]]]
    """
    result: Array = np.exp(np.minimum(log_e_values(choices), _LARGEST))
    return result


def log_e_values(choices: Choices, *, where: ArrayLike = True) -> Array:
    """Return the logarithms of `evidence`, shape (budget, algorithm, algorithm); −inf on the diagonal.

    Pairs of which neither direction is in the mask `where`, of shape (algorithm, algorithm), have the logarithm 0.
    """
    if not isinstance(choices, Choices):
        raise TypeError(f"expected Choices, got {type(choices).__name__}; evidence needs the outcomes, not a posterior")
    rankings = choices.rankings
    if rankings is None:
        raise ValueError(
            "expected choices that keep their rankings, got only their counts; make them with per_instance=True"
        )
    n = len(rankings.names)
    result = np.zeros((len(rankings.grid), n, n))
    result[:, np.arange(n), np.arange(n)] = -np.inf
    wanted = np.broadcast_to(where, (n, n))
    for a, b in np.argwhere(np.triu(wanted | wanted.T, 1)).tolist():
        result[:, a, b], result[:, b, a] = _log_e_values_of_pair(rankings, a, b)
    return result


def error_bounds(choices: Choices, *, correction: ArrayLike | None = None, where: ArrayLike = True) -> Array:
    """Return model-free bounds on the probability that it is wrong to drop the column because of the row.

    The bound is min(1, k / min_t e_t), with e_t the e-value of row against column at budget t and k = n (n − 1) for n
    algorithms. It holds for all pairs at once, at every moment: the probability that any drop with a bound of at
    most δ is ever wrong is at most δ. Without k the bound would not hold for a pair that the data selected.

    Parameters
    ----------
    choices
        See `evidence`.
    correction
        k, one number or a matrix of shape (algorithm, algorithm); the reciprocals over all ordered pairs must sum to at
        most one. See `corrections` for algorithms that join later.

    where
        The pairs to compute, a mask of shape (algorithm, algorithm); the bound of other pairs is 1.

    Returns
    -------
    NDArray
        Shape (algorithm, algorithm), the column is dropped because of the row; in (0, 1], and 1 on the diagonal.
    """
    n = len(choices.names)
    k = np.asarray(n * (n - 1) if correction is None else correction, dtype=np.float64)
    logarithms = np.log(k) - log_e_values(choices, where=where).min(axis=0)
    result: Array = np.exp(np.clip(logarithms, _SMALLEST, 0.0))
    return result


def corrections(algorithms: int, founders: int) -> Array:
    """Return the correction k of each ordered pair for a race that algorithms may join while it is under way.

    Dividing δ by the present n (n − 1) pairs would spend more than δ as n grows. Here the share 1/k of a pair is fixed when
    its later member arrives: 1/n² for each pair of the n founders, which spends 1 − 1/n, and for the m-th algorithm
    1 / (m (m − 1)), divided among its 2 (m − 1) pairs. For any number of algorithms the shares sum to at most one.

    Parameters
    ----------
    algorithms, founders
        The present number of algorithms, in order of arrival, and the number that took part from the start.

    Returns
    -------
    NDArray
        Shape (algorithm, algorithm).

    Examples
    --------
    >>> corrections(3, 2).tolist()
    [[4.0, 4.0, 24.0], [4.0, 4.0, 24.0], [24.0, 24.0, 24.0]]
    """
    arrival = np.arange(1.0, algorithms + 1)
    each = np.where(arrival <= founders, founders**2, 2 * arrival * (arrival - 1) ** 2)
    result: Array = np.maximum(each[:, None], each)
    return result


@cache
def _stakes() -> tuple[Array, Array]:
    """Return the stakes λ in (0, 1) and their weights, which are positive and sum to one."""
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return (1 + nodes) / 2, weights / weights.sum()


def _log_e_values_of_pair(rankings: Rankings, first: int, second: int) -> tuple[Array, Array]:
    """Return the logarithms of the e-values of a pair in both directions, shape (budget,) each."""
    found, weights = pair_outcomes(rankings, first, second), rankings.weight_of_each
    largest = weights.max(axis=0)
    relative = np.divide(weights, largest, out=np.zeros(weights.shape), where=largest > 0)
    if rankings.clusters is not None:
        gains = _mean_gains(found, relative, rankings.clusters.codes)
        capital = [_log_capital(sign * gains) for sign in (1, -1)]
    elif (relative == 1).all():  # only the numbers of wins and losses matter
        wins, losses = (np.count_nonzero(each, axis=0)[:, None] for each in (found.wins, found.losses))
        up, down = np.log1p(_stakes()[0]), np.log1p(-_stakes()[0])
        capital = [wins * up + losses * down, losses * up + wins * down]
    else:
        gains = (found.wins.astype(np.float64) - found.losses) * relative
        capital = [_log_capital(sign * gains) for sign in (1, -1)]
    return _average_over_stakes(capital[0]), _average_over_stakes(capital[1])


def _mean_gains(found: PairOutcomes, weights: Array, codes: Indices) -> Array:
    """Return the mean of w (2 x − 1) over the members of each cluster that compare the pair, shape (cluster, budget)."""
    order = np.argsort(codes, kind="stable")
    starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
    gains = ((found.wins.astype(np.float64) - found.losses) * weights)[order]
    members = np.add.reduceat(found.compared[order], starts, axis=0, dtype=np.float64)
    means: Array = np.add.reduceat(gains, starts, axis=0) / np.maximum(members, 1)
    return means


def _log_capital(gains: Array) -> Array:
    """Return Σ log(1 + λ gain) for each stake λ, shape (budget, stake), from gains (bet, budget)."""
    stakes = _stakes()[0]
    result = np.zeros((gains.shape[1], len(stakes)))
    for start in range(0, len(gains), _CHUNK):
        # One logarithm per chunk is far cheaper than one per factor, and the product neither overflows nor underflows.
        result += np.log(np.prod(1 + gains[start : start + _CHUNK, :, None] * stakes, axis=0))
    return result


def _average_over_stakes(log_capital: Array) -> Array:
    """Return the logarithm of the mean capital over stakes, shape (budget,), from log capital (budget, stake)."""
    by_stake = log_capital + np.log(_stakes()[1])
    largest = by_stake.max(axis=-1)
    result: Array = largest + np.log(np.exp(by_stake - largest[..., None]).sum(axis=-1))
    return result
