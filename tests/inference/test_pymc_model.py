"""`to_pymc` against our own density, and both against PyMC models that were written independently, from raw rankings."""

import warnings
from functools import cache
from importlib.util import find_spec
from types import SimpleNamespace

import numpy as np
import pytest

import polarbear as pb
from polarbear.inference.reference.joint_density import JointDensity, padded_tables
from polarbear.models import TemporalPrior
from tests.oracles.data import load

pytestmark = [
    pytest.mark.skipif(find_spec("pymc") is None, reason="needs the extra `pymc`"),
    pytest.mark.filterwarnings("ignore:::pytensor", "ignore:::pymc"),
]

PRIORS = {
    "dirichlet": pb.Dirichlet(),
    "hierarchical_dirichlet": pb.HierarchicalDirichlet(),
    "gaussian_process": pb.GaussianProcess(),
    "sparse_gaussian_process": pb.SparseGaussianProcess(inducing=10),
    "hilbert_space": pb.HilbertSpaceGP(),
    "random_walk": pb.RandomWalk(),
    "b_spline": pb.BSpline(),
}
OTHERS = {
    "matern52": pb.GaussianProcess(kernel="matern52"),
    "sparse squared-exponential": pb.SparseGaussianProcess(inducing=3, kernel="squared-exponential"),
    "hilbert squared-exponential": pb.HilbertSpaceGP(basis=9, kernel="squared-exponential"),
    "linear spline": pb.BSpline(basis=5, degree=1),
    "other hyperpriors": pb.RandomWalk(amplitude=pb.InverseGamma(4.0, 2.0)),
    "concentration": pb.Dirichlet(0.3),
    "rate": pb.HierarchicalDirichlet(rate=2.0),
}
POINTS = 4


@cache
def peer():
    """Import PyMC, PyTensor and the independent models, which takes seconds: only when a test runs."""
    with warnings.catch_warnings():  # warnings of PyMC's dependencies at import
        warnings.simplefilter("ignore")
        import pymc
        import pytensor

        from tests.oracles import models
    return SimpleNamespace(pymc=pymc, pytensor=pytensor, models=models)


class HalfNormal:
    """A custom hyperprior."""

    def log_density(self, log_value):
        square = pb.models.namespace.namespace_of(log_value).exp(2 * log_value)
        return log_value - 0.5 * square

    def quantile(self, probability):
        return probability

    def sample(self, size, *, rng):
        return np.abs(rng.standard_normal(size))


@pytest.fixture(autouse=True)
def _import_quietly():
    peer()


def some_choices():
    """The first budgets of the data set with ties and missing values."""
    runs = load("ties")
    return pb.Choices.from_values(runs.values[:, :6], grid=pb.Grid(runs.budgets[:6], runs.axis)), runs.values[:, :6]


def positions(density, rng):
    """Random positions: hyperparameters within their prior, coefficients of about one."""
    for _ in range(POINTS):
        log_h = [np.log(hyperprior.quantile(rng.uniform(0.1, 0.9))) for hyperprior in density.hyperpriors]
        yield np.concatenate([log_h, rng.standard_normal(density.size - len(log_h))])


def log_densities(model, density, rng, names):
    """Return the log-densities of the PyMC model at the positions; `names` maps our names to its names."""
    variables = model.value_vars
    pytensor = peer().pytensor
    interpreted = pytensor.compile.mode.Mode(linker="py", optimizer="fast_compile")  # nothing to compile
    compiled = pytensor.function(variables, model.logp(), mode=interpreted)
    values = []
    for position in positions(density, rng):
        log_h, coefficients = density.split(position)
        point = {names[name]: value for name, value in zip(density.prior.hyperpriors_for(5), log_h, strict=True)}
        if isinstance(density.prior, TemporalPrior):
            point[names["coefficients"]] = coefficients
        else:  # PyMC's coordinates of a simplex: centred logarithms but for the last, linear in ours
            point[names["ratings"]] = (coefficients @ density.contrasts.T)[:, :-1]
        values.append(float(compiled(*(point[variable.name] for variable in variables))))
    return np.array(values)


NAMES = {name: f"{name}_log__" for name in ("amplitude", "lengthscale", "kappa")}
NAMES |= {"coefficients": "coefficients", "ratings": "ratings_simplex__"}
ORACLE_NAMES = {"amplitude": "sigma_log__", "lengthscale": "lengthscale_log__", "kappa": "kappa_log__"}
ORACLE_NAMES |= {"coefficients": "z", "ratings": "theta_simplex__"}


def from_first(values):
    """Up to a constant."""
    return values - values[0]


@pytest.mark.parametrize(
    "prior",
    [*PRIORS.values(), *(pytest.param(each, marks=pytest.mark.calibration) for each in OTHERS.values())],
    ids=[*PRIORS, *OTHERS],
)
def test_log_density_is_ours_up_to_a_constant(prior):
    choices, _ = some_choices()
    density = JointDensity(prior, choices.grid, len(choices.names))
    ours = [float(density(at, padded_tables(choices))) for at in positions(density, np.random.default_rng(1))]
    theirs = log_densities(pb.to_pymc(choices, prior), density, np.random.default_rng(1), NAMES)
    assert np.ptp(ours) > 1.0
    np.testing.assert_allclose(from_first(theirs), from_first(np.array(ours)), rtol=0, atol=1e-8)


@pytest.mark.calibration
@pytest.mark.parametrize("name", PRIORS)
def test_log_density_is_that_of_the_independent_model(name):
    choices, values = some_choices()
    density = JointDensity(PRIORS[name], choices.grid, len(choices.names))
    ours = [float(density(at, padded_tables(choices))) for at in positions(density, np.random.default_rng(2))]
    model = peer().models.build(name, values, choices.grid.budgets, choices.grid.axis)
    theirs = log_densities(model, density, np.random.default_rng(2), ORACLE_NAMES)
    # The two processes with a Cholesky factor have a jitter of 1e-10 there, and none here.
    tolerance = 1e-5 if "gaussian_process" in name else 1e-8
    np.testing.assert_allclose(from_first(theirs), from_first(np.array(ours)), rtol=0, atol=tolerance)


def test_a_custom_hyperprior_is_included():
    choices, _ = some_choices()
    prior = pb.RandomWalk(amplitude=HalfNormal())
    density = JointDensity(prior, choices.grid, len(choices.names))
    ours = [float(density(at, padded_tables(choices))) for at in positions(density, np.random.default_rng(3))]
    names = NAMES | {"amplitude": "log_amplitude"}
    theirs = log_densities(pb.to_pymc(choices, prior), density, np.random.default_rng(3), names)
    np.testing.assert_allclose(from_first(theirs), from_first(np.array(ours)), rtol=0, atol=1e-8)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
def test_utilities_and_ratings_are_named_over_time(prior):
    choices, _ = some_choices()
    model = pb.to_pymc(choices, prior)
    assert isinstance(model, peer().pymc.Model)
    assert model.named_vars_to_dims["utilities"] == model.named_vars_to_dims["ratings"] == ("budget", "algorithm")
    assert list(model.coords["algorithm"]) == list(choices.names)
    np.testing.assert_array_equal(model.coords["budget"], choices.grid.budgets)
