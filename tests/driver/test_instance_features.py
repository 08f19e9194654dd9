"""Features of instances: workers report them, the race file stores them, and they are there without the generator."""

import sqlite3
from contextlib import closing
from types import SimpleNamespace

import numpy as np
import pytest

import polarbear as pb
from polarbear.features.training_set import make_training_set
from polarbear.race.instance_features import plain_features


def instance(index, seed):
    return SimpleNamespace(level=index, features={"even": index % 2 == 0, "size": np.int64(index), "unknown": None})


def steps(problem, seed, budget, *, better_on_even):
    better = better_on_even == (problem.level % 2 == 0)
    yield 1, float(better) + 1
    yield 4, -float(better) - seed / 2**40


def odd(problem, seed, budget):
    yield from steps(problem, seed, budget, better_on_even=False)


def even(problem, seed, budget):
    yield from steps(problem, seed, budget, better_on_even=True)


@pytest.fixture(scope="module")
def path(local, tmp_path_factory):
    path = tmp_path_factory.mktemp("features") / "my.race"
    with pb.Race({"even": even, "odd": odd}, instance, [1, 4], path=path, draws=400, confidence=0.9) as race:
        race.drive(local, max_instances=16, progress="none")
    return path


def test_features_are_there_without_the_generator(path):
    with pb.Race.open(path) as race:
        result = race.outcome
    assert result.state.features[3] == {"even": False, "size": 3.0, "unknown": None}
    assert len(result.state.features) == 16
    table = pb.features_of(result)
    assert table.columns["size"] == tuple(map(float, result.state.observations.instances))
    known = make_training_set(result, None, preference=None, among=["even", "odd"]).features
    assert [each.name for each in known] == ["even", "size"]  # `unknown` is missing everywhere


def test_each_instance_is_noted_once_before_its_first_run(path):
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        kinds = [kind for (kind,) in connection.execute("SELECT kind FROM event ORDER BY number")]
    assert kinds == (["features"] * 8 + ["round"]) * 2


def test_given_features_are_stored_and_can_be_added_later(tmp_path):
    path = tmp_path / "my.race"
    with pb.Race(["a", "b"], None, [1], path=path, features=[{"size": 1}, {"size": 2}]):
        pass
    with pb.Race.open(path, algorithms=["a", "b"], features={2: {"size": 3}}) as race:
        assert race.state.features[2] == {"size": 3.0}
    with pb.Race.open(path) as race:
        assert {index: each["size"] for index, each in race.state.features.items()} == {0: 1.0, 1: 2.0, 2: 3.0}
        with pytest.raises(ValueError, match="expected another key than 'features'"):
            race.note("features", {})


def test_only_plain_values_are_stored():
    given = {"name": "x", 7: np.float32(0.5), "huge": 10**400, "list": [1, 2], "infinite": float("inf")}
    assert plain_features(given) == {"name": "x", "7": 0.5, "huge": None, "list": "[1, 2]", "infinite": None}
    assert plain_features("text") is None


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ("features.csv", "got str; name a file as features in"),
        ({"instance": [0, 1], "kind": ["x", "y"]}, "got the key 'instance'"),
        ([{"kind": ["x", "y"]}, None], "as feature 'kind' of instance 0, got list"),
        ([{"kind": "x"}], "got 1 for 2 instances"),
        (["x", "y"], "got str for instance 0"),
    ],
)
def test_features_that_are_no_mapping_per_instance_are_refused(features, message):
    with pytest.raises(ValueError, match=message):
        pb.Race(["a", "b"], [object(), object()], [1, 2], features=features)
