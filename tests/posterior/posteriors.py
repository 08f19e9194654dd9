"""Posteriors of random ratings, for tests that need draws but no data."""

import numpy as np

from polarbear import Diagnostics, Posterior, linear_grid, log_grid


def posterior_of(ratings, *, joint=True):
    """A posterior of algorithms a0, a1, ... with these ratings (draw, budget, algorithm), scaled to sum to one."""
    ratings = np.asarray(ratings, dtype=float)
    _, budgets, algorithms = ratings.shape
    return Posterior(
        ratings=ratings / ratings.sum(axis=-1, keepdims=True),
        names=tuple(f"a{i}" for i in range(algorithms)),
        grid=linear_grid(1, 2, budgets) if budgets > 1 else linear_grid(1, 1, 1),
        joint=joint,
        diagnostics=Diagnostics("none", True, "", 1.0),
        prior="Dirichlet(concentration=1.0)",
        instances=1,
    )


def random_posterior(seed, draws=40, budgets=3, algorithms=4):
    """A posterior of algorithms that differ, by about as much as draws vary."""
    rng = np.random.default_rng(seed)
    centre = rng.gamma(1.0, size=algorithms) + 0.2
    return posterior_of(rng.dirichlet(5 * centre, size=(draws, budgets)))


def pairs(posterior):
    """All ordered pairs of different algorithms, by position."""
    n = len(posterior.names)
    return [(a, b) for a in range(n) for b in range(n) if a != b]


def dirichlet_posterior(draws=50, budgets=4, algorithms=3):
    """A posterior of uniform ratings, with names, diagnostics and a prior."""
    rng = np.random.default_rng(0)
    return Posterior(
        ratings=rng.dirichlet(np.ones(algorithms), size=(draws, budgets)),
        names=tuple("ABCDEFGH"[:algorithms]),
        grid=log_grid(10, 1000, budgets),
        joint=True,
        diagnostics=Diagnostics("nested-laplace", True, "All is well.", 40.0, pareto_k=0.3),
        prior="BSpline(...)",
        instances=12,
    )
