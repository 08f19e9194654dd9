"""The default method against long NUTS runs of independently written PyMC models (`references.npz`, see README.md).

The tolerance is 0.02 for a probability of dominance and a tenth of a posterior standard deviation for a quantile, plus four
combined standard errors of Monte Carlo. In addition, no dominance probability may deviate by more than Monte Carlo error
explains.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import polarbear as pb
from tests.oracles.data import DATASETS, load

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from polarbear.models import Prior

    Array = NDArray[np.float64]

PRIORS: dict[str, Prior] = {
    "dirichlet": pb.Dirichlet(),
    "hierarchical_dirichlet": pb.HierarchicalDirichlet(),
    "gaussian_process": pb.GaussianProcess(),
    "sparse_gaussian_process": pb.SparseGaussianProcess(),
    "hilbert_space": pb.HilbertSpaceGP(),
    "random_walk": pb.RandomWalk(),
    "b_spline": pb.BSpline(),
}
REFERENCES = Path(__file__).with_name("references.npz")
WANTED = tuple((prior, data) for data in DATASETS for prior in PRIORS)


# Half as many as in the references: twice as many would make the standard errors of differences a fifth smaller
# (√(1 + 1) instead of √(2 + 1)) for twice the time.
DRAWS = 10_000
PROBABILITIES = np.array([0.025, 0.5, 0.975])
LARGEST_PROBABILITY_ERROR = 0.02
LARGEST_QUANTILE_ERROR = 0.1  # in posterior standard deviations
STANDARD_ERRORS = 4.0
# Of some 20,000 comparisons that share their draws the largest standard normal is 4.2 on average, above 5.5 once in 1300.
LARGEST_SCORE = 5.5


@cache
def stored() -> dict[str, Array]:
    with np.load(REFERENCES) as file:
        return {key: file[key].astype(np.float64) for key in file.files if file[key].dtype.kind in "fi"}


def available() -> list[tuple[str, str]]:
    there = {tuple(key.split("/")[:2]) for key in stored()}
    return [case for case in WANTED if case in there]


def reference(prior: str, data: str) -> Mapping[str, Array]:
    start = f"{prior}/{data}/"
    return {key.removeprefix(start): value for key, value in stored().items() if key.startswith(start)}


@cache
def fitted(prior: str, data: str) -> pb.Posterior:
    runs = load(data)
    choices = pb.Choices.from_values(runs.values, grid=pb.Grid(runs.budgets, runs.axis))
    return pb.fit(choices, prior=PRIORS[prior], draws=DRAWS, seed=1)


def independent_draws(posterior: pb.Posterior) -> float:
    """Return the number of independent draws: importance weights reduce it, and resampling adds the error of new draws."""
    return 1 / (1 / posterior.diagnostics.effective_draws + 1 / len(posterior.ratings))


@dataclass(frozen=True)
class Comparison:
    """Our values against the reference's, with the combined Monte Carlo standard error of the difference."""

    what: str
    ours: Array
    theirs: Array
    error: Array
    allowed: float

    @property
    def difference(self) -> Array:
        return np.abs(self.ours - self.theirs)

    def worst(self) -> str:
        """Return the entries that come closest to the tolerance, for the message of a failure."""
        excess = self.difference - STANDARD_ERRORS * self.error
        lines = [f"{self.what}, allowed {self.allowed} beyond {STANDARD_ERRORS:g} standard errors; the worst entries:"]
        for flat in np.argsort(excess, axis=None)[::-1][:8]:
            index = np.unravel_index(flat, excess.shape)
            where = ", ".join(map(str, map(int, index)))
            lines.append(
                f"  [{where}]: {self.ours[index]:+.4f} here, {self.theirs[index]:+.4f} there, "
                f"standard error {self.error[index]:.4f}, beyond it {excess[index]:+.4f}"
            )
        return "\n".join(lines)

    def check(self) -> None:
        assert (self.difference < self.allowed + STANDARD_ERRORS * self.error).all(), self.worst()


def pairs(square: Array) -> Array:
    """Entries above the diagonal of (..., algorithm, algorithm), as (..., pair)."""
    return square[(..., *np.triu_indices(square.shape[-1], 1))]


def compare_shares(
    what: str, ours: Array, theirs: Array, their_error: Array, draws: float, long_run: Any
) -> Comparison:
    # Both variances come from the pooled share: a side that met a rare event too seldom underestimates its own error.
    their_draws = float(long_run["min_ess"])
    together = (draws * ours + their_draws * theirs + 1) / (draws + their_draws + 2)
    variance = together * (1 - together)
    error = np.sqrt(np.maximum(their_error**2, variance / their_draws) + variance / draws)
    return Comparison(what, ours, theirs, error, LARGEST_PROBABILITY_ERROR)


@cache
def compare_dominance(prior: str, data: str) -> Comparison:
    posterior, long_run = fitted(prior, data), reference(prior, data)
    return compare_shares(
        "P(row beats column) at [budget, pair]",
        pairs(pb.dominance(posterior)),
        pairs(long_run["dominance"]),
        pairs(long_run["dominance_mcse"]),
        independent_draws(posterior),
        long_run,
    )


@pytest.mark.calibration
@pytest.mark.parametrize(("prior", "data"), available())
def test_our_own_nuts_agrees(prior: str, data: str) -> None:
    runs, long_run = load(data), reference(prior, data)
    choices = pb.Choices.from_values(runs.values, grid=pb.Grid(runs.budgets, runs.axis))
    posterior = pb.fit(choices, prior=PRIORS[prior], method="nuts", draws=20_000, seed=1)
    assert posterior.diagnostics.reliable, posterior.diagnostics.message
    theirs, error = pairs(long_run["dominance"]), pairs(long_run["dominance_mcse"])
    ours = pairs(pb.dominance(posterior))
    compare_shares("NUTS", ours, theirs, error, independent_draws(posterior), long_run).check()


def test_every_prior_and_data_set_has_a_reference() -> None:
    missing = [f"{prior}/{data}" for prior, data in WANTED if (prior, data) not in available()]
    assert not missing, f"references.npz lacks {', '.join(missing)}; make them with `make references`"


@pytest.mark.parametrize(("prior", "data"), available())
class TestAgainstReference:
    def test_reference_converged(self, prior: str, data: str) -> None:
        long_run = reference(prior, data)
        assert long_run["max_rhat"] < 1.01
        assert long_run["min_ess"] > (3000 if data == "many" else 8000)
        assert long_run["divergences"] == 0

    def test_our_fit_is_reliable(self, prior: str, data: str) -> None:
        assert fitted(prior, data).diagnostics.reliable, fitted(prior, data).diagnostics.message

    def test_dominance_agrees_at_every_budget(self, prior: str, data: str) -> None:
        compare_dominance(prior, data).check()

    def test_dominance_shows_no_bias_beyond_monte_carlo_error(self, prior: str, data: str) -> None:
        comparison = compare_dominance(prior, data)
        assert (comparison.difference < LARGEST_SCORE * comparison.error).all(), comparison.worst()

    def test_anytime_dominance_agrees(self, prior: str, data: str) -> None:
        posterior, long_run = fitted(prior, data), reference(prior, data)
        if not posterior.joint:
            with pytest.raises(ValueError, match="anytime dominance"):
                pb.anytime_dominance(posterior)
            return
        apart = ~np.eye(len(posterior.names), dtype=bool)
        compare_shares(
            "P(row beats column at every budget) at [ordered pair]",
            pb.anytime_dominance(posterior)[apart],
            long_run["anytime"][apart],
            long_run["anytime_mcse"][apart],
            independent_draws(posterior),
            long_run,
        ).check()

    def test_quantiles_of_utility_differences_agree(self, prior: str, data: str) -> None:
        posterior, long_run = fitted(prior, data), reference(prior, data)
        first, second = np.triu_indices(len(posterior.names), 1)
        utilities = np.log(posterior.ratings)
        difference = utilities[..., first] - utilities[..., second]
        deviation = pairs(long_run["sd"])

        # The standard error of a quantile: half the distance of those one binomial standard error above and below.
        step = np.sqrt(PROBABILITIES * (1 - PROBABILITIES) / independent_draws(posterior))
        levels = np.array([PROBABILITIES - step, PROBABILITIES, PROBABILITIES + step])
        below, ours, above = np.quantile(difference, levels, axis=0, overwrite_input=True) / deviation
        Comparison(
            "2.5, 50 and 97.5 % of a pair's difference, in standard deviations, at [quantile, budget, pair]",
            ours,
            pairs(long_run["quantiles"]) / deviation,
            np.hypot((above - below) / 2, pairs(long_run["quantiles_mcse"]) / deviation),
            LARGEST_QUANTILE_ERROR,
        ).check()

    def test_hyperparameters_agree(self, prior: str, data: str) -> None:
        posterior, long_run = fitted(prior, data), reference(prior, data)
        for name, mean, deviation in posterior.diagnostics.hyperparameters:
            theirs = {"amplitude": "sigma"}.get(name, name)
            spread = long_run[f"{theirs}_sd"]
            error = np.hypot(long_run[f"{theirs}_mean_mcse"], deviation / np.sqrt(independent_draws(posterior)))
            Comparison(
                f"posterior mean of the {name}, in its standard deviations",
                np.array(mean / spread),
                np.array(long_run[f"{theirs}_mean"] / spread),
                np.array(error / spread),
                LARGEST_QUANTILE_ERROR,
            ).check()
