"""Races with groups: an algorithm is dropped only if it is beaten in every group."""

import numpy as np
import pytest

import polarbear as pb
from polarbear.findings import Code
from polarbear.race.findings import race_findings
from polarbear.race.serialisation import from_plain, to_plain
from polarbear.race.settings import Settings

NUMBER = 240
KINDS = ["usual" if index % 8 else "rare" for index in range(NUMBER)]
LEVELS = {"usual": {"a": 0.0, "b": 1.0, "c": 3.0}, "rare": {"a": 0.0, "b": -2.0, "c": 3.0}}
FEATURES = [{"kind": kind, "index": index} for index, kind in enumerate(KINDS)]


@pytest.fixture(scope="module")
def recorded():
    """On most instances `a` is best; on the rare ones `b` is; `c` is last on all."""
    rng = np.random.default_rng(0)
    runs = []
    for index, kind in enumerate(KINDS):
        for name, level in LEVELS[kind].items():
            values = [level + 10 + rng.normal(0, 0.7), level + rng.normal(0, 0.7)]
            runs.append(pb.Trajectory(name, index, [1, 10], values, end=10))
    return pb.ReplayExecutor(runs)


def race_of(**changes):
    given = {"features": FEATURES, "groups": "kind", "seed": 1, "draws": 1000, **changes}
    return pb.Race(["a", "b", "c"], None, [1, 10], **given)


@pytest.fixture(scope="module")
def finished(recorded):
    return race_of().drive(recorded, progress="none")


def test_an_algorithm_that_leads_in_a_group_is_kept(recorded, finished):
    alone = race_of(groups=None).drive(recorded, progress="none")
    assert alone.kept == ("a",)
    assert finished.kept == ("a", "b")
    assert finished.stopped == "finished"  # that `b` is better on rare instances settles the pair, and the race ends
    assert [each.name for each in finished.drops] == ["c"]
    (rule,) = (each for each in race_findings(finished) if each.code is Code.GROUP_RULE)
    assert (rule.subject, rule.numbers["groups"]) == (("b",), ["rare", "usual"])
    assert not [each for each in race_findings(alone) if each.code is Code.GROUP_RULE]


def test_a_small_group_delays_a_drop(recorded, finished):
    """After eight instances, one of which is rare, `c` is beaten overall; within the rare group this is not certain."""
    alone = race_of(groups=None).drive(recorded, max_instances=8, progress="none")
    assert [each.name for each in alone.drops] == ["c"]
    [dominance] = finished.drops
    assert dominance.instances > 8


def test_a_race_that_is_continued_decides_the_same(recorded, finished, tmp_path):
    path = tmp_path / "my.race"
    with race_of(path=path) as race:
        race.drive(recorded, max_instances=40, progress="none")
    with race_of(path=path, features=None) as race:  # the file stores the features
        assert race.drive(recorded, progress="none").rounds == finished.rounds
    with pb.Race.open(path, algorithms=["a", "b", "c"], groups=None) as race:
        assert race.drive(recorded, progress="none").kept == ("a",)


def test_groups_also_hold_back_a_guarantee(recorded):
    result = race_of(guarantee=0.5).drive(recorded, progress="none")
    assert result.kept == ("a", "b")
    assert race_of(guarantee=0.5, groups=None).drive(recorded, progress="none").kept == ("a",)


def test_groups_are_read_back():
    settings = Settings(grid=[1, 2], groups="kind")
    assert from_plain(to_plain(settings)) == settings


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": "kinds"}, "expected groups by a feature of the instances, got 'kinds'; did you mean 'kind'"),
        ({"groups": "index"}, "expected at most 30 groups, got 240 values of 'index'"),
        ({"groups": ""}, "expected the name of a feature for groups"),
        ({"prior": pb.RandomWalk()}, "cannot borrow from each other"),
    ],
)
def test_impossible_groups_are_refused_before_anything_runs(changes, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        race_of(path=tmp_path / "my.race", **changes)
    assert not (tmp_path / "my.race").exists()


def test_groups_without_features_are_refused_after_the_first_runs(recorded):
    with pytest.raises(ValueError, match="got 'kind'; the instances have no features"):
        race_of(features=None).drive(recorded, progress="none")


@pytest.mark.parametrize("groups", [None, "kind"])
def test_an_algorithm_comes_back_when_no_pair_is_close_to_a_drop(groups):
    """a beats b where its first runs do not fail; made again, they lose. c beats both at first and loses in the end."""

    def runs(*, fails):
        for index in range(80):
            for name in "abc":
                level = -1.0 if (name == "a") == (index < 36) and name != "c" else 0.0
                values = [5.0, 5.0] if name == "c" else [10 + level, level]
                if fails and name == "a" and index >= 36:
                    yield pb.Trajectory(name, index, [], [], end=0.5, failed=True)
                else:
                    yield pb.Trajectory(name, index, [1, 10], values, end=10)

    features = [{"kind": "odd" if index % 2 else "even"} for index in range(80)]
    race = race_of(features=features, groups=groups, failure="missing", batch=pb.FixedBatch(80))
    first = race.drive(pb.ReplayExecutor(runs(fails=True)), max_instances=80, progress="none")
    assert first.kept == ("a", "c")
    result = race.drive(pb.ReplayExecutor(runs(fails=False)), max_instances=80, rerun_failed=True, progress="none")
    assert result.rounds[-1].returned == ("b",)
    assert result.kept == pb.pareto_set(result.posterior) == ("a", "b", "c")
