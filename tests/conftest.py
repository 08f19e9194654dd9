"""Priors, grids and small data sets with a known truth, shared by all tests."""

import os
import signal
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version

import hypothesis
import numpy as np
import pytest

from polarbear import (
    BSpline,
    Choices,
    Dirichlet,
    GaussianProcess,
    Grid,
    HierarchicalDirichlet,
    HilbertSpaceGP,
    SparseGaussianProcess,
    linear_grid,
    log_grid,
    models,
)
from polarbear.models.plackett_luce import sample_rankings

# Background processes of a shell ignore Ctrl-C, and pass this on to the processes that a test starts and interrupts.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

os.environ.setdefault("NPROC", "8")  # JAX may hang with fewer threads, see polarbear.inference.reference.jax_runtime
# JAX spends most of its compile time on optimisations, which do not pay for the small models of the tests.
XLA_FLAGS = ["--xla_backend_optimization_level=0", "--xla_llvm_disable_expensive_passes=true"]
with suppress(PackageNotFoundError):
    if version("jaxlib").startswith("0.10."):  # a version without this flag would end the process
        XLA_FLAGS.append("--xla_cpu_use_fusion_emitters=false")
os.environ.setdefault("XLA_FLAGS", " ".join(XLA_FLAGS))

# No deadline: on a busy machine the time of an example says nothing about the code.
hypothesis.settings.register_profile("no deadline", deadline=None)
hypothesis.settings.load_profile("no deadline")

INDEPENDENT = [Dirichlet(), HierarchicalDirichlet()]
TEMPORAL = [kind() for kind in models.PRIORS.values() if issubclass(kind, models.TemporalPrior)]
PRIORS = [*INDEPENDENT, *TEMPORAL]

# The temporal priors with their defaults and with other options, for properties that hold under any options.
VARIANTS = [
    *TEMPORAL,
    GaussianProcess(kernel="matern52"),
    GaussianProcess(kernel="squared-exponential"),
    SparseGaussianProcess(inducing=4, kernel="matern52"),
    SparseGaussianProcess(inducing=3, kernel="squared-exponential"),
    HilbertSpaceGP(basis=9, boundary=2.0, kernel="matern52"),
    HilbertSpaceGP(kernel="squared-exponential"),
    BSpline(basis=5, degree=1),
    BSpline(basis=7, degree=0),
    BSpline(basis=20),
]

GRIDS = {
    "even": linear_grid(0, 60, 12),
    "log": log_grid(1, 10_000, 12),
    "uneven": Grid([1, 2, 3, 5, 6, 12, 13, 16, 20, 21]),
    "two times": Grid([5, 7]),
}


def prior_id(prior):
    """Return a test id: the name of the prior and its options."""
    options = {name: value for name, value in vars(prior).items() if isinstance(value, str | int | float)}
    return "-".join([type(prior).__name__, *(str(value) for value in options.values())])


@pytest.fixture(scope="session", params=PRIORS, ids=prior_id)
def prior(request):
    """Each of the seven priors of the paper's Table 1."""
    return request.param


@pytest.fixture(scope="session", params=TEMPORAL, ids=prior_id)
def temporal_prior(request):
    """Each of the five priors that share information over time."""
    return request.param


@pytest.fixture(scope="session", params=VARIANTS, ids=prior_id)
def variant(request):
    """Each temporal prior, with its defaults and with other options."""
    return request.param


@pytest.fixture(scope="session", params=GRIDS.values(), ids=GRIDS)
def grid(request):
    """An evenly spaced, a log-spaced, an uneven and a very short grid."""
    return request.param


@pytest.fixture(scope="session")
def crossing_values():
    """Fifteen instances at five times: A falls from first to last, B rises from last to first, C stays between."""
    change = np.linspace(1, -1, 5)[:, None]
    utilities = change * np.array([1.0, -1.0, 0.0])
    return sample_rankings(utilities, 15, rng=np.random.default_rng(20))


@pytest.fixture(scope="session")
def crossing_choices(crossing_values):
    """The choices of `crossing_values`."""
    return Choices.from_values(crossing_values, grid=log_grid(10, 1000, 5), names=["A", "B", "C"])
