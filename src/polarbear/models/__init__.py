"""Priors: the Bayesian bootstrap over instances, and the Plackett-Luce likelihood with the paper's seven priors.

The input is the arguments of a prior, such as hyperpriors and kernels. The output is an immutable `Prior`, which inference
combines with `Choices` into a posterior.

| prior | over time | default inference |
| --- | --- | --- |
| `BayesianBootstrap` | joint, through the weights of whole instances | Dirichlet weights on the instances |
| `Dirichlet` | independent | importance-corrected stick-breaking at each budget |
| `HierarchicalDirichlet` | independent given a shared concentration | the same, over a lattice of concentrations |
| `GaussianProcess` | smooth, exact | nested Laplace, for Matérn kernels linear in the number of budgets |
| `SparseGaussianProcess` | smooth, inducing points | nested Laplace |
| `HilbertSpaceGP` | smooth, basis functions | nested Laplace |
| `RandomWalk` | Markov | nested Laplace, linear in the number of budgets |
| `BSpline` | smooth, local | nested Laplace, linear in the number of budgets |

- `registry`: `PRIORS`, the priors by name, and the types that all priors share.
- `bayesian_bootstrap`, `dirichlet`, `gaussian_process`, `hilbert_space`, `random_walk`, `b_spline`: the priors.
- `temporal`: the interface of the temporal priors. `hyperpriors` and `kernels`: their parts.
- `plackett_luce`: the likelihood, its derivatives, and rankings drawn from it.
- `log_masses`: the costly sums in that likelihood.
- `helmert`: the contrast matrix that makes utilities sum to zero.
- `namespace`: NumPy, JAX or PyTensor, by the type of the argument. `validation`: checks of arguments.
"""

from polarbear.models import kernels, plackett_luce
from polarbear.models.b_spline import BSpline
from polarbear.models.bayesian_bootstrap import BayesianBootstrap
from polarbear.models.dirichlet import Dirichlet, HierarchicalDirichlet, IndependentPrior
from polarbear.models.gaussian_process import GaussianProcess, SparseGaussianProcess
from polarbear.models.hilbert_space import HilbertSpaceGP
from polarbear.models.hyperpriors import Hyperprior, InverseGamma, LogNormal
from polarbear.models.random_walk import RandomWalk
from polarbear.models.registry import PRIORS, PlackettLucePrior, Prior, is_joint
from polarbear.models.temporal import TemporalPrior

__all__ = [
    "PRIORS",
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
