import math
import pickle
import subprocess
import sys

import numpy as np
import pytest

from polarbear.problems import FUNCTIONS, MixedProblems

SEEDS = range(30)


@pytest.mark.parametrize("components", [1, 2, 3])
@pytest.mark.parametrize("dimension", [2, 10])
def test_the_minimum_is_0_at_the_optimum_within_the_bounds(dimension, components):
    source = MixedProblems(dimension, components)
    points = np.random.default_rng(0).uniform(-5, 5, (200, dimension))
    for index in SEEDS:
        problem = source(index, seed=1)
        assert problem(problem.optimum) == 0.0
        assert problem(points).min() > 0
        assert problem(problem.optimum + 1e-9 * points).min() >= 0
        assert all(low < x < high for x, (low, high) in zip(problem.optimum, problem.bounds, strict=True))
        assert len(problem.functions) == len(set(problem.functions)) == components
        assert sum(problem.weights) == pytest.approx(1)


def test_the_mixture_is_the_weighted_geometric_mean_of_its_parts():
    problem = MixedProblems(5, components=3)(4, seed=1)
    x = np.array([1.0, -2.0, 3.0, 0.5, -4.0])
    expected = 1.0
    for name, weight, scale, rotation in zip(
        problem.functions, problem.weights, problem.scales, problem.rotations, strict=True
    ):
        np.testing.assert_allclose(rotation @ rotation.T, np.eye(5), atol=1e-14)
        expected *= (1 + FUNCTIONS[name]((x - problem.optimum) @ rotation) / scale) ** weight
    assert problem(x) == pytest.approx(1e-8 * (expected - 1), rel=1e-10)


def test_components_weigh_the_same_whatever_their_units():
    """Typical values in the domain are about 1 for every function, so that none drowns the others."""
    points = np.random.default_rng(0).uniform(-5, 5, (300, 10))
    for name in FUNCTIONS:
        source = MixedProblems(10, components=1, functions=[name])
        medians = [float(np.median(source(index, seed=0)(points))) for index in range(5)]
        assert 0.2 < np.median(medians) < 5, name


def test_index_and_seed_determine_the_problem():
    source, x = MixedProblems(4), np.array([1.0, 2.0, 3.0, 4.0])
    values = {source(index, seed)(x) for index in range(10) for seed in range(10)}
    assert len(values) == 100
    again = MixedProblems(4)
    assert all(again(index, 7)(x) == source(index, 7)(x) for index in SEEDS)
    assert source(3, 2**127)(x) == source(3, 2**127)(x)
    code = (
        "import sys; from polarbear.problems import MixedProblems as M; "
        "print(M(4)(5, 7)([1.0, 2.0, 3.0, 4.0]).hex(), 'scipy' in sys.modules)"
    )
    elsewhere = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True).stdout
    value, has_scipy = elsewhere.split()
    assert float.fromhex(value) == source(5, 7)(x)
    assert has_scipy == "False"  # every worker would wait for its import


def test_values_that_must_never_change():
    """Stored races refer to problems by index and seed alone."""
    problem = MixedProblems(3)(0, seed=0)
    assert problem.name == "0.90 katsuura + 0.10 rastrigin in 3 dimensions"
    assert problem([1.0, 2.0, 3.0]) == pytest.approx(0.7916986853498449, rel=1e-9)
    assert MixedProblems(10, 4)(12, 34)(np.linspace(-5, 5, 10)) == pytest.approx(2.786733963196513, rel=1e-9)


def test_all_functions_are_used():
    source = MixedProblems(2)
    assert {name for index in range(200) for name in source(index, 0).functions} == set(FUNCTIONS)


def test_problems_can_be_pickled_and_are_immutable():
    source = MixedProblems(6)
    problem = source(1, 2)
    x = np.arange(6.0)
    assert pickle.loads(pickle.dumps(problem))(x) == problem(x)
    assert pickle.loads(pickle.dumps(source)) == source
    assert str(problem) == problem.name
    assert problem.dimension == len(problem.bounds) == 6
    with pytest.raises(AttributeError):
        problem.name = "other"
    with pytest.raises(ValueError, match="read-only"):
        problem.optimum[0] = 1


def test_points_of_any_shape_near_and_far():
    problem = MixedProblems(3)(0, 1)
    points = np.random.default_rng(0).uniform(-5, 5, (4, 2, 3))
    np.testing.assert_allclose(problem(points), [[problem(x) for x in row] for row in points], rtol=1e-9)
    assert type(problem([1, 2, 3])) is float
    assert problem(np.zeros((0, 3))).shape == (0,)
    with_nan = problem([[math.nan, 0, 0], [0, 0, 0]])
    assert np.isnan(with_nan).tolist() == [True, False]


def test_no_point_outside_the_bounds_is_better_than_the_nearest_inside():
    for index in SEEDS:
        problem = MixedProblems(3)(index, 1)
        edge = problem([5, -5, 1])
        assert problem([6, -7, 1]) == pytest.approx(edge + 5)
        assert problem([5 + 1e-9, -5, 1]) == pytest.approx(edge)
        assert problem([1e100, -1e100, 1e60]) > 1e199
        assert problem([math.inf, 0, 0]) == math.inf


@pytest.mark.parametrize("x", [0.5, [], [1, 2], [1, 2, 3, 4], [[1], [2], [3]]])
def test_points_of_the_wrong_shape_are_refused(x):
    with pytest.raises(ValueError, match="expected points of 3 variables, got the shape"):
        MixedProblems(3)(0, 1)(x)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"dimension": 1}, "dimension of at least 2, got 1"),
        ({"dimension": 2.5}, "got 2.5"),
        ({"components": 0}, f"from 1 to {len(FUNCTIONS)} components"),
        ({"components": 3, "functions": ["sphere", "discus"]}, "from 1 to 2 components.*got 3"),
        ({"functions": ["sphere", "spere"]}, "expected functions among sphere, .*got 'spere'"),
        ({"functions": "sphere"}, "expected a list of functions"),
    ],
)
def test_bad_input_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        MixedProblems(**arguments)
