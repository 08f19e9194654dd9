"""Posteriors of algorithms of which one has no run after some budget."""

import numpy as np

import polarbear as pb

GRID = pb.log_grid(1, 1000, 4)  # 1, 10, 100, 1000


def short_posterior(*names, prior=None, instances=20):
    """`short` is the best, and observed at the budgets 1 and 10 only; of the others each is better than the next one."""
    rng = np.random.default_rng(0)
    centre = np.arange(len(names) + 1.0)
    values = rng.normal(centre, 0.5, size=(instances, len(GRID), len(centre)))
    values[:, 2:, 0] = np.nan
    choices = pb.Choices.from_values(values, grid=GRID, names=["short", *names])
    return pb.fit(choices, prior=prior, draws=400)
