"""The posterior of a race, given all of its runs so far."""

from __future__ import annotations

from typing import TYPE_CHECKING

from polarbear.race.observations import rerank, with_all_runs
from polarbear.race.sampling import seed_of

if TYPE_CHECKING:
    from polarbear.observe import Choices
    from polarbear.posterior.posterior import Posterior
    from polarbear.race.state import State


def infer_posterior(state: State) -> Posterior:
    """Return the posterior given all runs so far; the same runs always give the same posterior.

    Algorithms that have not run yet are not in it.
    """
    if state.posterior is not None:
        return state.posterior
    # Reading a stored race needs no inference.
    from polarbear.inference.fitting import fit
    from polarbear.models.bayesian_bootstrap import BayesianBootstrap

    settings, choices = state.settings, choices_of_runs(state)
    if isinstance(settings.prior, BayesianBootstrap):
        choices = with_all_runs(choices, state.observations, settings)
    return fit(
        choices,
        prior=settings.prior,
        method=settings.method,
        draws=settings.draws,
        seed=seed_of(settings.seed, "posterior"),
    )


def choices_of_runs(state: State) -> Choices:
    """Return the choices that the posterior is fitted to, of all algorithms that have run."""
    observations = state.observations
    ran = {name for name, _ in observations.runs}
    if not ran.issuperset(state.names):
        observations = rerank(observations, tuple(name for name in state.names if name in ran), state.settings)
    if observations.choices is None:
        raise ValueError("nothing has been run yet, and there is no posterior; run the race first")
    return observations.choices
