"""Each function against its formula in plain Python, and properties of all functions."""

import math
from itertools import pairwise

import numpy as np
import pytest

from polarbear.problems import FUNCTIONS
from polarbear.problems.functions import _peaks

every_function = pytest.mark.parametrize("name", FUNCTIONS)


def naive(name, z):
    """Return the value of the published formula, computed coordinate by coordinate."""
    d = len(z)
    u = [max(1, math.sqrt(d) / 8) * x + 1 for x in z]
    valley = [100 * (a**2 - b) ** 2 + (a - 1) ** 2 for a, b in pairwise(u)]
    share = [i / (d - 1) for i in range(d)]
    match name:
        case "sphere":
            return sum(x * x for x in z)
        case "ellipsoid":
            return sum(10 ** (6 * i) * x * x for i, x in zip(share, z, strict=True))
        case "discus":
            return 1e6 * z[0] ** 2 + sum(x * x for x in z[1:])
        case "bent_cigar":
            return z[0] ** 2 + 1e6 * sum(x * x for x in z[1:])
        case "sharp_ridge":
            return z[0] ** 2 + 100 * math.sqrt(sum(x * x for x in z[1:]))
        case "different_powers":
            return math.sqrt(sum(abs(x) ** (2 + 4 * i) for i, x in zip(share, z, strict=True)))
        case "attractive_sector":
            return sum(((100 if x > 0 else 1) * x) ** 2 for x in z) ** 0.9
        case "step_ellipsoid":
            steps = [round(x) if abs(x) > 0.5 else round(10 * x) / 10 for x in z]
            return 0.1 * max(abs(z[0]) / 1e4, sum(100**i * x * x for i, x in zip(share, steps, strict=True)))
        case "rosenbrock":
            return sum(valley)
        case "griewank_rosenbrock":
            return 10 / (d - 1) * sum(s / 4000 - math.cos(s) for s in valley) + 10
        case "rastrigin":
            return 10 * (d - sum(math.cos(2 * math.pi * x) for x in z)) + sum(x * x for x in z)
        case "lunacek":
            s = 1 - 1 / (2 * math.sqrt(d + 20) - 8.2)
            other = -math.sqrt((2.5**2 - 1) / s)
            x = [2.5 + a for a in z]
            funnels = min(sum((a - 2.5) ** 2 for a in x), d + s * sum((a - other) ** 2 for a in x))
            return funnels + 10 * (d - sum(math.cos(2 * math.pi * (a - 2.5)) for a in x))
        case "weierstrass":
            f0 = sum(0.5**k * math.cos(math.pi * 3**k) for k in range(12))
            total = sum(0.5**k * math.cos(2 * math.pi * 3**k * (x + 0.5)) for x in z for k in range(12))
            return 10 * (total / d - f0) ** 3
        case "katsuura":
            product = 1.0
            for i, x in enumerate(z, start=1):
                inner = sum(abs(2**j * x - round(2**j * x)) / 2**j for j in range(1, 33))
                product *= (1 + i * inner) ** (10 / d**1.2)
            return 10 / d**2 * product - 10 / d**2
        case "schaffer":
            s = [math.hypot(a, b) for a, b in pairwise(z)]
            return (sum(math.sqrt(x) + math.sqrt(x) * math.sin(50 * x**0.2) ** 2 for x in s) / (d - 1)) ** 2
        case "schwefel":
            v = [100 * x + 420.9687463599820 for x in z]
            inside = 418.9828872724338 - sum(x * math.sin(math.sqrt(abs(x))) for x in v) / d
            return inside / 100 + sum(max(0, abs(x) - 500) ** 2 for x in v) / d / 1e4
    return None


@pytest.mark.parametrize("dimension", [2, 3, 10, 100])
@pytest.mark.parametrize("name", [name for name in FUNCTIONS if name != "gallagher"])
def test_it_is_the_published_formula(name, dimension):
    points = np.random.default_rng(1).uniform(-5, 5, (20, dimension))
    expected = [naive(name, point.tolist()) for point in points]
    np.testing.assert_allclose(FUNCTIONS[name](points), expected, rtol=1e-7)


@every_function
@pytest.mark.parametrize("dimension", [2, 5, 20])
def test_the_minimum_is_0_at_the_origin(name, dimension):
    function, rng = FUNCTIONS[name], np.random.default_rng(2)
    assert function(np.zeros(dimension)) == 0
    wide = rng.uniform(-9, 9, (3000, dimension))
    assert function(wide).min() > 0
    for radius in (1e-1, 1e-3, 1e-6, 1e-9):
        assert function(radius * wide / 9).min() >= 0


@every_function
def test_points_may_have_any_shape(name):
    function, points = FUNCTIONS[name], np.random.default_rng(3).uniform(-5, 5, (4, 3, 6))
    values = function(points)
    assert values.shape == (4, 3)
    one_by_one = [[function(point) for point in row] for row in points]
    np.testing.assert_allclose(values, one_by_one, rtol=1e-12)
    assert np.ndim(one_by_one[0][0]) == 0


def test_schwefel_has_its_best_optimum_at_the_origin():
    line = np.linspace(-30, 30, 600_001)[:, None] * np.ones(2)
    values = FUNCTIONS["schwefel"](line)
    assert abs(line[values.argmin(), 0]) < 1e-4
    assert values.min() >= 0


def test_gallaghers_peaks_are_local_optima_of_the_right_height():
    places, _, heights = _peaks(10)
    np.testing.assert_array_equal(places[0], np.zeros(10))
    values = FUNCTIONS["gallagher"](places)
    assert (values <= (10 - heights) ** 2 + 1e-12).all()  # as good as the peak itself, or another one is higher there
    assert np.sum(np.isclose(values, (10 - heights) ** 2)) > 10
