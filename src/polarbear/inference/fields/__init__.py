"""Latent functions over time for fixed hyperparameters, and the linear algebra of their posterior.

In: a prior, a grid and hyperparameters. Out: maps from coefficients to latent functions, log-priors, and factorised
posterior precisions. `latent_field` defines the interfaces and the dense and banded Gaussian fields, `gaussian_factors`
their Cholesky factors, `dirichlet_field` the field of a Dirichlet prior, `beta_sticks` its approximation by Beta variables,
and `reduced_prior` a temporal prior with fewer coefficients.
"""
