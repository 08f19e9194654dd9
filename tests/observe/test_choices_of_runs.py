"""Choices of runs: best-so-far values, censored and failed runs."""

import numpy as np
import pytest

from polarbear.observe import Choices, Trajectory
from tests.observe.orderings import identical


@pytest.mark.parametrize("seed", range(6))
def test_trajectories_give_the_same_choices_as_their_best_values(seed):
    rng = np.random.default_rng(seed)
    values = rng.choice([-1.0, 0.0, 1.0, 2.0, np.inf], size=(4, 5, 3))
    best = np.minimum.accumulate(values, axis=1)
    budgets = np.arange(1.0, 6.0)
    names = ["x", "y", "z"]
    runs = [Trajectory(names[a], (i, "b"), budgets, values[i, :, a]) for i in range(4) for a in range(3)]
    direct = Choices.from_values(best, grid=budgets, names=names)
    assert identical(Choices.from_trajectories(runs, grid=budgets), direct)
    upwards = [Trajectory(r.algorithm, r.instance, r.budgets, -r.values, r.end, maximise=True) for r in runs[::-1]]
    assert identical(Choices.from_trajectories(upwards, grid=budgets, names=names), direct)


@pytest.mark.parametrize(
    ("failure", "wins"),
    [("last", [[1, 0, 1], [0, 1, 1], [0, 1, 1]]), ("missing", [[1, 0, 1], [0, 0, 1], [0, 0, 1]])],
)
def test_a_failed_run_is_last_or_missing_from_its_failure_on(failure, wins):
    runs = [
        Trajectory("a", 1, [1], [2.0], end=2, failed=True),
        Trajectory("b", 1, [1], [3.0], end=9),
        Trajectory("c", 1, [1], [1.0], end=9),
    ]
    choices = Choices.from_trajectories(runs, grid=[1, 2, 3], failure=failure)
    assert choices.wins.tolist() == wins


def test_failures_and_runs_without_a_solution_are_tied_last():
    runs = [
        Trajectory("a", 1, [1], [2.0], end=2, failed=True),
        Trajectory("b", 1, [], [], end=9),
        Trajectory("c", 1, [1], [1.0], end=9),
    ]
    choices = Choices.from_trajectories(runs, grid=[3], per_instance=True)
    assert choices.rankings.ranks.tolist() == [[[1, 1, 0]]]
    assert choices.wins.tolist() == [[0.5, 0.5, 1.0]]


def test_a_censored_run_leaves_the_comparison():
    runs = [Trajectory("a", 1, [1], [2.0], end=2), Trajectory("b", 1, [1], [3.0], end=9)]
    assert Choices.from_trajectories(runs, grid=[1, 2, 3]).counts.tolist() == [[1.0], [1.0], [0.0]]


@pytest.mark.parametrize("weights", [[2.0, 3.0], {5: 3.0, "first": 2.0, "unused": 1.0}])
def test_weights_may_be_an_array_or_a_mapping_from_instances(weights):
    runs = [Trajectory(a, i, [1], [y]) for i, a, y in [("first", "a", 1), (5, "b", 1), ("first", "b", 2), (5, "a", 2)]]
    choices = Choices.from_trajectories(iter(runs), grid=[1], weights=weights)
    assert choices.wins.tolist() == [[2.0, 3.0]]
