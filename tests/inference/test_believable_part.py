import numpy as np
import pytest

from polarbear.inference.believable_part import _of_unit_covariance, _regression, split


def test_functions_are_split_into_their_mean_and_the_rest():
    functions = np.random.default_rng(0).standard_normal((5, 3, 2))
    apart, mean = np.split(split(functions), 2, axis=1)
    np.testing.assert_allclose(apart + mean, functions)
    np.testing.assert_allclose(apart.mean(axis=0), 0, atol=1e-15)
    np.testing.assert_allclose(mean, np.broadcast_to(mean[0], mean.shape))


@pytest.mark.parametrize(("shape", "draws", "off"), [((6, 4), 24, 1e-12), ((30, 40), 1000, 0.2)])
def test_moments_are_exact_if_that_takes_few_draws(shape, draws, off):
    # The largest of 720,000 random moments from 1000 draws lies five standard errors off, 0.16.
    numbers = _of_unit_covariance(shape, rng=np.random.default_rng(1)).reshape(np.prod(shape), -1)
    assert numbers.shape[-1] == draws
    np.testing.assert_allclose(numbers @ numbers.T / draws, np.eye(len(numbers)), atol=off)


def test_truths_are_regressed_on_signal_and_noise():
    """A truth of variance 4, half of which is the signal, disturbed by a variance of 1: cov / var = 2 / (1 + 1)."""
    truth = 2 * _of_unit_covariance((3, 2), rng=np.random.default_rng(0))
    disturbance = _of_unit_covariance((3, 2), rng=np.random.default_rng(0))
    found = _regression(truth, truth / 2, disturbance)
    np.testing.assert_allclose(found, np.broadcast_to(np.eye(2), found.shape), atol=1e-3)
    found = _regression(truth, truth / 2, 3 * disturbance)  # 2 / (1 + 9), and a thousandth of the error towards one
    np.testing.assert_allclose(found, np.broadcast_to(0.2 * np.eye(2), found.shape), atol=1e-3)


@pytest.mark.parametrize(("varies", "coefficient"), [(10.0, 10.0), (1e-6, 1.0)])
def test_what_hardly_varies_is_believed_rather_than_explained(varies, coefficient):
    """An estimate that is ten times too small is put right, unless it is so small that nothing depends on it."""
    truth = np.array([10.0, varies])[:, None] * _of_unit_covariance((1, 2), rng=np.random.default_rng(0))
    found = _regression(truth, truth / 10, np.zeros_like(truth))[0]
    np.testing.assert_allclose(found, np.diag([10.0, coefficient]), rtol=0.1)
