"""The seven temporal Plackett-Luce priors in PyMC, written from the paper and independent of the package.

Every prior yields utilities mu (budget, algorithm); the likelihood reads raw rankings. Log-space priors
share mu = Q eta with Helmert's Q, sigma ~ LogNormal(0, 0.5) and lengthscale ~ InverseGamma(5, 3).
"""

from __future__ import annotations

from collections import Counter
from itertools import permutations, product
from math import ceil, factorial, prod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import pymc as pm
import pytensor.tensor as pt
from scipy.interpolate import BSpline
from scipy.stats import invgamma

from tests.oracles.data import scaled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import arviz
    from pytensor.tensor import TensorVariable

    from tests.oracles.data import Axis

FloatArray = npt.NDArray[np.float64]

JITTER = 1e-10  # relative to the variance
INDUCING = 10
DEGREE = 3


# Rankings and their likelihood


def orderings(values: FloatArray) -> Iterator[tuple[tuple[int, ...], float]]:
    """Strict orderings, best first, of the algorithms present, a k-way tie giving k! of weight 1/k! each."""
    present = np.flatnonzero(~np.isnan(values))
    groups = [present[values[present] == v].tolist() for v in np.unique(values[present])]
    weight = 1.0 / prod(factorial(len(group)) for group in groups)
    for parts in product(*(permutations(group) for group in groups)):
        yield tuple(i for part in parts for i in part), weight


def rankings(values: FloatArray) -> list[dict[tuple[int, ...], float]]:
    """Distinct orderings at each budget and their total weights, from values (instance, budget, algorithm)."""
    totals: list[Counter[tuple[int, ...]]] = [Counter() for _ in range(values.shape[1])]
    for instance in values:
        for total, row in zip(totals, instance, strict=True):
            for order, weight in orderings(row):
                total[order] += weight  # type: ignore[assignment]
    return [dict(total) for total in totals]


def plackett_luce(mu: TensorVariable, values: FloatArray) -> TensorVariable:
    """Log-likelihood of all rankings: each place is won by one of the algorithms that remain."""
    ranked = rankings(values)
    T, n = len(ranked), values.shape[2]
    places = max(sum(max(len(order) - 1, 0) for order in at) for at in ranked)
    winner, remain = np.zeros((T, n, places)), np.ones((T, n, places))
    weights = np.zeros((T, 1, places))  # places beyond the last of a budget keep weight zero
    for t, at in enumerate(ranked):
        choices = [(order, place, w) for order, w in at.items() for place in range(len(order) - 1)]
        for column, (order, place, w) in enumerate(choices):
            winner[t, order[place], column] = 1.0
            remain[t, :, column] = np.isin(np.arange(n), order[place:])
            weights[t, 0, column] = w
    mu = (mu - mu.max(axis=1, keepdims=True))[:, None, :]
    total = pt.maximum(pt.exp(mu) @ remain, 1e-300)  # far from any posterior, keeps the logarithm finite
    return (weights * (mu @ winner - pt.log(total))).sum()


# Simplex priors


def dirichlet(s: FloatArray, n: int) -> TensorVariable:
    """Uniform on the simplex, independently at each budget."""
    theta = pm.Dirichlet("theta", np.ones(n), shape=(len(s), n))
    return centred_log(theta)


def hierarchical_dirichlet(s: FloatArray, n: int) -> TensorVariable:
    """Independent at each budget given one concentration kappa of prior mean n."""
    kappa = pm.Exponential("kappa", lam=1.0 / n)
    theta = pm.Dirichlet("theta", pt.ones(n) * kappa / n, shape=(len(s), n))
    return centred_log(theta)


def centred_log(theta: TensorVariable) -> TensorVariable:
    """Utilities that sum to zero over the algorithms."""
    log = pt.log(theta)
    return log - log.mean(axis=1, keepdims=True)


# Log-space priors


def helmert(n: int) -> FloatArray:
    """Q (n, n-1): column k is 1/sqrt(k(k+1)) in its first k rows and -sqrt(k/(k+1)) in row k+1."""
    Q = np.zeros((n, n - 1))
    for k in range(1, n):
        Q[:k, k - 1] = np.sqrt(1.0 / (k * (k + 1)))
        Q[k, k - 1] = -np.sqrt(k / (k + 1))
    return Q


def utilities(eta: TensorVariable, n: int) -> TensorVariable:
    """Utilities mu = Q eta (budget, algorithm) from the latent functions eta (budget, n-1)."""
    return eta @ helmert(n).T


def amplitude() -> TensorVariable:
    return pm.LogNormal("sigma", 0.0, 0.5)


def lengthscale() -> TensorVariable:
    return pm.InverseGamma("lengthscale", alpha=5.0, beta=3.0)


def normals(rows: int, n: int) -> TensorVariable:
    """Independent standard normals, one column for each latent function."""
    return pm.Normal("z", shape=(rows, n - 1))


def matern32(x: FloatArray, y: FloatArray, ls: TensorVariable) -> TensorVariable:
    """Correlations from exact distances.

    PyMC's own distances come from differences of squares; their compiled JAX gradients are wrong at some lengthscales.
    """
    return pm.gp.cov.Matern32(1, ls=1.0).full_from_distance(np.abs(x[:, None] - y) / ls)


def gaussian_process(s: FloatArray, n: int) -> TensorVariable:
    """Exact Gaussian process with a Matern-3/2 kernel."""
    sigma, T = amplitude(), len(s)
    L = pt.linalg.cholesky(matern32(s, s, lengthscale()) + JITTER * np.eye(T))
    return utilities(sigma * L @ normals(T, n), n)


def sparse_gaussian_process(s: FloatArray, n: int) -> TensorVariable:
    """Deterministic training conditional: eta = K_tu K_uu^-1 u, u = sigma L z with L L' = K_uu / sigma^2."""
    M = min(INDUCING, len(s))
    inducing = np.quantile(s, np.linspace(0.0, 1.0, M))
    sigma, ls = amplitude(), lengthscale()
    L = pt.linalg.cholesky(matern32(inducing, inducing, ls) + JITTER * np.eye(M))
    half = pt.linalg.solve_triangular(L, matern32(inducing, s, ls), lower=True)
    return utilities(sigma * half.T @ normals(M, n), n)


def hilbert_size() -> tuple[int, float]:
    """Basis functions m and boundary L for lengthscales in the central 90 % of their prior, budgets in [0, 1]."""
    S = 0.5
    shortest, longest = invgamma.ppf([0.05, 0.95], 5.0, scale=3.0)
    c = max(1.2, 4.5 * longest / S)
    return ceil(3.42 * c * S / shortest), c * S


def hilbert_space(s: FloatArray, n: int) -> TensorVariable:
    """Reduced-rank Gaussian process on the Laplacian's eigenfunctions over [0.5 - L, 0.5 + L]."""
    m, L = hilbert_size()
    kernel = amplitude() ** 2 * pm.gp.cov.Matern32(1, ls=lengthscale())
    phi, root = pm.gp.HSGP(m=[m], L=[L], cov_func=kernel).prior_linearized(s[:, None])
    return utilities((phi * root) @ normals(m, n), n)


def random_walk(s: FloatArray, n: int) -> TensorVariable:
    """Gaussian random walk with variance sigma^2 at the start and sigma^2 for each unit of scaled budget."""
    steps = np.sqrt(np.concatenate([[1.0], np.diff(s)]))[:, None]
    return utilities(amplitude() * pt.cumsum(steps * normals(len(s), n), axis=0), n)


def spline_basis(s: FloatArray) -> FloatArray:
    """Cubic B-splines (budget, K) with K = max(4, T // 2) and interior knots at quantiles of the budgets."""
    K = max(DEGREE + 1, len(s) // 2)
    interior = np.quantile(s, np.linspace(0.0, 1.0, K - DEGREE + 1)[1:-1])
    knots = np.concatenate([np.zeros(DEGREE + 1), interior, np.ones(DEGREE + 1)])
    return BSpline.design_matrix(s, knots, DEGREE).toarray()


def b_spline(s: FloatArray, n: int) -> TensorVariable:
    """Cubic spline with independent coefficients of variance sigma^2."""
    B = spline_basis(s)
    return utilities(amplitude() * (B @ normals(B.shape[1], n)), n)


PRIORS: dict[str, Callable[[FloatArray, int], TensorVariable]] = {
    f.__name__: f
    for f in (
        dirichlet,
        hierarchical_dirichlet,
        gaussian_process,
        sparse_gaussian_process,
        hilbert_space,
        random_walk,
        b_spline,
    )
}
HYPERPARAMETERS = ("kappa", "sigma", "lengthscale")


# Models and their posterior draws


def build(prior: str, values: FloatArray, budgets: FloatArray, axis: Axis = "linear") -> pm.Model:
    """Model of the values (instance, budget, algorithm; lower is better, NaN absent) under one prior."""
    with pm.Model() as model:
        mu = pm.Deterministic("mu", PRIORS[prior](scaled(budgets, axis), values.shape[2]))
        pm.Potential("rankings", plackett_luce(mu, values))
    return model


def sample(
    model: pm.Model,
    draws: int = 1000,
    tune: int = 1000,
    chains: int = 4,
    target_accept: float = 0.9,
    seed: int = 1,
    dense_mass: bool = False,
    chain_method: str = "vectorized",
    progressbar: bool = False,
    var_names: list[str] | None = None,
) -> arviz.InferenceData:
    """Draw mu and the hyperparameters, or the variables asked for, with NumPyro's NUTS, in 64 bits."""
    import jax

    jax.config.update("jax_enable_x64", True)
    return pm.sample(
        draws,
        tune=tune,
        chains=chains,
        target_accept=target_accept,
        random_seed=seed,
        model=model,
        nuts_sampler="numpyro",
        nuts_sampler_kwargs={"chain_method": chain_method, "nuts_kwargs": {"dense_mass": dense_mass}},
        var_names=var_names or ["mu", *(name for name in HYPERPARAMETERS if name in model.named_vars)],
        compute_convergence_checks=False,
        progressbar=progressbar,
    )
