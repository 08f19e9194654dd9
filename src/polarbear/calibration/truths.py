"""Draw truths to simulate from: utilities over time that do not come from the default prior.

A truth is an array (kind, budget, algorithm). Instances are of one or several equally frequent kinds, and rankings on the
instances of a kind follow Plackett-Luce with its utilities. With several kinds no Plackett-Luce model holds for all
instances together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
from scipy.special import expit, softmax

from polarbear.models import RandomWalk
from polarbear.observe import linear_grid

if TYPE_CHECKING:
    from collections.abc import Callable

    from polarbear.arrays import Array


Truth = Literal[
    "random walk",
    "smooth",
    "constant",
    "crossing",
    "near-equal",
    "near-equal and outliers",
    "two kinds",
    "unequal variance",
]

_NEAR = 0.1  # near-equal algorithms: a tenth of the usual deviation of utilities, win rates within 5 points of one half
_KINDS = 100  # of instances, if algorithms vary between instances
_OUTLIER = 2.0  # utility added to the best outlier and subtracted from the worst: win rates of 88 % and 12 %


TRUTHS: tuple[Truth, ...] = get_args(Truth)


def draw_truth(truth: Truth, budgets: int, algorithms: int, *, spread: float = 1.0, rng: np.random.Generator) -> Array:
    """Draw utilities (kind, budget, algorithm) with a standard deviation of about `spread`, a tenth of it if near-equal.

    Examples
    --------
    >>> draw_truth("two kinds", 20, 5, rng=np.random.default_rng(0)).shape
    (2, 20, 5)
    """
    if truth not in TRUTHS:
        raise ValueError(f"expected truth to be one of {', '.join(map(repr, TRUTHS))}; got {truth!r}")
    drawn: Array = spread * _GENERATORS[truth](np.linspace(0.0, 1.0, budgets), algorithms, rng)
    if truth == "near-equal and outliers":
        drawn[..., 0] += _OUTLIER
        drawn[..., 1] -= _OUTLIER
    return drawn


def true_win_rates(truth: Array) -> Array:
    """Return the true win rates of row over column, the mean over kinds, shape (budget, algorithm, algorithm)."""
    rates: Array = np.mean([expit(each[:, :, None] - each[:, None]) for each in truth], axis=0)
    return rates


def true_ratings(truth: Array) -> Array:
    """Return the true ratings, the mean over kinds, shape (budget, algorithm)."""
    ratings: Array = softmax(truth, axis=-1).mean(axis=0)
    return ratings


def draw_instance_utilities(truth: Array, instances: int, *, rng: np.random.Generator) -> Array:
    """Draw a kind for each instance, and return its utilities, shape (instance, budget, algorithm)."""
    chosen: Array = truth[rng.integers(len(truth), size=instances)]
    return chosen


def _random_walk(t: Array, algorithms: int, rng: np.random.Generator) -> Array:
    """Draw from the paper's random-walk prior, with its standard deviations of starts and steps."""
    return RandomWalk().sample(linear_grid(0, 1, len(t)), algorithms, 1, rng=rng)


def _smooth(t: Array, algorithms: int, rng: np.random.Generator) -> Array:
    """Draw Gaussian processes with a Matérn 3/2 kernel and a length scale of 0.7 of the budget axis."""
    distance = np.sqrt(3) * np.abs(t[:, None] - t) / 0.7
    covariance = (1 + distance) * np.exp(-distance) + 1e-9 * np.eye(len(t))
    return (np.linalg.cholesky(covariance) @ rng.standard_normal((len(t), algorithms)))[None]


def _constant(t: Array, algorithms: int, rng: np.random.Generator) -> Array:
    return np.broadcast_to(rng.standard_normal(algorithms), (1, len(t), algorithms)).copy()


def _crossing(t: Array, algorithms: int, rng: np.random.Generator) -> Array:
    """Draw straight lines between independent end points."""
    first, last = rng.standard_normal((2, algorithms))
    lines: Array = first + t[:, None] * (last - first)
    return lines[None]


def _near_equal(t: Array, algorithms: int, rng: np.random.Generator) -> Array:
    """Draw random walks whose start and whose total movement both have standard deviation `_NEAR`."""
    steps = rng.standard_normal((len(t), algorithms)) / np.sqrt(len(t))
    walks: Array = _NEAR * (rng.standard_normal(algorithms) + np.cumsum(steps, axis=0))
    return walks[None]


def _two_kinds(t: Array, algorithms: int, rng: np.random.Generator) -> Array:
    return np.concatenate([_smooth(t, algorithms, rng) for _ in range(2)])


def _unequal_variance(t: Array, algorithms: int, rng: np.random.Generator) -> Array:
    """Draw smooth curves, and deviations of each kind of instance from them: of some algorithms large, of others small."""
    deviation = np.exp(0.7 * rng.standard_normal(algorithms))  # from 0.25 to 4, mostly
    return _smooth(t, algorithms, rng) + deviation * rng.standard_normal((_KINDS, 1, algorithms))


_GENERATORS: dict[str, Callable[[Array, int, np.random.Generator], Array]] = {
    "random walk": _random_walk,
    "smooth": _smooth,
    "constant": _constant,
    "crossing": _crossing,
    "near-equal": _near_equal,
    "near-equal and outliers": _near_equal,
    "two kinds": _two_kinds,
    "unequal variance": _unequal_variance,
}
