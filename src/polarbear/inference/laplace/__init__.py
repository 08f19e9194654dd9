"""Laplace approximations of the posterior under Plackett-Luce priors.

In: choices and a prior. Out: draws of the utilities and diagnostics, or an approximation that other methods start from.

`conditional` finds the mode of the coefficients for fixed hyperparameters. `hyperparameter_lattice` integrates over the
hyperparameters. `whitened_posterior` is the exact density in coordinates in which it is nearly a standard normal. `nested`
draws from Laplace's approximation on the lattice and corrects the draws by importance weights (the default method for the
temporal priors). `plain` is one Gaussian at the joint mode, as in the paper.
"""
