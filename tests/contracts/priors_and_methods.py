"""An example of every prior, the kind of every method, and comparisons of their posteriors."""

from __future__ import annotations

from functools import cache
from typing import get_args

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear import models
from polarbear.literals import Method, ReferenceMethod
from polarbear.models import Prior, TemporalPrior
from polarbear.models.plackett_luce import sample_rankings

# Most priors are tested with their defaults; these differ on the few budgets of the example.
SPECIAL: dict[type, Prior] = {
    pb.SparseGaussianProcess: pb.SparseGaussianProcess(inducing=4),
    pb.HilbertSpaceGP: pb.HilbertSpaceGP(basis=20, boundary=3.0),
}
EXAMPLES: dict[type, Prior] = {kind: SPECIAL.get(kind) or kind() for kind in models.PRIORS.values()}
# Methods whose draws follow the exact posterior, and the one that serves only for comparison.
EXACT = ("nested-laplace", "hmc", "gibbs")
APPROXIMATE = ("laplace",)
# Compiled by JAX, which takes seconds each; `test_reference_methods.py` has the same checks for them.
REFERENCE = get_args(ReferenceMethod)
# Compiled by CmdStan: `oracles/test_against_stan.py`.
STAN = ("stan-pathfinder",)


def every_prior() -> list[type]:
    """Return all priors that the package offers."""
    return list(models.PRIORS.values())


def methods_of(kind: type) -> list[str]:
    if kind is pb.BayesianBootstrap:
        return ["auto"]  # it draws its posterior directly
    offered = [method for method in get_args(Method) if method not in REFERENCE + STAN]
    return [method for method in offered if method != "gibbs" or not issubclass(kind, TemporalPrior)]


for_every_prior = pytest.mark.parametrize("kind", every_prior())
for_every_density = pytest.mark.parametrize(
    "kind", [kind for kind in every_prior() if kind is not pb.BayesianBootstrap]
)

GRID = pb.log_grid(10, 1000, 5)
NAMES = ("cma", "de", "rs")
DRAWS = 4000


@cache
def some_choices() -> pb.Choices:
    """Twelve instances with a crossing, some ties, and runs that were lost or ended early."""
    rise = np.linspace(0, 1, len(GRID))[:, None]
    utilities = np.array([1.0, 0.0, -1.0]) * (1 - rise) + np.array([0.0, 1.0, -1.0]) * rise
    values = sample_rankings(utilities, 12, rng=np.random.default_rng(1))
    values[:4] = np.round(values[:4])
    values[5, :, 1] = np.nan
    values[7, 3:, 2] = np.nan
    return pb.Choices.from_values(values, grid=GRID, names=NAMES)


@cache
def fitted(prior: Prior, method: Method) -> pb.Posterior:
    return pb.fit(some_choices(), prior=prior, method=method, draws=DRAWS, seed=2)


def utility_differences(posterior: pb.Posterior) -> np.ndarray:
    """log θ_i / θ_j of the pairs i < j, shape (draw, budget, pair)."""
    first, second = np.triu_indices(len(posterior.names), 1)
    return np.log(posterior.ratings[..., first] / posterior.ratings[..., second])


def independent_draws(posterior: pb.Posterior) -> float:
    """Return the number of independent draws: importance weights reduce it, and so does resampling."""
    effective = posterior.diagnostics.effective_draws
    return effective if posterior.diagnostics.pareto_k is None else 1 / (1 / effective + 1 / len(posterior.ratings))


# A difference of two shares p̂ and q̂ from n and m independent draws has variance p (1 − p) (1/n + 1/m). All comparisons of
# one test together may fail once in ten thousand runs; since they share draws, Bonferroni's bound is generous.
FAILURE_RATE = 1e-4


def assert_same_posterior(one: pb.Posterior, two: pb.Posterior) -> None:
    """Compare shares of draws above zero and above pooled quantiles, and of draws above zero at every budget."""
    differences = [utility_differences(posterior) for posterior in (one, two)]
    levels = [*np.quantile(np.concatenate(differences), [0.025, 0.2, 0.5, 0.8, 0.975], axis=0), 0.0]
    events = [[difference > level for level in levels] for difference in differences]
    shares = np.array([[event.mean(axis=0) for event in of_one] for of_one in events])
    if one.joint and two.joint:
        everywhere = [[(sign * difference > 0).all(axis=1) for sign in (-1, 1)] for difference in differences]
        joint = np.array([[event.mean(axis=0) for event in of_one] for of_one in everywhere])
        shares = np.concatenate([shares.reshape(2, -1), joint.reshape(2, -1)], axis=1)
    shares = shares.reshape(2, -1)
    sizes = [independent_draws(posterior) for posterior in (one, two)]
    total = sum(sizes)
    pooled = (np.dot(sizes, shares) + 1) / (total + 2)
    score = (shares[0] - shares[1]) / np.sqrt(pooled * (1 - pooled) * sum(1 / size for size in sizes))
    worst = int(np.abs(score).argmax())
    largest = stats.norm.isf(FAILURE_RATE / 2 / score.size)
    assert abs(score[worst]) < largest, (
        f"{one.diagnostics.method} and {two.diagnostics.method}: shares {shares[0, worst]:.4f} and {shares[1, worst]:.4f}, "
        f"{score[worst]:.1f} standard errors apart, where {score.size} comparisons allow {largest:.1f}"
    )

    for (name, mean, spread), (_, other, _) in zip(
        one.diagnostics.hyperparameters, two.diagnostics.hyperparameters, strict=True
    ):
        error = spread * np.sqrt(sum(1 / size for size in sizes))
        assert abs(mean - other) < 5 * error, f"{name}: {mean:.4f} and {other:.4f}, standard error {error:.4f}"
