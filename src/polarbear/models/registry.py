"""The priors by name. race.toml, race files, the studies and the tests read this list.

A new prior is a module of this room and one entry here. Its parameters have defaults, and those that race.toml may set are
plain values with an entry in the section Parameters of its docstring. `models` and `polarbear` export its name.
"""

from __future__ import annotations

from inspect import signature
from typing import Any, get_type_hints

from polarbear import literals
from polarbear.models.b_spline import BSpline
from polarbear.models.bayesian_bootstrap import BayesianBootstrap
from polarbear.models.dirichlet import Dirichlet, HierarchicalDirichlet, IndependentPrior
from polarbear.models.gaussian_process import GaussianProcess, SparseGaussianProcess
from polarbear.models.hilbert_space import HilbertSpaceGP
from polarbear.models.hyperpriors import Hyperprior
from polarbear.models.random_walk import RandomWalk
from polarbear.models.temporal import TemporalPrior

PlackettLucePrior = TemporalPrior | IndependentPrior
Prior = PlackettLucePrior | BayesianBootstrap

PRIORS: dict[str, type[Prior]] = {
    kind.__name__: kind
    for kind in (
        BayesianBootstrap,
        BSpline,
        RandomWalk,
        GaussianProcess,
        SparseGaussianProcess,
        HilbertSpaceGP,
        Dirichlet,
        HierarchicalDirichlet,
    )
}


def is_joint(prior: Prior) -> bool:
    """Return whether posterior draws are joint over time, so that they answer questions about several times at once."""
    return isinstance(prior, TemporalPrior | BayesianBootstrap)


def plain_parameters(kind: type[Prior]) -> dict[str, Any]:
    """Return the types of the parameters that race.toml may set: all but hyperpriors, which are set in Python only.

    Examples
    --------
    >>> plain_parameters(BSpline)
    {'basis': int | None, 'degree': <class 'int'>}
    """
    hints = get_type_hints(kind, localns=vars(literals))
    return {name: hints[name] for name in signature(kind).parameters if hints[name] is not Hyperprior}
