"""Laplace approximations for the temporal priors.

`conditional` finds the mode of the coefficients for fixed hyperparameters, `hyperparameter_lattice` integrates over the
hyperparameters, `nested` combines the two and corrects them by importance weights (the default method of these priors),
and `plain` is one Gaussian at the joint mode, as in the paper. `whitened_posterior` is the exact density in the
coordinates in which it is nearly a standard normal.
"""
