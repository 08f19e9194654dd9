"""Rankings from smooth random utilities: the data that the benchmarks of inference share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

import polarbear as pb
from polarbear.models.helmert import helmert
from polarbear.models.plackett_luce import sample_rankings

if TYPE_CHECKING:
    from polarbear.arrays import Array


def unit_grid(budgets: int) -> pb.Grid:
    """Return evenly spaced budgets from 0 to 1, or the budget 1 alone."""
    return pb.linear_grid(0, 1, budgets) if budgets > 1 else pb.Grid([1.0])


def smooth_rankings(algorithms: int, budgets: int, instances: int, *, seed: int = 1) -> Array:
    """Return values (instance, budget, algorithm); utilities are a Gaussian process with σ = 1 and ℓ = 0.6."""
    rng = np.random.default_rng(seed)
    factor = pb.GaussianProcess().factor(unit_grid(budgets), 1.0, 0.6)
    utilities = factor @ rng.standard_normal((budgets, algorithms - 1)) @ helmert(algorithms).T
    return sample_rankings(utilities, instances, rng=rng)
