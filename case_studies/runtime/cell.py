"""One fit of the figure, and the seconds that it takes: `python -m case_studies.runtime.cell '{"engine": "default", ...}'`.

Each fit of the paper scale has a process of its own, since an earlier fit would leave compiled functions and busy threads.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

import polarbear as pb
from case_studies.synthetic.ground_truth import GroundTruth
from polarbear.single_thread import THREAD_VARIABLES

if TYPE_CHECKING:
    from collections.abc import Callable

Engine = Literal["default", "pymc-nuts", "pathfinder", "stan-pathfinder"]

PRIORS: dict[str, pb.models.Prior] = {
    "exact GP": pb.GaussianProcess(),
    "sparse GP, 10 points": pb.SparseGaussianProcess(inducing=10),
    "HSGP": pb.HilbertSpaceGP(),
    "random walk": pb.RandomWalk(),
    "B-spline": pb.BSpline(),
    "hierarchical Dirichlet": pb.HierarchicalDirichlet(),
    "Dirichlet": pb.Dirichlet(),
}
CHAINS, WARMUP, KEPT = 4, 1000, 2000
"""The paper's chains of NUTS; warm-up and kept draws are per chain."""

_ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Cell:
    """A fit: n = `algorithms`, T = `budgets`, P = `instances`, on the data of a seed."""

    engine: Engine
    prior: str
    algorithms: int
    budgets: int
    instances: int
    seed: int


@dataclass(frozen=True)
class Duration:
    """The wall-clock and processor seconds of a fit; None if it did not end in time."""

    wall: float | None
    processor: float | None


def measure(cell: Cell) -> Duration:
    """Return the duration of a fit in this process.

    Compilation counts for NUTS, since PyMC compiles for each data set. It does not count for Pathfinder, whose compiled
    program serves all data of a size. Building PyMC's model does not count.
    """
    if cell.engine.endswith("pathfinder"):
        _fit(cell, cell.seed + 1000)()
    fit = _fit(cell, cell.seed)
    start, start_processor = time.perf_counter(), _processor_seconds()
    fit()
    return Duration(time.perf_counter() - start, _processor_seconds() - start_processor)


def measure_alone(cell: Cell, *, patience: float) -> Duration:
    """Return the duration of a fit in a new process, which is killed after `patience` seconds.

    Pathfinder has one core, as in the paper. NUTS has as many devices of JAX as it has chains.
    """
    environment = os.environ | dict.fromkeys(THREAD_VARIABLES, "1")
    if cell.engine == "pymc-nuts":
        environment["XLA_FLAGS"] = f"--xla_force_host_platform_device_count={CHAINS}"
    command = [sys.executable, "-W", "ignore", "-m", "case_studies.runtime.cell", json.dumps(asdict(cell))]
    try:
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=False, timeout=patience, cwd=_ROOT
        )
    except subprocess.TimeoutExpired:
        return Duration(None, None)
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise ValueError(
            f"expected the seconds of {cell}, got an error: {reason}; see whether its packages are installed"
        )
    return Duration(**json.loads(done.stdout.splitlines()[-1]))


def choices_of(cell: Cell, seed: int) -> pb.Choices:
    """Draw rankings from a ground truth of the first case study."""
    rng = np.random.default_rng([seed, cell.algorithms, cell.instances, cell.budgets])
    # A ground truth has at least two times; a single time is the first of two.
    truth = GroundTruth.draw(seed, algorithms=cell.algorithms, budgets=max(cell.budgets, 2))
    utilities = truth.utilities[: cell.budgets]
    values = -(utilities + rng.gumbel(size=(cell.instances, *utilities.shape)))
    return pb.Choices.from_values(
        values, grid=pb.linear_grid(1, cell.budgets, cell.budgets) if cell.budgets > 1 else [1.0]
    )


def _fit(cell: Cell, seed: int) -> Callable[[], Any]:
    """Return the function to measure, with its imports done and its data and model built."""
    choices, prior = choices_of(cell, seed), PRIORS[cell.prior]
    if cell.engine == "pymc-nuts":
        return _pymc_nuts(choices, prior, seed)
    method: Any = "auto" if cell.engine == "default" else cell.engine
    if method == "auto":
        import arviz_stats.base  # noqa: F401  # a fit imports it if it smooths importance weights

        small = pb.Choices.from_values([[[1, 2, 3]] * 2, [[2, 1, 3]] * 2], grid=[1, 2])
        pb.fit(small, prior=prior, draws=100)  # imports modules
    return lambda: pb.fit(choices, prior=prior, method=method, seed=seed)


def _pymc_nuts(choices: pb.Choices, prior: Any, seed: int) -> Callable[[], Any]:
    import jax
    import pymc as pm

    jax.config.update("jax_enable_x64", True)
    model: Any = pb.to_pymc(choices, prior)

    def sample() -> None:
        with model:
            pm.sample(
                KEPT,
                tune=WARMUP,
                chains=CHAINS,
                random_seed=seed,
                nuts_sampler="numpyro",
                nuts_sampler_kwargs={"chain_method": "parallel"},
                compute_convergence_checks=False,
                progressbar=False,
            )

    return sample


def _processor_seconds() -> float:
    """Return the processor time of this process and of the programs that it has run, such as Stan's."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


if __name__ == "__main__":
    asked = Cell(**json.loads(sys.argv[1]))
    if asked.engine.endswith("pathfinder") and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(json.dumps(asdict(measure(asked))))
