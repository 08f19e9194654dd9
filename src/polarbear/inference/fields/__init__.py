"""Latent functions over time for fixed hyperparameters, and the linear algebra of their posterior.

In: a prior and a grid. Out: precision matrices, their factors, and maps from coefficients to utilities.
"""
