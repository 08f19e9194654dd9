"""Which imported values are known to be distances to the optimum."""

import json
import shutil
from pathlib import Path

import pytest

import polarbear as pb

DATA = Path(__file__).parent / "data"


def write_iohprofiler(folder, suite="BBOB", column="raw_y", *, maximise=False):
    """Write one run in IOHprofiler's format."""
    run = {"instance": 1, "evals": 40, "best": {"evals": 30}}
    scenarios = [{"dimension": 2, "path": "f.dat", "runs": [run]}]
    index = {"suite": suite, "function_id": 1, "maximization": maximise, "algorithm": {"name": "cma"}}
    (folder / "f.json").write_text(json.dumps(index | {"scenarios": scenarios}))
    (folder / "f.dat").write_text(f"evaluations {column}\n1 5.0\n30 7.0\n")
    return folder


def test_values_of_coco_are_distances_to_the_optimum():
    assert pb.read_runs(DATA / "coco").optimum_known
    assert pb.read_runs(DATA / "coco", renumber=True, cluster="none").optimum_known


@pytest.mark.parametrize(
    ("about", "known"),
    [
        ({}, True),
        ({"suite": "MA_BBOB", "column": "raw_y_best"}, True),
        ({"suite": "PBO"}, False),  # its optimum is not zero
        ({"suite": "unknown_suite"}, False),
        ({"column": "transformed_y"}, False),
        ({"maximise": True}, False),
    ],
)
def test_raw_values_of_bbob_suites_are_distances_to_the_optimum(tmp_path, about, known):
    assert pb.read_runs(write_iohprofiler(tmp_path, **about)).optimum_known is known


def test_a_table_does_not_tell_the_optimum(tmp_path):
    table = "algorithm_name,suite,instance,evaluations,raw_y\nde,BBOB,1,1,5.0\n"
    (tmp_path / "runs.csv").write_text(table)
    assert not pb.read_runs(tmp_path).optimum_known
    shutil.copytree(DATA / "coco", tmp_path / "coco")
    assert not pb.read_runs(tmp_path).optimum_known  # all values must be distances
