"""Runs of one algorithm name in several folders: one algorithm, copies, repetitions, or several algorithms."""

import json
import shutil

import pytest

from polarbear.findings import ReadWith
from polarbear.importers import Reason, read_runs
from tests.importers.cluster_tables import assumptions


def write(folder, values, *, algorithm="DE", function=1, instances=(1, 2, 3)):
    """Write an IOHprofiler folder with one run per instance, whose final values are those given."""
    folder.mkdir(parents=True, exist_ok=True)
    pairs = zip(instances, values, strict=True)
    runs = [{"instance": each, "evals": 10, "best": {"evals": 9, "y": value}} for each, value in pairs]
    scenario = {"dimension": 5, "path": f"f{function}.dat", "runs": runs}
    index = {"suite": "mine", "function_id": function, "maximization": False, "algorithm": {"name": algorithm}}
    (folder / f"f{function}.json").write_text(json.dumps(index | {"scenarios": [scenario]}))
    rows = "".join(f"evaluations raw_y\n1 {value + 1}\n9 {value}\n" for value in values)
    (folder / f"f{function}.dat").write_text(rows)


def test_two_versions_of_one_name_are_kept_apart(tmp_path):
    write(tmp_path / "DE", [1.0, 2.0, 3.0])
    write(tmp_path / "DE2", [4.0, 5.0, 6.0])
    write(tmp_path / "CMA", [7.0, 8.0, 9.0], algorithm="CMA")
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"CMA": 3, "DE (DE)": 3, "DE (DE2)": 3}
    assert imported.blocks == 3
    assert [run.values[-1] for run in imported.runs if run.algorithm == "DE (DE2)"] == [4.0, 5.0, 6.0]
    [note] = imported.about.notes[:1]
    assert note.numbers == {"assumption": "KEPT_APART", "algorithms": ["DE (DE)", "DE (DE2)"]}
    assert note.remedy == ReadWith("renumber", value=True)


def test_renumbering_takes_folders_as_repetitions(tmp_path):
    write(tmp_path / "DE", [1.0, 2.0, 3.0])
    write(tmp_path / "DE2", [4.0, 5.0, 6.0])
    imported = read_runs(tmp_path, renumber=True)
    assert imported.algorithms == {"DE": 6}
    assert sorted(run.instance.run for run in imported.runs) == [1, 1, 1, 2, 2, 2]
    assert "KEPT_APART" not in assumptions(imported)


@pytest.mark.parametrize(("first", "second"), [("f1", "f2"), ("a/data", "b/data")])
def test_an_algorithm_may_be_spread_over_folders(tmp_path, first, second):
    write(tmp_path / first, [1.0, 2.0, 3.0])
    write(tmp_path / second, [1.0, 2.0, 3.0], function=2)
    write(tmp_path / "more", [4.0], instances=(4,))
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"DE": 7}
    assert {run.instance.run for run in imported.runs} == {1}
    assert "KEPT_APART" not in assumptions(imported)


@pytest.mark.parametrize("layout", ["{version}/f{function}", "f{function}/{version}", "x/f{function}/{version}/data"])
def test_the_part_of_the_path_that_distinguishes_them_does_not_divide_by_function(tmp_path, layout):
    for function in (1, 2):
        for number, version in enumerate(("new", "old")):
            folder = tmp_path / layout.format(version=version, function=function)
            write(folder, [number + 0.5, number, number + 0.25], function=function)
    assert read_runs(tmp_path).algorithms == {"DE (new)": 6, "DE (old)": 6}


@pytest.mark.parametrize("layout", ["run_{}", "Seed{}", "{}", "exp-{}", "DE/trial-{}/data"])
def test_folders_that_are_numbered_hold_repetitions(tmp_path, layout):
    for number in (1, 2, 3):
        write(tmp_path / layout.format(number), [1.0 / number, 2.0, 3.0 + number])
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"DE": 9}
    assert sorted(run.instance[3:] for run in imported.runs) == [(i, r) for i in (1, 2, 3) for r in (1, 2, 3)]
    expected = {"assumption": "TAKEN_AS_REPETITIONS", "algorithms": ["DE"]}
    assert expected in [each.numbers for each in imported.about.notes]


def test_versions_may_have_repetitions_in_folders(tmp_path):
    for number, version in enumerate(("new", "old")):
        for run in (1, 2):
            write(tmp_path / version / f"run{run}", [number + run / 8, number + run, 1.0])
    assert read_runs(tmp_path).algorithms == {"DE (new)": 6, "DE (old)": 6}


def test_a_copy_is_left_out_even_if_one_of_its_runs_was_cut(tmp_path):
    write(tmp_path / "DE", [1.0, 2.0, 3.0])
    shutil.copytree(tmp_path / "DE", tmp_path / "backup")
    data = tmp_path / "DE" / "f1.dat"
    data.write_text(data.read_text().replace("9 3.0\n", ""))
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"DE": 3}
    reasons = [each.reason for each in imported.skipped]
    assert reasons == [Reason.CUT_RUN, Reason.COPY, Reason.SECOND_RUN]
    assert [each.count for each in imported.skipped] == [1, 2, 1]


def test_two_versions_may_have_some_equal_runs(tmp_path):
    write(tmp_path / "new", [1.0, 2.0, 3.0])
    write(tmp_path / "old", [1.0, 5.0, 6.0])
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"DE (new)": 3, "DE (old)": 3}
    assert imported.skipped == ()


def test_archives_count_as_folders(tmp_path):
    for version, values in {"new": [1.0, 2.0, 3.0], "old": [4.0, 5.0, 6.0]}.items():
        write(tmp_path / "unpacked" / version, values)
        shutil.make_archive(str(tmp_path / version), "zip", tmp_path / "unpacked" / version)
    shutil.rmtree(tmp_path / "unpacked")
    assert read_runs(tmp_path).algorithms == {"DE (new.zip)": 3, "DE (old.zip)": 3}
