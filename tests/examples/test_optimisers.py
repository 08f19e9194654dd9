"""The demo's optimisers stop where the objective stops them, and nowhere else."""

import numpy as np
import pytest

from examples.optimisers import OPTIMISERS
from polarbear.problems import MixedProblems


class Stop(BaseException):
    """What an optimiser's `except Exception` does not catch."""


class Counted:
    """What `pb.counted` hands to an optimiser."""

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
    seen = run(name, easy, 3000)
    points = np.array(seen.points)
    assert len(points) == 3000
    assert (points >= -5).all()
    assert (points <= 5).all()
    assert seen.best < (0.1 if name == "random search" else 1e-6)


@every_optimiser
@pytest.mark.parametrize("budget", [1, 2, 50])
def test_it_stops_at_once(name, budget):
    assert len(run(name, MixedProblems(5)(0, seed=1), budget).points) == budget


@every_optimiser
def test_it_does_not_get_stuck_where_all_is_equal(name):
    points = np.array(run(name, Flat(), 2000).points)
    assert (points[:, 1] >= 0).all()
    assert (points[:, 1] <= 1).all()


@every_optimiser
def test_the_generator_decides(name):
    problem = MixedProblems(3)(0, seed=1)
    first, again, other = (np.array(run(name, problem, 300, seed).points) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@pytest.mark.parametrize("name", [name for name in OPTIMISERS if name != "random search"])
def test_it_beats_random_search_in_the_end(name):
    source = MixedProblems(5, components=1, functions=["sphere", "ellipsoid", "rosenbrock", "different_powers"])
    problems = [source(index, seed=1) for index in range(5)]
    wins = sum(run(name, p, 2000).best < run("random search", p, 2000).best for p in problems)
    assert wins >= 4
