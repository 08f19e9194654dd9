"""Independent Betas on the breaks of a stick: the approximation of a Dirichlet posterior at each time.

Order the algorithms, and break a stick of length one: the first takes the share v_1 = θ_1, the second the share
v_2 = θ_2 / (1 − θ_1) of what is left, and so on. Under a Dirichlet prior the shares are independent Betas, and two orders
keep them nearly so. Rankings that all agree multiply their likelihood by ∏ v_j if the strongest comes first: the posterior
is then a product of Betas exactly, however far the algorithms are apart. Algorithms that were seen on few instances better
come first: what is known of the others among themselves does not depend on their shares.

In general, with x_j = logit v_j, mode x* and precision H = Uᵀ D U there (U unit lower triangular), the sheared breaks
y = x* + U (x − x*) are taken to be independent logits of Betas, with modes x* and curvatures D. That matches the posterior's
mode and its whole curvature, as a normal would, and keeps its exponential tails, long on one side and short on the other,
as a normal would not.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betaln

from polarbear.models.dirichlet import log_gamma_draws

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[np.float64]


_UNDERFLOWS_SINGLE = (
    0.4  # of shapes above this, not one Gamma draw in 10¹⁵ is below the smallest number of single precision
)


@dataclass(frozen=True, eq=False)
class Sticks:
    """A product of Betas at each time.

    Attributes
    ----------
    order
        The algorithms in the order of breaking, shape (time, algorithm).
    mode
        x at the posterior's mode, shape (time, break).
    first, second
        Parameters α and β of each Beta: of the algorithm whose turn it is, and of those that come after it.
    shear
        U, shape (time, break, break).
    """

    order: NDArray[np.intp]
    mode: Array
    first: Array
    second: Array
    shear: Array

    @cached_property
    def log_centre(self) -> float:
        """Log-density, in the Helmert coordinates η, of the approximation at the mode; |∂y / ∂η| is √n."""
        times, algorithms = self.order.shape
        x, first, second = self.mode, self.first, self.second
        density = (first * x - (first + second) * np.logaddexp(0.0, x) - betaln(first, second)).sum()
        return float(density + 0.5 * times * math.log(algorithms))

    def draw(self, t: int, draws: int, *, temper: float, rng: np.random.Generator) -> tuple[Breaks, Array]:
        """Breaks at a time from Betas with parameters multiplied by `temper`, and their log-density (draw)."""
        y, softplus = _logits(temper * self.first[t], temper * self.second[t], draws, rng)
        centre = self.mode[t][:, None]
        x = centre + self._unshear[t] @ (y - centre)
        return Breaks(self.order[t], x, _softplus(x)), self._log_density(t, y, softplus, temper)

    def log_density(self, t: int, utilities: Array, *, temper: float) -> Array:
        """Log-density (draw) at a time of utilities (algorithm, draw)."""
        ordered = utilities[self.order[t]]
        left_over = np.logaddexp.accumulate(ordered[::-1], axis=0)[::-1]  # log Σ_{k ≥ j} exp μ_k
        centre = self.mode[t][:, None]
        y = centre + self.shear[t] @ (ordered[:-1] - left_over[1:] - centre)
        return self._log_density(t, y, _softplus(y), temper)

    def _log_density(self, t: int, y: Array, softplus: Array, temper: float) -> Array:
        first, second = temper * self.first[t], temper * self.second[t]
        density: Array = first @ y - (first + second) @ softplus
        density -= betaln(first, second).sum()
        return density

    @cached_property
    def _unshear(self) -> Array:
        inverse: Array = np.linalg.inv(self.shear).astype(np.float64, copy=False)
        return inverse


@dataclass(frozen=True, eq=False)
class Breaks:
    """Broken sticks: the order of the algorithms, x (break, draw), and log(1 + exp x)."""

    order: NDArray[np.intp]
    x: Array
    softplus: Array

    def utilities(self) -> tuple[Array, Array]:
        """Utilities μ (algorithm, draw), which sum to zero, and log Σ_i exp μ_i (draw).

        With the last utility at zero, log Σ_{k ≥ j} exp μ_k is the sum of the softplus from j on.
        """
        left_over = np.cumsum(self.softplus[::-1], axis=0)[::-1]
        utilities = np.empty((len(self.order), self.x.shape[1]))
        utilities[self.order[-1]] = 0.0
        utilities[self.order[-2]] = self.x[-1]
        utilities[self.order[:-2]] = self.x[:-1] + left_over[1:]
        mean = utilities.mean(axis=0)
        utilities -= mean
        return utilities, left_over[0] - mean


def strongest_first(utilities: Array) -> NDArray[np.intp]:
    """The algorithms (time, algorithm) by falling utility."""
    return np.argsort(-utilities, axis=1, kind="stable")


def least_known_first(utilities: Array, precision: Array, contrasts: Array) -> NDArray[np.intp]:
    """Algorithms twice as uncertain as most come first, the least certain before all; then the others by strength."""
    covariance = contrasts @ np.linalg.inv(precision) @ contrasts.T
    deviation = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
    outlying = np.where(deviation > 2 * np.median(deviation, axis=1, keepdims=True), deviation, 0.0)
    return np.lexsort((-utilities, -outlying), axis=1)


def sticks_around(utilities: Array, precision: Array, contrasts: Array, order: NDArray[np.intp]) -> Sticks:
    """Match the mode, utilities (time, algorithm), and the precision there in the Helmert coordinates.

    Parameters
    ----------
    utilities
        The mode.
    precision
        Negative Hessian of the log-posterior in η, shape (time, latent function, latent function).
    contrasts
        The Helmert matrix Q.
    order
        Of breaking, shape (time, algorithm).
    """
    ordered = np.take_along_axis(utilities, order, axis=1)
    left_over = np.logaddexp.accumulate(ordered[:, ::-1], axis=1)[:, ::-1]  # log Σ_{k ≥ j} exp μ_k
    x = ordered[:, :-1] - left_over[:, 1:]

    # ∂x_j / ∂μ_j = 1, and ∂x_j / ∂μ_k = −exp μ_k / Σ_{l > j} exp μ_l for the later ones.
    algorithms = utilities.shape[1]
    later = np.triu(np.ones((algorithms, algorithms)), 1)[:-1]
    with np.errstate(over="ignore"):  # of the earlier ones, which `later` leaves out
        slopes = np.exp(np.minimum(ordered[:, None, :] - left_over[:, 1:, None], 0.0))
    jacobian = (np.eye(algorithms)[:-1] - later * slopes) @ contrasts[order]
    inverse = np.linalg.inv(jacobian)
    in_breaks = inverse.transpose(0, 2, 1) @ precision @ inverse
    # H = Uᵀ D U from the Cholesky factor of H with rows and columns reversed.
    upper = np.linalg.cholesky(in_breaks[:, ::-1, ::-1])[:, ::-1, ::-1]
    roots = np.diagonal(upper, axis1=1, axis2=2)
    shear = (upper / roots[:, None, :]).transpose(0, 2, 1)
    # The log-density of x under Beta(α, β) has its mode at v = α / (α + β), and bends there by α β / (α + β).
    return Sticks(order, x, roots**2 * (1 + np.exp(x)), roots**2 * (1 + np.exp(-x)), shear)


def _logits(first: Array, second: Array, draws: int, rng: np.random.Generator) -> tuple[Array, Array]:
    """Logits of Betas (break, draw), each of two Gammas, v = g / (g + h), and their softplus.

    Proposals need no more than single precision, which is drawn faster; small Gammas would underflow there.
    """
    if min(first.min(), second.min()) < _UNDERFLOWS_SINGLE:
        shapes = np.broadcast_to(np.array([first, second])[..., None], (2, len(first), draws))
        log_g, log_h = log_gamma_draws(shapes, rng=rng)
        return log_g - log_h, np.logaddexp(log_g, log_h) - log_h
    g, h = np.empty((2, len(first), draws), dtype=np.float32)
    for j in range(len(first)):  # one parameter at a time is drawn three times faster than an array of them
        rng.standard_gamma(first[j], dtype=np.float32, out=g[j])
        rng.standard_gamma(second[j], dtype=np.float32, out=h[j])
    g /= h
    return np.log(g).astype(np.float64), np.log(1 + g).astype(np.float64)


def _softplus(x: Array) -> Array:
    """log(1 + exp x), twice as fast as np.logaddexp."""
    small = np.exp(-np.abs(x))
    small += 1
    result: Array = np.log(small, out=small)
    result += np.maximum(x, 0.0)
    return result
