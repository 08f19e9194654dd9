"""How the posterior is computed: one file a method, each from choices and a prior to utility draws and diagnostics.

| method | priors | what it is |
| --- | --- | --- |
| `nested_laplace` | temporal | Laplace on a lattice of hyperparameters, corrected by importance weights (default) |
| `stick_breaking` | Dirichlet | Betas on the breaks of a stick at each time, corrected by importance weights (default) |
| `hmc` | all | Hamiltonian Monte Carlo from the Laplace solution: where the weights are bad |
| `gibbs` | Dirichlet | Gibbs sampling by data augmentation: exact |
| `laplace` | all | plain Laplace at the joint mode: the paper's, for comparison |
| `nuts` | all | the No-U-Turn Sampler from the Laplace solution, on JAX: the judge of the others |
| `advi` | all | mean-field and full-rank variational inference, on JAX: the paper's, for comparison |
| `pathfinder` | all | multi-path Pathfinder, importance-resampled, on JAX: the paper's, for comparison |

`latent_field`, `banded_factor` and `dirichlet_field` hold the linear algebra, `sticks` the approximation of a Dirichlet
posterior, `conditional` Newton's method, `hyperlattice` the integration over hyperparameters, `whitened` the exact density
in the coordinates in which it is nearly a standard normal. The reference methods share `joint_density`, the
model as a function of one vector, and `reference`, the door to JAX; NUTS moves in `white_coordinates`. `run_scores` and
`score_correlation` measure how correlated a run's rankings are over time, for the checks of the model's assumptions.
"""

from polarbear.inference.dirichlet.gibbs import gibbs
from polarbear.inference.dirichlet.stick_breaking import correct_each_time, stick_breaking
from polarbear.inference.hmc import correct_by_hmc, hmc
from polarbear.inference.laplace.nested import correct_by_importance, nested_laplace
from polarbear.inference.laplace.plain import plain_laplace
from polarbear.inference.laplace.whitened_posterior import whitened_posterior
from polarbear.inference.reference.advi import ADVI, advi
from polarbear.inference.reference.jax_runtime import installed as reference_methods_installed
from polarbear.inference.reference.nuts import NUTS, nuts
from polarbear.inference.reference.pathfinder import Pathfinder, pathfinder

__all__ = [
    "ADVI",
    "NUTS",
    "Pathfinder",
    "advi",
    "correct_by_hmc",
    "correct_by_importance",
    "correct_each_time",
    "gibbs",
    "hmc",
    "nested_laplace",
    "nuts",
    "pathfinder",
    "plain_laplace",
    "reference_methods_installed",
    "stick_breaking",
    "whitened_posterior",
]
