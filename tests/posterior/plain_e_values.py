"""Choices from ranks and from outcomes of duels, and e-values as plain loops."""

import math

import numpy as np

import polarbear as pb
from polarbear.observe import ABSENT, UNRANKED
from polarbear.posterior.e_values import evidence

STAKES, SHARES = (part / 2 for part in np.polynomial.legendre.leggauss(64))
STAKES = STAKES + 0.5


def choices_of(ranks, **more):
    """Choices of ranks (instance, budget, algorithm)."""
    ranks = np.asarray(ranks)
    return pb.Choices.from_rankings(pb.Rankings(ranks, None, np.arange(1, ranks.shape[1] + 1), **more))


def duels(outcomes, **more):
    """Choices of two algorithms at one budget: "w", "l" and "t" for a win, a loss and a tie of the first."""
    ranks = {"w": [0, 1], "l": [1, 0], "t": [0, 0]}
    return choices_of([[ranks[each]] for each in outcomes], **more)


def of_first(choices):
    """The e-value of the first algorithm against the second at the only budget."""
    (((_, value), _),) = evidence(choices)
    return value


def outcome(mine, other):
    """x in {0, ½, 1}, or None where two were not compared."""
    if ABSENT in (mine, other) or (mine == UNRANKED and other == UNRANKED):
        return None
    return 1.0 if mine < other else 0.0 if mine > other else 0.5


def plain_evidence(ranks, weights, labels):
    """The definition as loops: a product of bets for each stake, averaged."""
    instances, budgets, n = ranks.shape
    result = np.zeros((budgets, n, n))
    for t in range(budgets):
        largest = max(weights)
        for a in range(n):
            for b in range(n):
                bets = {}
                for p in range(instances):
                    x = outcome(ranks[p, t, a], ranks[p, t, b])
                    if x is not None and weights[p]:
                        bets.setdefault(labels[p], []).append(weights[p] / largest * (2 * x - 1))
                if a != b:
                    capital = math.prod(
                        (1 + STAKES * sum(each) / len(each) for each in bets.values()), start=1 + 0 * STAKES
                    )
                    result[t, a, b] = SHARES @ capital
    return result
