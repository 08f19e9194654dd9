"""The area over the convergence curve (AOCC), one number per run."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polarbear.baselines.attainment import BOUNDS, Bounds, as_values, attained_share

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from polarbear.arrays import Array
    from polarbear.observe import Trajectory


def aocc(values: ArrayLike, budgets: ArrayLike, bounds: Bounds = BOUNDS) -> Array:
    """Return the AOCC of each run, (instance, algorithm): the mean attained share over time, on a linear axis.

    1 / (t_T − t_1) Σ_k (t_{k+1} − t_k) attained(y(t_k)), which is exact for values that change only at these budgets.

    Examples
    --------
    >>> aocc([[[1e2], [1e-3], [1e-8]]], [0, 10, 20]).item()
    0.25
    """
    shares, at = attained_share(as_values(values), bounds), np.asarray(budgets, dtype=np.float64)
    if at.shape != shares.shape[1:2] or at.size < 2:
        raise ValueError(f"expected {shares.shape[1]} budgets, two or more, got shape {at.shape}")
    return np.tensordot(np.diff(at) / (at[-1] - at[0]), shares[:, :-1], axes=(0, 1))


def aocc_of_runs(
    runs: Iterable[Trajectory], start: float, stop: float, bounds: Bounds = BOUNDS, optimum: float = 0.0
) -> dict[str, list[float]]:
    """Return the AOCC of each recorded run that lasted until `stop`, by algorithm; exact, from the run's improvements.

    The area is an area of distances to the optimum, which is the same for all runs.

    Examples
    --------
    >>> from polarbear.observe import Trajectory
    >>> aocc_of_runs([Trajectory("cma", 0, [1, 15], [1e2, 1e-8], end=20)], start=10, stop=20)
    {'cma': [0.5]}
    """
    if not start < stop < math.inf:
        raise ValueError(f"expected a finite budget after {start:g} to end at, got {stop:g}")
    areas: dict[str, list[float]] = {}
    for run in runs:
        if run.known_to < stop and not run.failed:
            continue
        events = np.append(run.budgets, run.end) if run.failed else run.budgets
        budgets = np.concatenate([[start], events[(events > start) & (events < stop)], [stop]])
        shares = attained_share(distances(run, budgets, optimum), bounds)
        areas.setdefault(run.algorithm, []).append(float(np.diff(budgets) @ shares[:-1] / (stop - start)))
    return areas


def distances(run: Trajectory, budgets: ArrayLike, optimum: float) -> Array:
    """Return by how much the best value of a run at each budget is worse than the optimum.

    Examples
    --------
    >>> from polarbear.observe import Trajectory
    >>> distances(Trajectory("cma", 0, [1, 15], [3.0, 7.0], end=20, maximise=True), [10, 20], optimum=8.0).tolist()
    [5.0, 1.0]
    """
    values = run.at(budgets)
    return optimum - values if run.maximise else values - optimum
