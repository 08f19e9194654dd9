"""Pair the Plackett-Luce priors with their methods. This is the only module that does.

In: `Choices`, a prior and a method. Out: draws of the utilities, and diagnostics. With `method="auto"` the fast method comes
first, and Markov chains where its diagnostics are bad.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.dirichlet.gibbs import gibbs
from polarbear.inference.dirichlet.stick_breaking import correct_each_budget
from polarbear.inference.hmc import correct_by_hmc, hmc
from polarbear.inference.laplace.nested import correct_by_importance
from polarbear.inference.laplace.plain import plain_laplace
from polarbear.inference.laplace.whitened_posterior import whitened_posterior
from polarbear.inference.reference.advi import ADVI, advi
from polarbear.inference.reference.jax_runtime import is_installed as reference_methods_installed
from polarbear.inference.reference.nuts import NUTS, nuts
from polarbear.inference.reference.pathfinder import Pathfinder, pathfinder
from polarbear.inference.request import INSTALL
from polarbear.inference.stan.pathfinder import stan_pathfinder
from polarbear.inference.stan.program import StanPrior
from polarbear.models import Dirichlet, PlackettLucePrior, TemporalPrior

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.literals import Method
    from polarbear.observe import Choices
    from polarbear.posterior.diagnostics import Diagnostics


Reference = NUTS | ADVI | Pathfinder

_REFERENCES: dict[object, Reference] = {
    "nuts": NUTS(),
    "advi": ADVI(),
    "advi-fullrank": ADVI(covariance="full"),
    "pathfinder": Pathfinder(),
}


def draw_utilities(
    choices: Choices, prior: PlackettLucePrior, method: Method | Reference, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw utilities (budget, algorithm, draw) with the given method, falling back on slower ones under "auto"."""
    match _REFERENCES.get(method, method):
        case NUTS() as settings:
            return nuts(choices, prior, settings, draws=draws, rng=rng)
        case ADVI() as settings:
            return advi(choices, prior, settings, draws=draws, rng=rng)
        case Pathfinder() as settings:
            return pathfinder(choices, prior, settings, draws=draws, rng=rng)
    if method == "stan-pathfinder" and isinstance(prior, StanPrior):
        return stan_pathfinder(choices, prior, draws=draws, rng=rng)
    if method == "hmc":
        return hmc(choices, prior, draws=draws, rng=rng)
    if method == "laplace":
        return plain_laplace(choices, prior, draws=draws, rng=rng)
    if method == "gibbs" and not isinstance(prior, TemporalPrior):
        return gibbs(choices, prior, draws=draws, rng=rng)

    posterior = whitened_posterior(choices, prior)
    again = np.ones(len(choices.grid), dtype=bool)
    if isinstance(prior, TemporalPrior):
        utilities, diagnostics = correct_by_importance(posterior, draws=draws, rng=rng)
    else:
        utilities, diagnostics, good = correct_each_budget(posterior, draws=draws, rng=rng)
        if isinstance(prior, Dirichlet):  # budgets share no hyperparameter, so good budgets keep their draws
            again = ~good
    if diagnostics.reliable:
        return utilities, diagnostics
    if method != "auto":
        return utilities, replace(diagnostics, message=f"{diagnostics.message} Use method='auto' or 'hmc'.")

    attempts = diagnostics.message
    if not again.all():
        choices = choices.at_budgets(again)
        posterior = whitened_posterior(choices, prior)
        attempts += f" This concerned {again.sum()} of {len(again)} budgets."
    utilities[again], diagnostics = correct_by_hmc(posterior, draws=draws, rng=rng)
    if not diagnostics.reliable:
        if not reference_methods_installed():
            hint = f"NUTS may do better: {INSTALL}."
            return utilities, replace(diagnostics, message=f"{attempts} {diagnostics.message} {hint}")
        attempts += " Hamiltonian Monte Carlo did not converge."
        utilities[again], diagnostics = nuts(choices, prior, NUTS(), draws=draws, rng=rng)
    return utilities, replace(diagnostics, message=f"{attempts} {diagnostics.message}")
