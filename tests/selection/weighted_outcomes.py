"""Values of instances, and posteriors of the Bayesian bootstrap whose weights a test can count with."""

import numpy as np

from polarbear import BayesianBootstrap, Choices, fit
from polarbear.observe import Rankings
from polarbear.posterior.keyed_numbers import keyed_generator


def random_values(instances, budgets, algorithms, *, seed=0, ties=True):
    """Whole numbers, few of them so that ties happen, or so many that they do not."""
    return np.random.default_rng(seed).integers(0, 4 if ties else 10**6, size=(instances, budgets, algorithms))


def bootstrap_of(values, *, names=None, draws=200):
    """The posterior of values (instance, budget, algorithm), with the least informative prior of a pair."""
    choices = Choices.from_values(values, grid=np.arange(1, values.shape[1] + 1), names=names)
    return fit(choices, prior=BayesianBootstrap(near_equal=0), draws=draws, seed=0)


def bootstrap_of_ranks(ranks, *, draws=200):
    """The posterior of ranks (instance, budget, algorithm)."""
    rankings = Rankings(ranks, None, np.arange(1, ranks.shape[1] + 1))
    return fit(Choices.from_rankings(rankings), draws=draws, seed=0)


def many(values):
    """Values that occur so often that means over draws are means over instances, to `MANY` of a share."""
    return np.tile(values, (400, 1, 1))


# Five standard errors of the mean of 200 draws, whose deviation is at most 0.5 / √2000, and a prior of one in 2000.
MANY = 5 * 0.5 / np.sqrt(2000 * 200) + 1 / 2000


def weights_of(posterior):
    """The weights of the instances, (instance, draw), and the prior weight of the first place of each algorithm."""
    beliefs = posterior.beliefs
    algorithms = len(posterior.names)
    prior = keyed_generator(beliefs.seed, "first places").standard_gamma(1 / algorithms, (beliefs.draws, algorithms))
    return beliefs.unit_weights()[beliefs.sample.unit], prior
