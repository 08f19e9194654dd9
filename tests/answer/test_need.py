"""How much sooner one algorithm reaches the quality of another, against closed forms and symmetries."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import polarbear as pb
from polarbear.answer.need import Need, budget_need
from polarbear.magnitude.collection import collect_runs
from tests.magnitude.runs import RATIO, pair_with_ratio, three_algorithms

CUT, DONE, FAILED = {"end": 100}, {"end": 60, "finished": True}, {"end": 60, "failed": True}


def need_of(a, b, *, at=100.0, number=12, maximise=False, order=("A", "B"), **rules):
    """The need of two algorithms with the same two runs on each instance, each as (budgets, values, options)."""
    sign = -1 if maximise else 1
    runs = [
        pb.Trajectory(name, instance, budgets, sign * np.array(values, dtype=float), maximise=maximise, **options)
        for name, (budgets, values, options) in {"A": a, "B": b}.items()
        for instance in range(number)
    ]
    return budget_need(collect_runs(runs, grid=[at], **rules), *order, at)


def logs_of(need):
    with np.errstate(divide="ignore"):
        return np.log([need.ratio, need.lower, need.upper])


B = ([10, 80], [5, 2], CUT)


@pytest.mark.parametrize("maximise", [False, True])
@pytest.mark.parametrize(
    ("a", "b", "better", "ratio"),
    [
        (([10, 30, 90], [5, 1.5, 1], CUT), B, "A", 0.3),  # B has 2 at 100, and A at 30
        (([10, 95], [5, 1], CUT), B, "A", 0.95),
        (([10, 20], [5, 2], CUT), B, "A", 20 / 80),  # a tie: both first times
        (([10, 90], [5, 2], CUT), B, "B", 80 / 90),
        (([10], [5], CUT), B, "B", 0.1),  # B has 5 at 10
        (([10], [4], CUT), B, "B", 0.8),
        (([50], [9], DONE), B, "B", 10 / 60),  # A's run ended at 60
        (([10, 30], [5, 1], FAILED), B, "B", 10 / 60),  # after its failure it has no value: the first of B
        (([10, 30], [5, 1], DONE), B, "A", 0.3),  # a finished run keeps its value
        (([10], [1], {"end": 250}), B, "A", 0.1),
        (([], [], CUT), B, "B", 0.1),  # no value: the first one of B
        (([40], [3], CUT), ([], [], {"end": 80, "finished": True}), "A", 40 / 80),
    ],
)
def test_the_ratio_of_two_runs(a, b, better, ratio, maximise):
    need = need_of(a, b, maximise=maximise)
    assert (need.better, need.budget, need.instances) == (better, 100, 12)
    assert need.worse == {"A": "B", "B": "A"}[better]
    assert need.ratio == pytest.approx(ratio)
    assert need.lower == pytest.approx(ratio)
    assert need.upper == pytest.approx(ratio)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (([], [], CUT), ([], [], CUT)),  # neither has a value
        (([10], [1], {"end": 50}), B),  # the value of A at 100 is not known
        (([10], [1], FAILED), ([], [], {"end": 40, "failed": True})),  # both failed
    ],
)
def test_without_a_value_there_is_no_ratio(a, b):
    assert need_of(a, b) is None


def test_instances_without_a_ratio_do_not_count():
    runs = [pb.Trajectory(name, i, [5], [1.0 + (name == "B")], end=100) for i in range(9) for name in "AB"]
    runs += [pb.Trajectory(name, i, [], [], end=100) for i in range(9, 14) for name in "AB"]  # unsolved
    runs += [pb.Trajectory("A", i, [90], [1.0], end=100) for i in range(14, 20)]  # not run by B
    need = budget_need(collect_runs(runs, grid=[100]), "A", "B", 100)
    assert (need.better, need.ratio, need.instances) == ("A", pytest.approx(0.05), 9)


def test_values_within_the_tolerance_tie():
    a = ([10, 20, 90], [5, 2.05, 1.99], CUT)
    assert need_of(a, B).ratio == pytest.approx(0.9)
    assert need_of(a, B, absolute_tolerance=0.1).ratio == pytest.approx(20 / 80)
    assert need_of(a, B, relative_tolerance=0.05).ratio == pytest.approx(20 / 80)


def test_times_are_those_of_the_runs_and_not_of_the_grid():
    runs = [pb.Trajectory("A", i, [10, 33], [5, 1], end=100) for i in range(4)]
    runs += [pb.Trajectory("B", i, [10, 80], [5, 2], end=100) for i in range(4)]
    for grid in ([100], [1, 10, 100], [32, 34, 100]):
        assert budget_need(collect_runs(runs, grid=grid), "A", "B", 100).ratio == pytest.approx(0.33)


def test_runs_from_budget_zero_need_no_budget():
    start, zero = ([0, 50], [2, 1], CUT), ([0], [2], {"end": 0, "finished": True})
    assert need_of(start, B).ratio < 1e-12
    assert need_of(zero, zero).ratio == 1
    assert need_of(start, zero).ratio == 1  # both had 2 at budget zero, when B ended
    need = need_of(([50], [1], CUT), zero)
    assert (need.better, need.worse) == ("B", "A")
    assert need.ratio < 1e-300


def test_the_ratio_is_the_median_over_instances():
    reached = [10, 20, 30, 60, 90]
    runs = [pb.Trajectory("A", i, [each], [1.0], end=100) for i, each in enumerate(reached)]
    runs += [pb.Trajectory("B", i, [5], [2.0], end=100) for i in range(5)]
    assert budget_need(collect_runs(runs, grid=[100]), "A", "B", 100).ratio == pytest.approx(0.3)
    runs = [run for run in runs if run.instance != 2]  # of an even number, the middle on the logarithmic scale
    assert budget_need(collect_runs(runs, grid=[100]), "A", "B", 100).ratio == pytest.approx(np.sqrt(0.2 * 0.6))


@settings(max_examples=40)
@given(seed=st.integers(0, 2**16), instances=st.integers(3, 25), maximise=st.booleans())
def test_the_order_of_the_two_does_not_matter(seed, instances, maximise):
    runs = collect_runs(turned(three_algorithms(instances, seed), maximise), grid=[10, 100, 1000])
    for budget in (10, 100, 1000):
        there, back = (budget_need(runs, *pair, budget) for pair in (("quick", "steady"), ("steady", "quick")))
        if there.ratio == pytest.approx(1):  # then nobody is better
            assert back.ratio == pytest.approx(1)
        else:
            assert (back.better, back.worse, back.instances) == (there.better, there.worse, there.instances)
            assert logs_of(back) == pytest.approx(logs_of(there))


def turned(runs, maximise):
    """The same runs, with values whose sign is turned if they are to be maximised."""
    if not maximise:
        return runs
    return [
        pb.Trajectory(
            run.algorithm, run.instance, run.budgets, -run.values, run.end, maximise=True, cluster=run.cluster
        )
        for run in runs
    ]


def scaled(runs, *, factor=1.0, transform=lambda values: values):
    return [
        pb.Trajectory(run.algorithm, run.instance, run.budgets * factor, transform(run.values), run.end * factor)
        for run in runs
    ]


@settings(max_examples=30)
@given(seed=st.integers(0, 2**16), factor=st.sampled_from([2.0**-10, 0.5, 4.0, 2.0**20]))
def test_the_unit_of_budgets_does_not_matter(seed, factor):
    runs = three_algorithms(15, seed)
    plain = budget_need(collect_runs(runs, grid=[100, 1000]), "quick", "steady", 1000)
    other = collect_runs(scaled(runs, factor=factor), grid=np.array([100, 1000]) * factor)
    found = budget_need(other, "quick", "steady", 1000 * factor)
    assert replace(found, budget=1000.0) == plain


@pytest.mark.parametrize("transform", [np.exp, np.cbrt, lambda values: 3 * values - 7], ids=["exp", "root", "line"])
@pytest.mark.parametrize("budget", [10, 1000])
def test_only_the_order_of_values_matters(transform, budget):
    runs = three_algorithms(20)
    plain, other = (
        budget_need(collect_runs(each, grid=[10, 1000], relative_tolerance=0), "quick", "steady", budget)
        for each in (runs, scaled(runs, transform=transform))
    )
    assert other == plain


def test_maximising_is_minimising_the_negative():
    runs = three_algorithms(20)
    there, back = (
        budget_need(collect_runs(turned(runs, each), grid=[1000]), "quick", "steady", 1000) for each in (False, True)
    )
    assert there == back


def test_instances_of_a_cluster_share_its_weight():
    """Three clusters say 0.2, one of nine instances says 0.8: the median over clusters is 0.2."""
    runs = []
    for i in range(12):
        cluster = max(0, i - 8)
        reached = 80 if cluster == 0 else 20
        runs.append(pb.Trajectory("A", i, [reached], [1.0], end=100, cluster=cluster))
        runs.append(pb.Trajectory("B", i, [5], [2.0], end=100, cluster=cluster))
    alone = [run.in_cluster(None) for run in runs]
    assert budget_need(collect_runs(runs, grid=[100]), "A", "B", 100).ratio == pytest.approx(0.2)
    assert budget_need(collect_runs(alone, grid=[100]), "A", "B", 100).ratio == pytest.approx(0.8)


def test_clusters_widen_the_interval():
    runs = pair_with_ratio(np.random.default_rng(0), 60, clusters=6)
    wide, narrow = (
        budget_need(collect_runs(each, grid=[100]), "A", "B", 100)
        for each in (runs, [run.in_cluster(None) for run in runs])
    )
    assert wide.upper / wide.lower > 1.5 * narrow.upper / narrow.lower


def test_the_interval_covers_the_truth_as_often_as_it_claims():
    """120 samples of 25 instances; 5 % is two and a half standard errors of the coverage."""
    covered = 0
    for sample in range(120):
        runs = collect_runs(pair_with_ratio(np.random.default_rng(sample), 25), grid=[100], draws=300, seed=sample)
        found = budget_need(runs, "A", "B", 100)
        truth = RATIO if found.better == "A" else 1 / RATIO
        covered += found.lower <= truth <= found.upper
    assert covered / 120 == pytest.approx(0.95, abs=0.05)


def test_one_instance_bounds_nothing():
    need = need_of(([10], [1], CUT), B, number=1)
    assert (need.ratio, need.lower, need.upper) == (pytest.approx(0.1), 0, np.inf)
    assert (need.is_about_the_same, need.is_unknown) == (False, True)


@pytest.mark.parametrize(
    ("lower", "ratio", "upper", "same"),
    [
        (0.4, 0.6, 0.9, ""),
        (0.4, 0.6, 1.1, "same"),
        (0.6, 0.9, 3.0, "same"),
        (1.0, 1.0, 1.0, "same"),
        (0.3, 0.6, 1.1, "unknown"),
        (0.9, 1.0, 3.1, "same"),  # the median is one
        (0.6, 0.9, 3.1, "unknown"),
        (0.0, 0.2, 0.99, ""),
    ],
)
def test_an_interval_around_one_is_about_the_same_up_to_three_times_the_budget(lower, ratio, upper, same):
    need = Need("A", "B", 100, ratio, lower, upper, 9)
    assert (need.is_about_the_same, need.is_unknown) == (same == "same", same == "unknown")
