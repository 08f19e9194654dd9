"""Rank the algorithms on each instance at each budget, by their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.defaults import RELATIVE_TOLERANCE
from polarbear.observe.losses import Losses
from polarbear.observe.rankings import Rankings
from polarbear.observe.read_only import as_read_only
from polarbear.observe.tally import split_blocks
from polarbear.observe.values import losses_of, rank_values, relative_tolerance_of

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

    from numpy.typing import ArrayLike, NDArray

    from polarbear.observe.clusters import Clusters
    from polarbear.observe.grid import Grid


def rank_instances(
    values: NDArray[Any],
    names: tuple[str, ...],
    grid: Grid,
    *,
    weights: ArrayLike | None = None,
    clusters: Clusters | Iterable[Hashable] | None = None,
    instances: Iterable[Hashable] | None = None,
    absolute_tolerance: float = 0.0,
    relative_tolerance: float = RELATIVE_TOLERANCE,
    maximise: bool = False,
) -> Rankings:
    """Return the rankings of values (instance, budget, algorithm); see `Choices.from_values` for the parameters."""
    ranks = np.empty(values.shape, dtype=np.int16)
    for part in split_blocks(*values.shape):
        ranks[:, part] = rank_values(
            values[:, part],
            absolute_tolerance=absolute_tolerance,
            relative_tolerance=relative_tolerance,
            maximise=maximise,
        )
    ranks.flags.writeable = False
    losses, relative_tolerance = None, relative_tolerance_of(values, relative_tolerance)
    if absolute_tolerance or relative_tolerance:
        by_algorithm = np.ascontiguousarray(losses_of(values, maximise=maximise).transpose(2, 0, 1))
        losses = Losses(as_read_only(by_algorithm, np.float64), absolute_tolerance, relative_tolerance)
    return Rankings(ranks, names, grid, weights, clusters, instances=instances, losses=losses)
