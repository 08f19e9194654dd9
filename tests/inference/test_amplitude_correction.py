import numpy as np
import pytest
from scipy.stats import multivariate_normal

import polarbear as pb
from polarbear.inference import amplitude_correction as module
from polarbear.inference.amplitude_correction import amplitude_correction

TIMES, FUNCTIONS = 12, 2
GRID = pb.linear_grid(1, TIMES, TIMES)
HYPERPRIOR = pb.LogNormal(0.0, 0.5)


def alike(correlation, times=TIMES):
    return correlation ** np.abs(np.subtract.outer(np.arange(times), np.arange(times)))


def corrected(data, information, factor, correlation, hyperprior=HYPERPRIOR, amplitude=1.0):
    """Of standardised data u, shape (time, function), where A(t) is a number for each function."""
    curvature = np.zeros((*data.shape, data.shape[1]))
    curvature[:, np.arange(data.shape[1]), np.arange(data.shape[1])] = information
    gradient = np.sqrt(information) * data  # with η = 0: u = A^−½ gradient
    return amplitude_correction(
        factor=factor,
        latent=np.zeros_like(data),
        gradient=gradient,
        curvature=curvature,
        correlation=correlation,
        hyperprior=hyperprior,
        amplitude=amplitude,
    )


@pytest.fixture
def example():
    rng = np.random.default_rng(0)
    # Functions about which the second tells more at each time, so that directions are the functions themselves.
    information = rng.uniform(1, 3, size=(TIMES, FUNCTIONS)) * [1.0, 4.0]
    return rng.standard_normal((TIMES, FUNCTIONS)) * 1.5, information, pb.RandomWalk().factor(GRID, 0.8)


def test_independent_rankings_change_nothing(example):
    assert corrected(*example, np.eye(TIMES)) == module.AmplitudeCorrection(0.0, 0.0)


@pytest.mark.parametrize("amplitude", [0.8, 3.0])
def test_the_posterior_is_that_of_the_evidence_less_what_noise_passes(example, amplitude):
    """ℓ(x) − ½ tr(H (R − I)), weighted by κ, from dense matrices and SciPy's normal density."""
    data, information, factor = example
    R, ratios = alike(0.9), np.linspace(-3, 3, 301)
    signals = [np.sqrt(np.outer(a, a)) * (factor @ factor.T) for a in information.T]

    def smoother(S):
        return S @ np.linalg.inv(S + np.eye(TIMES))

    def log_density(weight, excess):
        evidence = np.zeros(len(ratios))
        for S, u in zip(signals, data.T, strict=True):
            for k, ratio in enumerate(ratios):
                scaled = np.exp(2 * ratio) * S
                evidence[k] += multivariate_normal.logpdf(u, cov=scaled + np.eye(TIMES))
                evidence[k] -= 0.5 * np.trace(smoother(scaled) @ excess)
        return weight * evidence + np.array([HYPERPRIOR.log_density(np.log(amplitude) + each) for each in ratios])

    def moments(log_density):
        mass = np.exp(log_density - log_density.max())
        mass /= mass.sum()
        return mass @ ratios, mass @ ratios**2 - (mass @ ratios) ** 2

    # The slope of the evidence in log x is uᵀ M u but for a constant: its mean change and its variance over data.
    sensitivity = variability = 0.0
    for S in signals:
        inverse = np.linalg.inv(S + np.eye(TIMES))
        M = inverse @ S @ inverse
        sensitivity += 2 * np.trace(M @ (S + np.eye(TIMES)) @ M @ (S + np.eye(TIMES)))
        variability += 2 * np.trace(M @ (S + R) @ M @ (S + R))
    assert sensitivity < variability
    before = moments(log_density(1.0, np.zeros((TIMES, TIMES))))
    after = moments(log_density(sensitivity / variability, R - np.eye(TIMES)))
    correction = corrected(data, information, factor, R, amplitude=amplitude)
    assert correction.shift == pytest.approx(after[0] - before[0], abs=1e-8)
    assert correction.deviation**2 == pytest.approx(after[1] - before[1], abs=1e-8)


def test_noise_that_is_alike_over_time_is_not_taken_for_an_amplitude():
    rng, factor, R = np.random.default_rng(1), pb.RandomWalk().factor(GRID, 1.0), alike(0.95)
    vague = pb.LogNormal(0.0, 2.0)
    noise = np.linalg.cholesky(R) @ rng.standard_normal((40, TIMES, FUNCTIONS))
    shifts = [corrected(u, np.full((TIMES, FUNCTIONS), 4.0), factor, R, vague).shift for u in noise]
    assert np.mean(shifts) < -0.3


def test_many_times_are_taken_together(monkeypatch):
    times, rng = 240, np.random.default_rng(2)
    factor, R = pb.RandomWalk().factor(pb.linear_grid(1, times, times), 1.0), alike(0.99, times)
    information = rng.uniform(0.5, 2.0, size=(times, 2)) * [1.0, 3.0]
    data = np.sqrt(information) * (factor @ rng.standard_normal((times, 2)))
    data += np.linalg.cholesky(R) @ rng.standard_normal((times, 2))
    together = corrected(data, information, factor, R)  # an amplitude is known to a tenth here
    monkeypatch.setattr(module, "_MOST_TIMES", times)
    apart = corrected(data, information, factor, R)
    assert (together.shift, together.deviation) == pytest.approx((apart.shift, apart.deviation), abs=0.05)
    assert together != apart


def test_ratios_are_those_of_the_correction():
    ratios = np.log(module.AmplitudeCorrection(-0.5, 0.2).ratios(10_000, rng=np.random.default_rng(3)))
    assert (ratios.mean(), ratios.std()) == pytest.approx((-0.5, 0.2), abs=0.01)
