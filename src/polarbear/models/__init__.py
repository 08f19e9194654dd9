"""Belief before: the Plackett-Luce likelihood and the seven priors of the paper's Table 1.

| prior | over time | default inference |
| --- | --- | --- |
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
from polarbear.models.dirichlet import Dirichlet, HierarchicalDirichlet, IndependentPrior
from polarbear.models.gaussian_process import GaussianProcess, SparseGaussianProcess
from polarbear.models.hilbert_space import HilbertSpaceGP
from polarbear.models.hyperpriors import Hyperprior, InverseGamma, LogNormal
from polarbear.models.random_walk import RandomWalk
from polarbear.models.temporal import TemporalPrior

Prior = TemporalPrior | IndependentPrior

__all__ = [
    "BSpline",
    "Dirichlet",
    "GaussianProcess",
    "HierarchicalDirichlet",
    "HilbertSpaceGP",
    "Hyperprior",
    "IndependentPrior",
    "InverseGamma",
    "LogNormal",
    "Prior",
    "RandomWalk",
    "SparseGaussianProcess",
    "TemporalPrior",
    "kernels",
    "plackett_luce",
]
