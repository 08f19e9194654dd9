import numpy as np
import pytest

from polarbear.inference import believable_part as module
from polarbear.inference.believable_part import _moments, _regression, _units, _units_over_time, _whole, split


def test_functions_are_split_into_their_mean_and_the_rest():
    functions = np.random.default_rng(0).standard_normal((5, 3, 2))
    apart, mean = np.split(split(functions), 2, axis=1)
    np.testing.assert_allclose(apart + mean, functions)
    np.testing.assert_allclose(apart.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(mean, np.broadcast_to(mean[0], mean.shape))


@pytest.mark.parametrize("at_once", [1000, 5])
def test_moments_are_those_of_numbers_of_unit_covariance(at_once, monkeypatch):
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    functions, draws = np.random.default_rng(1).standard_normal((4, 3, 12)), list(_units((4, 3)))
    assert max(each.shape[-1] for each in draws) == min(at_once, 12)
    made = [np.tensordot(functions, each.reshape(12, -1), axes=1) for each in draws]
    np.testing.assert_allclose(_moments(made), functions @ functions.swapaxes(1, 2))
    np.testing.assert_allclose(_whole(_moments(map(split, made))), _moments(made))


@pytest.mark.parametrize("at_once", [1000, 5])
def test_unit_vectors_are_taken_over_time(at_once, monkeypatch):
    matrix = np.random.default_rng(2).standard_normal((4, 4))
    expected = np.concatenate([np.tensordot(matrix, unit, axes=1) for unit in _units((4, 3))], axis=-1)
    monkeypatch.setattr(module, "_AT_ONCE", at_once)
    np.testing.assert_allclose(np.concatenate(list(_units_over_time(matrix, 3)), axis=-1), expected)


def regression(truth, signal, noise):
    """Of a truth of variance one, and of estimates with such shares of it and such noise, for two functions at one time."""
    shares = np.concatenate([np.diag(truth), np.diag(np.multiply(truth, signal))])
    return _regression((shares @ shares.T)[None], np.diag(np.square(noise))[None])[0]


def test_truths_are_regressed_on_signal_and_noise():
    """With variance 4, half of which is signal: 2 / (1 + 1) with noise of one, 2 / (1 + 9) with three."""
    np.testing.assert_allclose(regression([2, 2], [0.5, 0.5], [1, 3]), np.diag([1.0, 0.2]), atol=0.005)


@pytest.mark.parametrize(("varies", "coefficient"), [(10.0, 10.0), (1e-6, 1.0)])
def test_what_hardly_varies_is_believed_rather_than_explained(varies, coefficient):
    """An estimate that is ten times too small is put right, unless it is so small that nothing depends on it."""
    found = regression([10.0, varies], [0.1, 0.1], [0, 0])
    np.testing.assert_allclose(found, np.diag([10.0, coefficient]), rtol=0.1, atol=1e-9)
