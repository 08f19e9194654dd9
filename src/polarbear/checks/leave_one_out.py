"""Does it matter who else was there? Win rates by ratings that are fitted to all algorithms, and to all but one.

Luce's axiom, independence of irrelevant alternatives: how A does against B has nothing to do with C. Rankings that follow it
give the same ratings of the others, but for noise, whether C is left out or not (Hausman and McFadden, 1984). Where they do
not, C may be a variant of one of the others. A fit that does not suit moves with everybody in it, and rates change without
others too, but less than without the one to blame.

Ratings are fitted at each time alone, so that no belief about changes over time is tested with the axiom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from polarbear.checks.pair_outcomes import seen_together
from polarbear.checks.run_scores import looked_at, scores_by_instance
from polarbear.inference.fields.dirichlet_field import DirichletField
from polarbear.inference.laplace.conditional import condition
from polarbear.models.helmert import helmert
from polarbear.observe import Choices, Rankings
from polarbear.observe.rankings import ABSENT, UNRANKED, rank_values

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.float64]

_CONCENTRATION = 0.5  # of the Dirichlet prior, which keeps ratings finite where somebody always wins


@dataclass(frozen=True, eq=False)
class LeftOut:
    """What happens to the others when one algorithm is left out; arrays of shape (time, algorithm, algorithm).

    Attributes
    ----------
    name
        Who was left out.
    rate, without
        The win rate of the row against the column, by ratings of all and of all but this one. The latter is NaN in its row
        and column, and where two were never seen together.
    errors
        `without` less `rate` in standard errors. These are estimated, and the tails of the ratio are those of Student's t:
        it is told as the standard normal value that is as rare, at most 37.
    """

    name: str
    rate: Array
    without: Array
    errors: Array


def leave_one_out(choices: Choices) -> dict[str, LeftOut]:
    """What changes about the others when one algorithm is left out, by its name.

    Parameters
    ----------
    choices
        What was seen, with the rankings of each instance, of three algorithms or more; of at most 400 instances.

    Examples
    --------
    >>> import polarbear as pb
    >>> noise = np.random.default_rng(0).gumbel(size=(200, 1, 3))
    >>> scores = np.append(noise, noise[..., :1] - 0.01, axis=2)  # A, B and C are alike, and D is A, a little worse
    >>> choices = pb.Choices.from_values(-scores, grid=[1], per_instance=True)
    >>> without = pb.leave_one_out(choices)["D"]  # A had gained by beating D each time
    >>> round(float(without.rate[0, 0, 1]), 2), round(float(without.without[0, 0, 1]), 2)
    (0.67, 0.51)
    """
    if not isinstance(choices, Choices):
        raise ValueError(f"expected Choices, got {type(choices).__name__}; make them with Choices.from_values")
    if choices.rankings is None:
        raise ValueError("expected choices that keep their rankings; make them with per_instance=True")
    if len(choices.names) < 3:
        raise ValueError(f"expected three algorithms or more, of which to leave one out, got {len(choices.names)}")
    rankings = looked_at(choices.rankings)
    together = seen_together(rankings)
    whole, found = _fitted(of_algorithms(rankings, range(len(choices.names)))), {}
    for position, name in enumerate(choices.names):
        rest = [other for other in range(len(choices.names)) if other != position]
        among = np.ix_(range(len(choices.grid)), rest, rest)
        less, part = _fitted(of_algorithms(rankings, rest)), whole.of(rest)
        without, errors = np.full((2, *whole.rate.shape), math.nan)
        without[among] = less.rate
        ratio = (less.rate - part.rate) / _standard_error(part, less, together[among])
        errors[among] = _as_normal(ratio, np.maximum(together[among] - 1, 1))
        seen = (together > 0) | np.eye(len(choices.names), dtype=bool)
        found[name] = LeftOut(name, whole.rate, np.where(seen, without, math.nan), np.where(seen, errors, math.nan))
    return found


@dataclass(frozen=True, eq=False)
class _Fit:
    """Ratings of each time alone."""

    rate: Array  # win rates of row against column, (time, algorithm, algorithm)
    covariance: Array  # of the utilities by the model, (time, algorithm, algorithm)
    influence: Array  # what each instance contributes to the utilities, (time, algorithm, instance)

    @property
    def slope(self) -> Array:
        """Of the win rate in the difference of utilities."""
        return self.rate * (1 - self.rate)

    def of(self, kept: Sequence[int]) -> _Fit:
        """What it says about some of the algorithms."""
        return _Fit(self.rate[:, kept][..., kept], self.covariance[:, kept][..., kept], self.influence[:, kept])


def _fitted(choices: Choices) -> _Fit:
    assert choices.rankings is not None
    times, algorithms = len(choices.grid), len(choices.names)
    contrasts = helmert(algorithms)
    posterior = condition(DirichletField(_CONCENTRATION, times, algorithms), choices, contrasts)
    utilities = posterior.mode @ contrasts.T
    root = contrasts @ posterior.factor.colour(np.tile(np.eye(algorithms - 1), (times, 1, 1)))
    scores = np.moveaxis(scores_by_instance(utilities, choices.rankings) @ contrasts, 0, -1)
    return _Fit(
        rate=1 / (1 + np.exp(utilities[:, None, :] - utilities[:, :, None])),
        covariance=root @ root.transpose(0, 2, 1),
        influence=contrasts @ posterior.factor.solve(scores),
    )


def _standard_error(whole: _Fit, less: _Fit, together: Array) -> Array:
    """By how much two fits of the same rankings, with and without somebody, differ by chance in their win rates.

    The largest of three: as the contributions of the instances scatter; as the model has it, whose variance without is that
    with and that of the difference (Hausman); and as finely as win rates can be told from so many instances. The first two
    alone are too small where somebody nearly always wins and few instances were seen.
    """

    def joined(one: _Fit, other: _Fit) -> Array:
        gram = one.influence @ other.influence.transpose(0, 2, 1)
        return one.slope * other.slope * _of_differences(gram)

    scattered = joined(whole, whole) - 2 * joined(whole, less) + joined(less, less)
    modelled = less.slope**2 * _of_differences(less.covariance) - whole.slope**2 * _of_differences(whole.covariance)
    told = 1 / np.maximum(together, 1) ** 2
    error: Array = np.sqrt(np.maximum.reduce([scattered, modelled, told]))
    return error


def _as_normal(ratio: Array, freedom: Array) -> Array:
    """The standard normal value that is as rare as this one of Student's t."""
    tail = np.maximum(stats.t.sf(np.abs(ratio), freedom), np.finfo(np.float64).tiny)
    normal: Array = np.copysign(stats.norm.isf(tail), ratio)
    return normal


def _of_differences(covariance: Array) -> Array:
    """The (co)variance of row less column."""
    own = np.diagonal(covariance, axis1=1, axis2=2)
    result: Array = own[:, :, None] + own[:, None, :] - covariance - covariance.transpose(0, 2, 1)
    return result


def of_algorithms(rankings: Rankings, kept: Sequence[int]) -> Choices:
    """The choices of some of the algorithms, as if the others had not been there."""
    ranks = rankings.ranks[..., kept]
    special = (ranks == ABSENT) | (ranks == UNRANKED)
    dense = np.where(special, ranks, rank_values(np.where(special, np.nan, ranks)))
    names = [rankings.names[each] for each in kept]
    return Choices.from_rankings(Rankings(dense, names, rankings.grid, rankings.weights, rankings.clusters))
