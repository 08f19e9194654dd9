"""Observations: the same runs give the same choices in any order."""

import math
from collections import Counter

import numpy as np
import pytest

from polarbear import Clusters, Dirichlet, Settings, Trajectory
from polarbear.findings import RunFailure
from polarbear.race.jobs import Run
from polarbear.race.observations import ClusterLabel, Observations, add_runs, rerank

NAMES, BUDGETS = ("a", "b", "c"), (1.0, 3.0, 9.0)


def settings_of(**changes):
    return Settings(**{"grid": BUDGETS, "prior": Dirichlet(), "dominance": "pointwise", **changes})


def run_of(name, instance, values, *, at=(1.0, 2.0, 8.0), budget=9.0, status="done", maximise=False, cluster=None):
    kept = [(t, v) for t, v in zip(at, values, strict=True) if t <= budget]
    trajectory = Trajectory(
        name, instance, [t for t, _ in kept], [v for _, v in kept], budget, status != "done", maximise, cluster
    )
    return Run(trajectory, min(budget, 9.0), status, None if status == "done" else RunFailure("made up"))


def random_runs(instances, seed=0, names=NAMES):
    """Runs of different lengths; no ties."""
    rng = np.random.default_rng(seed)
    return [
        run_of(name, i, -np.cumsum(rng.exponential(size=3)), budget=float(rng.choice([1.0, 3.0, 9.0, math.inf])))
        for i in instances
        for name in names
    ]


def plain_choices(runs, names, budgets):
    """W and C by the definition: at each budget and instance, the best is chosen first, then the best of the rest."""
    wins, sets = Counter(), Counter()
    for t, budget in enumerate(budgets):
        for instance in {run.trajectory.instance for run in runs}:
            best = {}
            for run in runs:
                path = run.trajectory
                if path.instance == instance and budget <= path.end:
                    values = [v for e, v in zip(path.budgets, path.values, strict=True) if e <= budget]
                    best[path.algorithm] = min(values, default=math.inf)
            left = sorted(best, key=best.get)
            while len(left) > 1:
                wins[t, left[0]] += 1
                sets[t, frozenset(left)] += 1
                left = left[1:]
    return wins, sets


def counts_of(choices):
    """W and C of choices, in the form of `plain_choices`."""
    wins = Counter(
        {(t, name): choices.wins[t, i] for t in range(len(choices.grid)) for i, name in enumerate(choices.names)}
    )
    sets = Counter()
    for t, row in enumerate(choices.counts):
        for count, members in zip(row, choices.members[t], strict=True):
            sets[t, frozenset(name for name, inside in zip(choices.names, members, strict=True) if inside)] += count
    return +wins, +sets


def have_same_choices(first, second):
    return counts_of(first.choices) == counts_of(second.choices) and first.choices.instances == second.choices.instances


def add_in_parts(parts, settings=None):
    """The observations after adding one part after the other."""
    observations = Observations()
    for part in parts:
        observations = add_runs(observations, part, NAMES, settings or settings_of())
    return observations


def test_choices_are_those_of_the_definition():
    runs = random_runs(range(12))
    observations = add_in_parts([runs[:18], runs[18:]])
    assert counts_of(observations.choices) == plain_choices(runs, NAMES, BUDGETS)
    assert observations.choices.instances == 12
    assert observations.instances == tuple(range(12))
    assert observations.runs == {(run.trajectory.algorithm, run.trajectory.instance): run for run in runs}


@pytest.mark.parametrize("seed", range(3))
def test_runs_can_be_added_in_any_parts(seed):
    """This includes runs of one algorithm long after the others: they are inserted into known rankings."""
    runs = random_runs(range(10), seed)
    at_once = add_in_parts([runs])
    late = [run for run in runs if run.trajectory.algorithm == "c"]
    rest = [run for run in runs if run.trajectory.algorithm != "c"]
    assert have_same_choices(add_in_parts([rest[:8], rest[8:], late[:3], late[3:7], late[7:]]), at_once)
    # One part with runs on both known and new instances.
    assert have_same_choices(add_in_parts([rest[:8], late[:4], rest[8:] + late[4:]]), at_once)


def test_adding_runs_leaves_the_former_observations_unchanged():
    runs = random_runs(range(4))
    before = add_in_parts([runs[:6]])
    known, counts = dict(before.runs), counts_of(before.choices)
    add_runs(before, runs[6:], NAMES, settings_of())
    assert dict(before.runs) == known
    assert counts_of(before.choices) == counts


def test_the_same_runs_are_ranked_again_for_more_names_and_another_grid():
    runs = random_runs(range(10))
    observations = add_in_parts([runs[:12], runs[12:]])
    more = rerank(observations, (*NAMES, "d"), settings_of())
    assert counts_of(more.choices) == counts_of(observations.choices)
    assert more.choices.names == (*NAMES, "d")
    finer = (0.5, 1.0, 2.0, 2.5, 3.0, 9.0, 12.0)
    again = rerank(observations, NAMES, settings_of(grid=finer))
    # Before the first value all algorithms are tied, which plain counting does not cover.
    wins, sets = counts_of(again.choices)
    expected_wins, expected_sets = plain_choices(runs, NAMES, finer)
    assert {key: n for key, n in wins.items() if key[0] > 0} == {k: n for k, n in expected_wins.items() if k[0] > 0}
    assert {key: n for key, n in sets.items() if key[0] > 0} == {k: n for k, n in expected_sets.items() if k[0] > 0}
    assert again.choices.wins[0] == pytest.approx(np.full(3, again.choices.wins[0].mean()))


def test_maximisation_reverses_the_order():
    up = [run_of(name, 0, values, maximise=True) for name, values in {"a": (1, 2, 3), "b": (2, 3, 4)}.items()]
    observations = add_runs(Observations(), up, ("a", "b"), settings_of(maximise=True))
    assert observations.choices.wins.tolist() == [[0, 1]] * 3


def test_close_values_are_ties_on_request():
    runs = [run_of("a", 0, (1.0, 1.0, 1.0)), run_of("b", 0, (1.05, 1.0, 1.0))]
    exact = add_runs(Observations(), runs, ("a", "b"), settings_of())
    near = add_runs(Observations(), runs, ("a", "b"), settings_of(absolute_tolerance=0.1))
    assert exact.choices.wins[0].tolist() == [1, 0]
    assert near.choices.wins[0].tolist() == [0.5, 0.5]


@pytest.mark.parametrize(
    ("failure", "wins"),
    [
        ("last", [[1, 0], [0, 1], [0, 1]]),  # a was ahead until it failed at 2
        ("missing", [[1, 0], [0, 0], [0, 0]]),
    ],
)
def test_a_failed_run_is_last_or_missing_from_its_failure_on(failure, wins):
    runs = [run_of("a", 0, (1.0, 0.5, 0.1), budget=2.0, status="crashed"), run_of("b", 0, (2.0, 1.5, 1.0))]
    observations = add_runs(Observations(), runs, ("a", "b"), settings_of(failure=failure))
    assert observations.choices.wins.tolist() == wins


def test_failed_runs_are_tied_with_each_other():
    runs = [run_of(name, 0, (1.0, 0.5, 0.1), budget=2.0, status="timeout") for name in ("a", "b")]
    observations = add_runs(Observations(), runs, ("a", "b"), settings_of(failure="last"))
    assert observations.choices.wins.tolist() == [[0.5, 0.5]] * 3


def test_a_failure_stops_the_race_on_request():
    runs = [run_of("a", 7, (1.0, 0.5, 0.1), budget=2.0, status="crashed"), run_of("b", 7, (2.0, 1.5, 1.0))]
    with pytest.raises(
        ValueError, match=r"the run of 'a' on instance 7 failed \(crashed: made up\); fix it, or choose failure="
    ):
        add_runs(Observations(), runs, ("a", "b"), settings_of(failure="raise"))


def runs_in_clusters(clusters, names=NAMES):
    """One run of each algorithm on each instance, with the cluster of the instance."""
    return [
        run_of(name, instance, (3.0, 2.0, 1.0), cluster=cluster)
        for instance, cluster in clusters.items()
        for name in names
    ]


def test_rankings_have_the_clusters_of_the_runs():
    observations = add_in_parts([runs_in_clusters({0: "f1", 1: "f2"}), runs_in_clusters({2: "f1"})])
    assert observations.choices.rankings.clusters == Clusters(("f1", "f2", "f1"), "cluster", "instance")
    assert rerank(observations, (*NAMES, "d"), settings_of()).choices.rankings.clusters.codes.tolist() == [0, 1, 0]


def test_labels_can_name_clusters_and_their_members():
    observations = add_in_parts(
        [runs_in_clusters({0: ClusterLabel(1, "data set", "run"), 1: ClusterLabel(2, "data set", "run")})]
    )
    assert observations.choices.rankings.clusters == Clusters((1, 2), "data set", "run")


def test_live_runs_have_no_clusters():
    assert add_in_parts([random_runs(range(3))]).choices.rankings.clusters is None


def test_a_later_run_without_a_cluster_keeps_the_cluster_of_its_instance():
    observations = add_in_parts(
        [runs_in_clusters({0: "f1", 1: "f2"}, NAMES[:2]), runs_in_clusters({0: None}, NAMES[2:])]
    )
    assert observations.choices.rankings.clusters.labels == ("f1", "f2")


def test_an_instance_has_one_cluster():
    with pytest.raises(
        ValueError, match=r"expected one cluster for all runs on instance 0, got 'f1' and 'f2'; give all"
    ):
        add_in_parts([runs_in_clusters({0: "f1"}, NAMES[:1]) + runs_in_clusters({0: "f2"}, NAMES[1:])])


@pytest.mark.parametrize(
    ("parts", "count"),
    [
        ([{0: None, 1: "f1"}], "1 of 2"),  # within a round
        ([{0: None}, {1: "f1", 2: "f2"}], "2 of 3"),  # between rounds
        ([{0: None}, {1: None}, {1: "f1"}], "1 of 2"),  # on instances that are known already
    ],
)
def test_clusters_are_for_all_instances_or_none(parts, count):
    """A race of live runs could continue with recordings that have clusters."""
    with pytest.raises(ValueError, match=f"got one for {count}; label all recordings, or none"):
        add_in_parts([runs_in_clusters(each) for each in parts])
