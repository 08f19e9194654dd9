import numpy as np
import pytest
from scipy.optimize import minimize

from polarbear.inference import own_amplitudes as module
from polarbear.inference.own_amplitudes import own_amplitudes
from polarbear.models.helmert import helmert

TIMES, ALGORITHMS, WORTH = 10, 5, 4.0


@pytest.fixture
def example():
    rng = np.random.default_rng(0)
    signal, noise = rng.uniform(0.5, 2, size=(2, TIMES, ALGORITHMS)) * [[[1.0]], [[0.3]]]
    truth = np.array([3.0, 1.0, 0.3, 0.1, 0.1]) * np.sqrt(signal) * rng.standard_normal((TIMES, ALGORITHMS))
    return truth + np.sqrt(noise) * rng.standard_normal((TIMES, ALGORITHMS)), signal, noise


def test_it_is_where_the_posterior_is_highest(example, monkeypatch):
    """Of contrasts alone, since what is common to all is unknown, with an inverse gamma prior around the level."""
    estimate, signal, noise = example
    monkeypatch.setattr(module, "_STEPS", 3000)
    factors = own_amplitudes(*example, WORTH)
    harmonic = ALGORITHMS / (1 / factors**2).sum()
    level = (ALGORITHMS * harmonic + module._AS_SUPPOSED) / (ALGORITHMS + module._AS_SUPPOSED)
    Q = helmert(ALGORITHMS)

    def loss(log_squared):
        squared = np.exp(log_squared)
        total = 0.5 * module._TAILS * (log_squared + level / squared).sum()
        for mu, s, v in zip(estimate, signal, noise, strict=True):
            covariance, contrast = Q.T @ np.diag(squared * s + v) @ Q, Q.T @ mu
            log_determinant = np.linalg.slogdet(covariance)[1]
            total += 0.5 * WORTH / TIMES * (log_determinant + contrast @ np.linalg.solve(covariance, contrast))
        return total

    best = minimize(loss, np.zeros(ALGORITHMS), tol=1e-10)
    np.testing.assert_allclose(factors, np.exp(best.x / 2), rtol=1e-3)


def test_a_few_steps_are_enough(example, monkeypatch):
    few = own_amplitudes(*example, WORTH)
    monkeypatch.setattr(module, "_STEPS", 3000)
    np.testing.assert_allclose(few, own_amplitudes(*example, WORTH), rtol=0.1)


def test_what_is_common_to_all_does_not_matter(example):
    estimate, signal, noise = example
    moved = estimate + np.linspace(-5, 5, TIMES)[:, None]
    np.testing.assert_allclose(own_amplitudes(moved, signal, noise, WORTH), own_amplitudes(*example, WORTH))


def test_where_nothing_was_seen_all_are_the_same_and_about_as_supposed():
    nothing = np.zeros((TIMES, ALGORITHMS))
    factors = own_amplitudes(nothing, nothing, nothing, 1.0)
    np.testing.assert_allclose(factors, factors[0])
    assert 0.6 < factors[0] <= 1  # signal and noise count as equally small, and estimates of zero speak for less


def test_one_who_lies_apart_does_not_enlarge_the_others():
    rng = np.random.default_rng(1)
    noise = 0.3 * rng.standard_normal((TIMES, ALGORITHMS))
    ones = np.ones((TIMES, ALGORITHMS))
    factors = own_amplitudes(noise + np.array([4.0, 0, 0, 0, 0]), ones, 0.09 * ones, WORTH)
    assert factors[0] > 2.5
    assert factors[1:].max() < 0.7
