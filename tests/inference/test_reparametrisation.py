"""White coordinates: a map whose volume is what it says, and a density close to the standard normal's."""

from importlib.util import find_spec

import numpy as np
import pytest

from polarbear import BSpline, Dirichlet, GaussianProcess, HierarchicalDirichlet, RandomWalk
from polarbear.inference.reference.joint_density import JointDensity, padded_tables
from polarbear.inference.reference.reparametrisation import (
    AmplitudeCoordinates,
    TemporalCoordinates,
    to_position,
    whitening_coordinates,
)

pytestmark = pytest.mark.skipif(find_spec("jax") is None, reason="needs the extra `mcmc`")

PRIORS = [BSpline(), RandomWalk(), GaussianProcess(), Dirichlet(), HierarchicalDirichlet()]


@pytest.fixture(autouse=True)
def double_precision():
    import jax

    with jax.enable_x64(True):
        yield


@pytest.fixture(scope="module", params=PRIORS, ids=lambda prior: type(prior).__name__)
def mapped(request, crossing_choices):
    """The density of a prior, and the compiled map from white noise to its positions."""
    import jax

    prior, choices = request.param, crossing_choices
    density = JointDensity(prior, choices.grid, len(choices.names))
    coordinates = whitening_coordinates(choices, prior)
    return density, jax.jit(lambda white: to_position(density, coordinates, white))


def test_volume_is_the_determinant_of_the_map(mapped):
    import jax

    density, place = mapped
    jacobian = jax.jit(jax.jacfwd(lambda white: place(white)[0]))
    rng = np.random.default_rng(1)
    errors = []
    for _ in range(4):
        white = rng.standard_normal(density.size)
        errors.append(np.linalg.slogdet(jacobian(white))[1] - float(place(white)[1]))
    np.testing.assert_allclose(errors, errors[0], atol=1e-9)  # a constant


def test_the_density_is_nearly_standard_normal(mapped, crossing_choices):
    density, place = mapped
    tables = padded_tables(crossing_choices)
    rng = np.random.default_rng(2)
    white = rng.standard_normal((200, density.size))
    residual = []
    for each in white:
        position, volume = place(each)
        residual.append(float(density(np.asarray(position), tables) + volume) + 0.5 * float(each @ each))
    # The log-density itself varies by √(size / 2), about 2.2 to 3.3 here.
    assert np.std(residual) < 0.5 * np.std(0.5 * (white**2).sum(axis=1))


def test_an_amplitude_alone_has_diagonal_coordinates(crossing_choices):
    assert isinstance(whitening_coordinates(crossing_choices, BSpline()), AmplitudeCoordinates)
    assert isinstance(whitening_coordinates(crossing_choices, GaussianProcess()), TemporalCoordinates)
