"""Weights on instances for medians and shares: the Bayesian bootstrap over instances or clusters.

A draw weights the observed instances at random, as in `polarbear.posterior.pair_beliefs`. A prior as heavy as one instance
is split at random between the two extremes: half of it, on average, lies below every value and half above. For a share among
n independent instances this is Jeffreys' prior Beta(½, ½). An interval of a median has infinite ends where there are too few
instances to bound it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices, Mask
    from polarbear.posterior.pair_beliefs import PairBeliefs


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
        Shape (draw,): the weight of the prior below and above all values, on the scale of the draws.
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
    return InstanceWeights(expected, weights, *_draw_prior(draws, rng))


def weights_of_posterior(beliefs: PairBeliefs, rows: Mask, *, draws: int, rng: np.random.Generator) -> InstanceWeights:
    """Return the weights that a posterior of the Bayesian bootstrap draws, at most `draws` of them.

    `rows` marks the instances that the posterior is based on; all others have weight zero. Weights that depend on the budget
    count with their mean over time.
    """
    thinned, sample = beliefs.thin(draws), beliefs.sample
    expected, weights = np.zeros(len(rows)), np.zeros((len(rows), thinned.draws), dtype=np.float32)
    expected[rows] = sample.shares[sample.comparing].mean(axis=1)
    drawn = thinned.unit_weights()[sample.unit[sample.comparing]]
    weights[rows] = drawn * expected[rows, None].astype(np.float32)
    return InstanceWeights(expected, weights, *_draw_prior(thinned.draws, rng))


def _draw_prior(draws: int, rng: np.random.Generator) -> tuple[Array32, Array32]:
    """Draw the weights of the prior below and above all values: an exponential variable, divided into equal gamma shapes."""
    mass = rng.standard_exponential(draws, dtype=np.float32)
    share = rng.beta(0.5, 0.5, draws).astype(np.float32)
    return mass * share, mass * (1 - share)
