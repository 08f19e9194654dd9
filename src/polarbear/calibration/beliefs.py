"""The priors that the studies compare, by name: the Bayesian bootstrap, the ends of its blend, and the paper's priors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polarbear.inference.fitting import fit
from polarbear.models import (
    BayesianBootstrap,
    BSpline,
    Dirichlet,
    GaussianProcess,
    HierarchicalDirichlet,
    HilbertSpaceGP,
    RandomWalk,
    SparseGaussianProcess,
)

if TYPE_CHECKING:
    from polarbear.models import Prior
    from polarbear.observe import Choices
    from polarbear.posterior.posterior import Posterior

PRIORS: dict[str, Prior] = {
    "BayesianBootstrap": BayesianBootstrap(),
    "unshrunk": BayesianBootstrap(shrink=False),
    "outcomes": BayesianBootstrap(plackett_luce=0, shrink=False),
    "outcomes, shrunk": BayesianBootstrap(plackett_luce=0),
    "weighted Plackett-Luce": BayesianBootstrap(plackett_luce=math.inf, shrink=False),
    "BSpline": BSpline(),
    "RandomWalk": RandomWalk(),
    "GaussianProcess": GaussianProcess(),
    "SparseGaussianProcess": SparseGaussianProcess(),
    "HilbertSpaceGP": HilbertSpaceGP(),
    "Dirichlet": Dirichlet(),
    "HierarchicalDirichlet": HierarchicalDirichlet(),
}


def prior_of(belief: str) -> Prior:
    """Return the prior with this name."""
    if belief not in PRIORS:
        raise ValueError(f"belief must be one of {', '.join(map(repr, PRIORS))}; got {belief!r}")
    return PRIORS[belief]


def fit_named(belief: str, choices: Choices, *, draws: int, seed: int) -> Posterior:
    """Fit a posterior to choices under the prior with this name."""
    return fit(choices, prior=prior_of(belief), draws=draws, seed=seed)
