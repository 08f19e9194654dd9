"""Summaries of the hyperparameters for `Diagnostics`: name, posterior mean and standard deviation of each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polarbear.arrays import Array


Summary = tuple[tuple[str, float, float], ...]


def summarise_draws(names: Iterable[str], draws: Array) -> Summary:
    """Return the summary of equally weighted draws, shape (hyperparameter, ...).

    Examples
    --------
    >>> summarise_draws(["kappa"], np.array([[1.0, 3.0]]))
    (('kappa', 2.0, 1.0),)
    """
    return tuple((name, float(values.mean()), float(values.std())) for name, values in zip(names, draws, strict=True))


def summarise_weighted(names: Iterable[str], points: Array, weights: Array) -> Summary:
    """Return the summary of points (point, hyperparameter) with weights that sum to one.

    Examples
    --------
    >>> summarise_weighted(["kappa"], np.array([[1.0], [3.0]]), np.array([0.5, 0.5]))
    (('kappa', 2.0, 1.0),)
    """
    mean = weights @ points
    deviation = np.sqrt(weights @ (points - mean) ** 2)
    return tuple(zip(names, mean.tolist(), deviation.tolist(), strict=True))
