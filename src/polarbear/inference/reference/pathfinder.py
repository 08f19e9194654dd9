"""Multi-path Pathfinder (Zhang et al., 2022) on BlackJAX: importance-resampled draws from Gaussians along paths to the mode.

Each L-BFGS path yields a sequence of Gaussians, and the one with the highest evidence lower bound proposes draws.
Pareto-smoothed weights resample the draws of all paths together; unreliable weights are tempered. Under a Dirichlet prior
with fixed concentration every budget has separate paths. The paper finds Pathfinder reliable there, and unreliable for the
Hilbert-space process and the random walk.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.inference.hyperparameter_summary import summarise_draws
from polarbear.inference.importance import resample
from polarbear.inference.path_resampling import diagnose_paths, resampling_weights
from polarbear.inference.reference import jax_runtime as reference
from polarbear.inference.reference.joint_density import JointDensity, independent_parts
from polarbear.models.validation import require_count

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.arrays import Array
    from polarbear.models import PlackettLucePrior
    from polarbear.observe import Choices
    from polarbear.posterior.diagnostics import Diagnostics


_REACH = 2.0  # each coordinate of a starting point is uniform within this distance of zero, as in Stan
_BOUND_DRAWS = 50  # draws that estimate the evidence lower bound at each point of a path
_TOGETHER = 250  # draws evaluated in one batch


@dataclass(frozen=True)
class Pathfinder:
    """Settings of `method="pathfinder"`.

    Parameters
    ----------
    paths
        Number of paths, each from a random starting point.
    iterations
        Largest number of L-BFGS steps per path.
    """

    paths: int = 8
    iterations: int = 60

    @property
    def name(self) -> str:
        """Name of the method."""
        return "pathfinder"

    def __post_init__(self) -> None:
        require_count("Pathfinder paths", self.paths, least=1)
        require_count("Pathfinder iterations", self.iterations, least=1)


def pathfinder(
    choices: Choices, prior: PlackettLucePrior, settings: Pathfinder, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw importance-resampled utilities (budget, algorithm, draw), and return them with diagnostics."""
    if reference.has_too_few_threads():
        raise ValueError(f"method='pathfinder' would hang: {reference.STARTED_ELSEWHERE}")
    density, tables = independent_parts(choices, prior)
    with reference.in_double_precision():
        run = _compile(density, settings.paths, settings.iterations, math.ceil(draws / settings.paths))
        utilities, hyperparameters, log_weights = map(np.asarray, run(reference.random_key(rng), tables))

    importances = [resampling_weights(row) for row in log_weights]
    chosen = [resample(importance.weights, draws, rng=rng) for importance in importances]
    resampled = np.array([of_part[pick] for of_part, pick in zip(utilities, chosen, strict=True)])
    summary = summarise_draws(prior.hyperpriors_for(len(choices.names)), hyperparameters[0][chosen[0]].T)
    return reference.join_parts(resampled), diagnose_paths(
        settings.name, "Pathfinder", importances, draws=draws, hyperparameters=summary
    )


@lru_cache(maxsize=reference.COMPILED_MODELS)
def _compile(density: JointDensity, paths: int, iterations: int, draws: int) -> Callable[..., Any]:
    """Return a compiled function for a model that runs all paths of every part and draws from each, with log-weights."""
    import jax
    from blackjax.vi.pathfinder import approximate, sample

    def of_path(key: Any, tables: Any) -> Any:
        at, along, last = jax.random.split(key, 3)
        start = jax.random.uniform(at, (density.size,), minval=-_REACH, maxval=_REACH)
        state, _ = approximate(
            along, lambda position: density(position, tables), start, _BOUND_DRAWS, maxiter=iterations
        )
        positions, log_q = sample(last, state, draws)

        def evaluate(position: Any) -> Any:
            return density.utilities(position), density(position, tables)

        utilities, log_density = jax.lax.map(evaluate, positions, batch_size=_TOGETHER)
        return utilities, density.hyperparameters(positions), log_density - log_q

    def of_part(key: Any, tables: Any) -> Any:
        drawn = jax.vmap(of_path, in_axes=(0, None))(jax.random.split(key, paths), tables)
        return jax.tree.map(lambda each: each.reshape(paths * draws, *each.shape[2:]), drawn)

    def run(key: Any, tables: Any) -> Any:
        return jax.vmap(of_part)(jax.random.split(key, len(tables.wins)), tables)

    compiled: Callable[..., Any] = jax.jit(run)
    return compiled
