"""A portfolio from stored runs, against reading its members budget by budget."""

import math
from dataclasses import asdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from polarbear import Choices, Trajectory, virtual_portfolio
from polarbear.importers.imported import Block


def random_run(rng, algorithm, instance=0, *, maximise=False, failed=False):
    count = int(rng.integers(0, 6))
    budgets = np.sort(rng.integers(0, 20, size=count)).astype(float)
    end = (budgets[-1] if count else 0.0) + float(rng.integers(0, 15))
    values = rng.integers(0, 10, size=count).astype(float)
    return Trajectory(algorithm, instance, budgets, values, end=end, failed=failed, maximise=maximise)


def found_by(run, budget):
    """Return the best value of a run by a budget, whether or not the run failed later."""
    known = [value for at, value in zip(run.budgets, run.values, strict=True) if at <= budget]
    worst = -math.inf if run.maximise else math.inf
    return (max if run.maximise else min)([worst, *known])


@settings(deadline=None, max_examples=200)
@given(st.integers(0, 2**32 - 1), st.booleans(), st.lists(st.booleans(), min_size=2, max_size=4))
def test_the_best_of_the_members_at_every_budget(seed, maximise, failures):
    rng = np.random.default_rng(seed)
    names = "ABCD"[: len(failures)]
    runs = [random_run(rng, n, maximise=maximise, failed=f) for n, f in zip(names, failures, strict=True)]
    (together,) = virtual_portfolio(runs, list(names))
    best = max if maximise else min
    going = [run.end for run in runs if not run.failed]
    assert together.failed == all(failures)
    assert together.end == (min(going) if going else max(run.end for run in runs))
    assert together.maximise == maximise
    for budget in np.arange(0, together.end + 0.25, 0.5):
        if budget <= together.end:
            assert found_by(together, budget) == best(found_by(run, budget) for run in runs)
    assert np.isnan(together.at([together.end + 1], failure="missing"))


def test_without_failures_it_reads_like_the_best_of_what_members_read():
    rng = np.random.default_rng(3)
    for _ in range(50):
        runs = [random_run(rng, name) for name in "AB"]
        (together,) = virtual_portfolio(runs, ["A", "B"])
        budgets = np.linspace(0, together.end, 30)
        np.testing.assert_array_equal(together.at(budgets), np.minimum(*(run.at(budgets) for run in runs)))


def test_one_run_for_each_instance_on_which_all_members_ran():
    runs = [Trajectory(name, i, [1], [float(i)], end=5) for i in range(4) for name in "ABC" if (name, i) != ("B", 2)]
    together = virtual_portfolio(iter(runs), ["B", "A"], name="both")
    assert [(run.algorithm, run.instance) for run in together] == [("both", 0), ("both", 1), ("both", 3)]
    assert virtual_portfolio(runs, ["B", "A"])[0].algorithm == "B + A"


def test_a_failed_member_keeps_its_best_value_and_the_others_continue():
    failed = Trajectory("A", 0, [1, 3], [9.0, 2.0], end=4, failed=True)
    slow = Trajectory("B", 0, [2, 8], [5.0, 1.0], end=10)
    (together,) = virtual_portfolio([failed, slow], ["A", "B"])
    assert not together.failed
    assert together.end == 10
    assert together.at([1, 2, 3, 5, 8, 10]).tolist() == [9, 5, 2, 2, 1, 1]


def test_a_portfolio_fails_if_all_members_fail():
    runs = [Trajectory("A", 0, [1], [9.0], end=4, failed=True), Trajectory("B", 0, [2], [5.0], end=7, failed=True)]
    (together,) = virtual_portfolio(runs, ["A", "B"])
    assert together.failed
    assert together.at([1, 6, 7]).tolist() == [9, 5, math.inf]


def test_members_that_found_nothing():
    nothing = Trajectory("A", 0, [], [], end=10)
    some = Trajectory("B", 0, [2], [5.0], end=10)
    assert virtual_portfolio([nothing, some], ["A", "B"])[0].values.tolist() == [5]
    other = Trajectory("B", 0, [], [], end=8)
    (none,) = virtual_portfolio([nothing, other], ["A", "B"])
    assert (none.budgets.size, none.end) == (0, 8)


def test_a_portfolio_finishes_with_the_last_of_its_members():
    first = Trajectory("A", 0, [1], [3.0], end=4, finished=True)
    last = Trajectory("B", 0, [2], [2.0], end=9, finished=True)
    (together,) = virtual_portfolio([first, last], ["A", "B"])
    assert (together.end, together.ended) == (9, "finished")
    assert together.at([1, 100]).tolist() == [3, 2]


def test_a_run_that_ended_by_itself_does_not_end_the_portfolio():
    done = Trajectory("A", 0, [1], [3.0], end=math.inf)
    assert virtual_portfolio([done, Trajectory("B", 0, [2], [5.0], end=9)], ["A", "B"])[0].end == 9


FRONTS = {"A": {1.0: (1, 3), 4.0: (2, 3)}, "B": {2.0: (3, 1), 5.0: (4, 1)}}


def hypervolume(points):
    """Of points that are maximised, against the origin, counted square by square."""
    return float(sum(any(x <= a and y <= b for a, b in points) for x in range(1, 6) for y in range(1, 6)))


def test_sets_that_combine_to_more_than_their_best():
    """Each run's value is the hypervolume of its own front; together they cover more than either."""
    runs = [
        Trajectory(name, "problem", list(front), [hypervolume([p]) for p in front.values()], end=10, maximise=True)
        for name, front in FRONTS.items()
    ]

    def union(instance, budgets, values):
        assert instance == "problem"
        assert values.shape == (2, len(budgets))
        return [
            hypervolume([p for front in FRONTS.values() for at, p in front.items() if at <= budget])
            for budget in budgets
        ]

    (together,) = virtual_portfolio(runs, ["A", "B"], combine=union)
    (best,) = virtual_portfolio(runs, ["A", "B"])
    assert together.budgets.tolist() == [1, 2, 4, 5]
    assert together.values.tolist() == [3, 5, 7, 8]
    assert best.at([1, 2, 4, 5]).tolist() == [3, 3, 6, 6]


def test_combine_receives_each_members_best_so_far():
    arguments = {}

    def total(instance, budgets, values):
        arguments[instance] = (budgets.tolist(), values.tolist())
        return values.sum(axis=0)

    runs = [Trajectory("A", 7, [1, 5], [9.0, 3.0], end=10), Trajectory("B", 7, [2, 9], [4.0, 1.0], end=8 + 1)]
    (together,) = virtual_portfolio(runs, ["A", "B"], combine=total)
    assert arguments == {7: ([1, 2, 5, 9], [[9, 9, 3, 3], [math.inf, 4, 4, 1]])}
    assert together.at([1, 2, 5, 9]).tolist() == [math.inf, 13, 7, 4]


def test_the_portfolio_is_ranked_like_any_algorithm():
    rng = np.random.default_rng(0)
    runs = [Trajectory(name, i, [1, 5], np.sort(rng.normal(size=2))[::-1], end=10) for i in range(6) for name in "ABC"]
    choices = Choices.from_trajectories([*runs, *virtual_portfolio(runs, ["A", "B"])], grid=[2, 6, 10])
    assert set(choices.names) == {"A", "B", "C", "A + B"}


def test_stored_runs_are_left_alone():
    runs = [Trajectory("A", 0, [1, 5], [9.0, 3.0], end=10), Trajectory("B", 0, [2], [4.0], end=8)]
    before = [repr(asdict(run)) for run in runs]

    def careless(instance, budgets, values):
        values[:] = 0
        return values[0]

    virtual_portfolio(runs, ["A", "B"], combine=careless)
    assert [repr(asdict(run)) for run in runs] == before


def repeated(repetitions, names="AB", *, seed=0):
    """Runs on two instances with so many repetitions each, all of different quality."""
    rng = np.random.default_rng(seed)
    return [
        Trajectory(name, (problem, r), [1, 5], np.sort(rng.normal(size=2))[::-1], end=10, cluster=problem)
        for problem in ("sphere", "ackley")
        for r in range(repetitions)
        for name in names
    ]


@pytest.mark.parametrize("copies", [2, 3])
def test_copies_are_other_repetitions_of_the_same_instance(copies):
    runs = repeated(4)
    by_key = {(run.algorithm, run.instance): run for run in runs}
    used = dict.fromkeys(by_key, 0)

    def watched(instance, budgets, values):
        problem, r = instance
        members = [("A", (problem, (r + copy) % 4)) for copy in range(copies)] + [("B", (problem, r))]
        assert len(values) == copies + 1
        for key, row in zip(members, values, strict=True):
            assert row.tolist() == [found_by(by_key[key], budget) for budget in budgets]
            used[key] += 1
        return values.min(axis=0)

    together = virtual_portfolio(runs, [*copies * ["A"], "B"], combine=watched)
    assert [(run.instance, run.cluster) for run in together] == [(key, key[0]) for name, key in by_key if name == "A"]
    assert {run.algorithm for run in together} == {f"{copies} x A + B"}
    assert {key[0]: count for key, count in used.items()} == {"A": copies, "B": 1}
    assert set(used.values()) == {copies, 1}
    (best, *_) = virtual_portfolio(runs, [*copies * ["A"], "B"])
    assert best.at([5]) == min(
        by_key["B", ("sphere", 0)].at([5]), *(by_key["A", ("sphere", r)].at([5]) for r in range(copies))
    )


def test_copies_measured_by_repeated_runs():
    """Equally good algorithms without any luck of the instance: two copies win two races of three."""
    rng = np.random.default_rng(0)
    runs = [
        Trajectory(name, (i, r), [1], [rng.normal()], end=2, cluster=i)
        for i in range(400)
        for r in range(4)
        for name in "AB"
    ]
    together = {run.instance: run.at([1])[0] for run in virtual_portfolio(runs, ["A", "A"])}
    wins = [together[run.instance] < run.at([1])[0] for run in runs if run.algorithm == "B"]
    assert np.mean(wins) == pytest.approx(2 / 3, abs=5 * 0.5 / np.sqrt(len(wins) / 2))


def test_fewer_repetitions_than_copies_are_refused():
    runs = [*repeated(3), Trajectory("A", ("ridge", 0), [1], [9.0], cluster="ridge")]
    with pytest.raises(
        ValueError,
        match=r"at least 2 repetitions of every instance for 2 copies of one algorithm, got 1 of 'ridge'; run it",
    ):
        virtual_portfolio(runs, ["A", "A"])
    assert len(virtual_portfolio(runs, ["A", "A", "B"])) == 6  # B did not run on the ridge
    with pytest.raises(ValueError, match=r"at least 4 repetitions .* got 3 of 'sphere'"):
        virtual_portfolio(repeated(3), 4 * ["A"])


def imported(cluster):
    return [
        Trajectory("A", Block("bbob", 1, 5, i, r), [1], [float(10 * i + r)], cluster=cluster)
        for i in (1, 2)
        for r in (1, 2)
    ]


def test_clusters_of_different_instances_are_no_repetitions():
    with pytest.raises(
        ValueError, match=r"hold repetitions of one instance, got .* in the cluster 'f1'; pass repetition_of"
    ):
        virtual_portfolio(imported("f1"), ["A", "A"])


@pytest.mark.parametrize("cluster", ["f1", None])
def test_the_repeated_instance_can_be_passed(cluster):
    together = virtual_portfolio(imported(cluster), ["A", "A"], repetition_of=lambda run: run.instance[:4])
    assert [run.values.tolist() for run in together] == [[11], [11], [21], [21]]
    assert {run.cluster for run in together} == {cluster}


RUNS = [Trajectory("A", 0, [1], [9.0]), Trajectory("B", 0, [1], [9.0]), Trajectory("C", 1, [1], [9.0])]


@pytest.mark.parametrize(
    ("members", "message"),
    [
        (["A"], "expected two or more members, got 'A'"),
        ([], "expected two or more members, got none"),
        (["A", "A"], "for 2 copies of one algorithm, got none for 'A' on 0; give repeated runs the same cluster"),
        ("AB", "expected two or more members, got 'AB'"),
        (["A", "C"], "expected instances on which all of A, C were run, got none"),
        (["A", "X"], "expected instances on which all of A, X were run, got none"),
    ],
)
def test_members_that_cannot_run_together_are_refused(members, message):
    with pytest.raises(ValueError, match=message):
        virtual_portfolio(RUNS, members)


def test_two_runs_of_a_member_on_one_instance_are_refused():
    with pytest.raises(ValueError, match="got two of 'A' on 0; give repeated runs instances of their own"):
        virtual_portfolio([*RUNS, RUNS[0]], ["A", "B"])
    assert len(virtual_portfolio([*RUNS, RUNS[2]], ["A", "B"])) == 1  # others do not matter


def test_members_that_minimise_and_maximise_are_refused():
    with pytest.raises(ValueError, match="all minimise or all maximise, got both on instance 0"):
        virtual_portfolio([RUNS[0], Trajectory("B", 0, [1], [9.0], maximise=True)], ["A", "B"])


def test_combine_must_give_a_value_for_each_budget():
    with pytest.raises(ValueError, match=r"expected one value of combine for each of 1 budgets, got shape \(2,\)"):
        virtual_portfolio(RUNS, ["A", "B"], combine=lambda instance, budgets, values: values[:, 0])
