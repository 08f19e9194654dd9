"""`to_stan`: program text and data of a model, for cmdstanpy, rstan or any other interface of Stan."""

from __future__ import annotations

import json
import re
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import numpy as np

from polarbear.literals import KernelName
from polarbear.models import (
    BayesianBootstrap,
    Dirichlet,
    GaussianProcess,
    HierarchicalDirichlet,
    InverseGamma,
    LogNormal,
)
from polarbear.models.hyperpriors import Exponential
from polarbear.output_file import write_output

if TYPE_CHECKING:
    import os

    from polarbear.models import Hyperprior
    from polarbear.observe import Choices


StanPrior = Dirichlet | HierarchicalDirichlet | GaussianProcess

PROGRAMS: dict[type[StanPrior], str] = {
    Dirichlet: "dirichlet",
    HierarchicalDirichlet: "hierarchical_dirichlet",
    GaussianProcess: "gaussian_process",
}
"""The name of each prior's program."""

_INCLUDE = re.compile(r"^#include (\S+)\n", re.MULTILINE)


class StanModel(NamedTuple):
    """A Stan program and its data, as `to_stan` returns them.

    Attributes
    ----------
    program
        The text of the program, complete in itself.
    data
        The value of each variable of its data block: numbers and arrays, as cmdstanpy takes them.
    """

    program: str
    data: dict[str, Any]

    def __repr__(self) -> str:
        return f"StanModel(a program of {len(self.program.splitlines())} lines; data: {', '.join(self.data)})"

    def save(self, stem: str | os.PathLike[str], *, force: bool = False) -> tuple[Path, Path]:
        """Write the program to `stem`.stan and the data to `stem`.json, and return both paths.

        Existing files that are no such program or data are replaced only by `force`.
        """
        program, data = Path(f"{stem}.stan"), Path(f"{stem}.json")
        write_output(program, self.program, force=force)
        write_output(data, json.dumps(self.data, default=np.ndarray.tolist), force=force)
        return program, data


def to_stan(choices: Choices, prior: StanPrior) -> StanModel:
    """Return the posterior as a Stan program with its data, for cmdstanpy, rstan or your own changes.

    The text is accepted by Stan 2.21 and later. Ties and missing runs are part of the counted choices.

    Parameters
    ----------
    choices
        The observed rankings.
    prior
        `Dirichlet()`, `HierarchicalDirichlet()` or `GaussianProcess()` with any kernel.

    Returns
    -------
    StanModel
        The pair (program, data). The program's parameters are the hyperparameters by name and `coefficients`, shape
        (budget, contrast): the Helmert coordinates of the log-ratings under the Dirichlet priors, white noise under the
        Gaussian process. It also reports `utilities` μ and `ratings` θ, shape (budget, algorithm).

    Examples
    --------
    >>> import polarbear as pb
    >>> choices = pb.Choices.from_values([[[1, 2, 3]], [[2, 1, 3]]], grid=[10])
    >>> program, data = to_stan(choices, pb.Dirichlet())
    >>> "generated quantities" in program, data["wins"].tolist(), data["counts"].tolist()
    (True, [[2.0, 2.0, 0.0]], [[1.0, 1.0, 2.0]])
    """
    require_stan_prior(prior)
    budgets, sets, algorithms = choices.members.shape
    data: dict[str, Any] = {
        "times": budgets,
        "algorithms": algorithms,
        "sets": sets,
        "wins": choices.wins,
        "members": choices.members.reshape(budgets * sets, algorithms).astype(np.float64),
        "counts": choices.counts,
    }
    match prior:
        case Dirichlet(concentration):
            data["concentration"] = concentration
        case HierarchicalDirichlet():
            data["rate"] = _settings(prior.hyperpriors_for(algorithms)["kappa"])[1][0]
        case GaussianProcess():
            data |= {
                "scaled_times": choices.grid.scaled,
                "kernel": 1 + get_args(KernelName).index(prior.kernel),
                "jitter": prior.jitter(choices.grid),
            }
            for name, hyperprior in prior.hyperpriors.items():
                data[f"{name}_family"], data[f"{name}_settings"] = _settings(hyperprior)
    return StanModel(_read_program(PROGRAMS[type(prior)]), data)


def require_stan_prior(prior: object) -> None:
    """Raise a ValueError unless there is a Stan program for the prior and its hyperpriors."""
    if type(prior) not in PROGRAMS:
        advice = (
            "it weights instances and has no likelihood, so choose one of these"
            if isinstance(prior, BayesianBootstrap)
            else "to_pymc has a model for every Plackett-Luce prior"
        )
        raise ValueError(
            f"expected Dirichlet(), HierarchicalDirichlet() or GaussianProcess(), the priors with a Stan program, "
            f"got {prior!r}; {advice}"
        )
    if isinstance(prior, GaussianProcess):
        for hyperprior in prior.hyperpriors.values():
            _settings(hyperprior)


def _settings(hyperprior: Hyperprior) -> tuple[int, Any]:
    """Return the number of a hyperprior's family in the programs, and its two settings."""
    match hyperprior:
        case LogNormal(location, scale):
            return 1, np.array([location, scale])
        case InverseGamma(shape, scale):
            return 2, np.array([shape, scale])
        case Exponential(rate):
            return 3, np.array([rate, 0.0])
    raise ValueError(
        f"expected LogNormal, InverseGamma or Exponential as hyperprior of a Stan program, got {hyperprior!r}; use one of "
        "them, or to_pymc"
    )


def _read_program(name: str) -> str:
    """Return the text of a program, with the files that it includes in their places."""
    folder = resources.files("polarbear.inference.stan") / "programs"

    def read(name: str) -> str:
        return (folder / name).read_text(encoding="utf-8")

    return _INCLUDE.sub(lambda include: read(include[1]), read(f"{name}.stan"))
