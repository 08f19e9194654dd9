"""Automatic differentiation variational inference (Kucukelbir et al., 2017) on BlackJAX: mean-field and full-rank.

Adam fits a Gaussian over log-hyperparameters and coefficients to the posterior by minimising the Kullback-Leibler
divergence. This is the paper's ADVI, for comparison. The draws are not corrected; importance weights only measure the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from polarbear.inference.hyperparameter_summary import summarise_draws
from polarbear.inference.importance import pareto_smooth
from polarbear.inference.reference import jax_runtime as reference
from polarbear.inference.reference.joint_density import JointDensity, independent_parts
from polarbear.models.validation import require_count
from polarbear.posterior.diagnostics import Diagnostics

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.arrays import Array
    from polarbear.models import PlackettLucePrior
    from polarbear.observe import Choices


Covariance = Literal["diagonal", "full"]

_TOGETHER = 250  # steps per compiled call; then the evidence lower bound is examined
_FIRST_RATE = 0.01  # Adam's, for posterior widths up to one; full-rank fits of a hundred coordinates diverge at 0.05
_HALVINGS = 4  # number of times the rate is halved before the end, each when the bound has stopped rising


@dataclass(frozen=True)
class ADVI:
    """Settings of `method="advi"` and, with a full covariance, `method="advi-fullrank"`.

    Parameters
    ----------
    covariance
        Covariance of the Gaussian: "diagonal" is mean-field, "full" is full-rank.
    steps
        Largest number of Adam steps. The optimisation ends earlier when the evidence lower bound has stopped rising.
    samples
        Number of draws that estimate the gradient of the bound in each step.
    progress
        Called as progress(done, total) with numbers of steps.
    """

    covariance: Covariance = "diagonal"
    steps: int = 20_000
    samples: int = 8
    progress: Callable[[int, int], None] | None = None

    @property
    def name(self) -> str:
        """Name of the method."""
        return "advi" if self.covariance == "diagonal" else "advi-fullrank"

    def __post_init__(self) -> None:
        if self.covariance not in get_args(Covariance):
            raise ValueError(f"expected 'diagonal' or 'full' as ADVI covariance, got {self.covariance!r}")
        require_count("ADVI steps", self.steps, least=_TOGETHER)
        require_count("ADVI samples", self.samples, least=1)


def advi(
    choices: Choices, prior: PlackettLucePrior, settings: ADVI, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw utilities (budget, algorithm, draw) from the fitted Gaussian, and return them with diagnostics."""
    density, tables = independent_parts(choices, prior)
    with reference.in_double_precision():
        start, climb, draw = _compile(density, settings.covariance, settings.samples, draws)
        state = start(len(tables.wins))
        elbo: list[float] = []
        best, rate, finished = -np.inf, _FIRST_RATE, False
        while not finished:
            state, bounds = climb(state, rate, reference.random_key(rng), tables)
            elbo.append(float(np.mean(bounds)))
            error = float(np.std(bounds) / np.sqrt(len(bounds)))
            if elbo[-1] < best + error:  # the bound no longer rises: reduce the rate
                rate /= 2
            best = max(best, elbo[-1])
            done = len(elbo) * _TOGETHER
            finished = rate < _FIRST_RATE / 2**_HALVINGS or done >= settings.steps
            if settings.progress is not None:
                settings.progress(settings.steps if finished else done, settings.steps)
        drawn = draw(state, reference.random_key(rng), tables)
        utilities, hyperparameters, log_weights = map(np.asarray, drawn)
    converged = rate < _FIRST_RATE / 2**_HALVINGS
    importances = [pareto_smooth(np.where(np.isfinite(row), row, -np.inf)) for row in log_weights]
    k = max(importance.pareto_k for importance in importances)
    share = min(importance.effective_share for importance in importances)
    reliable = converged and all(importance.nearly_equal for importance in importances)
    title = "Mean-field ADVI" if settings.covariance == "diagonal" else "Full-rank ADVI"
    message = f"{title}, not corrected: Pareto k {k:.2f}, evidence lower bound {elbo[-1]:.1f}."
    if not converged:
        message += f" The bound was still rising after {done} steps: raise ADVI(steps=...)."
    if not reliable:
        message += (
            " It is not accurate enough for these data; its spread may be too wide or too narrow: use method='auto'."
        )
    return reference.join_parts(utilities), Diagnostics(
        method=settings.name,
        reliable=reliable,
        message=message,
        effective_draws=share * draws,
        pareto_k=k,
        hyperparameters=summarise_draws(prior.hyperpriors_for(len(choices.names)), hyperparameters[0].T),
        elbo=tuple(elbo),
    )


@lru_cache(maxsize=reference.COMPILED_MODELS)
def _compile(density: JointDensity, covariance: Covariance, samples: int, draws: int) -> tuple[Callable[..., Any], ...]:
    """Return three compiled functions for a model.

    They initialise all parts, run `_TOGETHER` steps of all parts, and draw utilities, hyperparameters and log-weights.
    """
    import jax
    import jax.numpy as jnp
    import optax
    from blackjax.vi import fullrank_vi, meanfield_vi

    vi: Any = meanfield_vi if covariance == "diagonal" else fullrank_vi
    log_approximation = (
        meanfield_vi.generate_meanfield_logdensity
        if covariance == "diagonal"
        else fullrank_vi.generate_fullrank_logdensity
    )
    adam = optax.inject_hyperparams(optax.adam)(learning_rate=_FIRST_RATE)

    def start(parts: int) -> Any:
        return jax.vmap(lambda at: vi.init(at, adam))(jnp.zeros((parts, density.size)))

    def climb(state: Any, rate: Any, key: Any, tables: Any) -> Any:
        def step_of_part(key: Any, state: Any, tables: Any) -> Any:
            return vi.step(key, state, lambda at: density(at, tables), adam, samples)

        def step(state: Any, key: Any) -> Any:
            keys = jax.random.split(key, len(tables.wins))
            state, info = jax.vmap(step_of_part)(keys, state, tables)
            return state, -info.elbo.sum()  # BlackJAX minimises the negative bound and names it `elbo`

        rates = jnp.full(len(tables.wins), rate)
        optimiser = state.opt_state._replace(hyperparams={**state.opt_state.hyperparams, "learning_rate": rates})
        return jax.lax.scan(step, state._replace(opt_state=optimiser), jax.random.split(key, _TOGETHER))

    def draw(state: Any, key: Any, tables: Any) -> Any:
        def of_part(key: Any, state: Any, tables: Any) -> Any:
            positions = vi.sample(key, state, draws)
            log_q = log_approximation(*state[:2])

            def evaluate(position: Any) -> Any:
                return density.utilities(position), density(position, tables) - log_q(position)

            utilities, log_weights = jax.lax.map(evaluate, positions, batch_size=_TOGETHER)
            return utilities, density.hyperparameters(positions), log_weights

        return jax.vmap(of_part)(jax.random.split(key, len(tables.wins)), state, tables)

    return start, jax.jit(climb), jax.jit(draw)
