"""`to_stan` without Stan: complete programs and data. `oracles/test_against_stan.py` runs them in Stan."""

import json
import re

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.stan import pathfinder
from tests.oracles.data import load

PRIORS = [
    pb.Dirichlet(0.3),
    pb.HierarchicalDirichlet(),
    pb.GaussianProcess(),
    pb.GaussianProcess("squared-exponential", amplitude=pb.InverseGamma(4.0, 2.0)),
]
DECLARATION = re.compile(r"^  (\w+)(?:<[^>]*>)?(?:\[([^]]*)\])? (\w+);", re.MULTILINE)


class HalfNormal:
    def log_density(self, log_value):
        return log_value - 0.5 * np.exp(2 * log_value)

    def quantile(self, probability):
        return probability

    def sample(self, size, *, rng):
        return np.abs(rng.standard_normal(size))


def tied_choices():
    """Rankings with ties and missing runs."""
    runs = load("ties")
    return pb.Choices.from_values(runs.values[:, :6], grid=pb.Grid(runs.budgets[:6], runs.axis))


@pytest.mark.parametrize("prior", PRIORS, ids=repr)
def test_the_data_are_what_the_data_block_declares(prior):
    program, data = pb.to_stan(tied_choices(), prior)
    assert "#include" not in program
    block = re.search(r"^data \{\n(.*?)^\}", program, re.MULTILINE | re.DOTALL)[1]
    declared = {name: (kind, dimensions) for kind, dimensions, name in DECLARATION.findall(block)}
    assert len(declared) == block.count(";")
    assert declared.keys() == data.keys()
    for name, (kind, dimensions) in declared.items():
        sizes = [
            np.prod([int(data.get(factor, factor)) for factor in size.split(" * ")])
            for size in dimensions.split(", ")
            if size
        ]
        assert np.shape(data[name]) == tuple(sizes), name
        assert isinstance(data[name], int) == (kind == "int"), name


def test_ties_and_missing_runs_are_in_the_data():
    """Of two tied algorithms each wins half; the lost run of the third leaves a set of two."""
    choices = pb.Choices.from_values([[[1.0, 1.0, 2.0]], [[1.0, 2.0, np.nan]]], grid=[10])
    data = pb.to_stan(choices, pb.Dirichlet()).data
    assert data["wins"].tolist() == [[2.0, 1.0, 0.0]]
    sets = {tuple(row): count for row, count in zip(data["members"].tolist(), data["counts"][0].tolist(), strict=True)}
    assert sets == {(1, 1, 1): 1.0, (1, 0, 1): 0.5, (0, 1, 1): 0.5, (1, 1, 0): 1.0}


def test_settings_of_the_prior_are_in_the_data():
    choices = tied_choices()
    assert pb.to_stan(choices, pb.Dirichlet(0.3)).data["concentration"] == 0.3
    assert pb.to_stan(choices, pb.HierarchicalDirichlet()).data["rate"] == pytest.approx(1 / len(choices.names))
    data = pb.to_stan(choices, pb.GaussianProcess("matern52", lengthscale=pb.LogNormal(-1.0, 0.5))).data
    assert (data["kernel"], data["amplitude_family"], data["lengthscale_family"]) == (2, 1, 1)
    assert data["lengthscale_settings"].tolist() == [-1.0, 0.5]
    np.testing.assert_array_equal(data["scaled_times"], choices.grid.scaled)


def test_save_writes_both_files(tmp_path):
    model = pb.to_stan(tied_choices(), pb.GaussianProcess())
    program, data = model.save(tmp_path / "race")
    assert program.read_text(encoding="utf-8") == model.program
    stored = json.loads(data.read_text())
    assert stored.keys() == model.data.keys()
    np.testing.assert_array_equal(stored["members"], model.data["members"])


def test_priors_without_a_program_are_rejected():
    with pytest.raises(ValueError, match=r"expected Dirichlet\(\), .* got BSpline\(.*to_pymc"):
        pb.to_stan(tied_choices(), pb.BSpline())
    with pytest.raises(ValueError, match=r"got BayesianBootstrap\(.*; it weights instances and has no likelihood"):
        pb.to_stan(tied_choices(), pb.BayesianBootstrap())
    with pytest.raises(ValueError, match=r"expected a Plackett-Luce prior such as BSpline\(\), .*has no likelihood"):
        pb.to_pymc(tied_choices(), pb.BayesianBootstrap())  # checked before PyMC is imported
    with pytest.raises(ValueError, match=r"expected LogNormal, InverseGamma or Exponential as hyperprior .* got"):
        pb.to_stan(tied_choices(), pb.GaussianProcess(amplitude=HalfNormal()))
    with pytest.raises(ValueError, match=r"expected Dirichlet\(\), .* got RandomWalk"):
        pb.fit(tied_choices(), prior=pb.RandomWalk(), method="stan-pathfinder")


def test_pathfinder_without_cmdstan_says_what_to_install(monkeypatch):
    monkeypatch.setattr(pathfinder, "is_installed", lambda: False)
    with pytest.raises(
        ValueError, match=r"'stan-pathfinder' needs cmdstanpy and CmdStan: pip install .*install_cmdstan"
    ):
        pb.fit(tied_choices(), prior=pb.Dirichlet(), method="stan-pathfinder")
