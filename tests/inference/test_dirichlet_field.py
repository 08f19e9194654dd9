"""The Dirichlet prior in Helmert coordinates is a proper density with the right derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from polarbear.inference.fields.dirichlet_field import DirichletField
from polarbear.models.helmert import helmert
from tests.inference.exact import log_dirichlet_density

CONCENTRATIONS = (0.3, 1.0, 4.0)
CLOSE = {"rtol": 1e-7, "atol": 1e-9}  # central differences of step 1e-6 hold that many digits


@pytest.mark.parametrize("concentration", CONCENTRATIONS)
def test_density_of_two_algorithms_integrates_to_one(concentration: float) -> None:
    field = DirichletField(concentration, budgets=1, algorithms=2)
    density = np.vectorize(lambda eta: float(np.exp(field.log_prior(np.array([[eta]]))[0])))
    total, _ = integrate.quad(density, -150, 150, points=[0], limit=200)
    assert total == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("concentration", CONCENTRATIONS)
def test_density_of_three_algorithms_integrates_to_one(concentration: float) -> None:
    field = DirichletField(concentration, budgets=1, algorithms=3)
    proposal = stats.multivariate_t(np.zeros(2), 3 / concentration**2 * np.eye(2) + np.eye(2), df=3, seed=1)
    eta = proposal.rvs(200_000)
    weights = np.exp(field.log_prior(eta.T[None])[0] - proposal.logpdf(eta))
    assert weights.mean() == pytest.approx(1.0, abs=5 * weights.std() / np.sqrt(len(weights)))
    assert weights.std() < 3  # else the estimate says little


@pytest.mark.parametrize("algorithms", [2, 3, 5])
@pytest.mark.parametrize("concentration", CONCENTRATIONS)
def test_density_is_that_of_the_ratings_times_the_jacobian(algorithms: int, concentration: float) -> None:
    field = DirichletField(concentration, budgets=4, algorithms=algorithms)
    eta = np.random.default_rng(1).standard_normal(field.shape)
    strengths = np.exp(eta @ helmert(algorithms).T)
    ratings = strengths / strengths.sum(axis=1, keepdims=True)
    # dθ / dη of the first n − 1 ratings, whose coordinates the Dirichlet density is stated in.
    spread = np.einsum("ti,ij->tij", ratings, np.eye(algorithms)) - ratings[:, :, None] * ratings[:, None, :]
    jacobian = np.linalg.slogdet((spread @ helmert(algorithms))[:, :-1])[1]
    expected = log_dirichlet_density(ratings, concentration) + jacobian
    np.testing.assert_allclose(field.log_prior(eta)[0], expected.sum(), rtol=1e-10)


@pytest.mark.parametrize("algorithms", [2, 3, 5])
def test_force_and_curvature_are_derivatives(algorithms: int) -> None:
    field = DirichletField(0.7, budgets=3, algorithms=algorithms)
    rng = np.random.default_rng(2)
    eta, direction = rng.standard_normal((2, *field.shape))
    step = 1e-5
    slope = (field.log_prior(eta + step * direction)[0] - field.log_prior(eta - step * direction)[0]) / (2 * step)
    np.testing.assert_allclose(slope, (field.log_prior(eta)[1] * direction).sum(), rtol=1e-7)
    bend = -(field.log_prior(eta + step * direction)[1] - field.log_prior(eta - step * direction)[1]) / (2 * step)
    factor = field.factorise(np.zeros((3, algorithms - 1, algorithms - 1)), eta)
    np.testing.assert_allclose(factor.solve(bend), direction, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("algorithms", [2, 3, 5])
def test_factor_is_of_prior_and_likelihood_together(algorithms: int) -> None:
    field = DirichletField(1.5, budgets=4, algorithms=algorithms)
    rng = np.random.default_rng(3)
    eta = rng.standard_normal(field.shape)
    root = rng.standard_normal((4, algorithms - 1, algorithms - 1))
    curvature = root @ root.transpose(0, 2, 1)
    precision = curvature + _precision(field, eta)
    factor = field.factorise(curvature, eta)
    right, white = rng.standard_normal((2, *field.shape))
    np.testing.assert_allclose(factor.solve(right), np.linalg.solve(precision, right[..., None])[..., 0], **CLOSE)
    np.testing.assert_allclose(factor.log_determinant, np.linalg.slogdet(precision)[1].sum(), **CLOSE)
    coloured = factor.colour(white[..., None])
    norm = np.einsum("tid,tij,tjd->", coloured, precision, coloured)
    np.testing.assert_allclose(norm, (white**2).sum(), **CLOSE)
    np.testing.assert_allclose(
        (coloured[..., 0] * right).sum(), (white * factor.colour_transposed(right)).sum(), rtol=1e-9
    )


def _precision(field: DirichletField, eta: np.ndarray) -> np.ndarray:
    """Negative Hessian of the log-prior at each budget, by differences of the force."""
    functions, step = field.shape[1], 1e-6
    columns = []
    for direction in np.eye(functions):
        ahead, behind = (field.log_prior(eta + sign * step * direction)[1] for sign in (1, -1))
        columns.append(-(ahead - behind) / (2 * step))
    return np.stack(columns, axis=-1)
