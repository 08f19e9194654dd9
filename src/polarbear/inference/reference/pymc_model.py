"""The same priors and likelihood as a `pymc.Model`, for use with PyMC's own methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.inference.reference.joint_density import JointDensity, padded_tables
from polarbear.models import BayesianBootstrap, BSpline, InverseGamma, LogNormal, TemporalPrior
from polarbear.models.hyperpriors import Exponential
from polarbear.models.plackett_luce import traceable_log_likelihood

if TYPE_CHECKING:
    import pymc

    from polarbear.models import Hyperprior, PlackettLucePrior
    from polarbear.observe import Choices


def to_pymc(choices: Choices, prior: PlackettLucePrior | None = None) -> pymc.Model:
    """Return the posterior as a PyMC model, ready for `pymc.sample`, `pymc.fit` or your own changes.

    Needs the extra `polarbear-anytime[pymc]`.

    Parameters
    ----------
    choices
        The observed rankings.
    prior
        A Plackett-Luce prior; `BSpline()` by default. `BayesianBootstrap`, the default of `fit`, has no likelihood and
        hence no model.

    Returns
    -------
    pymc.Model
        Its free variables are the hyperparameters by name and the coefficients or ratings. Under the temporal priors these
        are `coefficients` z ~ N(0, I) of shape (coefficient, contrast), with `utilities` μ = L(h) z Qᵀ. Under the Dirichlet
        priors they are `ratings` θ. `utilities` and `ratings` have the dimensions ("budget", "algorithm") under every prior.
    """
    given: object = prior
    if isinstance(given, BayesianBootstrap):
        raise ValueError(
            "expected a Plackett-Luce prior such as BSpline(), RandomWalk(), GaussianProcess() or Dirichlet(), got "
            "BayesianBootstrap(), which weights instances and has no likelihood for PyMC; choose one of these priors"
        )
    try:
        import pymc as pm
        import pytensor.tensor as pt
    except ImportError as error:
        raise ImportError("to_pymc needs PyMC: pip install 'polarbear-anytime[pymc]'") from error

    prior = BSpline() if prior is None else prior
    density = JointDensity(prior, choices.grid, len(choices.names))
    named = prior.hyperpriors_for(density.algorithms)
    over_time = ("budget", "algorithm")
    with pm.Model(coords={"budget": choices.grid.budgets, "algorithm": list(choices.names)}) as model:
        hyperparameters = [_variable(name, hyperprior) for name, hyperprior in named.items()]
        if isinstance(prior, TemporalPrior):
            coefficients = pm.Normal("coefficients", shape=density.shape)
            eta = prior.factor(choices.grid, *hyperparameters) @ coefficients
            utilities = pm.Deterministic("utilities", eta @ density.contrasts.T, dims=over_time)
            pm.Deterministic("ratings", pt.special.softmax(utilities, axis=-1), dims=over_time)
        else:
            concentration = prior.concentration_for(density.algorithms, *hyperparameters)
            logarithms = pt.log(pm.Dirichlet("ratings", concentration * np.ones(density.algorithms), dims=over_time))
            centred = logarithms - logarithms.mean(axis=-1, keepdims=True)
            utilities = pm.Deterministic("utilities", centred, dims=over_time)
        pm.Potential("choices", traceable_log_likelihood(utilities, *padded_tables(choices)))
    return model


def _variable(name: str, hyperprior: Hyperprior) -> Any:
    """Return a hyperparameter as a PyMC variable, with PyMC's own distribution where it has one."""
    import pymc as pm

    match hyperprior:
        case LogNormal(location, scale):
            return pm.LogNormal(name, location, scale)
        case InverseGamma(shape, scale):
            return pm.InverseGamma(name, alpha=shape, beta=scale)
        case Exponential(rate):
            return pm.Exponential(name, lam=rate)
    logarithm = pm.Flat(f"log_{name}")
    pm.Potential(f"{name}_prior", hyperprior.log_density(logarithm))
    return pm.Deterministic(name, pm.math.exp(logarithm))
