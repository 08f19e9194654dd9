"""`method="stan-pathfinder"`: Stan's own multi-path Pathfinder, run by CmdStan through cmdstanpy.

Stan runs the paths, and this module resamples their draws with Pareto-smoothed weights, like `reference.pathfinder`. Under
a Dirichlet prior with fixed concentration every budget has separate paths, as in the paper's runtime figure. The program of
a prior is compiled once, into the user's cache folder, and serves all later data.
"""

from __future__ import annotations

import hashlib
import math
import os
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.inference.hyperparameter_summary import summarise_draws
from polarbear.inference.importance import resample
from polarbear.inference.path_resampling import diagnose_paths, resampling_weights
from polarbear.inference.stan.program import StanModel, require_stan_prior, to_stan
from polarbear.models import Dirichlet

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.inference.importance import Importance
    from polarbear.inference.stan.program import StanPrior
    from polarbear.observe import Choices
    from polarbear.posterior.diagnostics import Diagnostics


INSTALL = "pip install 'polarbear-anytime[stan]', then install_cmdstan"
"""The commands that install what `method="stan-pathfinder"` needs."""

_PATHS = 8  # as in `Pathfinder`
_DIGITS = 12  # significant digits of the draws in CmdStan's output; the default of 8 loses small ratings


def is_installed() -> bool:
    """Return whether cmdstanpy is installed; whether it finds CmdStan, only a fit can tell."""
    return find_spec("cmdstanpy") is not None


def stan_pathfinder(
    choices: Choices, prior: StanPrior, *, draws: int, rng: np.random.Generator
) -> tuple[Array, Diagnostics]:
    """Draw importance-resampled utilities (budget, algorithm, draw) with Stan's Pathfinder, and return diagnostics."""
    require_stan_prior(prior)
    parts = [choices]
    if isinstance(prior, Dirichlet):  # budgets are independent
        parts = [choices.at_budgets(np.array([budget])) for budget in range(len(choices.grid))]
    hyperpriors = prior.hyperpriors_for(len(choices.names))
    executable = _compile(to_stan(parts[0], prior).program)
    utilities, importances = [], []
    for part in parts:
        of_part, hyperparameters, importance = _run_paths(executable, to_stan(part, prior), [*hyperpriors], draws, rng)
        chosen = resample(importance.weights, draws, rng=rng)
        utilities.append(of_part[chosen])
        importances.append(importance)
    summary = summarise_draws(hyperpriors, hyperparameters[:, chosen])  # with hyperparameters there is one part only
    return np.moveaxis(np.concatenate(utilities, axis=1), 0, -1), diagnose_paths(
        "stan-pathfinder", "Stan's Pathfinder", importances, draws=draws, hyperparameters=summary
    )


def _run_paths(
    executable: Path, model: StanModel, names: list[str], draws: int, rng: np.random.Generator
) -> tuple[Array, Array, Importance]:
    """Return the draws of all paths, utilities (draw, budget, algorithm) and hyperparameters, and their weights."""
    import cmdstanpy

    with TemporaryDirectory() as folder, cmdstanpy.disable_logging():
        fitted = cmdstanpy.CmdStanModel(exe_file=executable).pathfinder(
            data=model.data,
            num_paths=_PATHS,
            num_single_draws=math.ceil(draws / _PATHS),
            draws=draws,
            psis_resample=False,  # our own weights report their reliability
            seed=int(rng.integers(1, 2**31)),
            sig_figs=_DIGITS,
            output_dir=folder,
        )
        lp = fitted.method_variables()
        utilities = fitted.stan_variable("utilities")
        hyperparameters = [fitted.stan_variable(name) for name in names]
    log_weights = np.ravel(lp["lp__"] - lp["lp_approx__"])
    return utilities, np.reshape(hyperparameters, (len(names), len(log_weights))), resampling_weights(log_weights)


def _compile(program: str) -> Path:
    """Return the executable of a program, compiled by CmdStan unless the cache folder has it."""
    import cmdstanpy

    try:
        version = cmdstanpy.cmdstan_version()
        installation = cmdstanpy.cmdstan_path()
    except ValueError as error:
        raise ValueError(f"method='stan-pathfinder' found no CmdStan: {INSTALL}") from error
    digest = hashlib.sha256(f"{version} {installation} {program}".encode()).hexdigest()[:16]
    cached = _cache_folder() / digest
    if cached.exists():
        return cached
    cached.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=cached.parent) as folder:  # another process may compile the same program
        source = Path(folder, "model.stan")
        source.write_text(program, encoding="utf-8")
        compiled: Any = cmdstanpy.CmdStanModel(stan_file=source)
        Path(compiled.exe_file).replace(cached)
    return cached


def _cache_folder() -> Path:
    """Return the folder for compiled programs, in XDG_CACHE_HOME or ~/.cache."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "polarbear", "stan")
