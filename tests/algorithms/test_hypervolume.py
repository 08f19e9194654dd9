"""Live runs with several objectives: algorithms get the objectives, recorders the hypervolume so far."""

import math
import pickle

import moocore
import numpy as np
import pytest

import polarbear as pb
from polarbear.algorithms import record_run
from tests.algorithms.outcomes import outcome


class Quadratics:
    """Two objectives with minima at 0 and at 1."""

    dimension = 3

    def __call__(self, x):
        return np.square(x).mean(), np.square(x - 1).mean()


def test_the_recorded_value_is_the_hypervolume_of_all_points_so_far():
    seen = []

    def search(objective, budget, rng):
        while True:
            seen.append(objective(rng.uniform(-1, 2, objective.dimension)))

    _, recorder = outcome(pb.counted(search), pb.Hypervolume(Quadratics(), [1.5, 1.5]), budget=60, maximise=True)
    assert len(seen) == 60
    run = pb.Trajectory("a", 0, *zip(*recorder.events(), strict=True), end=60, maximise=True)
    expected = [moocore.hypervolume(np.array(seen[:count]), ref=[1.5, 1.5]) for count in range(1, 61)]
    assert run.at(range(1, 61)) == pytest.approx(expected, rel=1e-12)


def test_maximised_objectives_have_the_same_hypervolume():
    points = [(3, 1), (1, 3), (2, 2)]
    search = pb.counted(lambda objective, budget, rng: [objective(x) for x in points])
    low = search(pb.Hypervolume(lambda x: np.negative(x), [0, 0]), 0, 3, maximise=True)
    assert search(pb.Hypervolume(lambda x: x, [0, 0], maximise=True), 0, 3, maximise=True) == low
    assert low == [(1, 3), (2, 5), (3, 6)]


def test_generators_and_ask_tell_optimisers_give_objectives_too():
    problem = pb.Hypervolume(lambda x: [x, 1 - x], [1, 1])

    def generator(problem, seed, budget):
        for budget, x in enumerate([0.5, 0.75], 1):
            yield budget, problem(x)

    class Told:
        def __init__(self):
            self.points = [0.9, 0.75, 0.5]  # the last is beyond the budget

        def ask(self):
            return self.points.pop()

        def tell(self, point, objectives):
            assert list(objectives) == [point, 1 - point]

    recorder = outcome(generator, problem, budget=5, maximise=True)[1]
    asked = outcome(pb.ask_tell(lambda problem, rng: Told()), problem, budget=2, maximise=True)[1]
    assert recorder.events() == asked.events() == [(1, 0.25), (2, 0.3125)]


def test_runs_on_one_problem_do_not_share_points():
    problem = pb.Hypervolume(Quadratics(), [2, 2])
    search = pb.counted(lambda objective, budget, rng: objective(np.zeros(3)))
    first, second = (search(problem, 0, 5, maximise=True) for _ in range(2))
    assert first == second == [(1, 2)]


def test_points_beyond_the_reference_are_worth_nothing_and_bad_ones_no_point():
    values = iter([(math.inf, 0), (3, 0), (math.nan, 0), (1, 1)])
    search = pb.counted(lambda objective, budget, rng: [objective(0) for _ in range(4)])
    events = search(pb.Hypervolume(lambda x: next(values), [2, 2]), 0, 4, maximise=True)
    assert events == [(2, 0), (4, 1)]


def test_a_race_that_minimises_is_refused():
    with pytest.raises(ValueError, match=r"expected maximise=True with pb\.Hypervolume"):
        outcome(lambda problem, seed, budget: [(1, [0, 0])], pb.Hypervolume(Quadratics(), [1, 1]))


@pytest.mark.parametrize("objectives", [0.5, [1, 2, 3], "text", None, [[1, 2]]])
def test_other_numbers_of_objectives_are_refused(objectives):
    with pytest.raises(ValueError, match="expected 2 objectives, as many as in the reference point, got"):
        outcome(
            pb.counted(lambda objective, budget, rng: objective(0)),
            pb.Hypervolume(lambda x: objectives, [1, 1]),
            maximise=True,
        )


@pytest.mark.parametrize("reference", [1.0, [1.0], [1, math.inf], ["a", "b"], None])
def test_other_reference_points_are_refused(reference):
    with pytest.raises(ValueError, match="expected a reference point of two or more numbers"):
        pb.Hypervolume(Quadratics(), reference)


def test_it_has_the_attributes_of_the_problem_and_can_be_sent():
    problem = pickle.loads(pickle.dumps(pb.Hypervolume(Quadratics(), [1, 1])))
    assert problem.dimension == 3
    assert problem(np.zeros(3)) == (0, 1)
    with pytest.raises(AttributeError, match="bounds"):
        problem.bounds  # noqa: B018


def uniform(objective, budget, rng):
    while True:
        objective(rng.uniform(-1, 2, 3))


def diagonal(objective, budget, rng):
    """Along the set of best compromises."""
    while True:
        objective(np.full(3, rng.random()))


def test_a_race_by_hypervolume_finds_the_better_algorithm():
    algorithms = {"uniform": pb.counted(uniform), "diagonal": pb.counted(diagonal)}
    race = pb.Race(
        algorithms,
        [pb.Hypervolume(Quadratics(), [1.5, 1.5])] * 40,
        [2, 20],
        maximise=True,
        seed=1,
    )
    result = race.drive(pb.LocalExecutor(workers=1), max_instances=40, progress="none")
    assert result.kept == ("diagonal",)


class TestRunOnce:
    def test_it_is_the_run_of_a_recorder(self):
        search, problem = pb.counted(uniform), pb.Hypervolume(Quadratics(), [1.5, 1.5])
        run = pb.run_once(search, problem, seed=3, budget=50, name="u", instance="i")
        assert (run.algorithm, run.instance, run.end, run.maximise) == ("u", "i", 50, True)
        assert list(zip(run.budgets, run.values, strict=True)) == search(problem, 3, 50, maximise=True)

    def test_its_archive_holds_the_points_behind_its_values(self):
        run = pb.run_once(pb.counted(uniform), pb.Hypervolume(Quadratics(), [1, 1]), 3, 50, name="u", instance=0)
        assert moocore.hypervolume(run.archive.points, ref=[1, 1]) == pytest.approx(run.values[-1], rel=1e-12)
        assert run.archive.budgets[0] == run.budgets[0] == 1  # even if the first point is worth nothing
        assert run.archive.reference.tolist() == [1, 1]

    def test_one_objective_has_no_archive(self):
        run = pb.run_once(lambda problem, seed, budget: [(1, 5.0), (2, 3.0)], None, 0, 9, name="a", instance=0)
        assert (run.values.tolist(), run.maximise, run.archive) == ([5, 3], False, None)
        up = pb.run_once(lambda *_: [(1, 5.0), (2, 3.0)], None, 0, 9, name="a", instance=0, maximise=True)
        assert up.values.tolist() == [5]


def test_the_hypervolume_is_counted_within_the_budget_only():
    problem = pb.Hypervolume(lambda x: x, [2, 2])
    recorder = pb.algorithms.Recorder(budget=1, maximise=True)
    record_run(lambda problem, seed, budget: [(1, [1, 1]), (2, [0, 0])], problem, 0, recorder)
    assert recorder.events() == [(1, 1)]
    assert len(recorder.measure.archive().budgets) == 1
