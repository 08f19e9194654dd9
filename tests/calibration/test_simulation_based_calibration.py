"""Simulation-based calibration of the default method (Talts et al., 2018): truths from the prior, data from the truths.

If a posterior is right, the rank of a truth among independent draws of its posterior is uniform, whatever the quantity.
Quantities that depend on the data, such as the likelihood, reveal errors that others miss (Modrák et al., 2023). Unreliable
fits are left out and counted: whether a fit is reliable follows from its data, and ranks are uniform for each data set.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats

import polarbear as pb
from polarbear.models.plackett_luce import log_likelihood, sample_rankings
from polarbear.posterior.posterior import ratings_from_utilities

if TYPE_CHECKING:
    from polarbear.models import Prior

QUANTITIES = ("difference at a budget", "difference averaged over time", "spread of the utilities", "log-likelihood")
RANKED_AMONG = 99
LEVEL = 0.95
SMALLEST = 1e-300  # of a rating, before its logarithm

# All tests of one kind over all priors together fail a right posterior once in a thousand sets of seeds (Bonferroni).
FAILURE_RATE = 1e-3


@dataclass(frozen=True)
class Setting:
    """The size of a replicate: each between two numbers."""

    algorithms: tuple[int, int]
    budgets: tuple[int, int]
    instances: tuple[int, int]
    draws: int
    replicates: int


SMALL = Setting(algorithms=(3, 3), budgets=(4, 4), instances=(10, 10), draws=400, replicates=30)
LARGE = Setting(algorithms=(2, 4), budgets=(2, 8), instances=(3, 30), draws=1000, replicates=250)

# The inference is tested, not the prior, so parameters may be chosen for speed.
FASTER: dict[type, Prior] = {
    pb.HierarchicalDirichlet: pb.HierarchicalDirichlet(rate=0.1),
    pb.SparseGaussianProcess: pb.SparseGaussianProcess(inducing=3),
    pb.HilbertSpaceGP: pb.HilbertSpaceGP(basis=8, boundary=2.0),
}
QUICK: dict[type, Prior] = {
    kind: FASTER.get(kind) or kind() for kind in pb.models.PRIORS.values() if kind is not pb.BayesianBootstrap
}
AS_GIVEN: dict[type, Prior] = {
    kind: pb.SparseGaussianProcess(inducing=4) if kind is pb.SparseGaussianProcess else kind() for kind in QUICK
}


@dataclass(frozen=True)
class Replicates:
    """The results of all replicates of one prior.

    `ranks` (replicate, quantity) lie in (0, 1), with ties broken at random; `covered` is about the random difference at a
    budget, `coverage` the share of all differences at all budgets whose interval holds the truth.
    """

    ranks: np.ndarray
    covered: np.ndarray
    coverage: np.ndarray
    unreliable: int


def differences(ratings: np.ndarray) -> np.ndarray:
    """log θ_i / θ_j of the pairs i < j, shape (draw, budget, pair)."""
    first, second = np.triu_indices(ratings.shape[-1], 1)
    log_ratings = np.log(np.maximum(ratings, SMALLEST))
    return log_ratings[..., first] - log_ratings[..., second]


def quantities_of(ratings: np.ndarray, choices: pb.Choices, budget: int, pair: int) -> np.ndarray:
    """The ranked quantities (draw, quantity) of ratings (draw, budget, algorithm)."""
    between = differences(ratings)
    return np.stack(
        [
            between[:, budget, pair],
            between[..., pair].mean(axis=1),
            (between**2).mean(axis=(1, 2)),
            log_likelihood(np.log(np.maximum(ratings, SMALLEST)), choices),
        ],
        axis=1,
    )


@cache
def replicated(prior: Prior, setting: Setting) -> Replicates:
    ranks, covered, coverage = [], [], []
    for replicate in range(setting.replicates):
        rng = np.random.default_rng([20, replicate])
        algorithms, budgets, instances = (
            int(rng.integers(low, high, endpoint=True))
            for low, high in (setting.algorithms, setting.budgets, setting.instances)
        )
        grid = pb.Grid(np.cumsum(rng.uniform(1, 5, budgets)), "log" if rng.random() < 0.5 else "linear")
        utilities = prior.sample(grid, algorithms, 1, rng=rng)
        values = sample_rankings(utilities[0], instances, rng=rng)
        if instances > 5:  # runs are missing at random
            values[rng.random(values.shape) < 0.1] = np.nan
        choices = pb.Choices.from_values(values, grid=grid)
        posterior = pb.fit(choices, prior=prior, draws=setting.draws, seed=replicate)
        if not posterior.diagnostics.reliable:
            continue

        truth = ratings_from_utilities(np.moveaxis(utilities, 0, -1))
        budget, pair = int(rng.integers(budgets)), int(rng.integers(algorithms * (algorithms - 1) // 2))
        drawn = quantities_of(posterior.thin(RANKED_AMONG).ratings, choices, budget, pair)
        true = quantities_of(truth, choices, budget, pair)
        below, equal = (drawn < true).sum(axis=0), (drawn == true).sum(axis=0)
        ranks.append((below + rng.random(len(QUANTITIES)) * (equal + 1)) / (RANKED_AMONG + 1))

        lower, upper = np.quantile(differences(posterior.ratings), [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=0)
        inside = (lower <= differences(truth)[0]) & (differences(truth)[0] <= upper)
        covered.append(inside[budget, pair])
        coverage.append(inside.mean())
    return Replicates(np.array(ranks), np.array(covered), np.array(coverage), setting.replicates - len(ranks))


def uniformity(ranks: np.ndarray) -> tuple[float, float]:
    """Probabilities of ranks as uneven as these under uniformity: Kolmogorov's test, and chi-square in twenty bins.

    The first sees a shift best, the second too wide or too narrow posteriors.
    """
    kolmogorov = stats.kstest(ranks, "uniform").pvalue
    counts = np.histogram(ranks, bins=20 if len(ranks) > 200 else 8, range=(0, 1))[0]
    return float(kolmogorov), float(stats.chisquare(counts).pvalue)


def check(outcome: Replicates, replicates: int) -> None:
    tests = 2 * len(QUANTITIES) * len(QUICK)
    for quantity, ranks in zip(QUANTITIES, outcome.ranks.T, strict=True):
        kolmogorov, chi_square = uniformity(ranks)
        counts = np.histogram(ranks, bins=10, range=(0, 1))[0]
        assert min(kolmogorov, chi_square) > FAILURE_RATE / tests, (
            f"ranks of the {quantity} are not uniform: p = {kolmogorov:.1e} (Kolmogorov), {chi_square:.1e} (chi-square); "
            f"in tenths {counts.tolist()}"
        )
    inside = stats.binomtest(int(outcome.covered.sum()), len(outcome.covered), LEVEL)
    assert inside.pvalue > FAILURE_RATE / len(QUICK), f"{inside.statistic:.1%} of {LEVEL:.0%} intervals hold the truth"
    # Only the hierarchical Dirichlet can have next to no concentration, and then no method converges.
    assert outcome.unreliable < 0.2 * replicates


# One prior without and one with correlation over time; the next test covers all with the marker `calibration`.
@pytest.mark.parametrize("kind", [pb.Dirichlet, pb.BSpline])
def test_truths_rank_uniformly_among_their_posterior_draws(kind: type) -> None:
    check(replicated(QUICK[kind], SMALL), SMALL.replicates)


@pytest.mark.calibration
@pytest.mark.parametrize("kind", AS_GIVEN)
def test_truths_rank_uniformly_among_their_posterior_draws_in_many_replicates(kind: type) -> None:
    outcome = replicated(AS_GIVEN[kind], LARGE)
    interval = stats.binomtest(int(outcome.covered.sum()), len(outcome.covered), LEVEL).proportion_ci(0.95)
    error = outcome.coverage.std() / np.sqrt(len(outcome.coverage))
    print(f"\n{AS_GIVEN[kind]!r}: {len(outcome.ranks)} replicates, {outcome.unreliable} more were not reliable")
    print(f"  {LEVEL:.0%} intervals: {outcome.covered.mean():.1%} of one a replicate hold the truth", end="")
    print(f" ({interval.low:.1%} to {interval.high:.1%}), {outcome.coverage.mean():.1%} ± {1.96 * error:.1%} of all")
    for quantity, ranks in zip(QUANTITIES, outcome.ranks.T, strict=True):
        kolmogorov, chi_square = uniformity(ranks)
        print(
            f"  {quantity:30s} mean rank {ranks.mean():.3f}, spread {ranks.std() * np.sqrt(12):.3f} of uniform's,",
            end="",
        )
        print(f" p = {kolmogorov:.3f} (Kolmogorov), {chi_square:.3f} (chi-square)")
    check(outcome, LARGE.replicates)
