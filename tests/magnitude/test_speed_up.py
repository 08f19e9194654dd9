"""The budget ratio of two runs, its median over instances, and the interval of this median."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.magnitude.collection import collect_runs
from polarbear.magnitude.speed_up import budget_ratios
from tests.magnitude.runs import RATIO, pair_with_ratio, three_algorithms


def ratio_of(a, b, *, at=100.0, maximise=False, **rules):
    """The budget ratio of one pair of runs, each given as (budgets, values, options), and whether it is a lower bound."""
    sign = -1 if maximise else 1
    runs = [
        pb.Trajectory(name, 0, budgets, sign * np.array(values, dtype=float), maximise=maximise, **options)
        for name, (budgets, values, options) in {"A": a, "B": b}.items()
    ]
    ratios, censored = budget_ratios(collect_runs(runs, grid=[at], **rules), "A", "B", np.array([at]))
    return float(ratios[0, 0]), bool(censored[0, 0])


CUT, DONE, FAILED = {"end": 100}, {"end": 60, "finished": True}, {"end": 60, "failed": True}
B = ([10, 80], [5, 2], CUT)


@pytest.mark.parametrize("maximise", [False, True])
@pytest.mark.parametrize(
    ("a", "expected"),
    [
        (([10, 30, 90], [5, 1.5, 1], CUT), (0.3, False)),  # reaches 2 at 30, of B's 100
        (([10, 95], [5, 1], CUT), (0.95, False)),
        (([10], [5], CUT), (1.0, True)),  # cut off at 100 without reaching it
        (([10], [5], {"end": 250}), (2.5, True)),
        (([10, 200], [5, 1], {"end": 250}), (2.0, False)),
        (([10], [5], DONE), (np.inf, False)),  # ended by itself, and never reaches it
        (([10], [5], FAILED), (np.inf, False)),
        (([10, 30], [5, 1], FAILED), (0.3, False)),  # reached it before its failure
        (([10, 20], [5, 2], CUT), (0.25, False)),  # a tie: 20 against B's 80
        (([0, 50], [2, 1], CUT), (0.0, False)),  # from the start
        (([], [], CUT), (1.0, True)),  # no solution yet
    ],
)
def test_the_ratio_of_two_runs(a, expected, maximise):
    assert ratio_of(a, B, maximise=maximise) == expected


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (([0], [2], CUT), ([0], [2], CUT), 1.0),  # both from the start
        (([0, 10], [2, 1], CUT), ([0, 40], [2, 1], CUT), 0.25),
        (([20], [2], CUT), ([], [], CUT), 0.2),  # only A has a solution: its first one counts
        (([], [], CUT), ([], [], CUT), np.nan),  # neither has one
        (([10], [1], CUT), ([10], [2], {"end": 50}), np.nan),  # B's value at 100 is not known
    ],
)
def test_the_ratio_without_a_difference_or_without_a_value(a, b, expected):
    assert ratio_of(a, b)[0] == pytest.approx(expected, nan_ok=True)


def test_a_tie_within_the_tolerance_compares_the_budgets_to_reach_it():
    a, b = ([10, 20, 90], [5, 2.05, 1.99], CUT), B
    assert ratio_of(a, b) == (0.9, False)
    assert ratio_of(a, b, absolute_tolerance=0.1) == (0.25, False)
    assert ratio_of(a, b, relative_tolerance=0.05) == (0.25, False)


def test_failed_runs_that_are_missing_are_censored():
    assert ratio_of(([10], [5], FAILED), B, failure="missing") == (0.6, True)


def test_a_ratio_below_one_means_that_the_first_beats_the_second():
    """For continuous values, the share of instances with a ratio of at most 1 is the win rate."""
    collection = collect_runs(three_algorithms(40), grid=pb.log_grid(10, 1000, 9))
    for a, b in (("quick", "steady"), ("steady", "quick"), ("poor", "quick")):
        ratios, censored = budget_ratios(collection, a, b, collection.grid.budgets)
        first, second = (collection.table.values[..., collection.index(name)] for name in (a, b))
        np.testing.assert_array_equal((ratios <= 1) & ~censored, first <= second)


def test_the_interval_covers_the_truth_as_often_as_it_claims():
    """150 samples of 20 instances, some runs cut off early; 4.5 % is two and a half standard errors of the coverage."""
    covered = 0
    for sample in range(150):
        runs = pair_with_ratio(np.random.default_rng(sample), 20, cut=(0.2, 1.2))
        found = pb.speed_up(runs, "A", "B", grid=[100], draws=300, seed=sample)
        covered += found.lower[0] <= RATIO <= found.upper[0]
    assert covered / 150 == pytest.approx(0.95, abs=0.045)


def test_clusters_widen_the_interval():
    runs = pair_with_ratio(np.random.default_rng(0), 60, clusters=6)
    alone = [run.in_cluster(None) for run in runs]
    wide, narrow = (pb.speed_up(each, "A", "B", grid=[100]) for each in (runs, alone))
    assert wide.upper[0] / wide.lower[0] > 1.5 * narrow.upper[0] / narrow.lower[0]


def test_the_sentence_says_what_is_known():
    def sentence(end, reached=None, number=20, **options):
        events = ([10, reached], [5, 1]) if reached else ([10], [5])
        runs = [pb.Trajectory("A", i, *events, end=end, **options) for i in range(number)]
        runs += [pb.Trajectory("B", i, [10, 80], [5, 2], end=100) for i in range(number)]
        return pb.speed_up(runs, "A", "B", grid=[50, 100], unit="evaluations").sentence

    budget = "B's budget of 100 evaluations for the same quality"
    coarse = "The runs of A are recorded at 2 budgets only; speed-ups can only be read off at these."
    assert sentence(100, 30) == f"A needs 0.3 of {budget}, based on 20 instances. {coarse}"
    assert sentence(250, 200) == f"A needs 2 times {budget}, based on 20 instances. {coarse}"
    assert sentence(100, 100) == f"A needs all of {budget}, based on 20 instances. {coarse}"
    assert sentence(320) == f"A needs more than 3.2 times {budget}, based on 20 instances."
    assert sentence(100) == f"A needs more than {budget}, based on 20 instances."
    assert sentence(60, finished=True).startswith("A does not reach the quality of B at 100 evaluations on most")
    few = pb.speed_up(pair_with_ratio(np.random.default_rng(0), 2), "A", "B", grid=[100])
    assert (few.lower[0], few.upper[0]) == (0, np.inf)  # two instances do not bound a median


def test_budgets_that_many_runs_share_are_checkpoints():
    def checkpoints(budgets_of):
        runs = [pb.Trajectory(name, i, budgets_of(i), [3, 2, 1], end=99) for name in "AB" for i in range(20)]
        return pb.collect_runs(runs, grid=[50, 99]).checkpoints("A")

    assert checkpoints(lambda i: [10, 20, 40]) == 3
    assert checkpoints(lambda i: [1, 5 + 2 * i, 50 + 2 * i]) == 0  # one of 41 budgets, mostly its own


def test_another_budget_than_those_of_the_grid():
    runs = three_algorithms()
    found = pb.speed_up(runs, "quick", "steady", at=123.0, grid=pb.log_grid(10, 1000, 5))
    assert found.grid.budgets[found.place] == 123.0
    assert len(found.to_table()["ratio"]) == 6
    with pytest.raises(ValueError, match="expected a budget from 10 to 1,000, the budgets of the grid, got 2,000"):
        pb.speed_up(runs, "quick", "steady", at=2000, grid=pb.log_grid(10, 1000, 5))
    with pytest.raises(ValueError, match="got 'quik'; did you mean 'quick'"):
        pb.speed_up(runs, "quik", "steady")
    with pytest.raises(ValueError, match="expected two different algorithms, got 'quick' twice"):
        pb.speed_up(runs, "quick", "quick")
