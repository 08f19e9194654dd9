"""The one place where a prior meets a method."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy.sparse.csgraph import connected_components

from polarbear import inference
from polarbear.inference import ADVI, NUTS, Pathfinder
from polarbear.inference.bootstrap import bayesian_bootstrap
from polarbear.models import (
    BayesianBootstrap,
    BSpline,
    Dirichlet,
    HierarchicalDirichlet,
    PlackettLucePrior,
    Prior,
    TemporalPrior,
    is_joint,
)
from polarbear.models.validation import require_count
from polarbear.observe import Choices
from polarbear.posterior import Posterior, ratings_of
from polarbear.single_thread import single_thread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from polarbear.diagnostics import Diagnostics

    Array = NDArray[np.float64]

Method = Literal["auto", "nested-laplace", "hmc", "gibbs", "laplace", "nuts", "advi", "advi-fullrank", "pathfinder"]
Reference = NUTS | ADVI | Pathfinder
Calibration = Literal["none", "trajectory", "auto"]

_REFERENCES: dict[object, Reference] = {
    "nuts": NUTS(),
    "advi": ADVI(),
    "advi-fullrank": ADVI(covariance="full"),
    "pathfinder": Pathfinder(),
}
_INSTALL = "pip install 'polarbear[mcmc]'"
_FEW = 0.05  # effective draws, as a share of all, about which something is said
_FEWEST_DRAWS = 100  # Pareto smoothing and R-hat need a tail and chains to look at


def fit(
    choices: Choices,
    *,
    prior: Prior | None = None,
    method: Method | Reference = "auto",
    calibration: Calibration = "none",
    draws: int = 4000,
    seed: int = 0,
) -> Posterior:
    """Infer the posterior of the ratings over time.

    Parameters
    ----------
    choices
        What was seen.
    prior
        Belief before; `BSpline()` if not given. The temporal priors share information over time and answer questions
        about all times at once; `Dirichlet()` and `HierarchicalDirichlet()` treat each time alone.
    method
        "auto" takes nested Laplace (for the Dirichlet priors: broken sticks at each time) corrected by importance weights,
        and Hamiltonian Monte Carlo where the weights are bad. "nested-laplace" is the first alone, "hmc" the second,
        "gibbs" is for the Dirichlet priors, "laplace" is the plain approximation, for comparison. The reference methods
        "nuts", "advi", "advi-fullrank" and "pathfinder" need the extra `polarbear[mcmc]`; `NUTS(...)`, `ADVI(...)` and
        `Pathfinder(...)` are the same with settings. With the extra, "auto" ends in "nuts" where all else fails.
    calibration
        "none" is the paper's likelihood: a run's rankings at different times count as independent. "trajectory", for the
        temporal priors, takes out of the estimates what is noise that a run's rankings, alike over time, did not average
        out, and gives them the spread that is left; it needs choices that were made with `per_instance=True`. "auto" is
        "trajectory" for the temporal priors, and "none" for those that treat each time alone.
    draws
        Number of equally weighted draws.
    seed
        Equal seeds give equal posteriors.

    Returns
    -------
    Posterior
        Its `diagnostics` say how it was made and whether it is reliable.

    Examples
    --------
    >>> import polarbear as pb
    >>> values = [[[1.0, 2.0], [1.0, 2.0]], [[1.0, 3.0], [2.0, 1.0]], [[0.5, 0.7], [0.4, 0.6]]]
    >>> choices = pb.Choices.from_values(values, grid=[10, 100], names=["cma", "rs"])
    >>> posterior = pb.fit(choices, prior=pb.RandomWalk(), seed=1)
    >>> posterior
    Posterior(2 algorithms, 2 times, 3 instances, 4000 draws, RandomWalk(...), reliable)
    >>> bool(pb.dominance(posterior)[0, 0, 1] > 0.8)
    True
    """
    prior = BSpline() if prior is None else prior
    _check(choices, prior, method.name if isinstance(method, Reference) else method, calibration, draws, seed)
    rng = np.random.Generator(np.random.SFC64(seed))  # the fastest of NumPy's
    outcomes, scope = None, f"to new instances, based on {choices.instances}"
    with single_thread():
        if isinstance(prior, BayesianBootstrap):
            drawn, outcomes, diagnostics, scope = bayesian_bootstrap(choices, prior, draws=draws, rng=rng)
            ratings = drawn.transpose(2, 0, 1)
        else:
            utilities, diagnostics = _draw(choices, prior, method, draws=draws, rng=rng)
            if calibration != "none" and isinstance(prior, TemporalPrior):
                utilities, diagnostics = _calibrated(utilities, diagnostics, choices, prior, rng=rng)
            ratings = ratings_of(utilities)
    return Posterior(
        ratings=ratings,
        names=choices.names,
        grid=choices.grid,
        joint=is_joint(prior),
        diagnostics=diagnostics,
        prior=repr(prior),
        instances=choices.instances,
        outcomes=outcomes,
        scope=scope,
    )


def _draw(
    choices: Choices, prior: PlackettLucePrior, method: Method | Reference, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Utilities (time, algorithm, draw) by the method asked for."""
    match _REFERENCES.get(method, method):
        case NUTS() as settings:
            return inference.nuts(choices, prior, settings, draws=draws, rng=rng)
        case ADVI() as settings:
            return inference.advi(choices, prior, settings, draws=draws, rng=rng)
        case Pathfinder() as settings:
            return inference.pathfinder(choices, prior, settings, draws=draws, rng=rng)
    if method == "hmc":
        return inference.hmc(choices, prior, draws=draws, rng=rng)
    if method == "laplace":
        return inference.laplace(choices, prior, draws=draws, rng=rng)
    if method == "gibbs" and not isinstance(prior, TemporalPrior):
        return inference.gibbs(choices, prior, draws=draws, rng=rng)

    posterior = inference.whitened_posterior(choices, prior)
    again = np.ones(len(choices.grid), dtype=bool)
    if isinstance(prior, TemporalPrior):
        utilities, diagnostics = inference.correct_by_importance(posterior, draws=draws, rng=rng)
    else:
        utilities, diagnostics, good = inference.correct_each_time(posterior, draws=draws, rng=rng)
        if isinstance(prior, Dirichlet):  # no hyperparameter is shared, and the good times stand as they are
            again = ~good
    if diagnostics.reliable or method != "auto":
        return utilities, diagnostics

    tried = diagnostics.message.split(":")[0]
    if not again.all():
        choices = choices.at_times(again)
        posterior = inference.whitened_posterior(choices, prior)
        tried += f", which concerned {again.sum()} of {len(again)} times"
    utilities[again], diagnostics = inference.correct_by_hmc(posterior, draws=draws, rng=rng)
    if not diagnostics.reliable:
        if not inference.reference_methods_installed():
            hint = f"NUTS may do better: {_INSTALL}."
            return utilities, replace(diagnostics, message=f"{tried}. {diagnostics.message} {hint}")
        tried += ". Hamiltonian Monte Carlo did not converge"
        utilities[again], diagnostics = inference.nuts(choices, prior, NUTS(), draws=draws, rng=rng)
    return utilities, replace(diagnostics, message=f"{tried}. {diagnostics.message}")


def _calibrated(
    utilities: Array, diagnostics: Diagnostics, choices: Choices, prior: TemporalPrior, *, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """What the draws are worth where a run's rankings are correlated over time, and as how many times these count."""
    typical = tuple(mean for _, mean, _ in diagnostics.hyperparameters)
    calibrated = inference.calibrate_trajectories(utilities, choices, prior, typical, rng=rng)
    times, worth = calibrated.informed_times, calibrated.effective_times
    alike = (
        f"are alike over time: {times} times count as {round(worth)}" if round(worth) < times else "differ over time"
    )
    effective = diagnostics.effective_draws * calibrated.effective_share
    more = ": ask for more of them" if effective < _FEW * utilities.shape[-1] else ""
    told = f"A run's rankings {alike}. After calibration {effective:.0f} draws are effective{more}."
    return calibrated.utilities, replace(
        diagnostics,
        message=f"{diagnostics.message} {told}",
        effective_times=worth,
        effective_draws=effective,
    )


def _check(choices: Choices, prior: Prior, method: str, calibration: str, draws: int, seed: int) -> None:
    if not isinstance(choices, Choices):
        raise ValueError(
            f"expected Choices, got {type(choices).__name__}; make them with Choices.from_values, from_trajectories or "
            "from_rankings"
        )
    check_request(prior, method, calibration, draws, times=len(choices.grid))
    require_count("seed", seed, least=0)
    if calibration != "none" and isinstance(prior, TemporalPrior) and choices.rankings is None:
        raise ValueError(
            f"calibration={calibration!r} looks at the rankings of each instance, and these choices have only their counts; "
            "make them with per_instance=True, or use calibration='none'"
        )
    _check_connected(choices)


def check_request(prior: Prior, method: str, calibration: str, draws: int, *, times: int) -> None:
    """Refuse what `fit` could not do, whatever the data; for those who will fit only after hours of running."""
    if not isinstance(prior, TemporalPrior | Dirichlet | HierarchicalDirichlet | BayesianBootstrap):
        raise ValueError(f"expected a prior such as BSpline(), got {prior!r}; did you forget the parentheses?")
    if method not in get_args(Method):
        raise ValueError(f"method must be one of {', '.join(map(repr, get_args(Method)))}; got {method!r}")
    if isinstance(prior, BayesianBootstrap) and method != "auto":
        raise ValueError(
            f"BayesianBootstrap draws its posterior directly, and method={method!r} is for Plackett-Luce priors; "
            "use method='auto', or a prior such as RandomWalk()"
        )
    if method in _REFERENCES and not inference.reference_methods_installed():
        raise ValueError(f"method={method!r} needs JAX and BlackJAX: {_INSTALL}; or use method='auto'")
    if method == "gibbs" and isinstance(prior, TemporalPrior):
        raise ValueError(
            f"method='gibbs' needs a Dirichlet prior, got {prior!r}; use method='auto' or prior=Dirichlet()"
        )
    if calibration not in get_args(Calibration):
        raise ValueError(
            f"calibration must be one of {', '.join(map(repr, get_args(Calibration)))}; got {calibration!r}"
        )
    if calibration == "trajectory" and not isinstance(prior, TemporalPrior):
        raise ValueError(
            f"calibration='trajectory' is for priors that share information over time, and {prior!r} treats each time "
            "alone; use calibration='none', or 'auto'"
        )
    require_count("draws", draws, least=_FEWEST_DRAWS)
    if isinstance(prior, TemporalPrior) and times < 2:
        raise ValueError(
            f"{type(prior).__name__} shares information over time and needs at least two times, got one; "
            "give a grid of several times, or use prior=Dirichlet()"
        )


def _check_connected(choices: Choices) -> None:
    """Refuse algorithms that no chain of comparisons links: nothing but the prior would relate them."""
    together = choices.members[choices.counts > 0].astype(np.float64)
    linked = together.T @ together > 0
    _, group = connected_components(linked)
    if group.any():
        apart = [name for name, number in zip(choices.names, group, strict=True) if number != group[0]]
        rest = [name for name, number in zip(choices.names, group, strict=True) if number == group[0]]
        raise ValueError(
            f"expected every algorithm to be compared with the others, directly or through a third, but nothing links "
            f"{', '.join(apart)} with {', '.join(rest)}; run them on common instances at common times, or leave them out"
        )
