"""Diagnostics of a posterior: convergence statistics, and a message for the user."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostics:
    """Diagnostics of the method that computed a posterior.

    Attributes
    ----------
    method
        The inference method that computed the draws.
    reliable
        Whether every diagnostic met its threshold. A race never acts silently on a posterior that is not reliable.
    message
        What was computed, how accurate it is and, if it is not reliable, what to do.
    effective_draws
        The smallest effective sample size over all monitored quantities.
    pareto_k
        The largest Pareto shape of the importance weights' tail; below 0.7 is good. None without importance weights.
    r_hat
        The largest ratio of between-chain to within-chain spread; below 1.01 is good. None without Markov chains.
    hyperparameters
        The name, posterior mean and posterior standard deviation of each hyperparameter.
    divergences
        The number of divergent transitions of NUTS; zero is good. None for other methods.
    elbo
        The evidence lower bound over the iterations of ADVI, from first to last.
    """

    method: str
    reliable: bool
    message: str
    effective_draws: float
    pareto_k: float | None = None
    r_hat: float | None = None
    hyperparameters: tuple[tuple[str, float, float], ...] = ()
    divergences: int | None = None
    elbo: tuple[float, ...] = ()
