"""The gain of following a tree, estimated on instances that were not used to find it.

Cross-validation over clusters: on the other folds a tree with as many splits as the reported one is grown, and its choices
are scored on the fold. Several random partitions into folds are averaged.

The interval comes from the Bayesian bootstrap of the whole procedure: in each draw the clusters have random weights, under
which trees are grown and scored. A fold's clusters are in no other fold, so a draw uses no instance twice. A bootstrap of
the held-out scores alone ignores that another sample gives another tree: its 95 % interval held in 84 % of simulations.

Trees of different folds share most of their splits. Sums over the instances of each fold and leaf are therefore computed
once per leaf, and a training set is all folds without one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from polarbear.features.splits import gains_of_sums, sums_on_left
from polarbear.features.tree import LEAST_CLUSTERS, cluster_weights

if TYPE_CHECKING:
    from collections.abc import Iterable

    from polarbear.arrays import Array, Array32, Indices, Mask
    from polarbear.features.scores import Scores

_FOLDS = 10
_PARTITIONS = 20  # random ones, over which the estimate is averaged; their noise is then small against its interval
_FEWEST_DRAWS, _MOST_DRAWS = 100, 200  # of the weights of the clusters, each with two partitions
_PRODUCTS = 5e9  # of scores and sides in all draws: four seconds
_ROUNDING = 1e-3  # of sums of weights in single precision


@dataclass(frozen=True)
class HeldOutGain:
    """What following a tree gains, on instances that were not used to find it.

    Attributes
    ----------
    following, single
        The share of first places of the tree's choices, and of the best algorithm for all instances in each range of
        budgets.
    gain, lower, upper
        Their difference, and the ends of its interval.
    """

    following: float
    single: float
    gain: float
    lower: float
    upper: float


def held_out_gain(scores: Scores, left: Array32, splits: int, *, level: float, rng: np.random.Generator) -> HeldOutGain:
    """Return the gain of a tree with `splits` splits over the best algorithm for all instances in each range of budgets.

    Parameters
    ----------
    scores
        What is at stake on each instance.
    left
        Shape (split, instance): the candidate splits.
    splits
        The number of splits of the tree.
    level
        The level of the interval.
    rng
        The source of partitions and draws.
    """
    sides = np.ascontiguousarray(left.T)  # instances first, since folds are sets of instances
    even = [_cross_validate(scores, sides, splits, random_folds(scores.clusters, rng)) for _ in range(_PARTITIONS)]
    following, single = np.mean(even, axis=0)
    affordable = _PRODUCTS / (scores.first.size * len(left))
    gains = np.empty((int(np.clip(affordable, _FEWEST_DRAWS, _MOST_DRAWS)), 2))
    for draw in gains:
        weighted = _reweight(scores, rng)
        for partition in range(2):
            values = _cross_validate(weighted, sides, splits, random_folds(scores.clusters, rng))
            draw[partition] = values[0] - values[1]
    spread = _without_partition_noise(gains)
    lower, upper = following - single + np.quantile(spread, [(1 - level) / 2, (1 + level) / 2])
    return HeldOutGain(float(following), float(single), float(following - single), float(lower), float(upper))


def _reweight(scores: Scores, rng: np.random.Generator) -> Scores:
    """Return the scores with random weights of the clusters, one on average."""
    weights = rng.standard_exponential(int(scores.clusters.max()) + 1, dtype=np.float32)
    weights /= weights.mean()
    return replace(scores, first=scores.first * weights[scores.clusters, None, None])


def _without_partition_noise(gains: Array) -> Array:
    """Return the deviations of the draws from their mean, with the variance that they would have without random partitions.

    `gains` has shape (draw, 2). Half the mean squared difference between the two partitions of a draw is the variance of
    one, and half of that the part in the mean of two. The estimate, from more partitions, keeps its own part.
    """
    means = gains.mean(axis=1)
    of_partition = np.mean((gains[:, 0] - gains[:, 1]) ** 2) / 2
    total = means.var()
    wanted = max(total - of_partition / 2, 0.0) + of_partition / _PARTITIONS
    deviations: Array = (means - means.mean()) * np.sqrt(wanted / total if total > 0 else 0.0)
    return deviations


def random_folds(clusters: Indices, rng: np.random.Generator) -> Indices:
    """Return a random fold for each instance, ten in all; the instances of a cluster are in the same one."""
    _, codes = np.unique(clusters, return_inverse=True)
    number = int(codes.max()) + 1
    folds: Indices = (rng.permutation(number) % min(_FOLDS, number))[codes]
    return folds


def _best_choices(scores: Scores, fold_of: Indices, leaf: Mask) -> Indices:
    """Return the best algorithm on the instances of a leaf outside each fold, shape (fold, range)."""
    in_fold = (leaf & (fold_of == np.arange(fold_of.max() + 1)[:, None])).astype(np.float32)
    sums = (in_fold @ scores.first.reshape(len(leaf), -1)).reshape(-1, *scores.first.shape[1:])
    choices: Indices = (sums.sum(axis=0) - sums).argmax(axis=2)
    return choices


def _best_splits(scores: Scores, sides: Array32, fold_of: Indices, leaf: Mask) -> tuple[Array, Indices]:
    """Return the gain and the number of the best split of a leaf outside each fold; minus infinity if none is allowed.

    `sides` has shape (instance, split): one where the instance goes left.
    """
    firsts, lefts = _by_fold(scores.first, fold_of, leaf), _by_fold(sides, fold_of, leaf)
    sizes = _by_fold(cluster_weights(scores.clusters).astype(np.float32), fold_of, leaf)
    total = _without_each([each.sum(axis=0) for each in firsts]).transpose(2, 1, 0)[..., None]
    on_left = _without_each([sums_on_left(each.T, first) for each, first in zip(lefts, firsts, strict=True)])
    gains = gains_of_sums(on_left.transpose(1, 2, 0, 3), total)
    size_of_leaf = _without_each([each.sum() for each in sizes])[:, None]
    size_left = _without_each([each.T @ size for each, size in zip(lefts, sizes, strict=True)])
    allowed = (size_left > LEAST_CLUSTERS - _ROUNDING) & (size_left < size_of_leaf - LEAST_CLUSTERS + _ROUNDING)
    gains = np.where(allowed, gains, -np.inf)
    return gains.max(axis=1), gains.argmax(axis=1)


def _by_fold(rows: Array32, fold_of: Indices, leaf: Mask) -> list[Array32]:
    """Return the rows of a leaf's instances in each fold."""
    return [rows[leaf & (fold_of == fold)] for fold in range(int(fold_of.max()) + 1)]


def _without_each(parts: list[Any]) -> Array32:
    """Return the sum of all parts but one, for each of them."""
    stacked = np.stack(parts)
    rest: Array32 = stacked.sum(axis=0) - stacked
    return rest


def _cross_validate(scores: Scores, sides: Array32, splits: int, fold_of: Indices) -> tuple[float, float]:
    """Return the score of the choices of a tree, learned on the other folds, and of one choice for all instances.

    The score of one choice is the mean of two estimates. If it is chosen on the other folds, the score is too low where two
    algorithms are nearly tied: without a fold in which one of them does well, the other one leads. If it is chosen on all
    instances, the score is too high. In simulations the mean has the smallest error of the three.
    """
    known: dict[bytes, tuple[Array, Indices]] = {}

    def best_splits(leaf: Mask) -> tuple[Array, Indices]:
        key = leaf.tobytes()
        if key not in known:
            known[key] = _best_splits(scores, sides, fold_of, leaf)
        return known[key]

    everything = np.ones(len(fold_of), dtype=bool)
    folds_of_leaf: dict[bytes, tuple[Mask, list[int]]] = {}  # the folds without which the tree has this leaf
    for fold in range(int(fold_of.max()) + 1):
        leaves = [everything]
        for _ in range(splits):
            gains = [best_splits(leaf)[0][fold] for leaf in leaves]
            place = int(np.argmax(gains))
            if gains[place] <= 0:
                break
            leaf = leaves.pop(place)
            side = sides[:, best_splits(leaf)[1][fold]] > 0
            leaves += [leaf & side, leaf & ~side]
        for leaf in leaves:
            folds_of_leaf.setdefault(leaf.tobytes(), (leaf, []))[1].append(fold)
    following = sum(_value(scores, fold_of, leaf, folds) for leaf, folds in folds_of_leaf.values())
    chosen_elsewhere = _value(scores, fold_of, everything, range(int(fold_of.max()) + 1))
    chosen_on_all = float(scores.first.sum(axis=0).max(axis=1).sum())
    return following, (chosen_elsewhere + chosen_on_all) / 2


def _value(scores: Scores, fold_of: Indices, leaf: Mask, folds: Iterable[int]) -> float:
    """Return the score on a leaf's instances in some folds of the best choices on its instances outside each of them."""
    chosen = np.zeros(fold_of.max() + 1, dtype=bool)
    chosen[list(folds)] = True
    rows = np.flatnonzero(leaf & chosen[fold_of])
    choices = _best_choices(scores, fold_of, leaf)[fold_of[rows]]
    return float(np.take_along_axis(scores.first[rows], choices[..., None], axis=2).sum())
