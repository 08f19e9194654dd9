"""Stick-breaking approximation of the posterior under a Dirichlet prior: independent Betas at each budget.

Order the algorithms and break a stick of length one: the first takes the share v_1 = θ_1, the second the share
v_2 = θ_2 / (1 − θ_1) of the rest, and so on. Under a Dirichlet prior the shares are independent Betas. Two orders keep them
nearly independent under the posterior. The first order is by decreasing strength: a ranking in this order has the likelihood
∏ v_j, so if all rankings agree the posterior is exactly a product of Betas, however much the algorithms differ. The second
order puts algorithms that were observed on few instances first: the information about the other algorithms does not depend
on the shares of these.

In general let x_j = logit v_j, with mode x* and precision H = Uᵀ D U there (U unit lower triangular). The approximation
treats the sheared breaks y = x* + U (x − x*) as independent logits of Betas, with modes x* and curvatures D. Like a normal
approximation, it matches the posterior's mode and full curvature. Unlike a normal, it keeps the exponential tails, long on
one side and short on the other. Where the data are so informative that the tails do not matter, a normal replaces the Beta.

In: the mode and precision of the log-posterior at each budget. Out: `Sticks`, which draw breaks and evaluate their density.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import scipy

if TYPE_CHECKING:
    from polarbear.arrays import Array, Array32, Indices


# If both parameters of a Beta exceed this, its logit is drawn from the normal with the same mode and curvature, six times as
# fast. The neglected skewness, below 1/√50, costs a few per mille of the effective draws.
_NEARLY_NORMAL = 50.0


@dataclass(frozen=True, eq=False)
class Sticks:
    """A product of Betas per budget: the approximate posterior.

    Attributes
    ----------
    order
        The algorithms in the order of breaking, shape (budget, algorithm).
    mode
        x at the posterior's mode, shape (budget, break).
    first, second
        Parameters α (of the algorithm at this break) and β (of all later ones) of each Beta, shape (budget, break).
    shear
        U, shape (budget, break, break).
    """

    order: Indices
    mode: Array
    first: Array
    second: Array
    shear: Array

    @cached_property
    def log_centre(self) -> float:
        """Log-density of the approximation at the mode, in the Helmert coordinates η; |∂y / ∂η| is √n."""
        budgets, algorithms = self.order.shape
        x, first, second = self.mode, self.first, self.second
        density = (first * x - (first + second) * np.logaddexp(0.0, x) - scipy.special.betaln(first, second)).sum()
        return float(density + 0.5 * budgets * math.log(algorithms))

    def draw(self, t: int, draws: int, *, temper: float, rng: np.random.Generator) -> tuple[Breaks, Array]:
        """Draw breaks at budget t from Betas with parameters multiplied by `temper`; also return the log-density (draw)."""
        centred, log_density = np.empty((self.mode.shape[1], draws)), np.zeros(draws)
        for j, (mode, first, second) in enumerate(self._parameters(t, temper)):
            centred[j], log_density_of_break = _draw_break(mode, first, second, draws, rng)
            log_density += log_density_of_break
        x = self.mode[t][:, None] + self._unshear[t] @ centred
        return Breaks(self.order[t], x, _softplus(x)), log_density

    def log_density(self, t: int, utilities: Array, *, temper: float) -> Array:
        """Return the tempered log-density (draw) at budget t of utilities (algorithm, draw)."""
        ordered = utilities[self.order[t]]
        left_over = np.logaddexp.accumulate(ordered[::-1], axis=0)[::-1]  # log Σ_{k ≥ j} exp μ_k
        centred = self.shear[t] @ (ordered[:-1] - left_over[1:] - self.mode[t][:, None])
        breaks = zip(centred, self._parameters(t, temper), strict=True)
        summed: Array = np.sum([_log_density(each, *parameters) for each, parameters in breaks], axis=0)
        return summed

    def _parameters(self, t: int, temper: float) -> list[tuple[float, float, float]]:
        """Return mode and tempered parameters of each break at budget t."""
        first, second = temper * self.first[t], temper * self.second[t]
        return list(zip(self.mode[t].tolist(), first.tolist(), second.tolist(), strict=True))

    @cached_property
    def _unshear(self) -> Array:
        inverse: Array = np.linalg.inv(self.shear).astype(np.float64, copy=False)
        return inverse


@dataclass(frozen=True, eq=False)
class Breaks:
    """Drawn breaks: the order of the algorithms, x (break, draw), and log(1 + exp x)."""

    order: Indices
    x: Array
    softplus: Array

    def utilities(self) -> tuple[Array, Array]:
        """Return utilities μ (algorithm, draw), which sum to zero, and log Σ_i exp μ_i (draw).

        With the last utility at zero, log Σ_{k ≥ j} exp μ_k is the sum of the softplus from j on.
        """
        utilities = np.empty((len(self.order), self.x.shape[1]))
        utilities[self.order[-1]] = 0.0
        left_over = np.zeros(self.x.shape[1])
        for j in reversed(range(len(self.x))):
            np.add(self.x[j], left_over, out=utilities[self.order[j]])
            left_over += self.softplus[j]
        mean = utilities.mean(axis=0)
        utilities -= mean
        return utilities, left_over - mean


def strongest_first(utilities: Array) -> Indices:
    """Return the algorithms by decreasing utility, shape (budget, algorithm)."""
    return np.argsort(-utilities, axis=1, kind="stable")


def most_uncertain_first(utilities: Array, precision: Array, contrasts: Array) -> Indices:
    """Return the algorithms with uncertain ones first, shape (budget, algorithm).

    Algorithms with more than twice the median standard deviation come first, by decreasing standard deviation. The others
    follow by decreasing utility.
    """
    covariance = contrasts @ np.linalg.inv(precision) @ contrasts.T
    deviation = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    outlying = np.where(deviation > 2 * np.median(deviation, axis=1, keepdims=True), deviation, 0.0)
    return np.lexsort((-utilities, -outlying), axis=1)


def fit_sticks(utilities: Array, precision: Array, contrasts: Array, order: Indices) -> Sticks:
    """Return the sticks that match the mode of the posterior and its precision there.

    Parameters
    ----------
    utilities
        The mode, shape (budget, algorithm).
    precision
        Negative Hessian of the log-posterior in the Helmert coordinates η, shape (budget, latent function, latent function).
    contrasts
        The Helmert matrix Q.
    order
        Order of breaking, shape (budget, algorithm).
    """
    ordered = np.take_along_axis(utilities, order, axis=1)
    left_over = np.logaddexp.accumulate(ordered[:, ::-1], axis=1)[:, ::-1]  # log Σ_{k ≥ j} exp μ_k
    x = ordered[:, :-1] - left_over[:, 1:]

    # ∂x_j / ∂μ_j = 1, and ∂x_j / ∂μ_k = −exp μ_k / Σ_{l > j} exp μ_l for k > j.
    algorithms = utilities.shape[1]
    later = np.triu(np.ones((algorithms, algorithms)), 1)[:-1]
    with np.errstate(over="ignore"):  # in entries with k ≤ j, which `later` masks
        slopes = np.exp(np.minimum(ordered[:, None, :] - left_over[:, 1:, None], 0.0))
    jacobian = (np.eye(algorithms)[:-1] - later * slopes) @ contrasts[order]
    inverse = np.linalg.inv(jacobian)
    in_breaks = inverse.transpose(0, 2, 1) @ precision @ inverse
    # H = Uᵀ D U from the Cholesky factor of H with rows and columns reversed.
    upper = np.linalg.cholesky(in_breaks[:, ::-1, ::-1])[:, ::-1, ::-1]
    roots = np.diagonal(upper, axis1=1, axis2=2)
    shear = (upper / roots[:, None, :]).transpose(0, 2, 1)
    # The log-density of x under Beta(α, β) has its mode at v = α / (α + β) and the curvature α β / (α + β) there.
    return Sticks(order, x, roots**2 * (1 + np.exp(x)), roots**2 * (1 + np.exp(-x)), shear)


def _draw_break(
    mode: float, first: float, second: float, draws: int, rng: np.random.Generator
) -> tuple[Array | Array32, Array | Array32]:
    """Draw y − mode for the logit y of a Beta, or for the normal that replaces it; also return the log-densities (draw).

    Single precision is faster to draw and sufficient for proposals.
    """
    if min(first, second) > _NEARLY_NORMAL:
        curvature = first * second / (first + second)
        z = rng.standard_normal(draws, dtype=np.float32)
        return z / math.sqrt(curvature), 0.5 * math.log(curvature / (2 * math.pi)) - 0.5 * z**2
    if mode > 0:  # mirrored, so that the softplus and its rounding error are small
        centred, log_density = _draw_break(-mode, second, first, draws, rng)
        return -centred, log_density
    y, softplus = _draw_logit(first, second, draws, rng)
    return y - mode, first * y - (first + second) * softplus - scipy.special.betaln(first, second)


def _log_density(centred: Array, mode: float, first: float, second: float) -> Array:
    """Return the log-density of the distribution that `_draw_break` draws from."""
    if min(first, second) > _NEARLY_NORMAL:
        curvature = first * second / (first + second)
        normal: Array = 0.5 * math.log(curvature / (2 * math.pi)) - 0.5 * curvature * centred**2
        return normal
    y = centred + mode
    beta: Array = first * y - (first + second) * _softplus(y) - scipy.special.betaln(first, second)
    return beta


def _draw_logit(first: float, second: float, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Draw logits of a Beta, v = g / (g + h) of two Gammas g and h; also return their softplus.

    In single precision the smallest draws of a Gamma with shape a ≤ 1 would underflow to zero. They are composed as
    Gamma(a) = Gamma(a + 1) · U^(1/a), with the second factor in double precision.
    """
    odds = rng.standard_gamma(first + (first <= 1), draws, dtype=np.float32)
    odds /= rng.standard_gamma(second + (second <= 1), draws, dtype=np.float32)
    y = np.log(odds).astype(np.float64)
    if min(first, second) > 1:
        return y, np.log(1 + odds).astype(np.float64)
    if first <= 1:
        y -= rng.standard_exponential(draws) / first
    if second <= 1:
        y += rng.standard_exponential(draws) / second
    return y, _softplus(y)


def _softplus(x: Array) -> Array:
    """Return log(1 + exp x), twice as fast as np.logaddexp."""
    small = np.exp(-np.abs(x).astype(np.float32))
    small += 1
    return np.log(small, out=small) + np.maximum(x, 0.0)
