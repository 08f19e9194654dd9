"""Fit Plackett-Luce utilities to weighted instances: one fit per draw of the weights and per time.

Wins and choice-set counts are linear in the weights. The fit maximises Σ_r w_r log PL(ranking r | μ) − ½ ρ |μ|², with a weak
penalty ρ that keeps utilities finite where an algorithm always wins. Newton's method finds the fit μ̂ under the expected
weights. From there each draw takes one linear step, H⁻¹ Σ_r w_r s_r with the scores s_r of the rows at μ̂: a matrix product.
Where the cost permits, further steps with the rescaled Hessian of μ̂ make the fits exact. Otherwise the linear step is final:
in simulated data its win rates differ from the exact ones by 7 % of their standard deviation (root mean square) with 30
algorithms and 100 instances, 14 % with 30 algorithms and 30 instances, and 4 % with 10 algorithms and 300 instances.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy

from polarbear.observe.rankings import ABSENT, UNRANKED
from polarbear.observe.tally import tally
from polarbear.observe.ties import tie_subsets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.arrays import Array, Array32, Indices, Mask, Ranks
    from polarbear.inference.bootstrap.instance_weights import Rows


_PENALTY = 0.01  # ρ: a normal prior with standard deviation 10, far beyond any observable win rate
_NEWTON_STEPS, _NEWTON_TOLERANCE = 60, 1e-8
_LARGEST_SINGLE = 40.0  # utilities up to which single precision suffices; draws may lie as far again from the mode
_LARGEST_STEP = 2.0  # in utilities; damps Newton's method far from the solution
# A draw has converged when its next step is below 3 % of the standard deviation with which the instances determine it.
_STEPS, _TOLERANCE = 30, 1e-3
_FEW_LEFT = 0.5  # share of the draws below which the others are set aside, which costs as much as a third of a step
_RANKS_AT_ONCE = 300_000  # ranks tallied in one call, a few megabytes
_SETS_AT_ONCE = 2**26  # bytes of the choice sets of one call; large ties have many more sets than ranks
_DENSE = 100_000  # number of entries up to which a dense matrix is faster than a sparse one
_BITS = 52  # up to this number of algorithms, a set coded in bits is exact in double precision
_AFFORDABLE = 4e9  # largest times × sets × algorithms × draws of exact fits: about half a second per step


@dataclass(frozen=True, eq=False)
class _Stages:
    """The choices at one time: wins of each row, distinct choice sets, and how often each row chose from them."""

    wins: Array
    """Shape (row, algorithm): stages of the row's ranking that the algorithm wins."""
    members: Array
    """Shape (set, algorithm): 1 for the algorithms of the set."""
    holds: Any
    """Shape (row, set): how often the row chose from the set; sparse if large."""


def weighted_utilities(rows: Rows, weights: Array32, *, exact: bool | None = None) -> Array32:
    """Return the fitted utilities (time, algorithm, draw), centred at each time.

    Parameters
    ----------
    rows
        The rankings.
    weights
        Shape (row, draw); only their proportions matter.
    exact
        True iterates each fit to its maximum, False takes the linear step only. By default fits are exact if their cost is
        below `_AFFORDABLE`.
    """
    times, algorithms = rows.ranks.shape[1:]
    first, index = _distinct_times(rows)
    if len(first) < times:
        scale = None if rows.scale is None else rows.scale[:, first]
        return weighted_utilities(replace(rows, ranks=rows.ranks[:, first], scale=scale), weights, exact=exact)[index]
    total = float(rows.sizes.sum())
    if exact is None:
        sets = min(2**algorithms, len(rows.ranks) * (algorithms - 1))
        exact = float(times) * sets * algorithms * weights.shape[1] <= _AFFORDABLE
    result = np.empty((times, algorithms, weights.shape[1]), dtype=np.float32)
    mode = np.zeros(algorithms)
    for t, stages in enumerate(_stages(rows)):
        at_time = weights if rows.scale is None else (weights * rows.scale[:, t, None]).astype(np.float32)
        expected = rows.sizes if rows.scale is None else rows.sizes * rows.scale[:, t]
        mode, hessian = _fit(stages, expected, mode)
        # The likelihood does not determine the common level of the utilities. Give it the mean curvature of the other
        # directions, and centre at the end.
        inverse = np.linalg.inv(hessian + np.trace(hessian) / algorithms**2)
        drawn = _linear_step(stages, at_time, total, mode, inverse)
        if exact:
            drawn = _iterate(stages, at_time, total, drawn, mode, expected, inverse)
        result[t] = drawn - drawn.mean(axis=0)
    return result


def _distinct_times(rows: Rows) -> tuple[Indices, Indices]:
    """Return the times at which some ranking or weight differs from the time before, and the position of each time's."""
    changes = (rows.ranks[:, 1:] != rows.ranks[:, :-1]).any(axis=(0, 2))
    if rows.scale is not None:
        changes |= (rows.scale[:, 1:] != rows.scale[:, :-1]).any(axis=0)
    starts = np.concatenate([[True], changes])
    return np.flatnonzero(starts), np.cumsum(starts) - 1


def _stages(rows: Rows) -> Iterator[_Stages]:
    """Yield the choices of each time, with equal sets merged."""
    number, times, algorithms = rows.ranks.shape
    at_once = max(1, min(_RANKS_AT_ONCE, _SETS_AT_ONCE // _most_sets(rows.ranks)) // (number * algorithms))
    for start in range(0, times, at_once):
        part = rows.ranks[:, start : start + at_once].swapaxes(0, 1)
        counts = np.ones(part.shape[:2])
        if rows.scale is not None:
            counts = (rows.scale[:, start : start + at_once].T > 0).astype(np.float64)
        # Each row at each time is a separate block of the tally.
        counted = tally(part.reshape(1, -1, algorithms), counts.reshape(1, -1))
        for t in range(len(part)):
            here = slice(t * number, (t + 1) * number)
            yield _merge_equal_sets(counted.wins[here], counted.members[here], counted.counts[here])


def _most_sets(ranks: Ranks) -> int:
    """Return an upper bound on the number of choice sets of one ranking; ties of medium size have the most."""
    last = int(np.where(ranks == UNRANKED, ABSENT, ranks).max())
    ties = {size for rank in range(last + 1) for size in np.unique(np.count_nonzero(ranks == rank, axis=-1)).tolist()}
    return int(ranks.shape[-1]) + max((len(tie_subsets(size)[1]) for size in ties if size > 1), default=0)


def _merge_equal_sets(wins: Array, members: Mask, counts: Array) -> _Stages:
    """Merge equal sets of all rows, given the padded sets of each row."""
    algorithms = members.shape[2]
    row, place = np.nonzero(counts)
    if not row.size:
        return _Stages(wins, np.ones((1, algorithms)), np.zeros((len(wins), 1)))
    chosen = members[row, place]
    if algorithms <= _BITS:
        codes = chosen @ np.exp2(np.arange(algorithms))
        _, first, index = np.unique(codes, return_index=True, return_inverse=True)
    else:
        _, first, index = np.unique(np.packbits(chosen, axis=1), axis=0, return_index=True, return_inverse=True)
    shape = (len(wins), len(first))
    if shape[0] * shape[1] > _DENSE:
        holds: Any = scipy.sparse.csr_array((counts[row, place], (row, index.ravel())), shape=shape)
    else:
        holds = np.zeros(shape)
        holds[row, index.ravel()] = counts[row, place]
    return _Stages(wins, chosen[first].astype(np.float64), holds)


def _fit(stages: _Stages, weights: Array, start: Array) -> tuple[Array, Array]:
    """Return the penalised maximum under weights (row,) and its negative Hessian, by damped Newton steps from `start`."""
    wins, counts = weights @ stages.wins, weights @ stages.holds
    utilities = start
    identity = _PENALTY * np.eye(len(start))
    for _ in range(_NEWTON_STEPS):
        shares = stages.members * np.exp(utilities)
        mass = shares.sum(axis=1)
        shares /= mass[:, None]
        expected = counts @ shares
        hessian = np.diag(expected) - (shares * counts[:, None]).T @ shares + identity
        step = np.linalg.solve(hessian, wins - expected - _PENALTY * utilities)
        largest = np.abs(step).max()
        utilities = utilities + step * min(1.0, _LARGEST_STEP / max(largest, 1e-300))
        if largest < _NEWTON_TOLERANCE:
            break
    return utilities, hessian


def _linear_step(stages: _Stages, weights: Array32, total: float, mode: Array, inverse: Array) -> Array32:
    """Return the fits (algorithm, draw) to first order: the inverse Hessian times the weighted scores at the mode."""
    exponentials = np.exp(mode)
    mass = stages.members @ exponentials
    chosen = (stages.holds / mass) @ stages.members * exponentials  # expected wins of each row
    influence = total * ((stages.wins - chosen) @ inverse)
    constant = (inverse @ (_PENALTY * mode)).astype(np.float32)
    step: Array32 = influence.T.astype(np.float32) @ weights - constant[:, None]
    return mode[:, None].astype(np.float32) + np.clip(step, -_LARGEST_STEP, _LARGEST_STEP)


def _iterate(
    stages: _Stages, weights: Array32, total: float, drawn: Array32, mode: Array, expected: Array, inverse: Array
) -> Array32:
    """Iterate each draw (algorithm, draw) to the maximum under its weights.

    The Hessian of a draw is close to S H S. H is the Hessian at the mode, and the diagonal S² is the ratio of the draw's
    expected wins to those at the mode. A step therefore costs no more than a gradient.
    """
    # The powers of e of many algorithms in a fixed order exceed the range of single precision, e^±87.
    dtype: Any = np.float32 if np.abs(mode).max() < _LARGEST_SINGLE else np.float64
    members = stages.members.astype(dtype)
    weights = weights.astype(dtype, copy=False)
    wins = total * stages.wins.T.astype(dtype) @ weights
    counts = (total * stages.holds.T.astype(dtype)) @ weights
    shares = stages.members * np.exp(mode)
    usual = (expected @ stages.holds / shares.sum(axis=1)) @ shares + _PENALTY
    inverse = inverse.astype(dtype)
    usual = usual[:, None].astype(dtype)
    result, utilities = drawn.copy(), drawn.astype(dtype, copy=False)
    left = np.arange(drawn.shape[1])
    for _ in range(_STEPS):
        exponentials = np.exp(utilities)
        mass = members @ exponentials
        chosen = exponentials * (members.T @ np.divide(counts, mass, out=mass))
        gradient = wins - chosen - dtype(_PENALTY) * utilities
        rescale = np.sqrt(usual / (chosen + dtype(_PENALTY)))
        step = rescale * (inverse @ (rescale * gradient))
        far = np.einsum("ad,ad->d", step, gradient) > _TOLERANCE
        step *= np.minimum(1.0, 1.0 / np.maximum(np.abs(step).max(axis=0), dtype(1e-30)))
        utilities = utilities + step
        result[:, left] = utilities
        if not far.any():
            break
        if far.mean() < _FEW_LEFT:
            left, utilities, wins, counts = left[far], utilities[:, far], wins[:, far], counts[:, far]
    return result
