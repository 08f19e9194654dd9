"""E-values for win rates: model-free evidence about pairs of algorithms.

For algorithms a and b at a time t, the null hypothesis is that a beats b on at most half of the instances (ties count one
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
  and until when, from earlier rounds, so truncated runs and eliminated algorithms do not invalidate the bets. The exception
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

Decisions need a bound over all pairs. `a` eliminates `b` wrongly only if a's win rate is at most one half at *some* time.
The smallest e-value over times is at most the e-value at that time, so the minimum over times needs no correction for the
number of times. The data select the pair, so the number of pairs does need a correction: `error_bounds` holds for all
ordered pairs at once, and `corrections` extends it to algorithms that join later.

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
from polarbear.observe.rankings import ABSENT
from polarbear.posterior.outcome_draws import outcomes

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from polarbear.arrays import Array, Indices, Mask, Ranks
    from polarbear.observe import Rankings


# 64 nodes integrate polynomials up to degree 127 exactly and (1 + λ)^5000 to about 1 %; validity does not depend on it.
_NODES = 64
# Factors per product: each is at least 3e-4 (the distance of the largest node from 1), and 3e-4^64 > 1e-230.
_CHUNK = 64
_LARGEST = float(np.log(np.finfo(np.float64).max))
_SMALLEST = float(np.log(np.finfo(np.float64).tiny))


def evidence(choices: Choices) -> Array:
    """Return e-values for "the row beats the column on most instances", shape (time, algorithm, algorithm).

    The null hypothesis at a time is that the row's win rate against the column is at most one half, where a tie counts one
    half. With x_p in {0, ½, 1} the outcome on instance p, over the instances where both were observed,

        e = ∫₀¹ ∏_p (1 + λ (2 x_p − 1)) dλ.

    If the null hypothesis is true, the probability that e ever exceeds 1/δ as the data set grows is at most δ, for any model
    and any stopping rule (Ville, 1939; Waudby-Smith and Ramdas, 2024). An e-value of 20 is evidence against the null
    hypothesis like a p-value of 0.05; k wins in a row give (2^(k + 1) − 1) / (k + 1). E-values of several pairs or times
    are valid individually, not jointly: see `polarbear.posterior.e_values.error_bounds` for eliminations.

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


def log_e_values(choices: Choices) -> Array:
    """Return the logarithms of `evidence`, shape (time, algorithm, algorithm); −inf on the diagonal."""
    if not isinstance(choices, Choices):
        raise TypeError(f"expected Choices, got {type(choices).__name__}; evidence needs the outcomes, not a posterior")
    rankings = choices.rankings
    if rankings is None:
        raise ValueError(
            "expected choices that keep their rankings, got only their counts; make them with per_instance=True"
        )
    stakes, weights = _stakes()
    result = np.empty((len(rankings.grid), len(rankings.names), len(rankings.names)))
    for time in range(len(rankings.grid)):
        by_stake = _log_capital(rankings, time, stakes) + np.log(weights)
        largest = by_stake.max(axis=-1)
        result[time] = largest + np.log(np.exp(by_stake - largest[..., None]).sum(axis=-1))
        np.fill_diagonal(result[time], -np.inf)
    return result


def error_bounds(choices: Choices, *, correction: ArrayLike | None = None) -> Array:
    """Return model-free bounds on the probability that it is wrong for the row to eliminate the column.

    The bound is min(1, k / min_t e_t), with e_t the e-value of row against column at time t and k = n (n − 1) for n
    algorithms. It holds for all pairs at once, at every moment: the probability that any elimination with a bound of at
    most δ is ever wrong is at most δ. Without k the bound would not hold for a pair that the data selected.

    Parameters
    ----------
    choices
        See `evidence`.
    correction
        k, one number or a matrix of shape (algorithm, algorithm); the reciprocals over all ordered pairs must sum to at
        most one. See `corrections` for algorithms that join later.

    Returns
    -------
    NDArray
        Shape (algorithm, algorithm), row eliminates column; in (0, 1], and 1 on the diagonal.
    """
    n = len(choices.names)
    k = np.asarray(n * (n - 1) if correction is None else correction, dtype=np.float64)
    logarithms = np.log(k) - log_e_values(choices).min(axis=0)
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


def _log_capital(rankings: Rankings, time: int, stakes: Array) -> Array:
    """Return the log capital of every pair at a time for each stake, shape (algorithm, algorithm, stake)."""
    ranks = np.ascontiguousarray(rankings.ranks[:, time].T)
    weights = rankings.weight_of_each[:, time]
    if not weights.any():
        return np.zeros((len(ranks), len(ranks), len(stakes)))
    relative = weights / weights.max()
    if rankings.clusters is not None:
        return _log_capital_of_clusters(ranks, relative, rankings.clusters.codes, stakes)
    return _log_capital_of_instances(ranks, relative, stakes)


def _log_capital_of_instances(ranks: Ranks, weights: Array, stakes: Array) -> Array:
    """Return the log capital with a bet on each instance: log(1 + λ w) per win, log(1 − λ w) per loss, 0 per tie."""
    equal = bool((weights == 1).all())
    levels = np.ones(1) if equal else weights
    gain, loss = np.log1p(levels[:, None] * stakes), np.log1p(-levels[:, None] * stakes)
    gained = np.empty((len(ranks), len(ranks), len(stakes)))
    lost = np.empty_like(gained)
    for row in range(len(ranks)):
        won = _wins(ranks, row)
        # With equal weights only the number of wins matters.
        wins = np.count_nonzero(won, axis=1)[:, None] if equal else won.astype(np.float64)
        gained[row], lost[row] = wins @ gain, wins @ loss
    return gained + lost.transpose(1, 0, 2)


def _log_capital_of_clusters(ranks: Ranks, weights: Array, codes: Indices, stakes: Array) -> Array:
    """Return the log capital with one bet per cluster, on the mean of w (2 x − 1) over its members that compare the pair."""
    order = np.argsort(codes, kind="stable")
    ranks, weights = ranks[:, order], weights[order]
    first_members = np.flatnonzero(np.diff(codes[order], prepend=-1))
    result = np.zeros((len(ranks), len(ranks), len(stakes)))
    for row in range(len(ranks)):
        both, scores = outcomes(ranks[row], ranks)
        gains = np.add.reduceat((2.0 * scores - both) * weights, first_members, axis=1)
        members = np.add.reduceat(both, first_members, axis=1, dtype=np.float64)
        means = gains / np.maximum(members, 1)
        for start in range(0, means.shape[1], _CHUNK):
            # One logarithm per chunk is far cheaper than one per factor, and the product neither overflows nor underflows.
            result[row] += np.log(np.prod(1 + means[:, start : start + _CHUNK, None] * stakes, axis=1))
    return result


def _wins(ranks: Ranks, row: int) -> Mask:
    """Return where the row beats each algorithm, shape (algorithm, instance).

    A missing opponent has the lowest rank and is never beaten; of two unranked algorithms neither beats the other.
    """
    won: Mask = (ranks[row] < ranks) & (ranks[row] != ABSENT)
    return won
