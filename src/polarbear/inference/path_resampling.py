"""Importance resampling of Pathfinder's draws, for our own Pathfinder and for Stan's.

In: the log-weights of the draws of all paths. Out: weights for resampling, and what they say about the draws.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from polarbear.inference.importance import Importance, pareto_smooth, temper_weights
from polarbear.posterior.diagnostics import Diagnostics

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array
    from polarbear.inference.hyperparameter_summary import Summary


def resampling_weights(log_weights: Array) -> Importance:
    """Return smoothed weights, or tempered ones if these are unreliable; draws of failed paths get weight zero."""
    finite = np.isfinite(log_weights)
    if not finite.any():
        return Importance(np.full(log_weights.size, 1 / log_weights.size), math.inf, 1 / log_weights.size)
    importance = pareto_smooth(log_weights[finite])
    weights = np.zeros(log_weights.size)
    weights[finite] = importance.weights if importance.good else temper_weights(log_weights[finite])
    return Importance(weights, importance.pareto_k, importance.effective_share * float(finite.mean()))


def diagnose_paths(
    method: str, title: str, importances: Sequence[Importance], *, draws: int, hyperparameters: Summary
) -> Diagnostics:
    """Return the diagnostics of resampled draws: the worst Pareto k and effective number of all independent parts."""
    k = max(importance.pareto_k for importance in importances)
    effective = min(importance.effective_share * importance.weights.size for importance in importances)
    reliable = all(importance.good for importance in importances)
    message = f"{title}, importance-resampled: Pareto k {k:.2f}, {effective:.0f} effective of {draws} draws."
    if not reliable:
        message += " It is not accurate enough for these data, and its weights were tempered: use method='auto'."
    return Diagnostics(
        method=method,
        reliable=reliable,
        message=message,
        effective_draws=min(effective, draws),
        pareto_k=k,
        hyperparameters=hyperparameters,
    )
