"""Belief before: the Bayesian bootstrap over instances, and the Plackett-Luce likelihood with the paper's seven priors.

| prior | over time | default inference |
| --- | --- | --- |
| `BayesianBootstrap` | joint, as the instances are | Dirichlet weights on the instances |
| `Dirichlet` | independent | importance-corrected stick-breaking at each time |
| `HierarchicalDirichlet` | independent given a shared concentration | the same, over a lattice of concentrations |
| `GaussianProcess` | smooth, exact | nested Laplace, for Matérn kernels linear in the number of times |
| `SparseGaussianProcess` | smooth, inducing points | nested Laplace |
| `HilbertSpaceGP` | smooth, basis functions | nested Laplace |
| `RandomWalk` | Markov | nested Laplace, linear in the number of times |
| `BSpline` | smooth, local | nested Laplace, linear in the number of times |
"""

from polarbear.models import kernels, plackett_luce
from polarbear.models.b_spline import BSpline
from polarbear.models.bayesian_bootstrap import BayesianBootstrap
from polarbear.models.dirichlet import Dirichlet, HierarchicalDirichlet, IndependentPrior
from polarbear.models.gaussian_process import GaussianProcess, SparseGaussianProcess
from polarbear.models.hilbert_space import HilbertSpaceGP
from polarbear.models.hyperpriors import Hyperprior, InverseGamma, LogNormal
from polarbear.models.random_walk import RandomWalk
from polarbear.models.temporal import TemporalPrior

PlackettLucePrior = TemporalPrior | IndependentPrior
Prior = PlackettLucePrior | BayesianBootstrap

__all__ = [
    "BSpline",
    "BayesianBootstrap",
    "Dirichlet",
    "GaussianProcess",
    "HierarchicalDirichlet",
    "HilbertSpaceGP",
    "Hyperprior",
    "IndependentPrior",
    "InverseGamma",
    "LogNormal",
    "PlackettLucePrior",
    "Prior",
    "RandomWalk",
    "SparseGaussianProcess",
    "TemporalPrior",
    "is_joint",
    "kernels",
    "plackett_luce",
]


def is_joint(prior: Prior) -> bool:
    """Whether posterior draws are paths over time, so that they answer questions about several times at once."""
    return isinstance(prior, TemporalPrior | BayesianBootstrap)
