"""All runs on one problem are ranked together."""

import numpy as np
import pytest

from polarbear import Choices, Clusters, Trajectory
from polarbear.observe.grouping import join_groups, split_rankings
from polarbear.observe.rankings import ABSENT, UNRANKED
from polarbear.observe.repeated_runs import rank_repeated_runs

PROBLEMS = ["p", "q", "p", "r", "p", "q"]


@pytest.fixture
def values():
    """Whole numbers with ties, and some missing."""
    rng = np.random.default_rng(3)
    drawn = rng.integers(0, 5, size=(6, 4, 3)).astype(float)
    return np.where(rng.random(drawn.shape) < 0.2, np.nan, drawn)


def test_runs_on_a_problem_have_the_order_of_their_values(values):
    runs = rank_repeated_runs(values, PROBLEMS)
    for i in range(6):
        for j in range(6):
            if PROBLEMS[i] != PROBLEMS[j] or PROBLEMS[i] == "r":
                continue
            for t in range(4):
                for a in range(3):
                    for b in range(3):
                        one, other = values[i, t, a], values[j, t, b]
                        if not np.isnan([one, other]).any():
                            ranks = runs.ranks[i, t, a], runs.ranks[j, t, b]
                            assert np.sign(int(ranks[0]) - int(ranks[1])) == np.sign(one - other)
    assert (runs.ranks[3] == ABSENT).all()  # "r" was not repeated
    assert ((runs.ranks == ABSENT) == (np.isnan(values) | (np.array(PROBLEMS) == "r")[:, None, None])).all()


def test_no_repetition_needs_no_ranks(values):
    assert rank_repeated_runs(values, range(6)) is None
    assert Choices.from_values(values, grid=[1, 2, 3, 4]).rankings.repeated is None


def test_every_instance_needs_a_label(values):
    with pytest.raises(ValueError, match="expected the problem of each of 6 instances, got 2; label every instance"):
        Choices.from_values(values, grid=[1, 2, 3, 4], repetition_of=["p", "p"])
    with pytest.raises(ValueError, match="expected the problem of each instance as labels that can be hashed"):
        Choices.from_values(values, grid=[1, 2, 3, 4], repetition_of=[["p"]] * 6)
    with pytest.raises(ValueError, match="expected the problem of each instance as labels that can be hashed, got 3"):
        Choices.from_values(values, grid=[1, 2, 3, 4], repetition_of=3)


def test_the_ranking_options_apply(values):
    tied = rank_repeated_runs(values, PROBLEMS, absolute_tolerance=10.0)
    assert set(np.unique(tied.ranks)) == {ABSENT, 0}
    best, worst = (rank_repeated_runs(values, PROBLEMS, maximise=maximise).ranks for maximise in (False, True))
    compared = (best[0, :, :, None] < best[2, :, None]) & (best[0, :, :, None] != ABSENT)
    assert compared.any()
    assert (worst[0, :, :, None] > worst[2, :, None])[compared].all()


def test_clusters_of_runs_are_repetitions_and_clusters_of_instances_are_not(values):
    grid = [1, 2, 3, 4]
    of_runs = Choices.from_values(values, grid=grid, clusters=Clusters(tuple(PROBLEMS), "instance", "run"))
    of_instances = Choices.from_values(values, grid=grid, clusters=Clusters(tuple(PROBLEMS), "function"))
    assert of_runs.rankings.repeated.problem.tolist() == [0, 1, 0, 2, 0, 1]
    assert of_instances.rankings.repeated is None
    both = Choices.from_values(
        values, grid=grid, clusters=Clusters(tuple("xxyyyy"), "function"), repetition_of=PROBLEMS
    )
    assert both.rankings.repeated.ranks.tolist() == of_runs.rankings.repeated.ranks.tolist()


def test_recorded_runs_whose_clusters_are_runs_are_ranked_together():
    runs = [
        Trajectory(name, ("sphere", repetition), [1], [value], end=9, cluster="sphere")
        for repetition, pair in enumerate([(3.0, 1.0), (2.0, 4.0)])
        for name, value in zip("ab", pair, strict=True)
    ]
    choices = Choices.from_trajectories(runs, grid=[5], cluster_kind="instance", cluster_unit="run")
    assert choices.rankings.repeated.ranks.tolist() == [[[2, 0]], [[1, 3]]]


def test_more_runs_on_a_problem_than_ranks_are_cut_off():
    values = np.random.default_rng(0).random((UNRANKED, 1, 2))
    runs = rank_repeated_runs(values, np.zeros(UNRANKED, dtype=int))
    ranked = UNRANKED // 2
    assert sorted(runs.ranks[:ranked].ravel().tolist()) == list(range(2 * ranked))
    assert (runs.ranks[ranked:] == ABSENT).all()


def test_groups_keep_their_repeated_runs(values):
    choices = Choices.from_values(values, grid=[1, 2, 3, 4], names=list("abc"), repetition_of=PROBLEMS)
    parts, _ = split_rankings(choices.rankings, ["x", "y", "x", "y", "x", "y"])
    joined, _ = join_groups([parts["y"], parts["x"]])
    order = [1, 3, 5, 0, 2, 4]
    assert joined.repeated.ranks.tolist() == choices.rankings.repeated.ranks[order].tolist()
    assert joined.repeated.problem[0] == joined.repeated.problem[2] != joined.repeated.problem[3]
