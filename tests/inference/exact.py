"""Exact posteriors of tiny problems by quadrature, independent of the package's algebra, and comparisons of draws with them.

With two algorithms the likelihood at a budget is σ(d)^W_A σ(−d)^W_B with d the utility difference, and under the temporal
priors d = √2 η. All integrals are sums over fine regular grids, on which smooth bell-shaped integrands converge
exponentially. Probabilities of events, whose edges cut through cells, are accurate to three thousandths.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import lgamma, log, pi, sqrt
from typing import TYPE_CHECKING

import numpy as np
from scipy import special, stats

import polarbear as pb

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from polarbear.models import TemporalPrior

    Array = NDArray[np.float64]


def duel(wins: list[tuple[float, float]], *, grid: pb.Grid | None = None) -> pb.Choices:
    """Return the choices of two algorithms "A" and "B" with these numbers of wins at each budget; fractions are allowed."""
    counts = np.array(wins, dtype=np.float64)
    return pb.Choices(
        grid=pb.Grid(np.arange(1.0, len(wins) + 1)) if grid is None else grid,
        names=("A", "B"),
        wins=counts,
        members=np.ones((len(wins), 1, 2), dtype=bool),
        counts=counts.sum(axis=1, keepdims=True),
        instances=int(counts.sum(axis=1).max()),
    )


def log_likelihood_of(difference: Array, choices: pb.Choices) -> Array:
    """Log-likelihood of utility differences (..., budget) of the two algorithms of a duel."""
    a, b = choices.wins.T
    total: Array = (a * special.log_expit(difference) + b * special.log_expit(-difference)).sum(axis=-1)
    return total


# Temporal priors


@dataclass(frozen=True)
class ExactDuel:
    """The posterior of a duel under a temporal prior.

    Attributes
    ----------
    log_evidence
        Log-probability of the choices.
    mean, deviation
        Of the utility difference at each budget.
    dominance
        P(A beats B) at each budget.
    anytime
        P(A beats B at every budget).
    hyperparameters
        Posterior mean and standard deviation of each.
    """

    log_evidence: float
    mean: Array
    deviation: Array
    dominance: Array
    anytime: float
    hyperparameters: list[tuple[float, float]]


def exact_duel(prior: TemporalPrior, choices: pb.Choices, *, points: int = 81, nodes: int = 17) -> ExactDuel:
    """Sum over white noise z, η = L(h) z, and over the prior range of log h; z first on a wide, then on a narrow grid."""
    hyperpriors = list(prior.hyperpriors.values())
    columns = prior.factor(choices.grid, *(h.quantile(0.5) for h in hyperpriors)).shape[1]
    ranges = [np.log([h.quantile(1e-7), h.quantile(1 - 1e-7)]) for h in hyperpriors]
    lattices = [np.linspace(*ends, nodes) for ends in ranges]
    log_cell = sum(log(lattice[1] - lattice[0]) for lattice in lattices)
    log_priors = {
        log_h: log_cell + sum(h.log_density(float(x)) for h, x in zip(hyperpriors, log_h, strict=True))
        for log_h in product(*lattices)
    }

    wide = _Box(np.zeros(columns), np.ones(columns), 7.0, 41)
    weights = {log_h: wide.weights(prior, choices, log_h, offset) for log_h, offset in log_priors.items()}
    masses = {log_h: float(weight.sum()) for log_h, weight in weights.items()}
    total = sum(masses.values())
    centre = sum(weight @ wide.white for weight in weights.values()) / total
    spread = np.sqrt(sum(weight @ (wide.white - centre) ** 2 for weight in weights.values()) / total)

    close = _Box(centre, spread, 5.5, points)
    sums = []
    for log_h in (log_h for log_h, mass in masses.items() if mass > 1e-9 * total):
        weight = close.weights(prior, choices, log_h, log_priors[log_h])
        difference, blur = close.difference(prior, choices, log_h)
        beats = special.ndtr(difference / blur)  # an edge that cuts through cells is blurred by half a cell
        here = np.exp(log_h)
        moments = [weight @ difference, weight @ difference**2, weight @ beats, [weight @ beats.prod(axis=1)]]
        sums.append(np.concatenate([*moments, here * weight.sum(), here**2 * weight.sum(), [weight.sum()]]))
    budgets = len(choices.grid)
    *averages, total = np.sum(sums, axis=0)
    mean, square, dominance, anytime, first, second = np.split(
        np.array(averages) / total, np.cumsum([budgets, budgets, budgets, 1, len(lattices)])
    )
    return ExactDuel(
        log_evidence=log(total),
        mean=mean,
        deviation=np.sqrt(square - mean**2),
        dominance=dominance,
        anytime=float(anytime[0]),
        hyperparameters=[(float(m), sqrt(s - m**2)) for m, s in zip(first, second, strict=True)],
    )


class _Box:
    """A regular grid of white noise z around a centre."""

    def __init__(self, centre: Array, spread: Array, reach: float, points: int) -> None:
        axis, step = np.linspace(-reach, reach, points, retstep=True)
        self.steps = step * spread
        self.white = centre + spread * np.array(list(product(axis, repeat=len(centre))))

    def difference(self, prior: TemporalPrior, choices: pb.Choices, log_h: tuple[float, ...]) -> tuple[Array, Array]:
        """Return utility differences (point, budget), and their change over half a cell."""
        L = sqrt(2) * prior.factor(choices.grid, *np.exp(log_h))
        return self.white @ L.T, 0.6 * np.linalg.norm(L * self.steps, axis=1)

    def weights(self, prior: TemporalPrior, choices: pb.Choices, log_h: tuple[float, ...], offset: float) -> Array:
        """Probability of choices and cell."""
        log_noise = stats.norm.logpdf(self.white).sum(axis=1) + np.log(self.steps).sum()
        likelihood = log_likelihood_of(self.difference(prior, choices, log_h)[0], choices)
        density: Array = np.exp(log_noise + likelihood + offset)
        return density


def log_evidence_given(prior: TemporalPrior, choices: pb.Choices, *hyperparameters: float, points: int = 201) -> float:
    """Log-probability of the choices of a duel for fixed hyperparameters."""
    axis, step = np.linspace(-9, 9, points, retstep=True)
    L = prior.factor(choices.grid, *hyperparameters)
    white = np.array(list(product(axis, repeat=L.shape[1])))
    log_noise = -0.5 * (white**2).sum(axis=1) + L.shape[1] * (log(step) - 0.5 * log(2 * pi))
    return float(special.logsumexp(log_noise + log_likelihood_of(sqrt(2) * white @ L.T, choices)))


# Dirichlet priors


def beta_posterior(choices: pb.Choices, budget: int, concentration: float) -> stats.rv_continuous:
    """θ_A at a budget of a duel under Dirichlet(a, a): Beta(a + W_A, a + W_B)."""
    a, b = choices.wins[budget]
    return stats.beta(concentration + a, concentration + b)


@dataclass(frozen=True)
class ExactHierarchy:
    """The posterior of a duel under the hierarchical Dirichlet: Beta given κ, and κ on a fine grid."""

    choices: pb.Choices
    kappa: Array
    masses: Array

    @property
    def mean(self) -> float:
        return float(self.masses @ self.kappa)

    @property
    def deviation(self) -> float:
        return sqrt(self.masses @ (self.kappa - self.mean) ** 2)

    def below(self, rating: float, budget: int) -> float:
        """P(θ_A(t) < rating)."""
        a, b = self.choices.wins[budget]
        return float(self.masses @ stats.beta.cdf(rating, a + self.kappa / 2, b + self.kappa / 2))


def exact_hierarchy(choices: pb.Choices, rate: float) -> ExactHierarchy:
    log_kappa = np.linspace(-12, 8, 4001)
    kappa = np.exp(log_kappa)
    log_density = log_kappa - rate * kappa
    for a, b in choices.wins:
        log_density += special.betaln(kappa / 2 + a, kappa / 2 + b) - special.betaln(kappa / 2, kappa / 2)
    masses = special.softmax(log_density)
    return ExactHierarchy(choices, kappa, masses)


def log_dirichlet_density(ratings: Array, concentration: float) -> Array:
    """Log-density of ratings (..., algorithm) under Dirichlet(a, …, a) on the simplex."""
    n = ratings.shape[-1]
    density: Array = (
        lgamma(n * concentration) - n * lgamma(concentration) + (concentration - 1) * np.log(ratings).sum(-1)
    )
    return density


# Draws against exact distributions

# Five standard errors: a comparison of correct draws fails once in two million.
STANDARD_ERRORS = 5.0
QUADRATURE_ERROR = 0.003
LEVELS = (0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99)


def assert_share(share: float, probability: float, draws: float, what: str = "share") -> None:
    """Compare a share of independent draws with the probability that it estimates."""
    error = sqrt(probability * (1 - probability) / draws) + 1 / draws
    assert abs(share - probability) < STANDARD_ERRORS * error + QUADRATURE_ERROR, (
        f"{what}: {share:.4f} of draws, exactly {probability:.4f}, standard error {error:.4f}"
    )


def assert_follow(values: Array, below: Callable[[float], float], draws: float) -> None:
    """Compare values, equivalent to `draws` independent ones, with their exact cumulative distribution function."""
    for level in np.quantile(values, LEVELS):
        assert_share(float((values <= level).mean()), below(float(level)), draws, f"below {level:.4f}")


def assert_mean(values: Array, mean: float, deviation: float, draws: float) -> None:
    """Compare the mean of values, equivalent to `draws` independent ones, with the exact mean."""
    error = deviation / sqrt(draws)
    assert abs(float(values.mean()) - mean) < STANDARD_ERRORS * error, f"{values.mean():.4f}, exactly {mean:.4f}"


def assert_duel(utilities: Array, exact: ExactDuel, draws: float) -> None:
    """Compare utilities (budget, 2, draw), equivalent to `draws` independent draws, with the exact posterior of a duel."""
    difference = utilities[:, 0] - utilities[:, 1]
    for t, at in enumerate(difference):
        assert_mean(at, exact.mean[t], exact.deviation[t], draws)
        # The relative standard error of a standard deviation is about 1/√(2 draws), more with heavy tails: allow twice.
        assert abs(at.std() / exact.deviation[t] - 1) < STANDARD_ERRORS * 2 / sqrt(2 * draws)
        assert_share(float((at > 0).mean()), exact.dominance[t], draws)
    assert_share(float((difference > 0).all(axis=0).mean()), exact.anytime, draws)
