"""Counting: from ranks to wins and choice sets, the sufficient statistics of the Plackett-Luce model.

`tally` counts wins W and choice sets C per block (a budget, or a budget of one instance), `tally_by_instance` does so for
each instance, and `merge` adds tallies. Rankings are split into stages, equal stages are summed first, and only distinct
ties are expanded.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from polarbear.observe.rankings import ABSENT, UNRANKED
from polarbear.observe.ties import LARGEST_EXACT, shuffle_ties, tie_subsets

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from polarbear.arrays import Array, Indices, Mask, Ranks

_ELEMENTS = 2**20  # array elements processed at once, to bound memory: some tens of megabytes


class Tally(NamedTuple):
    """Wins and distinct choice sets per block (a budget, or a budget of one instance)."""

    wins: Array
    """Shape (block, algorithm): how often each algorithm was chosen from a set of two or more."""
    members: Mask
    """Shape (block, set, algorithm): sorted sets, then padding sets that contain every algorithm."""
    counts: Array
    """Shape (block, set): how often each set occurred; 0 for padding."""


def tally(ranks: Ranks, weights: Array) -> Tally:
    """Count the wins and choice sets of each block.

    A ranking is a sequence of stages: at each stage, the algorithms of one rank are chosen from themselves and all worse
    ones. One algorithm i chosen from the set S adds 1 to W_i and to C_S. A tie adds the sets of `ties.tie_subsets`. Sets of
    a single algorithm carry no information and are left out, with their wins.

    Parameters
    ----------
    ranks
        Shape (instance, block, algorithm).
    weights
        Shape (instance, block).

    Returns
    -------
    Tally

    Examples
    --------
    >>> wins, members, counts = tally(np.array([[[0, 1, 2]]], dtype=np.int16), np.ones((1, 1)))
    >>> wins.tolist(), members.astype(int).tolist(), counts.tolist()
    ([[1.0, 1.0, 0.0]], [[[0, 1, 1], [1, 1, 1]]], [[1.0, 1.0]])
    """
    wins, block, members, counts = [], [], [], []
    for part in split_blocks(*ranks.shape):
        part_wins, part_block, part_members, part_counts = _tally_part(ranks[:, part], weights[:, part])
        wins.append(part_wins)
        block.append(part_block + part.start)
        members.append(part_members)
        counts.append(part_counts)
    sets = _pad_sets(np.concatenate(block), np.concatenate(members), np.concatenate(counts), ranks.shape[1])
    return Tally(np.concatenate(wins), *sets)


def tally_by_instance(ranks: Ranks, weights: Array) -> Iterator[Tally]:
    """Yield the tally of each instance; see `tally` for the parameters."""
    instances, budgets, algorithms = ranks.shape
    # Each budget of each instance is a separate block.
    whole = tally(ranks.reshape(1, -1, algorithms), weights.reshape(1, -1))
    for start in range(0, instances * budgets, budgets):
        own = slice(start, start + budgets)
        sets = max(1, int(np.count_nonzero(whole.counts[own], axis=1).max()))
        yield Tally(whole.wins[own], whole.members[own, :sets], whole.counts[own, :sets])


def split_blocks(instances: int, blocks: int, algorithms: int) -> Iterator[slice]:
    """Yield slices that divide the blocks into parts of bounded size."""
    step = max(1, _ELEMENTS // (instances * algorithms))
    for start in range(0, blocks, step):
        yield slice(start, min(start + step, blocks))


def merge(*tallies: Tally) -> Tally:
    """Return the sum of tallies of the same blocks and algorithms: equal sets are merged, sets of count 0 dropped."""
    blocks, algorithms = tallies[0].wins.shape
    code = _Code(algorithms, blocks)
    keys, counts = [], []
    for one in tallies:
        block, position = np.nonzero(one.counts)
        keys.append(code.encode(block, one.members[block, position]))
        counts.append(one.counts[block, position])
    distinct, sums = _sum_equal_rows(np.concatenate(keys), np.concatenate(counts))
    block, digits = code.decode(distinct)
    return Tally(sum(one.wins for one in tallies[1:]) + tallies[0].wins, *_pad_sets(block, digits == 1, sums, blocks))


@dataclass(frozen=True)
class _Code:
    """Encoding of a block and one base-3 digit per algorithm as a row of integers, so that equal rows are found fast.

    Digits of a stage: 2 for an algorithm chosen now, 1 for a worse one, 0 for one chosen earlier or absent. Digits of a
    set: 1 for a member, 0 otherwise. The first algorithm is the most significant digit, so sorted rows are sorted sets.
    """

    algorithms: int
    blocks: int

    @cached_property
    def width(self) -> int:
        """Digits per integer: 3^width stays below 2^53, exact in float64, and leaves room for the block below 2^63."""
        return min(self.algorithms, 32, int(math.log(2**62 / self.blocks, 3)))

    @cached_property
    def powers(self) -> Array:
        """The place value of each algorithm's digit, shape (algorithm, word)."""
        word, digit = np.divmod(np.arange(self.algorithms), self.width)
        powers = np.zeros((self.algorithms, word[-1] + 1))
        powers[np.arange(self.algorithms), word] = 3 ** (self.width - 1 - digit)
        return powers

    def encode(self, block: Indices, digits: NDArray[np.generic]) -> NDArray[np.int64]:
        """Return one row of integers per block and its digits, shape (row, algorithm)."""
        return self.add_block(block, digits.astype(np.float64) @ self.powers)

    def add_block(self, block: Indices, codes: Array) -> NDArray[np.int64]:
        """Return the codes of the digits, shape (row, word), with the block added above the first digit."""
        rows = codes.astype(np.int64)
        rows[:, 0] += block * 3**self.width
        return rows

    def decode(self, rows: NDArray[np.int64]) -> tuple[Indices, NDArray[np.int8]]:
        """Return the block and the digits of each row; the inverse of `encode`."""
        words = rows.copy()
        block, words[:, 0] = np.divmod(rows[:, 0], 3**self.width)
        digits = np.empty((len(rows), self.algorithms), dtype=np.int8)
        for algorithm in range(self.algorithms):
            word, digit = divmod(algorithm, self.width)
            digits[:, algorithm] = words[:, word] // 3 ** (self.width - 1 - digit) % 3
        return block.astype(np.intp), digits


def _tally_part(ranks: Ranks, weights: Array) -> tuple[Array, Indices, Mask, Array]:
    """Return the wins (block, algorithm) of some blocks, and the block, the members and the count of each distinct set."""
    instances, blocks, algorithms = ranks.shape
    code = _Code(algorithms, blocks)
    stages, totals = _stages(
        code, ranks.reshape(-1, algorithms), weights.ravel(), np.tile(np.arange(blocks), instances)
    )
    block, digits = code.decode(stages)
    chosen, worse = digits == 2, digits == 1
    size, followed = chosen.sum(axis=1), worse.any(axis=1)

    # The last algorithm of a ranking is not a choice. If k algorithms tie for last, each is last with probability 1/k.
    wins = np.zeros((blocks, algorithms))
    present, starts = np.unique(block, return_index=True)
    if present.size:
        wins[present] = np.add.reduceat((totals * np.where(followed, 1.0, 1 - 1 / size))[:, None] * chosen, starts)

    single = (size == 1) & followed
    keys = [code.encode(block[single], digits[single] > 0)]
    counts = [totals[single]]
    for tied, has_worse in product(np.unique(size[size > 1]).tolist(), (False, True)):
        ties = np.flatnonzero((size == tied) & (followed == has_worse))
        step = max(1, _ELEMENTS // len(tie_subsets(tied)[1]))
        for part in (ties[start : start + step] for start in range(0, ties.size, step)):
            tie_keys, tie_counts = _expand_ties(code, block[part], chosen[part], worse[part], totals[part])
            keys.append(tie_keys)
            counts.append(tie_counts)
    distinct, sums = _sum_equal_rows(np.concatenate(keys), np.concatenate(counts))
    block, digits = code.decode(distinct)
    return wins, block, digits == 1, sums


def _stages(code: _Code, ranks: Ranks, weights: Array, block: Indices) -> tuple[NDArray[np.int64], Array]:
    """Return the distinct stages of all rankings, and the total weight of each."""
    last = np.where(ranks == UNRANKED, ABSENT, ranks).max(axis=1)
    last[weights == 0] = ABSENT
    keys, totals = [np.empty((0, code.powers.shape[1]), dtype=np.int64)], [np.empty(0)]
    for rank in range(int(last.max()) + 1):
        left = last >= rank
        if not left.all():
            ranks, weights, block, last = ranks[left], weights[left], block[left], last[left]
        worse_or_chosen, chosen = ranks >= rank, ranks == rank
        keys.append(code.encode(block, np.add(worse_or_chosen, chosen, dtype=np.int8)))
        totals.append(weights)
    return _sum_equal_rows(np.concatenate(keys), np.concatenate(totals))


def _expand_ties(
    code: _Code,
    block: Indices,
    chosen: Mask,
    worse: Mask,
    totals: Array,
) -> tuple[NDArray[np.int64], Array]:
    """Return the distinct choice sets and counts of ties of one size that all have, or all lack, worse algorithms."""
    size = int(chosen[0].sum())
    members, shares = tie_subsets(size)
    if not worse[0].any():
        # The subsets of one algorithm come first; without worse algorithms they are not a choice.
        members, shares = members[size:], shares[size:]
    tied = np.nonzero(chosen)[1].reshape(-1, size)
    if size > LARGEST_EXACT:
        tied = shuffle_ties(tied, np.packbits(np.hstack([chosen, worse]), axis=1))
    powers, table = code.powers, members.T.astype(np.float64)
    codes = np.stack([powers[tied, word] @ table for word in range(powers.shape[1])], axis=-1)
    codes += (worse @ powers)[:, None, :]
    rows = code.add_block(np.repeat(block, len(shares)), codes.reshape(-1, powers.shape[1]))
    return _sum_equal_rows(rows, (totals[:, None] * shares).ravel())


def _sum_equal_rows(rows: NDArray[np.int64], weights: Array) -> tuple[NDArray[np.int64], Array]:
    """Return the distinct rows in ascending order, and the sum of the (positive) weights of each."""
    if not len(rows):
        return rows, weights
    if rows.shape[1] == 1 and rows.max() < 8 * len(rows):
        sums = np.bincount(rows[:, 0], weights).astype(np.float64, copy=False)
        distinct = np.flatnonzero(sums)
        return distinct[:, None].astype(np.int64), sums[distinct]
    order = np.argsort(rows[:, 0], kind="stable") if rows.shape[1] == 1 else np.lexsort(rows.T[::-1])
    rows = rows[order]
    first = np.flatnonzero(np.append(True, (rows[1:] != rows[:-1]).any(axis=1)))
    return rows[first], np.add.reduceat(weights[order], first)


def _pad_sets(block: Indices, members: Mask, counts: Array, blocks: int) -> tuple[Mask, Array]:
    """Pad every block to the same number of sets; padding contains every algorithm, so that its mass is positive."""
    number = np.bincount(block, minlength=blocks)
    most = max(1, int(number.max()))
    position = np.arange(len(block)) - np.repeat(np.cumsum(number) - number, number)
    all_members = np.ones((blocks, most, members.shape[1]), dtype=bool)
    all_counts = np.zeros((blocks, most))
    all_members[block, position] = members
    all_counts[block, position] = counts
    return all_members, all_counts
