"""Warn of features that were computed from the runs themselves: on a new instance, their values would not be known."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from polarbear.verdict import Remark

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.arrays import Array
    from polarbear.features.feature import Feature
    from polarbear.magnitude.collection import RunCollection

_SUSPICIOUS = 0.98  # rank correlation; a feature that is known before the run rarely orders its results so well
_LEAST = 10  # instances, below which a high correlation is frequent by chance


def leakage_remarks(features: Sequence[Feature], runs: RunCollection) -> list[Remark]:
    """Return a remark for each feature that orders the instances as the results of some algorithm do.

    The results are the final values of each algorithm, and the time of its last improvement, which is the time to solve an
    instance if it was solved.
    """
    remarks = []
    final = runs.table.values[:, -1, :]
    results = np.concatenate([final, _last_improvements(runs)], axis=1)
    kinds = ["the final value", "the time of the last improvement"]
    for feature in features:
        if len(feature.levels) > 2:
            continue
        known = ~np.isnan(feature.values)
        ranks = _mean_ranks(feature.values[known])
        for column, values in enumerate(results.T):
            both = ~np.isnan(values[known])
            if np.count_nonzero(both) < _LEAST:
                continue
            own = ranks[both] if both.all() else _mean_ranks(ranks[both])
            if abs(_correlation(own, _mean_ranks(values[known][both]))) > _SUSPICIOUS:
                kind, name = kinds[column // len(runs.names)], runs.names[column % len(runs.names)]
                text = (
                    f"The feature {feature.name} orders the instances as {kind} of {name} does. If it was computed from the "
                    "runs, it is not known before a run, and gains that rest on it are not real."
                )
                remarks.append(Remark("do not rely on it", text))
                break
    return remarks


def _last_improvements(runs: RunCollection) -> Array:
    """Return the time of the last improvement of each run, shape (instance, algorithm); NaN without one."""
    times = np.full((len(runs.instances), len(runs.names)), np.nan)
    rows = {instance: row for row, instance in enumerate(runs.instances)}
    columns = {name: column for column, name in enumerate(runs.names)}
    for (name, instance), run in runs.runs.items():
        if len(run.times) and name in columns:
            times[rows[instance], columns[name]] = run.times[-1]
    return times


def _mean_ranks(values: Array) -> Array:
    """Return the ranks of values from 1 on; equal values share their mean."""
    # As scipy.stats.rankdata, whose import takes two seconds.
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Array = (np.cumsum(counts) - (counts - 1) / 2)[places]
    return ranks


def _correlation(first: Array, second: Array) -> float:
    """Return the correlation of two vectors; zero if one of them is constant."""
    a, b = first - first.mean(), second - second.mean()
    size = np.sqrt((a @ a) * (b @ b))
    return float(a @ b / size) if size > 0 else 0.0
