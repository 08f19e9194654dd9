import importlib.util
import pickle

import numpy as np
import pytest
from scipy import stats

from polarbear.problems.gp_bbob import GpBbob, GpBbobProblem, RandomField, active_of, truncated_normal

needs_ioh = pytest.mark.skipif(
    importlib.util.find_spec("ioh") is None, reason="ioh is not installed; `make bbob` adds it where there is a wheel"
)


def test_random_fields_have_the_covariance_of_an_rbf_kernel():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
    rng = np.random.default_rng(0)
    fields = np.array(
        [
            RandomField.draw(rng, dimension=2, outputs=3, features=64, lengthscale=1.5, sigma=0.8)(points)
            for _ in range(4_000)
        ]
    )
    distances = ((points[:, None] - points) ** 2).sum(axis=-1)
    expected = 0.8**2 * np.exp(-distances / (2 * 1.5**2))
    for output in range(3):
        # A covariance from 4,000 draws of size 0.64 has a standard error of at most 0.64 sqrt(2 / 4000) = 0.014.
        np.testing.assert_allclose(np.cov(fields[..., output].T), expected, atol=0.055)
    between = np.mean(fields[..., 0] * fields[..., 1], axis=0)
    np.testing.assert_allclose(between, 0, atol=0.045)  # outputs are independent


def test_the_sparsity_has_its_truncated_prior():
    k = active_of(stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000))
    prior = stats.lognorm(s=0.5, scale=np.exp(1.1))
    inside = prior.cdf(24) - prior.cdf(2)
    for number in range(2, 12):
        expected = (prior.cdf(number + 1) - prior.cdf(number)) / inside
        assert np.mean(k == number) == pytest.approx(expected, abs=2e-4)
    assert (k.min(), k.max() <= 24) == (2, True)


def test_truncation_is_not_clipping():
    rng = np.random.default_rng(1)
    draws = np.array([truncated_normal(rng, mean=0, deviation=10, lowest=2, highest=5) for _ in range(300)])
    assert set(draws) == {2, 3, 4}  # clipped, most would be 2, and some 5
    assert np.mean(draws == 2) < 0.5


@needs_ioh
def test_values_are_weighted_sums_of_iohs_functions():
    import ioh

    problem = GpBbobProblem(seed=5, dimension=3)
    functions = [ioh.get_problem(i + 1, problem.instances[i], 3, ioh.ProblemClass.SBOX) for i in range(24)]
    for x in np.random.default_rng(2).uniform(-5, 5, (30, 3)):
        weights = problem.weights(x)
        expected = sum(w * f(x) for w, f in zip(weights, functions, strict=True)) + problem.offset
        assert problem(x) == pytest.approx(expected, rel=1e-10)


@needs_ioh
def test_weights_are_a_softmax_of_the_largest_logits():
    problem = GpBbobProblem(seed=6, dimension=2)
    points = np.random.default_rng(3).uniform(-5, 5, (200, 2))
    for x, w, k in zip(points, problem.weights(points), problem.active(points), strict=True):
        logits = problem._logits(x)
        top = np.argsort(-logits)[:k]
        expected = np.zeros(24)
        expected[top] = np.exp(logits[top] / problem.temperature) / np.exp(logits[top] / problem.temperature).sum()
        np.testing.assert_allclose(w, expected, atol=1e-12)


@needs_ioh
def test_many_points_give_the_values_of_single_points():
    problem = GpBbobProblem(seed=7, dimension=2)
    points = np.random.default_rng(4).uniform(-5, 5, (3, 4, 2))
    np.testing.assert_allclose(problem(points), [[problem(x) for x in row] for row in points], rtol=1e-12)
    with pytest.raises(ValueError, match="2 variables"):
        problem(np.zeros(3))


@needs_ioh
def test_a_pickled_problem_is_rebuilt_from_its_seed():
    problem = GpBbob(dimension=4)(index=3, seed=11)
    again = pickle.loads(pickle.dumps(problem))
    assert again(np.ones(4)) == problem(np.ones(4))
    assert len(pickle.dumps(problem)) < 200
    assert GpBbob(dimension=4)(index=4, seed=11).offset != problem.offset


def test_dimensions_are_drawn_about_240():
    rng = np.random.default_rng(8)
    draws = [truncated_normal(rng, mean=240, deviation=30, lowest=2, highest=320) for _ in range(500)]
    assert np.mean(draws) == pytest.approx(
        239.1, abs=4
    )  # four standard errors; truncation takes 0.4, rounding down 0.5
    assert max(draws) <= 320


def test_dimensions_beyond_the_prior_are_refused():
    with pytest.raises(ValueError, match="from 2 to 320"):
        GpBbobProblem(0, dimension=1)
