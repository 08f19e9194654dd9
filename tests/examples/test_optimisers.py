"""The demo's optimisers stop when the objective stops them, and at no other time."""

from functools import cache

import numpy as np
import pytest

from examples.optimisers import OPTIMISERS
from polarbear.problems import MixedProblems


class Stop(BaseException):
    """An error that `except Exception` does not catch."""


class Counted:
    """An objective as `pb.counted` passes it to an optimiser."""

    def __init__(self, problem, budget):
        self._problem, self._budget = problem, budget
        self.points, self.best = [], np.inf

    def __getattr__(self, name):
        return getattr(self._problem, name)

    def __call__(self, x):
        if len(self.points) == self._budget:
            raise Stop
        self.points.append(np.array(x))
        value = self._problem(x)
        self.best = min(self.best, value)
        return value


class Flat:
    dimension, bounds = 2, [(-5.0, 5.0), (0.0, 1.0)]

    def __call__(self, x):
        return 1.0


def run(name, problem, budget, seed=0):
    objective = Counted(problem, budget)
    with pytest.raises(Stop):
        OPTIMISERS[name](objective, budget, np.random.default_rng(seed))
    return objective


every_optimiser = pytest.mark.parametrize("name", OPTIMISERS)


@every_optimiser
def test_it_uses_the_whole_budget_within_the_bounds(name):
    """3000 evaluations are many more than each needs to converge on a sphere in two dimensions."""
    easy = MixedProblems(2, components=1, functions=["sphere"])(0, seed=1)
    objective = run(name, easy, 3000)
    points = np.array(objective.points)
    assert len(points) == 3000
    assert (points >= -5).all()
    assert (points <= 5).all()
    assert objective.best < (0.1 if name == "random search" else 1e-6)


@every_optimiser
@pytest.mark.parametrize("budget", [1, 2, 50])
def test_it_stops_at_the_budget(name, budget):
    assert len(run(name, MixedProblems(5)(0, seed=1), budget).points) == budget


@every_optimiser
def test_it_does_not_get_stuck_on_a_constant_function(name):
    points = np.array(run(name, Flat(), 2000).points)
    assert (points[:, 1] >= 0).all()
    assert (points[:, 1] <= 1).all()


@every_optimiser
def test_the_generator_determines_the_points(name):
    problem = MixedProblems(3)(0, seed=1)
    first, again, other = (np.array(run(name, problem, 300, seed).points) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


SMOOTH = MixedProblems(5, components=1, functions=["sphere", "ellipsoid", "rosenbrock", "different_powers"])


@cache
def best_of_random_search(index):
    return run("random search", SMOOTH(index, seed=1), 2000).best


@pytest.mark.calibration
@pytest.mark.parametrize("name", [name for name in OPTIMISERS if name != "random search"])
def test_it_beats_random_search_in_the_end(name):
    assert sum(run(name, SMOOTH(index, seed=1), 2000).best < best_of_random_search(index) for index in range(5)) >= 4
