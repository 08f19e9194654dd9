"""The priors that the studies compare, by name: the Bayesian bootstrap, the ends of its blend, and the paper's priors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from polarbear.inference.fitting import fit
from polarbear.models import PRIORS, BayesianBootstrap

if TYPE_CHECKING:
    from polarbear.models import Prior
    from polarbear.observe import Choices
    from polarbear.posterior.posterior import Posterior

STUDIED: dict[str, Prior] = {
    **{name: kind() for name, kind in PRIORS.items()},
    "unshrunk": BayesianBootstrap(shrink=False),
    "outcomes": BayesianBootstrap(plackett_luce=0, shrink=False),
    "outcomes, shrunk": BayesianBootstrap(plackett_luce=0),
    "weighted Plackett-Luce": BayesianBootstrap(plackett_luce=math.inf, shrink=False),
}


def prior_of(belief: str) -> Prior:
    """Return the prior with this name."""
    if belief not in STUDIED:
        raise ValueError(f"expected a prior out of {', '.join(map(repr, STUDIED))}, got {belief!r}")
    return STUDIED[belief]


def fit_named(belief: str, choices: Choices, *, draws: int, seed: int) -> Posterior:
    """Fit a posterior to choices under the prior with this name."""
    return fit(choices, prior=prior_of(belief), draws=draws, seed=seed)
