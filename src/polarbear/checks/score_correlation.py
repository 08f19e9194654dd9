"""Correlation of a run's scores over time, and the effective number of independent times that follows from it.

The likelihood takes the rankings of one run at different times to be independent. Whether they are shows in their scores.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.optimize import nnls

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_DECAYS = 12  # lengths in the dictionary of exponentials


def score_correlation(scores: Array) -> Array:
    """R, shape (time, time): the correlation over time of the scores of one instance, the same in all contrasts.

    C(t, t') = Σ_i z_i(t)·z_i(t') is scaled to a unit diagonal. Few instances make that noisy, and it is drawn towards a
    correlation that depends on the distance on the grid alone, by as much as its sampling errors explain how far the two lie
    apart (Schäfer and Strimmer, 2005): all the way where rankings are independent, hardly where they are alike, since
    correlations near one are known well even from few. Times at which nothing was seen take the latter. Times without a
    common instance are uncorrelated, for R is that of sums over instances.

    Parameters
    ----------
    scores
        Standardised, shape (time, latent function, instance); zero where an instance was not observed.
    """
    times, functions, _ = scores.shape
    flat = scores.reshape(times, -1)
    together, there = flat @ flat.T, _observed(scores)
    if not there.any():  # everybody always tied: as alike as rankings can be
        return np.ones((times, times))
    target = _stationary(together)
    # Of P complete runs a correlation has P − 1 degrees of freedom, since the estimate takes one; of others, in general:
    common, each = there @ there.T, there.sum(axis=1)
    freedom = np.outer(each, each) - common  # times `common`
    known = freedom > 0
    scale = np.sqrt(np.maximum(np.diag(together), np.finfo(np.float64).tiny))
    measured = np.where(known, together / np.outer(scale, scale), target)

    known &= ~np.eye(times, dtype=bool)
    sampling = ((1 - measured[known] ** 2) ** 2 * common[known] / freedom[known]).sum() / functions
    apart = ((measured - target)[known] ** 2).sum()
    share = min(1.0, sampling / apart) if apart > 0 else 1.0
    correlation: Array = share * target + (1 - share) * measured
    return correlation if known.sum() == times * (times - 1) else _as_correlation(correlation)


def _observed(scores: Array) -> Array:
    """Return one where an instance has a score and zero elsewhere, shape (time, instance)."""
    there: Array = (scores != 0).any(axis=1).astype(np.float64)
    return there


def independent_times(correlation: Array) -> float:
    """As how many independent times the largest of the deviations at all times is to be judged: (Σ √λ)² / Σ λ.

    With λ the eigenvalues of R (Galwey, 2009). Bonferroni's threshold over so many is exceeded about as often as it says.

    Examples
    --------
    >>> round(independent_times(np.ones((5, 5)))), round(independent_times(np.eye(5)))
    (1, 5)
    """
    values = np.maximum(np.linalg.eigvalsh(correlation), 0.0)
    return float(np.sqrt(values).sum() ** 2 / values.sum())


def _as_correlation(matrix: Array) -> Array:
    """The same without negative eigenvalues, which entries of different origin may lead to, and with a unit diagonal."""
    values, vectors = np.linalg.eigh(matrix)
    positive = (vectors * np.maximum(values, 0.0)) @ vectors.T
    scale = np.sqrt(np.diag(positive))
    correlation: Array = positive / np.outer(scale, scale)
    return correlation


def _stationary(together: Array) -> Array:
    """Σ_k c_k exp(−d / ℓ_k) of the distance d on the grid, c ≥ 0, with what is left to one at d = 0.

    Fitted to the sums of C over its diagonals, each as a share of what it would be if all were alike.
    """
    times, size = len(together), np.diag(together)
    distance = np.arange(1, times)
    both = [(size[d:] > 0) & (size[:-d] > 0) for d in distance]  # of two times something was seen
    alike = np.array(
        [np.where(pair, size[d:] + size[:-d], 0.0).sum() / 2 for d, pair in zip(distance, both, strict=True)]
    )
    mean = np.array([np.diagonal(together, d).sum() for d in distance]) / np.maximum(alike, np.finfo(np.float64).tiny)
    decays = np.append(
        np.exp(-distance[:, None] / np.geomspace(0.5, 4 * times, _DECAYS)), np.ones((times - 1, 1)), axis=1
    )
    pairs = np.sqrt([pair.sum() for pair in both])[:, None]
    coefficients, _ = nnls(decays * pairs, mean * pairs[:, 0], maxiter=100 * decays.shape[1])
    fitted = np.append(1.0, decays @ coefficients / max(1.0, coefficients.sum()))
    return fitted[np.abs(np.subtract.outer(np.arange(times), np.arange(times)))]
