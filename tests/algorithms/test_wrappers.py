"""Functions, ask-and-tell optimisers and families become anytime algorithms that are stopped at their budget."""

import pickle
from threading import Thread

import numpy as np
import pytest

from polarbear.algorithms import ask_tell, counted, family
from tests.algorithms.outcomes import Sphere, outcome


class TestCounted:
    def test_a_function_may_loop_forever(self):
        arguments = []

        @counted
        def search(objective, budget, rng):
            arguments.append((budget, objective.dimension, objective.bounds, rng.random()))
            while True:
                try:
                    objective(rng.uniform(-5, 5, objective.dimension))
                except Exception:  # as careless optimisers do
                    continue

        ended, recorder = outcome(search)
        assert not ended
        assert recorder.evaluations == 100
        assert arguments == [(100, 2, Sphere.bounds, np.random.default_rng(1).random())]

    def test_the_objective_returns_the_value_of_the_problem(self):
        values = []
        problem = lambda x, scale=1: np.array([scale * x])  # noqa: E731
        outcome(counted(lambda objective, budget, rng: values.append(objective(2.0, scale=3))), problem)
        assert isinstance(values[0], np.ndarray)

    def test_a_function_that_returns_before_its_budget_has_ended_by_itself(self):
        assert outcome(counted(lambda objective, budget, rng: objective([0, 0])))[0]
        assert not outcome(counted(lambda objective, budget, rng: [objective([0, 0]) for _ in range(budget)]))[0]

    def test_no_budget_on_the_wall_clock(self):
        def search(objective, budget, rng):
            assert budget is None
            objective([1, 1])

        assert outcome(counted(search), clock="seconds")[0]

    def test_threads_may_evaluate(self):
        def search(objective, budget, rng):
            threads = [Thread(target=lambda: [objective([0, 0]) for _ in range(10)]) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()

        assert outcome(counted(search))[1].evaluations == 30

    @pytest.mark.parametrize("function", [None, 3, "f", lambda objective: 1, lambda a, b, c, d: 1])
    def test_a_function_with_other_arguments_is_refused_at_once(self, function):
        with pytest.raises(ValueError, match=r"expected a function\(objective, budget, rng\) for pb.counted, got"):
            counted(function)

    def test_a_problem_that_is_not_a_function_is_refused(self):
        with pytest.raises(ValueError, match="a problem that can be called with a point, got 'file"):
            outcome(counted(lambda objective, budget, rng: objective(1)), "file.cnf")

    def test_the_objective_cannot_be_sent_to_another_process(self):
        with pytest.raises(TypeError, match="could not be counted"):
            outcome(counted(lambda objective, budget, rng: pickle.dumps(objective)))


class Optimiser:
    """Asks for random points, and keeps the arguments of `tell`."""

    def __init__(self, rng, calls):
        self.rng, self.calls = rng, calls

    def ask(self):
        return self.rng.uniform(-5, 5, 2)

    def tell(self, *args):
        self.calls.append(args)


class Batches(Optimiser):
    def ask(self):
        return list(self.rng.uniform(-5, 5, (4, 2)))


class Matrices(Optimiser):
    def ask(self):
        return self.rng.uniform(-5, 5, (4, 2))


class Pairs(Optimiser):
    population_size = 5

    def should_stop(self):
        return len(self.calls) % 3 == 0


class TestAskTell:
    def test_points(self):
        calls = []
        ended, recorder = outcome(ask_tell(lambda problem, rng: Optimiser(rng, calls)))
        assert not ended
        assert len(calls) == recorder.evaluations == 100
        point, value = calls[0]
        assert value == Sphere()(point)

    @pytest.mark.parametrize("make", [Batches, Matrices])
    def test_batches(self, make):
        calls = []
        outcome(ask_tell(lambda problem, rng: make(rng, calls)), budget=42)
        assert len(calls) == 10
        assert all(len(points) == len(values) == 4 for points, values in calls)

    def test_pairs_are_told_by_population_and_the_optimiser_may_stop(self):
        calls = []
        ended, recorder = outcome(ask_tell(lambda problem, rng: Pairs(rng, calls)))
        assert ended
        assert recorder.evaluations == 15
        assert [len(pairs) for (pairs,) in calls] == [5, 5, 5]

    def test_restarts(self):
        calls, dimensions = [], []

        def make(problem, rng):
            dimensions.append(problem.dimension)
            return Pairs(rng, calls)

        ended, recorder = outcome(ask_tell(make, restart=True))
        assert (ended, recorder.evaluations) == (False, 100)
        assert dimensions == [2] * 7

    def test_a_style_can_be_chosen(self):
        calls = []
        make = lambda problem, rng: Pairs(rng, calls)  # noqa: E731
        outcome(ask_tell(make, style="point"), budget=2)
        assert [len(args) for args in calls] == [2, 2]

    def test_lists_of_numbers_are_points(self):
        class Lists(Optimiser):
            def ask(self):
                return [1.0, 2.0]

        calls = []
        outcome(ask_tell(lambda problem, rng: Lists(rng, calls)), budget=2)
        assert calls == [([1.0, 2.0], 5.0)] * 2

    def test_bad_input(self):
        with pytest.raises(ValueError, match=r"expected a function\(problem, rng\) for pb.ask_tell"):
            ask_tell(3)
        with pytest.raises(ValueError, match="expected style="):
            ask_tell(lambda problem, rng: 1, style="swarm")
        with pytest.raises(ValueError, match="expected an optimiser with `ask` and `tell`, got 3"):
            outcome(ask_tell(lambda problem, rng: 3))


class TestFamily:
    @staticmethod
    def make(budget):
        @counted
        def member(objective, allowed, rng):
            for i in range(10_000):
                objective([budget - i, 0])

        return member

    def test_a_member_ends_at_its_budget(self):
        members = family("sa", self.make, [10, 1e6, 0.5 + 20])
        assert list(members) == ["sa(10)", "sa(1000000)", "sa(20.5)"]
        ended, recorder = outcome(members["sa(10)"])
        assert ended
        assert recorder.evaluations == 10
        assert outcome(members["sa(10)"], budget=10)[0]
        assert not outcome(members["sa(10)"], budget=9)[0]
        assert not outcome(members["sa(1000000)"])[0]

    def test_generators_get_the_smaller_of_the_two_budgets(self):
        budgets = []

        def make(budget):
            return lambda problem, seed, budget: budgets.append(budget) or [(1, 1.0)]

        for member in family("g", make, [10, 1000]).values():
            outcome(member)
        assert budgets == [10, 100]

    @pytest.mark.parametrize(
        ("name", "make", "budgets", "message"),
        [
            ("", lambda b: print, [1], "a name for the family"),
            ("a", 3, [1], r"expected a function\(budget\) for pb.family"),
            ("a", lambda b: print, [], "at least one budget"),
            ("a", lambda b: print, [0], "above zero and finite"),
            ("a", lambda b: print, [1, 1.0], "different budgets"),
            ("a", lambda b: print, ["x"], "a budget that is one number"),
            ("a", lambda b: None, [1], "to return an algorithm, got None"),
        ],
    )
    def test_bad_input(self, name, make, budgets, message):
        with pytest.raises(ValueError, match=message):
            family(name, make, budgets)
