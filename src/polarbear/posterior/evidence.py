"""E-values for win rates: evidence about pairs of algorithms that needs no model.

For algorithms a and b at a time t, the null hypothesis is that a beats b on at most half of the instances (ties count one
half). A gambler who doubts it bets on "a beats b" before each instance. With x_p in {0, ½, 1} the outcome on instance p and
a stake λ in (0, 1), the capital after instances 1, ..., P is

    e = ∫₀¹ ∏_p (1 + λ (2 x_p − 1)) dλ.

Under the null no bet has a positive expected gain, so the capital is a non-negative supermartingale that starts at 1, and
the probability that it *ever* reaches 1/δ is at most δ (Ville, 1939; betting as a test: Waudby-Smith and Ramdas, 2024). The
statement holds at every moment and for every stopping rule, for any distribution of instances and any dependence over time
or between algorithms.

What it assumes:

- Instances are independent draws, in the order in which they were taken. The order of a sorted list must be shuffled.
- Whether a pair is observed on an instance is decided before that instance is drawn. A race decides who runs, and until
  when, from earlier rounds, so truncated runs and eliminated algorithms do no harm. Runs that fail under
  `failure="missing"` are the exception: there the null hypothesis is about the instances on which both are observed.
- An algorithm that joins later runs on the known instances in their order, and may stop at any of them. Its outcomes there
  are unknown when it joins, so its bets are valid unless it was tuned on these instances. They cease to be exact only if
  it skips some of them because of what was known there and runs on later ones again.
- Clusters are complete when one looks. A race that looks while clusters still grow has no proof, only a simulation: with
  10 to 100 clusters of 2 to 20 members in random order and a look after every 8 instances, 0.4 to 3.4 % of 1,000
  sequences reached 20, where 5 % are allowed.

The stakes are averaged with positive weights that sum to one (Gauss-Legendre nodes), and an average of supermartingales is
one. The integral is exact for up to 127 instances; beyond, the average is a finite mixture close to it, and just as valid.

Decisions need a bound over all pairs. `b` is wrongly eliminated by `a` only if at *some* time a's win rate is at most one
half. The smallest e-value over times is at most the one at that time, so the minimum over times needs no correction for
their number. Which pair is eliminated is chosen by the data, so pairs do: `error_bounds` holds for all ordered pairs at
once, and `corrections` keeps that true where algorithms may join later.

References
----------
Ville, J. (1939). Étude critique de la notion de collectif. Gauthier-Villars.
Waudby-Smith, I., and Ramdas, A. (2024). Estimating means of bounded random variables by betting. Journal of the Royal
Statistical Society, Series B, 86(1), 1-27.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe import Choices
from polarbear.observe.rankings import ABSENT, UNRANKED

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from polarbear.observe import Rankings

    Array = NDArray[np.float64]

# Polynomials up to degree 127 are integrated exactly, (1 + λ)^5000 to about 1 %; validity does not depend on it.
_NODES = 64
_CHUNK = 64  # factors per product: none is below 3e-4 (the largest node's distance from 1), and 3e-4^64 > 1e-230
_LARGEST = float(np.log(np.finfo(np.float64).max))
_SMALLEST = float(np.log(np.finfo(np.float64).tiny))


def evidence(choices: Choices) -> Array:
    """Return e-values for "the row beats the column on most instances", shape (time, algorithm, algorithm).

    The null hypothesis at a time is that the row's win rate against the column is at most one half, where a tie counts one
    half. With x_p in {0, ½, 1} the outcome on instance p, over the instances where both were observed,

        e = ∫₀¹ ∏_p (1 + λ (2 x_p − 1)) dλ.

    If the null hypothesis is true, e exceeds 1/δ at any moment of a growing data set with probability at most δ, whatever
    the model and whenever one stops to look (Ville, 1939; Waudby-Smith and Ramdas, 2024). An e-value of 20 speaks against
    the null hypothesis like a p-value of 0.05; k wins in a row give (2^(k + 1) − 1) / (k + 1). E-values of several pairs
    or times are each valid alone: see `polarbear.posterior.evidence.error_bounds` for eliminations.

    Clusters: one bet per cluster, on the mean of 2 x_p − 1 over its members, in the order of arrival. The null hypothesis
    is then about new clusters, and three clusters are three bets, however many instances they have. A cluster counts from
    its first member; stopping rules are covered if they look when clusters are complete.

    Weights: instance p stakes λ w_p / max(w) instead of λ, and the null hypothesis is about the weighted win rate. Weights
    must not depend on the outcomes, and for repeated looks the largest one must be there from the start, since it scales
    all bets.

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
    result: Array = np.exp(np.minimum(log_evidence(choices), _LARGEST))
    return result


def log_evidence(choices: Choices) -> Array:
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
    """Return bounds on the probability that eliminating the column because of the row is wrong, whatever the model.

    The bound is min(1, k / min_t e_t), with e_t the e-value of row against column at time t and k = n (n − 1) for n
    algorithms. It holds for all pairs at once, at every moment: the probability that an elimination with a bound of at
    most δ is ever wrong, of any pair, is at most δ. Without k the bound would not hold for a pair that the data selected.

    Parameters
    ----------
    choices
        See `evidence`.
    correction
        k, a number or one for each pair, shape (algorithm, algorithm); the reciprocals over all ordered pairs must sum to
        at most one. See `corrections` for algorithms that join later.

    Returns
    -------
    NDArray
        Shape (algorithm, algorithm), row eliminates column; above 0 and at most 1, which is the value of the diagonal.
    """
    n = len(choices.names)
    k = np.asarray(n * (n - 1) if correction is None else correction, dtype=np.float64)
    logarithms = np.log(k) - log_evidence(choices).min(axis=0)
    result: Array = np.exp(np.clip(logarithms, _SMALLEST, 0.0))
    return result


def corrections(algorithms: int, founders: int) -> Array:
    """Return the correction k of each ordered pair where algorithms may join a race that is under way.

    Dividing δ by the n (n − 1) pairs of the moment would spend more than δ as n grows. Here the share 1/k of a pair is
    fixed when its later member arrives: 1/n² for each pair of the n founders, which spends 1 − 1/n, and for the m-th
    algorithm 1 / (m (m − 1)), divided among its 2 (m − 1) pairs. All shares, of however many algorithms, sum to one.

    Parameters
    ----------
    algorithms, founders
        How many algorithms there are now, in order of arrival, and how many took part from the start.

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


def _log_capital_of_instances(ranks: NDArray[np.int16], weights: Array, stakes: Array) -> Array:
    """Bet on each instance: sum log(1 + λ w) over wins and log(1 − λ w) over losses; ties add nothing."""
    equal = bool((weights == 1).all())
    levels = np.ones(1) if equal else weights
    gain, loss = np.log1p(levels[:, None] * stakes), np.log1p(-levels[:, None] * stakes)
    gained = np.empty((len(ranks), len(ranks), len(stakes)))
    lost = np.empty_like(gained)
    for row in range(len(ranks)):
        won = _wins(ranks, row)
        # With equal weights the number of wins is all that matters.
        counted = np.count_nonzero(won, axis=1)[:, None] if equal else won.astype(np.float64)
        gained[row], lost[row] = counted @ gain, counted @ loss
    return gained + lost.transpose(1, 0, 2)


def _log_capital_of_clusters(ranks: NDArray[np.int16], weights: Array, codes: NDArray[np.intp], stakes: Array) -> Array:
    """Bet once on each cluster: on the mean of w (2 x − 1) over its members on which the pair was compared."""
    order = np.argsort(codes, kind="stable")
    ranks, weights = ranks[:, order], weights[order]
    first_members = np.flatnonzero(np.diff(codes[order], prepend=-1))
    result = np.zeros((len(ranks), len(ranks), len(stakes)))
    for row in range(len(ranks)):
        won, lost = _wins(ranks, row), _losses(ranks, row)
        tied = (ranks == ranks[row]) & (ranks != ABSENT) & (ranks != UNRANKED)
        gains = np.add.reduceat((won.astype(np.float64) - lost) * weights, first_members, axis=1)
        members = np.add.reduceat(won | lost | tied, first_members, axis=1, dtype=np.float64)
        means = gains / np.maximum(members, 1)
        for start in range(0, means.shape[1], _CHUNK):
            # A product per chunk takes far fewer logarithms than a sum of them, and neither overflows nor underflows.
            result[row] += np.log(np.prod(1 + means[:, start : start + _CHUNK, None] * stakes, axis=1))
    return result


def _wins(ranks: NDArray[np.int16], row: int) -> NDArray[np.bool_]:
    """Return where the row beats each algorithm, shape (algorithm, instance).

    A missing opponent has the lowest rank and is never beaten; of two unranked algorithms neither beats the other.
    """
    won: NDArray[np.bool_] = (ranks[row] < ranks) & (ranks[row] != ABSENT)
    return won


def _losses(ranks: NDArray[np.int16], row: int) -> NDArray[np.bool_]:
    lost: NDArray[np.bool_] = (ranks < ranks[row]) & (ranks != ABSENT)
    return lost
