"""Whether a posterior can be trusted: numbers, and a few words for the user."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Diagnostics:
    """What is known about the quality of a posterior.

    Attributes
    ----------
    method
        The method that made the draws.
    reliable
        Whether every threshold was met. A race never acts silently on a posterior that is not.
    message
        What was done, how good it is and, if it is not reliable, what to do.
    effective_draws
        Smallest effective number of independent draws over all quantities looked at.
    pareto_k
        Largest shape of the importance weights' tail; below 0.7 is good. None where no weights were used.
    r_hat
        Largest ratio of between-chain to within-chain spread; below 1.01 is good. None where no chains were run.
    hyperparameters
        Posterior mean and standard deviation of each hyperparameter, by name.
    divergences
        Transitions of NUTS that lost their energy; none is good. None for other methods.
    elbo
        Evidence lower bound as ADVI raised it, from its start to its end.
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
