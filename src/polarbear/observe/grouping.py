"""Groups of instances: split rankings into groups, and join the rankings of groups that may lack algorithms."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.observe.clusters import Clusters
from polarbear.observe.rankings import ABSENT, Rankings, RepeatedRuns

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from polarbear.arrays import Indices, Ranks
    from polarbear.observe.losses import Losses


def take_instances(rankings: Rankings, rows: Indices) -> Rankings:
    """Return the rankings of some instances, with their weights, clusters and repeated runs."""
    clusters = rankings.clusters
    if clusters is not None:
        clusters = Clusters(tuple(clusters.labels[row] for row in rows), clusters.kind, clusters.unit)
    repeated = None if rankings.repeated is None else rankings.repeated.take(rows)
    return Rankings(
        rankings.ranks[rows],
        rankings.names,
        rankings.grid,
        rankings.weights[rows],
        clusters,
        repeated,
        [rankings.instances[row] for row in rows],
        None if rankings.losses is None else rankings.losses.take(rows),
    )


def split_rankings(rankings: Rankings, groups: Sequence[Hashable]) -> tuple[dict[Any, Rankings], list[Rankings]]:
    """Return the rankings of each group, in order of first appearance, and of instances in no group (None)."""
    if len(groups) != len(rankings.ranks):
        raise ValueError(
            f"expected one group for each of {len(rankings.ranks)} instances, got {len(groups)}; use None for an instance "
            "in no group"
        )
    rows: dict[Any, list[int]] = {}
    for row, group in enumerate(groups):
        rows.setdefault(group, []).append(row)
    rest = rows.pop(None, [])
    if not rows:
        raise ValueError("expected at least one instance in a group, got none; the groups are all None")
    parts = {group: take_instances(rankings, np.array(each)) for group, each in rows.items()}
    return parts, [take_instances(rankings, np.array(rest))] if rest else []


def join_groups(parts: Sequence[Rankings]) -> tuple[Rankings, Indices]:
    """Return the rankings of all groups together, and the number of the group of each instance.

    The groups have the same grid. An algorithm that a group lacks is absent from its rankings. Equal labels of clusters of
    the same kind, such as a function in two dimensions, are the same cluster.
    """
    grid = parts[0].grid
    if any(each.grid != grid for each in parts):
        raise ValueError(
            "expected groups with the same grid, got different ones; make their choices with the same grid"
        )
    names = tuple(dict.fromkeys(name for each in parts for name in each.names))
    ranks = np.concatenate([_widen(each.ranks, each.names, names) for each in parts])
    over_time = any(each.weights.ndim == 2 for each in parts)
    weights = np.concatenate([each.weight_of_each if over_time else each.weights for each in parts])
    codes = np.repeat(np.arange(len(parts)), [len(each.ranks) for each in parts])
    joined = Rankings(
        ranks,
        names,
        grid,
        weights,
        _join_clusters(parts),
        _join_repeated(parts, names),
        [label for each in parts for label in each.instances],
        _join_losses(parts, names),
    )
    return joined, codes


def _join_losses(parts: Sequence[Rankings], names: tuple[str, ...]) -> Losses | None:
    """Return the losses of all groups; None, which leaves the ranks, if a group has none or if the tolerances differ."""
    known = [each.losses for each in parts if each.losses is not None]
    if len(known) < len(parts) or len({(each.absolute, each.relative) for each in known}) > 1:
        return None
    wide = []
    for part, losses in zip(parts, known, strict=True):
        values = np.full((len(names), *losses.values.shape[1:]), np.nan)
        values[[names.index(name) for name in part.names]] = losses.values
        wide.append(values)
    return replace(known[0], values=np.concatenate(wide, axis=1))


def _widen(ranks: Ranks, own: tuple[str, ...], names: tuple[str, ...]) -> Ranks:
    """Return the ranks of all algorithms; those that are not among a group's own are absent."""
    wide = np.full((*ranks.shape[:2], len(names)), ABSENT, dtype=np.int16)
    wide[..., [names.index(name) for name in own]] = ranks
    return wide


def _join_repeated(parts: Sequence[Rankings], names: tuple[str, ...]) -> RepeatedRuns | None:
    """Return the repeated runs of all groups; None if no group has any. Runs of different groups are not compared."""
    if all(each.repeated is None for each in parts):
        return None
    ranks, problems, number = [], [], 0
    for each in parts:
        own = each.repeated
        if own is None:
            own = RepeatedRuns(np.full_like(each.ranks, ABSENT), np.arange(len(each.ranks)))
        ranks.append(_widen(own.ranks, each.names, names))
        problems.append(number + own.problem)
        number += int(own.problem.max()) + 1
    return RepeatedRuns(np.concatenate(ranks), np.concatenate(problems))


def _join_clusters(parts: Sequence[Rankings]) -> Clusters | None:
    """Return the clusters of all groups; an instance without a cluster is one of its own."""
    known = [each.clusters for each in parts if each.clusters is not None]
    if not known:
        return None
    labels: list[Hashable] = []
    for number, each in enumerate(parts):
        if each.clusters is None:
            labels += [("alone", number, row) for row in range(len(each.ranks))]
        else:
            labels += [(each.clusters.kind, label) for label in each.clusters.labels]
    return Clusters(tuple(labels), known[0].kind, known[0].unit)
