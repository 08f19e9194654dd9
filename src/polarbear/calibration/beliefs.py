"""The priors that the studies measure, by name, with their default parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.inference.fitting import fit
from polarbear.models import PRIORS

if TYPE_CHECKING:
    from polarbear.models import Prior
    from polarbear.observe import Choices
    from polarbear.posterior.posterior import Posterior

STUDIED: dict[str, Prior] = {name: kind() for name, kind in PRIORS.items()}


def prior_of(belief: str) -> Prior:
    """Return the prior with this name."""
    if belief not in STUDIED:
        raise ValueError(f"expected a prior out of {', '.join(map(repr, STUDIED))}, got {belief!r}")
    return STUDIED[belief]


def fit_named(belief: str, choices: Choices, *, draws: int, seed: int) -> Posterior:
    """Fit a posterior to choices under the prior with this name."""
    return fit(choices, prior=prior_of(belief), draws=draws, seed=seed)
