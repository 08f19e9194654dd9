"""Coordinates, smooth in the hyperparameters, in which the posterior is nearly a standard normal.

The nested Laplace solution gives the mean and covariance of the log-hyperparameters and, at this centre, the mode η̂ and the
likelihood's curvature G_t. A Gaussian likelihood then replaces the true one. It has the curvature w_t g_q in the
eigenvectors E of the mean curvature, and the gradient of the true likelihood at η̂. Under it the coefficients' posterior is
normal at *any* hyperparameters, with precision A_q(h) = I + g_q Lᵀ diag(w) L = R Rᵀ for each of the n − 1 rotated latent
functions. Hence

    z_q = A_q⁻¹ Lᵀ b_q + R_q⁻ᵀ (F ε)_q ,

with white ε, is nearly a draw from the true posterior given h. The fixed matrix F makes it exactly Laplace's approximation
at the centre. Where the amplitude σ is the only hyperparameter, L = σ B, and the eigenvectors of Bᵀ diag(w) B diagonalise
all A_q simultaneously. Under a Dirichlet prior budgets do not interact, and each has a separate affine map.

In: choices and a prior. Out: `Coordinates`, and `to_position`, which maps white noise to positions of `JointDensity`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy

from polarbear.inference.fields.latent_field import DenseField
from polarbear.inference.laplace.conditional import laplace_approximation
from polarbear.inference.laplace.whitened_posterior import whitened_posterior
from polarbear.models import TemporalPrior
from polarbear.models.plackett_luce import derivatives

if TYPE_CHECKING:
    from polarbear.arrays import Array
    from polarbear.inference.laplace.whitened_posterior import WhitenedPosterior
    from polarbear.inference.reference.joint_density import JointDensity
    from polarbear.models import PlackettLucePrior
    from polarbear.observe import Choices, Grid


class TemporalCoordinates(NamedTuple):
    """Parameters of the map under a temporal prior."""

    centre: Array  # mean of the log-hyperparameters
    axes: Array  # Cholesky factor of their covariance
    rotation: Array  # E, (latent function, rotated latent function)
    weights: Array  # w, (budget,)
    strengths: Array  # g, (rotated latent function,)
    pull: Array  # b, (budget, rotated latent function)
    mixing: Array  # F, (rotated latent function, coefficient, white noise)


class AmplitudeCoordinates(NamedTuple):
    """Parameters of the map under a temporal prior whose only hyperparameter is the amplitude."""

    centre: Array
    axes: Array
    rotation: Array
    basis: Array  # eigenvectors V of Bᵀ diag(w) B, (coefficient, eigenvector)
    spectrum: Array  # g_q times its eigenvalues, (rotated latent function, eigenvector)
    pull: Array  # Vᵀ Bᵀ b, (rotated latent function, eigenvector)
    mixing: Array  # F, (rotated latent function, eigenvector, white noise)


class IndependentCoordinates(NamedTuple):
    """Parameters of the map under a Dirichlet prior."""

    centre: Array
    axes: Array
    mode: Array  # (budget, latent function)
    response: Array  # change of the mode per unit step along each axis, (axis, budget, latent function)
    colour: Array  # (budget, latent function, white noise)


Coordinates = TemporalCoordinates | AmplitudeCoordinates | IndependentCoordinates


def whitening_coordinates(choices: Choices, prior: PlackettLucePrior) -> Coordinates:
    """Return the parameters of the map from white noise to positions."""
    solution = whitened_posterior(choices, prior)
    centre, axes = _hyperparameter_moments(solution)
    if isinstance(prior, TemporalPrior):
        return _temporal_coordinates(choices, prior, centre, axes, solution.surface.contrasts)
    surface = solution.surface
    conditional = surface.conditional(tuple(np.exp(centre)), solution.nodes[int(solution.masses.argmax())].mode)
    modes = [surface.conditional(tuple(np.exp(centre + axis)), conditional.mode).mode for axis in axes.T]
    size = conditional.mode.shape[1]
    white = np.broadcast_to(np.eye(size), (len(choices.grid), size, size))
    return IndependentCoordinates(
        centre,
        axes,
        conditional.mode,
        np.array(modes).reshape(-1, *conditional.mode.shape) - conditional.mode,
        conditional.factor.colour(white),
    )


def to_position(density: JointDensity, coordinates: Coordinates, white: Any) -> tuple[Any, Any]:
    """Map white noise to a position, in JAX; also return the map's log-Jacobian determinant up to a constant."""
    import jax.numpy as jnp
    from jax.scipy.linalg import solve_triangular

    count = len(density.hyperpriors)
    log_hyperparameters = coordinates.centre + coordinates.axes @ white[:count]
    noise = white[count:]
    if isinstance(coordinates, IndependentCoordinates):
        shifted = coordinates.mode + jnp.tensordot(white[:count], coordinates.response, axes=1)
        eta = shifted + (coordinates.colour @ noise.reshape(density.shape)[..., None])[..., 0]
        return jnp.concatenate([log_hyperparameters, eta.ravel()]), 0.0

    if isinstance(coordinates, AmplitudeCoordinates):
        amplitude = jnp.exp(log_hyperparameters[0])
        shrinkage = 1 / jnp.sqrt(1 + amplitude**2 * coordinates.spectrum)
        y = shrinkage * (shrinkage * amplitude * coordinates.pull + coordinates.mixing @ noise)
        coefficients = coordinates.basis @ y.T @ coordinates.rotation.T
        return jnp.concatenate([log_hyperparameters, coefficients.ravel()]), jnp.log(shrinkage).sum()

    assert isinstance(density.prior, TemporalPrior)
    L = density.prior.factor(density.grid, *jnp.exp(log_hyperparameters))
    gram = L.T @ (coordinates.weights[:, None] * L)
    R = jnp.linalg.cholesky(jnp.eye(len(gram)) + coordinates.strengths[:, None, None] * gram)
    pulled = solve_triangular(R, (L.T @ coordinates.pull).T[..., None], lower=True)
    z = solve_triangular(R, pulled + (coordinates.mixing @ noise)[..., None], lower=True, trans=1)[..., 0]
    coefficients = z.T @ coordinates.rotation.T
    volume = -jnp.log(jnp.diagonal(R, axis1=1, axis2=2)).sum()
    return jnp.concatenate([log_hyperparameters, coefficients.ravel()]), volume


def _hyperparameter_moments(solution: WhitenedPosterior) -> tuple[Array, Array]:
    """Return the mean of the log-hyperparameters over the lattice, and the Cholesky factor of their covariance."""
    points = np.log([node.hyperparameters for node in solution.nodes])
    mean: Array = solution.masses @ points
    deviations = points - mean
    covariance: Array = deviations.T @ (solution.masses[:, None] * deviations)
    return mean, scipy.linalg.cholesky(covariance, lower=True) if mean.size else covariance


def _temporal_coordinates(
    choices: Choices, prior: TemporalPrior, centre: Array, axes: Array, contrasts: Array
) -> TemporalCoordinates | AmplitudeCoordinates:
    L = prior.factor(choices.grid, *np.exp(centre))
    field = DenseField(L, contrasts.shape[1])
    conditional = laplace_approximation(field, choices, contrasts)
    eta = field.latent(conditional.mode)
    _, gradient, curvature = derivatives(eta @ contrasts.T, choices)
    G = contrasts.T @ curvature @ contrasts
    mean = G.mean(axis=0)
    strengths, rotation = np.linalg.eigh(mean)
    strengths = np.maximum(strengths, 0.0)
    weights = np.einsum("tij,ij->t", G, mean) / (mean**2).sum()  # the w_t that minimise |G_t − w_t Ḡ|²
    pull = weights[:, None] * strengths * (eta @ rotation) + gradient @ contrasts @ rotation

    coefficients, functions = field.shape
    size = coefficients * functions
    coloured = conditional.factor.colour(np.eye(size).reshape(coefficients, functions, size))
    exact = np.einsum("jfd,fq->qjd", coloured, rotation, optimize=True)  # the colouring of Laplace's approximation
    gram = L.T @ (weights[:, None] * L)
    if not _is_amplitude_alone(prior, choices.grid, L, centre):
        R = np.linalg.cholesky(np.eye(coefficients) + strengths[:, None, None] * gram)
        return TemporalCoordinates(centre, axes, rotation, weights, strengths, pull, R.transpose(0, 2, 1) @ exact)
    eigenvalues, basis = np.linalg.eigh(gram)
    amplitude = math.exp(centre[0])
    spectrum = strengths[:, None] * np.maximum(eigenvalues, 0.0)
    mixing = np.sqrt(1 + spectrum)[..., None] * (basis.T @ exact)
    pulled = (basis.T @ L.T @ pull).T / amplitude
    return AmplitudeCoordinates(centre, axes, rotation, basis, spectrum / amplitude**2, pulled, mixing)


def _is_amplitude_alone(prior: TemporalPrior, grid: Grid, factor: Array, centre: Array) -> bool:
    """Return whether the amplitude, a factor of L, is the only hyperparameter."""
    return len(centre) == 1 and np.allclose(prior.factor(grid, 1.0) * math.exp(centre[0]), factor, rtol=1e-10, atol=0)
