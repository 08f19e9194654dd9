"""Every number of instances has its noun, and instances that compare nothing are counted apart."""

import pytest

from polarbear import Choices, Clusters, Dirichlet, fit
from polarbear.observe.rankings import ABSENT, Rankings
from polarbear.observe.scope import Scope, scope_of

ALONE = [[0, ABSENT]]
BOTH = [[0, 1]]


def rankings(*ranks, clusters=None):
    return Rankings(ranks, ["a", "b"], [1], clusters=clusters)


@pytest.mark.parametrize(
    ("clusters", "expected"),
    [
        (None, "to new instances, based on 2 instances; 1 more instance has runs of one algorithm only"),
        (
            Clusters([0, 0, 1], kind="instance", unit="run"),
            "to new instances, based on 1 instance with 2 repetitions; 1 more repetition has runs of one algorithm only",
        ),
    ],
)
def test_instances_with_runs_of_one_algorithm_are_counted_apart(clusters, expected):
    choices = Choices.from_rankings(rankings(BOTH, BOTH, ALONE, clusters=clusters), per_instance=True)
    assert str(fit(choices, draws=100).scope) == expected


def test_plackett_luce_treats_the_members_of_clusters_as_independent():
    clusters = Clusters(["f", "f", "g", "g"], kind="function")
    choices = Choices.from_rankings(rankings(*[BOTH] * 4, clusters=clusters), per_instance=True)
    clusters = {"instances": 4, "clusters": 2, "cluster": "function"}
    assert fit(choices, prior=Dirichlet(), draws=100).scope == Scope("instance", within=True, **clusters)
    assert fit(choices, draws=100).scope == Scope("function", **clusters)


def test_counts_without_rankings():
    assert scope_of(None, 7) == Scope("instance", instances=7)


def test_a_single_cluster_is_this_one():
    clusters = Clusters(["f", "f"], kind="function")
    scope = scope_of(rankings(BOTH, BOTH, clusters=clusters), 2, generalise_to="instances")
    assert str(scope) == "to new instances of this function, based on 2 instances"
