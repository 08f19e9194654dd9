"""Rankings of known content for the tests of the Bayesian bootstrap, and the bootstrap of outcomes alone."""

import numpy as np

import polarbear as pb
from polarbear.calibration.simulator import Simulator

OUTCOMES = pb.BayesianBootstrap(plackett_luce=0, shrink=False)


def wins_of(wins, instances, **options):
    """Return choices at one time in which A beats B on the first `wins` of the instances."""
    values = np.where(np.arange(instances) < wins, 1.0, 3.0)
    return pb.Choices.from_values(np.stack([values, np.full(instances, 2.0)], axis=1)[:, None], grid=[1], **options)


def rankings(utilities, instances, *, seed, autocorrelation=0.9):
    values = Simulator(autocorrelation).values(np.asarray(utilities), instances, rng=np.random.default_rng(seed))
    return pb.Choices.from_values(values, grid=np.arange(1, len(utilities) + 1))
