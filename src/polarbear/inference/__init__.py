"""Posterior inference: methods that turn choices and a prior into posterior draws and diagnostics.

In: `Choices` and a prior. Out: draws of the utilities (of the ratings, for the Bayesian bootstrap) and `Diagnostics`.
`fitting` holds `fit`, which returns a `Posterior`; `methods` selects the method; `request` checks the arguments. The package
itself imports nothing, so that reading a stored race need not import the methods.

| method | module | priors | description |
| --- | --- | --- | --- |
| `bayesian_bootstrap` | `bootstrap.posterior_draws` | `BayesianBootstrap` | weights on instances, drawn directly (default) |
| `nested_laplace` | `laplace.nested` | temporal | Laplace on a lattice of hyperparameters, importance-corrected (default) |
| `stick_breaking` | `dirichlet.stick_breaking` | Dirichlet | Betas per budget, importance-corrected (default) |
| `hmc` | `hmc` | all but bootstrap | Hamiltonian Monte Carlo from the Laplace solution, where the weights fail |
| `gibbs` | `dirichlet.gibbs` | Dirichlet | exact Gibbs sampling by data augmentation |
| `plain_laplace` | `laplace.plain` | all but bootstrap | Laplace at the joint mode; the paper's, for comparison |
| `nuts` | `reference.nuts` | all but bootstrap | No-U-Turn Sampler from the Laplace solution, on JAX; the reference |
| `advi` | `reference.advi` | all but bootstrap | mean-field and full-rank ADVI, on JAX; the paper's, for comparison |
| `pathfinder` | `reference.pathfinder` | all but bootstrap | multi-path Pathfinder, on JAX; the paper's, for comparison |

Three modules serve several methods: `importance` (Pareto-smoothed importance weights and resampling), `convergence` (Markov
chains, R-hat and effective sample size) and `hyperparameter_summary`. The sub-package `fields` holds the latent functions
and their linear algebra. The docstrings of `laplace`, `dirichlet`, `reference` and `bootstrap` describe their other modules.
"""
