"""One cell of the runtime benchmark: a method on a problem, measured in the process that calls `run`."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from smooth_rankings import smooth_rankings, unit_grid

import polarbear as pb

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from polarbear.arrays import Array

PEERS = ("pymc-numpyro", "pymc-nutpie", "pymc-pathfinder", "pymc-laplace")
CHAINS, WARM_UP, KEPT = 4, 1000, 1000  # the paper's settings; warm-up and kept draws are per chain
LONG_RUN = 40_000  # draws of the judge: the standard error of its probabilities is below 0.003


@dataclass(frozen=True)
class Cell:
    """One engine (a method of ours or of a peer) on one problem: a prior, n algorithms, T budgets, P instances.

    The engine "judge" is a long NUTS run, whose probabilities are the reference for all others.
    """

    block: str
    engine: str
    prior: str
    algorithms: int
    budgets: int
    instances: int

    @property
    def name(self) -> str:
        return f"{self.block}/{self.prior}/{self.engine}/{self.algorithms}-{self.budgets}-{self.instances}"

    @property
    def problem(self) -> str:
        return f"{self.prior}-{self.algorithms}-{self.budgets}-{self.instances}"


def choices_of(cell: Cell, seed: int = 1) -> pb.Choices:
    """Simulate the rankings of a cell."""
    values = smooth_rankings(cell.algorithms, cell.budgets, cell.instances, seed=seed)
    return pb.Choices.from_values(values, grid=unit_grid(cell.budgets))


def run(cell: Cell, folder: Path) -> dict[str, Any]:
    """Return the seconds, the effective draws and the largest error of P(dominance) of a cell."""
    if cell.engine in PEERS:
        seconds, dominance, effective = run_peer(cell)
        result = {"seconds": seconds, "effective": effective}
    else:
        result, dominance = run_ours(cell)
    judge = folder / f"{cell.problem}.npy"
    if cell.engine == "judge":
        np.save(judge, dominance)
    elif judge.exists():
        result["error"] = float(np.abs(dominance - np.load(judge)).max())
    return result


def run_ours(cell: Cell) -> tuple[dict[str, Any], Array]:
    """Return the measurements of one of our methods, and P(dominance)."""
    prior = getattr(pb, cell.prior)()
    choices = choices_of(cell)
    method: Any = {"default": "auto", "judge": pb.NUTS(chains=8)}.get(cell.engine, cell.engine)
    draws = LONG_RUN if cell.engine == "judge" else CHAINS * KEPT
    if cell.engine == "default":
        small = pb.Choices.from_values([[[1, 2, 3]] * 3, [[2, 1, 3]] * 3], grid=[1, 2, 3])
        import arviz_stats.base  # noqa: F401  # not counted; a fit imports it only if it smooths importance weights

        pb.fit(small, prior=prior, draws=100)  # not counted: imports all modules
    elif cell.engine == "stan-pathfinder":
        import cmdstanpy  # noqa: F401  # not counted
    else:
        import jax  # noqa: F401  # not BlackJAX, which would start JAX before PolarBear configures it
    started = time.perf_counter()
    posterior = pb.fit(choices, prior=prior, method=method, draws=draws)
    result = {
        "seconds": time.perf_counter() - started,
        "effective": posterior.diagnostics.effective_draws,
        "reliable": posterior.diagnostics.reliable,
    }
    if cell.engine in ("nuts", "pathfinder", "advi", "advi-fullrank", "stan-pathfinder"):
        other_data = choices_of(cell, seed=2)
        started = time.perf_counter()
        pb.fit(other_data, prior=prior, method=method, draws=draws)
        result["again"] = time.perf_counter() - started
    return result, pb.dominance(posterior)


def run_peer(cell: Cell) -> tuple[float, Array, float]:
    """Return the seconds, P(dominance) and the effective draws (NaN for approximations) of a method of PyMC."""
    import pymc as pm
    import pymc_extras as pmx

    from polarbear.inference.convergence import diagnose

    model = pb.to_pymc(choices_of(cell), getattr(pb, cell.prior)())
    hyperparameter_names = [name for name in ("amplitude", "lengthscale", "kappa") if name in model.named_vars]
    sampler = cell.engine.removeprefix("pymc-")
    engines: dict[str, Callable[[], Any]] = {
        "pathfinder": lambda: pmx.fit_pathfinder(
            num_paths=8, num_draws=CHAINS * KEPT, random_seed=1, progressbar=False, display_summary=False
        ),
        "laplace": lambda: pmx.fit_laplace(draws=CHAINS * KEPT, random_seed=1, progressbar=False),
    }
    if sampler == "numpyro":
        import jax

        jax.config.update("jax_enable_x64", True)
    started = time.perf_counter()
    with model:
        trace = engines.get(
            sampler,
            lambda: pm.sample(
                KEPT,
                tune=WARM_UP,
                chains=CHAINS,
                random_seed=1,
                nuts_sampler=sampler,
                nuts_sampler_kwargs={"chain_method": "vectorized"} if sampler == "numpyro" else {},
                compute_convergence_checks=False,
                progressbar=False,
            ),
        )()
    seconds = time.perf_counter() - started
    utilities = np.asarray(trace.posterior["utilities"])  # (chain, draw, budget, algorithm)
    flat = utilities.reshape(-1, *utilities.shape[2:])
    dominance = (flat[..., :, None] > flat[..., None, :]).mean(axis=0)
    if sampler not in ("numpyro", "nutpie"):
        return seconds, dominance, math.nan
    hyperparameters = np.array([np.asarray(trace.posterior[name]) for name in hyperparameter_names])
    hyperparameters = hyperparameters.reshape(len(hyperparameter_names), *utilities.shape[:2])
    chains = diagnose(utilities.transpose(1, 2, 3, 0), hyperparameters.transpose(2, 0, 1))
    return seconds, dominance, min(chains.effective_draws, CHAINS * KEPT)
