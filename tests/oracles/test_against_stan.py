"""The Stan programs in a real Stan: densities against ours and draws against `fit`, with rstan; Pathfinder with cmdstanpy.

Compiling a program takes a minute of a core, so these tests have the marker `stan`; `make stan` runs them.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.reference.joint_density import JointDensity, padded_tables
from polarbear.inference.stan.program import PROGRAMS
from polarbear.models.plackett_luce import sample_rankings
from polarbear.posterior.diagnostics import Diagnostics
from tests.contracts.priors_and_methods import assert_same_posterior, some_choices, utility_differences
from tests.oracles.data import load

pytestmark = pytest.mark.stan

# The programs have one jitter for all lengthscales, and ours is at most that: smooth kernels need up to 1e-9.
CASES = {
    pb.Dirichlet: {pb.Dirichlet(): 1e-8, pb.Dirichlet(0.3): 1e-8},
    pb.HierarchicalDirichlet: {pb.HierarchicalDirichlet(): 1e-8, pb.HierarchicalDirichlet(rate=2.0): 1e-8},
    pb.GaussianProcess: {
        pb.GaussianProcess(): 1e-8,
        pb.GaussianProcess("matern52"): 1e-6,
        pb.GaussianProcess("squared-exponential"): 1e-4,
        pb.GaussianProcess(amplitude=pb.InverseGamma(4.0, 2.0), lengthscale=pb.LogNormal(-0.5, 0.4)): 1e-8,
        pb.GaussianProcess(amplitude=pb.models.hyperpriors.Exponential(0.7)): 1e-8,
    },
}
BOOST = next((folder for folder in ("/usr/include", "/usr/local/include") if Path(folder, "boost").is_dir()), "")
DRAWS, POINTS = 4000, 4


def rstan_is_installed() -> bool:
    script = "quit(status = !all(c('rstan', 'jsonlite') %in% rownames(installed.packages())))"
    return shutil.which("Rscript") is not None and subprocess.run(["Rscript", "-e", script]).returncode == 0


def tied_choices() -> pb.Choices:
    """Rankings with ties and missing runs."""
    runs = load("ties")
    return pb.Choices.from_values(runs.values[:, :6], grid=pb.Grid(runs.budgets[:6], runs.axis))


def positions(density: JointDensity) -> list[np.ndarray]:
    """Return random positions: hyperparameters within their prior, coefficients of about one."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(POINTS):
        log_h = [np.log(hyperprior.quantile(rng.uniform(0.1, 0.9))) for hyperprior in density.hyperpriors]
        found.append(np.concatenate([log_h, rng.standard_normal(density.size - len(log_h))]))
    return found


def in_stan_order(density: JointDensity, position: np.ndarray) -> list[float]:
    """Return a position with its matrix column by column."""
    log_h, coefficients = density.split(position)
    return [*log_h.tolist(), *coefficients.ravel(order="F").tolist()]


def from_first(values: object) -> np.ndarray:
    """Return the differences from the first value: a log-density up to a constant."""
    array = np.asarray(values)
    return array - array[0]


@pytest.mark.parametrize("kind", CASES)
def test_densities_and_draws_are_those_of_rstan(kind, tmp_path):
    if not rstan_is_installed():
        pytest.skip("needs R with rstan and jsonlite")
    sampled = some_choices()
    cases = [pb.to_stan(sampled, kind()).save(tmp_path / "sampled")]
    expected, points, tolerances = [np.empty(0)], [[]], [0.0]
    for number, (prior, tolerance) in enumerate(CASES[kind].items()):
        choices = tied_choices()
        cases.append(pb.to_stan(choices, prior).save(tmp_path / f"case-{number}"))
        density = JointDensity(prior, choices.grid, len(choices.names))
        at = positions(density)
        points.append([in_stan_order(density, position) for position in at])
        expected.append(np.array([float(density(position, padded_tables(choices))) for position in at]))
        tolerances.append(tolerance)
    job = {
        "program": str(cases[0][0]),
        "draws": DRAWS,
        "cases": [{"data": str(data), "points": each} for (_, data), each in zip(cases, points, strict=True)],
    }
    (tmp_path / "job.json").write_text(json.dumps(job))
    command = ["Rscript", str(Path(__file__).with_name("stan.R")), "job.json", "result.json", BOOST]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    result = json.loads((tmp_path / "result.json").read_text())

    for ours, theirs, tolerance in list(zip(expected, result["densities"], tolerances, strict=True))[1:]:
        assert np.ptp(ours) > 1.0
        np.testing.assert_allclose(from_first(theirs), from_first(ours), rtol=0, atol=tolerance)

    assert result["rhat"] < 1.02
    ours = pb.fit(sampled, prior=kind(), seed=2)
    utilities = np.array(result["draws"])
    ratings = np.exp(utilities) / np.exp(utilities).sum(axis=-1, keepdims=True)
    by_rstan = Diagnostics("rstan", True, "", effective_draws=min(result["effective"], DRAWS))
    ours = replace(ours, diagnostics=replace(ours.diagnostics, hyperparameters=()))
    assert_same_posterior(ours, replace(ours, ratings=ratings, diagnostics=by_rstan))


@pytest.mark.skipif(find_spec("cmdstanpy") is None, reason="needs cmdstanpy and CmdStan")
@pytest.mark.parametrize("kind", PROGRAMS)
def test_pathfinder_of_cmdstan(kind):
    """Its draws are exact where their weights are reliable. Our Pathfinder is unreliable for the Gaussian process, too."""
    utilities = np.array([[0.5, 0.0, -0.5], [0.0, 0.3, -0.3], [-0.2, 0.5, -0.3], [-0.4, 0.6, -0.2]])
    values = sample_rankings(utilities, 200, rng=np.random.default_rng(1))
    choices = pb.Choices.from_values(values, grid=[1, 2, 3, 4])
    ours = pb.fit(choices, prior=kind(), seed=2)
    stan = pb.fit(choices, prior=kind(), method="stan-pathfinder", seed=2)
    again = pb.fit(choices, prior=kind(), method="stan-pathfinder", seed=2)
    np.testing.assert_array_equal(stan.ratings, again.ratings)
    assert stan.diagnostics.method == "stan-pathfinder"
    assert [name for name, *_ in stan.diagnostics.hyperparameters] == list(kind().hyperpriors_for(3))
    if stan.diagnostics.reliable:
        assert_same_posterior(ours, stan)
    else:
        assert kind is not pb.HierarchicalDirichlet
        assert "use method='auto'" in stan.diagnostics.message
    differences = [utility_differences(posterior) for posterior in (ours, stan)]
    shift = np.subtract(*(each.mean(axis=0) for each in differences)) / differences[0].std(axis=0)
    assert np.abs(shift).max() < 0.5  # tempered weights shift means by less, axes in a wrong order by far more
