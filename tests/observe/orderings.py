"""The paper's expansion of ties into all k! orderings, as plain loops: the oracle of `Choices`. Also data to compare on."""

import math
from collections import Counter
from itertools import permutations, product

import numpy as np
from hypothesis import strategies as st

from polarbear.observe import UNRANKED, linear_grid, rank_values


def orderings(ranks, weight=1.0):
    """Every strict ordering of a ranking with ties, with its share of the weight."""
    groups = [[i for i, rank in enumerate(ranks) if rank == r] for r in range(len(ranks))]
    orders = list(product(*(permutations(group) for group in groups)))
    for order in orders:
        yield [i for group in order for i in group], weight / len(orders)


def stages_of_orderings(ranks, weights):
    """The weight of each stage, (chosen algorithm, set it was chosen from), over all orderings of rankings at one budget."""
    stages = Counter()
    for row, weight in zip(ranks, weights, strict=True):
        unranked = {i for i, rank in enumerate(row) if rank == UNRANKED}
        for order, share in orderings(row, weight):
            for position, chosen in enumerate(order):
                stages[chosen, frozenset(unranked.union(order[position:]))] += share
    return stages


def tally_of_stages(stages, algorithms):
    """Wins and sets of two or more algorithms."""
    wins, sets = np.zeros(algorithms), Counter()
    for (chosen, members), weight in stages.items():
        if len(members) > 1 and weight > 0:
            wins[chosen] += weight
            sets[members] += weight
    return wins, sets


def log_likelihood_of_stages(stages, utilities):
    """The Plackett-Luce log-likelihood, as a sum over stages."""
    return sum(
        weight * (utilities[chosen] - math.log(sum(math.exp(utilities[i]) for i in members)))
        for (chosen, members), weight in stages.items()
    )


def sets_of(choices, budget=0):
    """The choice sets of one budget and their counts, as a dictionary."""
    pairs = zip(choices.members[budget], choices.counts[budget], strict=True)
    return {frozenset(np.flatnonzero(members).tolist()): count for members, count in pairs if count > 0}


def assert_equal(left, right, rtol=1e-12):
    assert left.names == right.names
    assert left.grid == right.grid
    np.testing.assert_allclose(left.wins, right.wins, rtol=rtol, atol=1e-12)
    np.testing.assert_array_equal(left.members, right.members)
    np.testing.assert_allclose(left.counts, right.counts, rtol=rtol, atol=1e-12)


def identical(left, right):
    return all(np.array_equal(getattr(left, name), getattr(right, name)) for name in ("wins", "members", "counts"))


def grid_for(values):
    return linear_grid(1, values.shape[1], values.shape[1])


def small_numbers(size, below):
    """Arrays of whole numbers; one draw of bytes is far cheaper for Hypothesis than a draw per number."""
    return st.binary(min_size=size, max_size=size).map(lambda data: np.frombuffer(data, dtype=np.uint8) % below)


@st.composite
def weak_rankings(draw):
    """Ranks (instance, algorithm) with ties, absent and unranked algorithms, and weights, of which some are zero."""
    rows, n = draw(st.integers(1, 6)), draw(st.integers(2, 6))
    codes = draw(small_numbers(rows * n, below=7)).reshape(rows, n)  # 5 is absent, 6 unranked
    ranks = np.where(codes == 6, UNRANKED, rank_values(np.where(codes > 4, np.nan, codes))).astype(np.int16)
    weights = np.array([0.0, 0.25, 1.0, 1.0, 3.0])[draw(small_numbers(rows, below=5))]
    weights[0] = weights[0] or 1.0
    return ranks, weights


@st.composite
def values_with_ties(draw, fewest=2):
    """Values (instance, budget, algorithm) from -3 to 3, NaN and infinite; every algorithm is observed at least once."""
    shape = draw(st.integers(2, 6)), draw(st.integers(1, 3)), draw(st.integers(fewest, 5))
    codes = draw(small_numbers(math.prod(shape), below=9))
    values = np.array([-3.0, -2, -1, 0, 1, 2, 3, math.nan, math.inf])[codes].reshape(shape)
    values[0, 0] = np.arange(shape[2])
    return values
