"""Check a request to `fit` without data, so that a race can reject it before anything runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from polarbear.inference.reference.jax_runtime import is_installed as reference_methods_installed
from polarbear.inference.size import require_memory
from polarbear.inference.stan import pathfinder as stan
from polarbear.inference.stan.program import require_stan_prior
from polarbear.literals import Method, ReferenceMethod
from polarbear.models import BayesianBootstrap, Dirichlet, HierarchicalDirichlet, TemporalPrior
from polarbear.models.validation import require_count

if TYPE_CHECKING:
    from polarbear.models import Prior


INSTALL = "pip install 'polarbear-anytime[mcmc]'"
"""The command that installs what the reference methods need."""

_FEWEST_DRAWS = 100  # with fewer, Pareto smoothing has no tail and R-hat no chains to estimate from


def check_request(prior: Prior, method: str, draws: int, *, budgets: int, algorithms: int | None = None) -> None:
    """Raise a ValueError if `fit` would reject this request whatever the data.

    Callers that fit only after hours of running check their request with it first.
    """
    if not isinstance(prior, TemporalPrior | Dirichlet | HierarchicalDirichlet | BayesianBootstrap):
        raise ValueError(
            f"expected a prior such as BayesianBootstrap(), got {prior!r}; did you forget the parentheses?"
        )
    if method not in get_args(Method):
        raise ValueError(f"expected method to be one of {', '.join(map(repr, get_args(Method)))}; got {method!r}")
    if isinstance(prior, BayesianBootstrap) and method != "auto":
        raise ValueError(
            f"expected method='auto' with BayesianBootstrap, which draws its posterior directly, got {method!r}; "
            "use method='auto', or a Plackett-Luce prior such as RandomWalk()"
        )
    if method in get_args(ReferenceMethod) and not reference_methods_installed():
        raise ValueError(f"method={method!r} needs JAX and BlackJAX: {INSTALL}; or use method='auto'")
    if method == "stan-pathfinder":
        require_stan_prior(prior)
        if not stan.is_installed():
            raise ValueError(
                f"method='stan-pathfinder' needs cmdstanpy and CmdStan: {stan.INSTALL}; or use method='auto'"
            )
    if method == "gibbs" and isinstance(prior, TemporalPrior):
        raise ValueError(
            f"expected a Dirichlet prior with method='gibbs', got {prior!r}; use method='auto' or prior=Dirichlet()"
        )
    require_count("draws", draws, least=_FEWEST_DRAWS)
    require_memory(prior, draws, budgets=budgets, algorithms=algorithms)
    if isinstance(prior, TemporalPrior) and budgets < 2:
        raise ValueError(
            f"expected at least two budgets with {type(prior).__name__}, which shares information over time, got one; "
            "give a grid of several budgets, or use prior=BayesianBootstrap()"
        )
