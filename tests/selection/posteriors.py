"""Posteriors of known content for the tests of selection."""

import numpy as np

from polarbear import Diagnostics, Grid, Posterior, linear_grid, log_grid

GRIDS = {
    "even": linear_grid(0, 60, 12),
    "log": log_grid(1, 10_000, 12),
    "uneven": Grid([1, 2, 3, 5, 6, 12, 13, 16, 20, 21]),
    "uneven log": Grid([1, 2, 3, 50, 60, 1000, 1300], "log"),
    "two times": Grid([5, 7]),
    "wide": Grid([1, 1e6], "log"),
}


def posterior_of(ratings, grid=None, *, names=None, joint=True, reliable=True):
    """A posterior of ratings (draw, budget, algorithm); they need not sum to one, which selection does not require."""
    ratings = np.asarray(ratings, dtype=float)
    return Posterior(
        ratings=ratings,
        names=tuple("ABCDEFGHIJKLMNOPQRST"[: ratings.shape[2]]) if names is None else tuple(names),
        grid=Grid(np.arange(1.0, ratings.shape[1] + 1)) if grid is None else grid,
        joint=joint,
        diagnostics=Diagnostics("nested-laplace", reliable, "All is well." if reliable else "Too few draws.", 40.0),
        prior="BSpline(...)" if joint else "Dirichlet(concentration=1.0)",
        instances=12,
    )


def everybody(posterior):
    """The columns of all algorithms."""
    return np.arange(len(posterior.names))


def random_posterior(draws=60, budgets=8, algorithms=4, *, seed=0, spread=1.0, grid=None):
    """Smooth paths that cross: softmax of random walks around random levels."""
    rng = np.random.default_rng(seed)
    level = rng.normal(scale=0.5, size=(1, budgets, algorithms)).cumsum(axis=1)
    noise = spread * rng.normal(scale=0.4, size=(draws, budgets, algorithms)).cumsum(axis=1)
    strengths = np.exp(level + noise)
    return posterior_of(
        strengths / strengths.sum(axis=2, keepdims=True),
        grid or (log_grid(10, 1000, budgets) if budgets > 1 else Grid([10.0])),
    )


def crossing_at(budgets, grid, *, spread=0.0):
    """A leads until the drawn budget, then B, by lines on the grid's axis; C is never best."""
    axis = np.log if grid.axis == "log" else np.asarray
    lead = (axis(np.asarray(budgets, dtype=float))[:, None] - axis(grid.budgets)) / np.ptp(axis(grid.budgets))
    first = 0.45 + 0.2 * lead + spread
    return posterior_of(np.stack([first, 0.9 - first, np.full_like(first, 0.1)], axis=2), grid)
