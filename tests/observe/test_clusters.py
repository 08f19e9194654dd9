"""Clusters of instances that are not independent, in every constructor of `Choices`."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.observe.clusters import as_clusters


def test_codes_count_labels_in_the_order_of_first_appearance() -> None:
    clusters = pb.Clusters(("b", "a", "b", "c"), kind="function")
    assert clusters.codes.tolist() == [0, 1, 0, 2]
    assert clusters.number == 3
    assert repr(clusters) == "Clusters(4 instances of 3 functions)"


def test_values_keep_their_clusters_and_sums_join_them() -> None:
    first = pb.Choices.from_values([[[1, 2]], [[2, 1]]], grid=[1], clusters=["f1", "f2"])
    second = pb.Choices.from_values([[[1, 2]]], grid=[1], clusters=["f1"])
    joined = first + second
    assert joined.rankings is not None
    assert joined.rankings.clusters is not None
    assert joined.rankings.clusters.codes.tolist() == [0, 1, 0]


def test_trajectories_keep_their_clusters() -> None:
    runs = [
        pb.Trajectory(name, (f, i), [1], [float(value)], end=1, cluster=f)
        for f in (1, 2)
        for i in (1, 2)
        for name, value in (("a", f), ("b", i))
    ]
    choices = pb.Choices.from_trajectories(runs, grid=[1], cluster_kind="function")
    assert choices.rankings is not None
    assert choices.rankings.clusters == pb.Clusters((1, 1, 2, 2), "function")


@pytest.mark.parametrize(
    ("labels", "words"),
    [(["f1"], "got 1 labels"), ([["f1"], "f2"], "can be hashed"), ([None, "f2"], "for every instance or for none")],
)
def test_bad_labels_are_refused(labels: list[object], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        as_clusters(labels, 2)


def test_choices_with_clusters_of_another_kind_or_without_cannot_be_added() -> None:
    values = np.ones((1, 1, 2))
    of_functions = pb.Choices.from_values(values, grid=[1], clusters=pb.Clusters((1,), "function"))
    for other in (None, pb.Clusters((1,), "data set")):
        with pytest.raises(ValueError, match="expected clusters"):
            of_functions + pb.Choices.from_values(values, grid=[1], clusters=other)


def test_runs_of_one_instance_must_have_the_same_cluster() -> None:
    runs = [pb.Trajectory("a", 1, [1], [1.0], cluster="x"), pb.Trajectory("b", 1, [1], [2.0], cluster="y")]
    with pytest.raises(ValueError, match="expected one cluster for all runs on instance 1"):
        pb.Choices.from_trajectories(runs, grid=[1])
