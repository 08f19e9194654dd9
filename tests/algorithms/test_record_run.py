import math

import numpy as np
import pytest

from polarbear.algorithms import Recorder, record_run


def record(algorithm, budget=100, **options):
    recorder = Recorder(budget, **options)
    ended = record_run(algorithm, "problem", 7, recorder)
    return ended, recorder.events()


def test_the_algorithm_gets_problem_seed_and_a_whole_budget():
    def algorithm(problem, seed, budget):
        assert (problem, seed, budget, type(budget)) == ("problem", 7, 100, int)
        yield 1, 1.0

    assert record(algorithm, budget=100.7) == (True, [(1.0, 1.0)])


@pytest.mark.parametrize(
    "result",
    [[(1, 5.0), (2, 4.0)], ((1, 5.0), (2, 4.0)), np.array([[1, 5.0], [2, 4.0]]), iter([[1, 5], [2, 4]]),
     zip([1, 2], [5, 4], strict=True)],
    ids=["list", "tuple", "array", "iterator", "zip"],
)  # fmt: skip
def test_any_iterable_of_pairs_is_accepted(result):
    assert record(lambda problem, seed, budget: result) == (True, [(1.0, 5.0), (2.0, 4.0)])


def test_nothing_is_requested_after_the_end_and_the_generator_cleans_up():
    requested, cleaned = [], []

    def algorithm(problem, seed, budget):
        try:
            for t in range(1, 1000):
                requested.append(t)
                yield t, 1 / t
        finally:
            cleaned.append(True)

    ended, events = record(algorithm, budget=10)
    assert not ended
    assert len(events) == 10
    assert requested[-1] == 11
    assert cleaned


def test_a_run_that_reaches_its_budget_has_not_ended_by_itself():
    ended, events = record(lambda problem, seed, budget: [(1, 2.0), (budget, 1.0)], budget=10.5)
    assert not ended
    assert events[-1] == (10.0, 1.0)


def test_values_alone_are_timed_by_the_recorder():
    ended, events = record(lambda problem, seed, budget: [3.0, 2.0], clock="seconds")
    assert ended
    assert [value for _, value in events] == [3.0, 2.0]
    assert all(0 <= budget < 100 for budget, _ in events)


@pytest.mark.parametrize("result", [None, 3.0, "1 2", {"budget": 1}, 7], ids=repr)
def test_a_result_without_pairs_is_refused(result):
    with pytest.raises(ValueError, match=r"pairs \(budget, value\), got .*pb.counted"):
        record(lambda problem, seed, budget: result)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ([], "at least one value by evaluations 100, but the algorithm ended without one; yield"),
        ([(200, 1.0)], "by evaluations 100, got the first at 200; report earlier"),
        ([(1, math.nan)] * 3, "got only NaN; check"),
        ([(1, 1.0), (0.5, 1.0)], "do not go back"),
        ([(1, 1.0, 2.0)], r"expected a pair \(evaluations, value\)"),
        ([(1, None)], "does the function return its result"),
        ([(1, [1.0, 2.0])], "give one number for each point"),
    ],
)
def test_useless_reports_are_refused(result, message):
    with pytest.raises(ValueError, match=message):
        record(lambda problem, seed, budget: result)


def test_no_solution_yet_is_a_report():
    assert record(lambda problem, seed, budget: [(budget, math.inf)]) == (False, [])


def test_errors_of_the_algorithm_are_raised():
    def algorithm(problem, seed, budget):
        yield 1, 1.0
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        record(algorithm)
