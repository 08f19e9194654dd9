"""Clusters of imported runs by the automatic rule."""

import itertools
import json
from pathlib import Path

import pytest

from polarbear import Choices, Clusters, fit
from polarbear.findings import ReadWith
from polarbear.importers import Block, read_runs
from tests.importers.cluster_tables import ALGORITHMS, assumptions, partition, summary, write_table

DATA = Path(__file__).parent / "data"


def test_functions_of_a_real_folder_are_clusters():
    imported = read_runs(DATA / "ioh")
    assert summary(imported) == (2, "function", "instance")
    assert {(run.instance.function, run.cluster) for run in imported.runs} == {
        (8, ("unknown_suite", 8)),
        (21, ("unknown_suite", 21)),
    }
    assert "on 10 blocks of 2 functions from" in repr(imported)
    [note] = imported.about.notes
    expected = {"assumption": "CLUSTERS", "members": 10, "unit": "instance", "kind": "function"}
    assert note.numbers == expected | {"clusters": 2, "by_rule": True}
    assert note.remedy == ReadWith("cluster", "none")
    choices = Choices.from_trajectories(imported.runs, grid=[100], **imported.clustering)
    assert choices.rankings.clusters == imported.clusters
    assert choices.rankings.clusters.codes.tolist() == [0] * 5 + [1] * 5


def test_instances_of_the_one_function_of_a_real_folder_are_independent():
    imported = read_runs(DATA / "coco")  # f8, in two dimensions
    assert summary(imported) == (10, "instance of this function", "instance")
    assert "on 10 blocks from" in repr(imported)
    assert imported.about.notes[1].numbers == {"assumption": "ONE_FUNCTION", "blocks": 10}
    assert len(imported.about.notes) == 2


def test_a_cluster_is_a_function_of_one_suite_in_all_dimensions(tmp_path):
    rows = list(itertools.product(("bbob", "other"), (1, 2), (2, 10), (1, 2, 3)))
    imported = read_runs(write_table(tmp_path / "r.csv", rows, ["suite", "function_id", "dimension", "instance"]))
    assert summary(imported) == (4, "function", "instance")
    assert {run.cluster for run in imported.runs} == set(itertools.product(("bbob", "other"), (1, 2)))
    assert all(run.cluster == run.instance[:2] for run in imported.runs)


def test_coco_functions_are_clusters(tmp_path):
    for function in (1, 2):
        (tmp_path / f"f{function}.info").write_text(
            f"suite = 'bbob', funcId = {function}, DIM = 2, Precision = 1.000e-08, algId = 'a'\n%\n"
            f"f{function}.dat, 1:2|1.0e+00, 2:2|1.0e+00\n"
        )
        (tmp_path / f"f{function}.dat").write_text("% header Fopt (1.0)\n1 0 2.0\n2 0 1.0\n" * 2)
    imported = read_runs(tmp_path)
    assert imported.about.formats == ("coco",)
    assert summary(imported) == (2, "function", "instance")
    assert {run.cluster for run in imported.runs} == {("bbob", 1), ("bbob", 2)}


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_repetitions_on_data_sets_are_clusters(tmp_path, suffix):
    rows = list(itertools.product(("iris", "wine", "digits"), range(40)))
    imported = read_runs(write_table(tmp_path / f"r.{suffix}", rows, ["instance", "run_id"]))
    assert imported.blocks == 120
    assert imported.clusters == Clusters(
        tuple(name for name in ("iris", "wine", "digits") for _ in range(40)), "instance", "run"
    )
    numbers = imported.about.notes[0].numbers
    assert (numbers["members"], numbers["unit"], numbers["clusters"]) == (120, "run", 3)


def test_with_several_functions_repetitions_belong_to_their_function(tmp_path):
    rows = list(itertools.product((1, 2), (1, 2, 3), (1, 2)))
    imported = read_runs(write_table(tmp_path / "r.csv", rows, ["function_id", "instance", "run_id"]))
    assert summary(imported) == (2, "function", "instance")
    assert [len(each) for each in partition(imported)] == [6, 6]


def test_without_instances_the_repetitions_of_a_function_are_its_runs(tmp_path):
    rows = list(itertools.product(("sphere", "ackley"), (1, 2)))
    imported = read_runs(write_table(tmp_path / "r.csv", rows, ["function_name", "run_id"]))
    assert imported.clusters == Clusters(("sphere", "sphere", "ackley", "ackley"), "function", "run")


def test_functions_with_one_instance_are_clusters_of_one(tmp_path):
    imported = read_runs(write_table(tmp_path / "r.csv", [(f, 1) for f in range(9)], ["function_id", "instance"]))
    assert summary(imported) == (9, "function", "instance")


def test_one_function_with_repetitions_is_clustered_by_instance(tmp_path):
    rows = list(itertools.product((1,), (2, 10), (1, 2), (1, 2, 3)))
    imported = read_runs(write_table(tmp_path / "r.csv", rows, ["function_id", "dimension", "instance", "run_id"]))
    assert summary(imported) == (4, "instance of this function", "run")
    # Instance 1 in 2-D differs from instance 1 in 10-D.
    assert partition(imported) == {
        frozenset(Block(None, 1, dimension, instance, run) for run in (1, 2, 3))
        for dimension, instance in itertools.product((2, 10), (1, 2))
    }


@pytest.mark.parametrize(
    ("names", "rows", "noted", "scope"),
    [
        (
            ["function_id", "instance"],
            [(1, i) for i in range(5)],
            ["ONE_FUNCTION"],
            "instances of this function, based on 5 instances",
        ),
        (
            ["instance", "run_id"],
            [("iris", r) for r in range(5)],
            ["ONE_INSTANCE"],
            "runs on this instance, based on 5 repetitions",
        ),
        (
            ["function_id", "run_id"],
            [(1, r) for r in range(5)],
            ["ONE_INSTANCE"],
            "runs on this instance, based on 5 repetitions",
        ),
        (["instance"], [(i,) for i in range(5)], [], "instances, based on 5 instances"),
        (["instance"], [(1,)], [], "instances, based on 1 instance"),
    ],
)
def test_blocks_of_a_single_cluster_are_independent(tmp_path, names, rows, noted, scope):
    imported = read_runs(write_table(tmp_path / "r.csv", rows, names))
    assert assumptions(imported) == noted
    assert all(each.numbers["blocks"] == 5 for each in imported.about.notes)
    choices = Choices.from_trajectories(imported.runs, grid=[1], **imported.clustering)
    assert str(fit(choices, draws=100).scope) == f"to new {scope}"


def test_instances_without_a_function_count_as_one_function_each(tmp_path):
    rows = [(1, 1, 1), (1, 2, 1), (None, 1, 1), (None, 1, 2), (None, 2, 1)]
    imported = read_runs(write_table(tmp_path / "r.csv", rows, ["function_id", "instance", "run_id"]))
    assert summary(imported) == (3, "function", "instance")
    assert sorted(map(len, partition(imported))) == [1, 2, 2]
    assert {"assumption": "NO_FUNCTION", "unknown": 3, "blocks": 5} in [each.numbers for each in imported.about.notes]


def test_renumbered_runs_count_as_repetitions(tmp_path):
    lines = ["algorithm_name,instance,run_id,evaluations,raw_y"]
    lines += [f"{name},{i},{name}{i}{r},1,1" for name in ALGORITHMS for i in (1, 2) for r in (1, 2)]
    (tmp_path / "r.csv").write_text("\n".join(lines) + "\n")
    imported = read_runs(tmp_path, renumber=True)
    assert imported.blocks == 4
    assert imported.clusters == Clusters((1, 1, 2, 2), "instance", "run")


def test_many_affine_functions_are_one_function_with_many_instances(tmp_path):
    """MA-BBOB as ioh writes it: one function id, and a different function per instance."""
    scenario = {"dimension": 2, "path": "f.dat", "runs": [{"instance": i, "evals": 1} for i in range(6)]}
    index = {
        "suite": "MA-BBOB",
        "function_id": 0,
        "function_name": "MA",
        "maximization": False,
        "scenarios": [scenario],
    }
    for name in ALGORITHMS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "f.dat").write_text("evaluations raw_y\n1 1.0\n" * 6)
        (tmp_path / name / "f.json").write_text(json.dumps(index | {"algorithm": {"name": name}}))
    imported = read_runs(tmp_path)
    assert imported.blocks == 6
    assert summary(imported) == (6, "instance of this function", "instance")
