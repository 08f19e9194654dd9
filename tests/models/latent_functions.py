"""What the parts of a temporal prior say about its latent functions, as dense matrices."""

import numpy as np
from scipy.interpolate import BSpline as ScipyBSpline


def covariance(prior, grid, *hyperparameters):
    """The covariance of the latent functions at the budgets of the grid."""
    L = prior.factor(grid, *hyperparameters)
    return L @ L.T


def dense(banded):
    """The precision as a full matrix, and the map from coefficients to budgets."""
    size, budgets = banded.precision.shape[1], len(banded.first)
    precision, design = np.zeros((size, size)), np.zeros((budgets, size))
    for offset, band in enumerate(banded.precision):
        rows = np.arange(size - offset)
        precision[rows + offset, rows] = precision[rows, rows + offset] = band[: size - offset]
    for budget, first in enumerate(banded.first):
        design[budget, first : first + banded.weights.shape[1]] = banded.weights[budget]
    return precision, design


def basis_elements(prior, grid):
    """SciPy's basis functions one by one, on half-open intervals; at the last budget only the last one is not zero."""
    knots, degree, t = prior.knots(grid), prior.degree, grid.scaled
    columns = []
    for j in range(len(knots) - degree - 1):
        own = knots[j : j + degree + 2]
        column = np.nan_to_num(ScipyBSpline.basis_element(own, extrapolate=False)(t))
        columns.append(np.where(t < own[-1], column, 0.0))
    result = np.array(columns).T
    result[t == 1] = np.eye(len(columns))[-1]
    return result
