"""The Plackett-Luce likelihood and its derivatives as plain loops over orderings, and by choix."""

from collections import Counter
from itertools import permutations, product

import numpy as np
from choix.opt import Top1Fcts

from polarbear.observe import Choices, Grid


def grid_of(budgets):
    return Grid(np.arange(1.0, budgets + 1))


def orderings(row):
    """All orders, best first, that are compatible with a row of values; NaN is absent."""
    present = [i for i, value in enumerate(row) if not np.isnan(value)]
    groups = [[i for i in present if row[i] == value] for value in sorted({row[i] for i in present})]
    return [[i for group in parts for i in group] for parts in product(*map(permutations, groups))]


def stages(order, known=None):
    """The choices of one order, (winner, losers), of its first `known` positions."""
    pairs = [(winner, list(order[place + 1 :])) for place, winner in enumerate(order)]
    return [(winner, losers) for winner, losers in pairs[:known] if losers]


class Data:
    """Choices, and the weight of each single choice (budget, winner, losers) that they stand for."""

    def __init__(self, choices, observed):
        self.choices, self.weights = choices, Counter()
        for budget, weight, stages in observed:
            for winner, losers in stages:
                self.weights[budget, winner, tuple(sorted(losers))] += weight


def of_values(values, weights=None):
    instances, budgets, _ = values.shape
    each = np.ones((instances, budgets)) if weights is None else weights
    observed = []
    for instance, budget in np.ndindex(instances, budgets):
        orders = orderings(values[instance, budget])
        observed += [(budget, each[instance, budget] / len(orders), stages(order)) for order in orders]
    return Data(Choices.from_values(values, grid=grid_of(budgets), weights=weights), observed)


def by_loop(choice, mu):
    """Value, gradient and negative Hessian of one choice, from the definition."""
    winner, losers = choice
    chosen_from = [winner, *losers]
    p = np.zeros(len(mu))
    p[chosen_from] = np.exp(mu[chosen_from]) / np.exp(mu[chosen_from]).sum()
    return np.log(p[winner]), np.eye(len(mu))[winner] - p, np.diag(p) - np.outer(p, p)


def by_choix(choice, mu):
    functions = Top1Fcts([choice], penalty=0.0)
    return -functions.objective(mu), -functions.gradient(mu), functions.hessian(mu)


def expected(data, utilities, oracle):
    budgets, n = utilities.shape
    value, gradient, curvature = np.zeros(budgets), np.zeros((budgets, n)), np.zeros((budgets, n, n))
    for (budget, winner, losers), weight in data.weights.items():
        of_choice = oracle((winner, list(losers)), utilities[budget])
        value[budget] += weight * of_choice[0]
        gradient[budget] += weight * of_choice[1]
        curvature[budget] += weight * of_choice[2]
    return value, gradient, curvature
