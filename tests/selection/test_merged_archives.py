"""Portfolios with several objectives: the hypervolume of the union of their members' points."""

import moocore
import numpy as np
import pandas as pd
import pytest

from polarbear import Choices, Hypervolume, Trajectory, counted, read_runs, run_once, virtual_portfolio

RNG = np.random.default_rng(7)
POINTS = {(name, run): RNG.random((30, 2)) for name in "AB" for run in (1, 2)}
REFERENCE = [0.9, 0.9]
BUDGETS = np.arange(1, 31)


@pytest.fixture
def runs():
    rows = [
        {"algorithm_name": name, "instance": 1, "run_id": run, "evaluations": budget, "raw_y": x, "F2": y}
        for (name, run), points in POINTS.items()
        for budget, (x, y) in enumerate(points, 1)
    ]
    return read_runs(pd.DataFrame(rows), indicator="hypervolume", reference=REFERENCE).runs


def union(*members):
    return [
        moocore.hypervolume(np.concatenate([POINTS[member][:budget] for member in members]), ref=REFERENCE)
        for budget in BUDGETS
    ]


def test_different_algorithms_merge_their_archives(runs):
    together = virtual_portfolio(runs, ["A", "B"])
    assert [run.instance.run for run in together] == [1, 2]
    for number, run in enumerate(together, 1):
        assert (run.algorithm, run.maximise, run.end) == ("A + B", True, 30)
        assert run.at(BUDGETS) == pytest.approx(union(("A", number), ("B", number)), rel=1e-12)


def test_copies_merge_their_archives(runs):
    for run in virtual_portfolio(runs, ["A", "A"], repetition_of=lambda run: run.instance[:4]):
        assert run.at(BUDGETS) == pytest.approx(union(("A", 1), ("A", 2)), rel=1e-12)


def test_the_union_is_worth_more_than_the_best_member(runs):
    (first, _) = virtual_portfolio(runs, ["A", "B"])
    (best, _) = virtual_portfolio(runs, ["A", "B"], combine=lambda instance, budgets, values: values.max(axis=0))
    assert (first.at(BUDGETS) >= best.at(BUDGETS)).all()
    assert first.values[-1] > best.values[-1]


def test_a_portfolio_can_be_a_member(runs):
    both = virtual_portfolio(runs, ["A", "B"])
    again = virtual_portfolio([*runs, *both], ["A", "A + B"], name="again")
    assert [run.values.tolist() for run in again] == [run.values.tolist() for run in both]


def test_members_end_as_with_one_objective():
    problem = Hypervolume(lambda x: x, [4, 4])

    def search(points):
        return counted(lambda objective, budget, rng: [objective(point) for point in points])

    early = run_once(search([(5, 5), (3, 1)]), problem, 0, 2, name="A", instance=0)
    late = run_once(search([(6, 6), (6, 6), (1, 3), (0, 0)]), problem, 0, 4, name="B", instance=0)
    (together,) = virtual_portfolio([early, late], ["A", "B"])
    assert together.end == 2
    assert together.at([1, 2, 3])[:2].tolist() == [0, 3]  # from the start, although no point beats the reference
    failed = Trajectory("A", 0, early.budgets, early.values, 2, failed=True, maximise=True, archive=early.archive)
    (together,) = virtual_portfolio([failed, late], ["A", "B"])
    assert together.at([2, 3, 4]).tolist() == [3, 5, 16]


def test_merged_runs_are_ranked_with_the_others(runs):
    choices = Choices.from_trajectories([*runs, *virtual_portfolio(runs, ["A", "B"])], grid=[30])
    assert choices.names == ("A", "B", "A + B")


def test_a_member_without_archive_is_refused(runs):
    bare = Trajectory("B", runs[0].instance, [1], [0.5], end=30, maximise=True)
    with pytest.raises(ValueError, match="expected archives of all members or of none, got 1 of 2"):
        virtual_portfolio([runs[0], bare], ["A", "B"])
