"""Weights on instances for medians and shares: the Bayesian bootstrap over instances or clusters.

A draw weights the observed instances at random, as in `polarbear.inference.bootstrap`. Pseudo-instances have rankings but no
values. Their mass (one instance by default) is therefore split at random between the two extremes: half of it, on average,
lies below every value and half above. For a share among n independent instances this is Jeffreys' prior Beta(½, ½), and an
interval of a median has infinite ends where there are too few instances to bound it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices, Mask
    from polarbear.posterior.outcome_draws import OutcomeDraws


@dataclass(frozen=True, eq=False)
class InstanceWeights:
    """Weights of instances.

    Attributes
    ----------
    expected
        Shape (instance,): the expected weights, in instances (in clusters, if the answer generalises to new ones).
    draws
        Shape (instance, draw), single precision: random weights, on the same scale in each draw.
    below, above
        Shape (draw,): the pseudo-mass below and above all values, on the scale of the draws.
    """

    expected: Array
    draws: Array32
    below: Array32
    above: Array32


def draw_instance_weights(clusters: Indices, draws: int, *, rng: np.random.Generator) -> InstanceWeights:
    """Draw weights for instances with these clusters; instances of a cluster share the weight of one.

    Examples
    --------
    >>> draw_instance_weights(np.array([0, 0, 1]), 10, rng=np.random.default_rng(0)).expected.tolist()
    [0.5, 0.5, 1.0]
    """
    _, codes, members = np.unique(clusters, return_inverse=True, return_counts=True)
    expected = 1.0 / members[codes]
    weights = rng.standard_exponential((len(members), draws), dtype=np.float32)[codes]
    weights *= expected[:, None].astype(np.float32)
    return InstanceWeights(expected, weights, *_split(rng.standard_exponential(draws, dtype=np.float32), 1.0, rng))


def weights_of_posterior(
    outcomes: OutcomeDraws, rows: Mask, *, draws: int, rng: np.random.Generator
) -> InstanceWeights:
    """Return the weights that a posterior of the Bayesian bootstrap drew, at most `draws` of them.

    `rows` marks the instances that the posterior is based on; all others have weight zero. Weights that depend on time count
    with their mean over time.
    """
    kept = np.linspace(0, outcomes.weights.shape[1] - 1, min(draws, outcomes.weights.shape[1])).astype(int)
    drawn = outcomes.weights[:, kept]
    expected, weights = np.zeros(len(rows)), np.zeros((len(rows), len(kept)), dtype=np.float32)
    expected[rows], weights[rows] = outcomes.sizes[: outcomes.observed], drawn[: outcomes.observed]
    mass = float(outcomes.sizes[outcomes.observed :].sum())
    return InstanceWeights(expected, weights, *_split(drawn[outcomes.observed :].sum(axis=0), mass, rng))


def _split(pseudo: Array32, mass: float, rng: np.random.Generator) -> tuple[Array32, Array32]:
    """Split a gamma variable of shape `mass` into two independent ones of half the shape."""
    if mass <= 0:
        return np.zeros_like(pseudo), np.zeros_like(pseudo)
    share = rng.beta(mass / 2, mass / 2, len(pseudo)).astype(np.float32)
    return pseudo * share, pseudo * (1 - share)
