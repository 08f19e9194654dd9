"""Correlation of a run's scores over time, and the effective number of independent budgets that follows from it.

The likelihood treats the rankings of one run at different budgets as independent. The correlation of their scores shows
whether they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import scipy

if TYPE_CHECKING:
    from polarbear.arrays import Array


_DECAYS = 12  # number of length scales in the dictionary of exponentials


def score_correlation(scores: Array) -> Array:
    """Return R, shape (budget, budget), the correlation over time of an instance's scores, common to all contrasts.

    C(t, t') = Σ_i z_i(t)·z_i(t') is scaled to a unit diagonal. With few instances it is noisy, so it is shrunk towards a
    stationary target, which depends only on the distance on the grid; weight = sampling variance / squared distance
    (Schäfer and Strimmer, 2005). Shrinkage is complete for independent rankings and slight for highly correlated ones,
    since correlations near one are precise even with few instances. Unobserved budgets use the target. Budgets without a
    common instance are uncorrelated, since R is the correlation of sums over instances.

    Parameters
    ----------
    scores
        Standardised scores of shape (budget, latent function, instance); zero if an instance was not observed.
    """
    budgets, functions, _ = scores.shape
    flat = scores.reshape(budgets, -1)
    together, there = flat @ flat.T, _observation_mask(scores)
    if not there.any():  # all algorithms always tied: rankings are perfectly correlated
        return np.ones((budgets, budgets))
    target = _stationary_target(together)
    # With P complete runs a correlation has P − 1 degrees of freedom, since the fit uses one. With missing runs, in general:
    common, each = there @ there.T, there.sum(axis=1)
    freedom = np.outer(each, each) - common  # degrees of freedom times `common`
    known = freedom > 0
    scale = np.sqrt(np.maximum(np.diag(together), np.finfo(np.float64).tiny))
    measured = np.where(known, together / np.outer(scale, scale), target)

    known &= ~np.eye(budgets, dtype=bool)
    sampling = ((1 - measured[known] ** 2) ** 2 * common[known] / freedom[known]).sum() / functions
    apart = ((measured - target)[known] ** 2).sum()
    share = min(1.0, sampling / apart) if apart > 0 else 1.0
    correlation: Array = share * target + (1 - share) * measured
    return correlation if known.sum() == budgets * (budgets - 1) else _nearest_correlation(correlation)


def _observation_mask(scores: Array) -> Array:
    """Return 1 if an instance has a score at a budget and 0 otherwise, shape (budget, instance)."""
    there: Array = (scores != 0).any(axis=1).astype(np.float64)
    return there


def independent_budgets(correlation: Array) -> float:
    """Return the effective number of independent budgets, (Σ √λ)² / Σ λ with λ the eigenvalues of R (Galwey, 2009).

    With a Bonferroni correction for this number, the largest deviation over all budgets has about the nominal error rate.

    Examples
    --------
    >>> round(independent_budgets(np.ones((5, 5)))), round(independent_budgets(np.eye(5)))
    (1, 5)
    """
    values = np.maximum(np.linalg.eigvalsh(correlation), 0.0)
    return float(np.sqrt(values).sum() ** 2 / values.sum())


def _nearest_correlation(matrix: Array) -> Array:
    """Return the matrix without its negative eigenvalues and with a unit diagonal.

    Negative eigenvalues can arise because entries come from different estimates.
    """
    values, vectors = np.linalg.eigh(matrix)
    positive = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(positive))
    correlation: Array = positive / np.outer(scale, scale)
    return correlation


def _stationary_target(together: Array) -> Array:
    """Return the stationary target: Σ_k c_k exp(−d / ℓ_k) at a distance d > 0 on the grid, c ≥ 0, and one at d = 0.

    It is fitted to the sums of C over its diagonals, each relative to its value under perfect correlation.
    """
    budgets, size = len(together), np.diag(together)
    distance = np.arange(1, budgets)
    both = [(size[d:] > 0) & (size[:-d] > 0) for d in distance]  # both budgets were observed
    perfect = np.array(
        [np.where(pair, size[d:] + size[:-d], 0.0).sum() / 2 for d, pair in zip(distance, both, strict=True)]
    )
    mean = np.array([np.diagonal(together, d).sum() for d in distance]) / np.maximum(perfect, np.finfo(np.float64).tiny)
    decays = np.append(
        np.exp(-distance[:, None] / np.geomspace(0.5, 4 * budgets, _DECAYS)), np.ones((budgets - 1, 1)), axis=1
    )
    pairs = np.sqrt([pair.sum() for pair in both])[:, None]
    coefficients, _ = scipy.optimize.nnls(decays * pairs, mean * pairs[:, 0], maxiter=100 * decays.shape[1])
    fitted = np.append(1.0, decays @ coefficients / max(1.0, coefficients.sum()))
    return fitted[np.abs(np.subtract.outer(np.arange(budgets), np.arange(budgets)))]
