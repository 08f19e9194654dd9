"""Algorithms, instances, executors and the JSON schema from the tables of a configuration."""

import json
import subprocess
import sys
from types import FunctionType

import pytest

from polarbear.algorithms import Recorder, record_run
from polarbear.configuration import ConfigurationError, building, prepare
from polarbear.configuration.schema import AlgorithmTable, ExecutionTable, InstancesTable, json_schema
from tests.configuration.conftest import RACE


def instances(place, /, known=(), seed=0, **table):
    return building.instances_of(InstancesTable(**table), place, seed=seed, known=known)


def algorithm(folder, **table):
    return building.algorithm_of(AlgorithmTable.model_validate(table), folder)


def test_a_function_may_have_each_shape(write, tmp_path):
    write()
    counted = algorithm(tmp_path, function="own_optimisers:random_search", arguments={"width": 1})
    assert counted.function.keywords == {"width": 1}
    generator = algorithm(tmp_path, function="own_optimisers:halving", shape="generator")
    assert list(generator(None, 1, 2)) == [(1, 1.0), (2, 0.5)]
    (tmp_path / "own_asking.py").write_text("def make(problem, rng): ...\n")
    asking = algorithm(tmp_path, function="own_asking:make", shape="ask-tell", style="pairs", restart=True)
    assert (asking.style, asking.restart) == ("pairs", True)
    decorated = "import polarbear as pb\n\n@pb.counted\ndef run(objective, budget, rng): ...\n"
    (tmp_path / "own_decorated.py").write_text(decorated)
    assert isinstance(algorithm(tmp_path, function="own_decorated:run").function, FunctionType)  # not wrapped twice


def test_commands_run_beside_the_file_and_may_have_their_own_parser(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    code = "def read(line):\n    return (1, float(line[6:])) if 'best' in line else None\n"
    (tmp_path / "own_parser.py").write_text(code)
    (tmp_path / "log").write_text("hello\nbest= 2.5\n")
    solver = algorithm(tmp_path, command="cat log", parse="own_parser:read", memory=500)
    assert solver.memory == 500_000_000
    recorder = Recorder(10)
    record_run(solver, "x", 1, recorder)
    assert recorder.events() == [(1.0, 2.5)]


def test_instances_are_given_in_four_ways(write, tmp_path):
    write()
    (tmp_path / "list.txt").write_text("# all\nb\n\n a \nc\n")
    folder = tmp_path / "problems"
    folder.mkdir()
    for name in ("2.mps", "1.mps", "notes.txt", ".hidden"):
        (folder / name).touch()
    assert instances(tmp_path, names=["b", "a"], shuffle=False) == ["b", "a"]
    assert instances(tmp_path, file="list.txt", shuffle=False) == ["b", "a", "c"]
    files = [str(folder / name) for name in ("1.mps", "2.mps")]
    assert instances(tmp_path, folder="problems", pattern="*.mps", shuffle=False) == files
    assert len(instances(tmp_path, folder="problems")) == 3
    assert instances(tmp_path, generator="own_optimisers:text", arguments={"prefix": "q"})(3, seed=1) == "q3"
    assert instances(tmp_path, generator="own_optimisers:text")(3, seed=1) == "p3"


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"file": "nothing.txt"}, "nothing.txt: No such file"),
        ({"file": "binary.txt"}, "expected text in UTF-8 in .*binary.txt"),
        ({"folder": ".", "pattern": "/etc/*"}, "expected a pattern of files in the folder"),
        ({"folder": ".", "pattern": "*.mps"}, "expected instances in .*, got none"),
    ],
)
def test_instances_that_cannot_be_read_are_a_fault(write, tmp_path, table, message):
    (tmp_path / "binary.txt").write_bytes(b"\xff\xfe")
    listed = "\n".join(f'{key} = "{value}"' for key, value in table.items())
    text = RACE.replace('generator = "polarbear.problems:MixedProblems"\narguments = {dimension = 2}', listed)
    with pytest.raises(ConfigurationError, match=rf"instances: .*{message}"):
        prepare(write(text))


def test_a_random_order_follows_from_the_seed(tmp_path):
    names = [str(i) for i in range(20)]
    first = instances(tmp_path, names=names, seed=1)
    assert sorted(first) == sorted(names)
    assert first == instances(tmp_path, names=names, seed=1) != instances(tmp_path, names=names, seed=2)


def test_known_instances_keep_their_places(tmp_path):
    assert instances(tmp_path, names=["d", "a", "b", "c"], known=["c", "a"], shuffle=False) == ["c", "a", "d", "b"]
    with pytest.raises(ValueError, match="expected all instances that the race has used, got no z; put them back"):
        instances(tmp_path, names=["a"], known=["z", "a"])


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ({"names": []}, "expected instances in the names, got none"),
        ({"names": ["a", "b", "a"]}, "got 'a' twice"),
        ({"file": "nothing.txt"}, "No such file"),
        ({"folder": "nothing"}, "there is no folder"),
        ({"generator": "math:pi"}, "to be a function, got 3.14"),
    ],
)
def test_wrong_instances_are_reported(tmp_path, table, message):
    with pytest.raises((ValueError, OSError), match=message):
        instances(tmp_path, **table)


def test_an_executor_ends_with_its_block():
    with building.executor_of(ExecutionTable(workers=1)) as executor:
        assert executor.workers == 1
        assert executor.submit(pow, 2, 3).result() == 8
    with pytest.raises(RuntimeError):
        executor.submit(pow, 2, 3)


def test_the_schema_has_every_table_with_descriptions(write):
    schema = json_schema()
    assert set(schema["properties"]) == {"race", "grid", "algorithms", "instances", "limits", "execution"}
    assert schema["$defs"]["RaceTable"]["properties"]["confidence"]["description"].startswith(
        "The probability from which"
    )
    assert schema["$defs"]["AlgorithmTable"]["anyOf"][0] == {"type": "string"}
    assert schema["additionalProperties"] is False
    prepare(write(RACE))


def test_groups_of_listed_instances_take_turns_after_those_that_the_race_has_used(tmp_path):
    (tmp_path / "features.csv").write_text("instance,kind\na1,a\na2,a\na3,a\nb1,b\nb2,b\n")
    listed = {"names": ["a1", "a2", "a3", "b1", "b2"], "features": "features.csv", "balance": "kind", "shuffle": False}
    assert instances(tmp_path, **listed) == ["a1", "b1", "a2", "b2", "a3"]
    assert instances(tmp_path, known=["a2", "a1"], **listed) == ["a2", "a1", "b1", "b2", "a3"]
    with pytest.raises(
        ValueError, match=r"expected balance as a column of features\.csv, got 'kinds'; did you mean 'kind'"
    ):
        instances(tmp_path, **listed | {"balance": "kinds"})
    with pytest.raises(ValueError, match="expected balance only with listed instances"):
        InstancesTable(generator="own_optimisers:text", features="features.csv", balance="kind")


def test_a_table_of_features_may_name_or_number_the_instances(tmp_path):
    def rows(table, source):
        (tmp_path / "features.csv").write_text(table)
        return building.features_of_instances(InstancesTable(names=["x"], features="features.csv"), tmp_path, source)

    assert building.features_of_instances(InstancesTable(names=["x"]), tmp_path, ["x"]) is None
    named = rows("instance,size\nb,2\na,1\n", ["data/a.mps", "data/b.mps"])
    assert named.rows == {0: {"size": 1.0}, 1: {"size": 2.0}}
    numbered = rows("instance,size\n4,2\n0,\n", lambda index, seed: None)
    assert numbered.rows == {4: {"size": 2.0}, 0: {"size": None}}
    with pytest.raises(ValueError, match="got features of unknown instances only"):
        rows("instance,size\nq,2\n", ["a", "b"])
    with pytest.raises(ValueError, match="expected the numbers of generated instances"):
        rows("instance,size\nq,2\n", lambda index, seed: None)


def test_without_docstrings_the_schema_has_the_same_keys():
    """The options -OO of Python drop the docstrings, from which the descriptions come."""
    program = "import json; from polarbear.configuration.schema import json_schema; print(json.dumps(json_schema()))"
    done = subprocess.run([sys.executable, "-OO", "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert _without_descriptions(json.loads(done.stdout)) == _without_descriptions(json_schema())


def _without_descriptions(schema):
    if isinstance(schema, list):
        return [_without_descriptions(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return {key: _without_descriptions(each) for key, each in schema.items() if key != "description"}
