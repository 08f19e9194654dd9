"""Symbolic links in folders: followed within the folder, reported if they lead out of it, and never endless."""

import json
import shutil
from pathlib import Path

import pytest

from polarbear.importers import Reason, read_runs

DATA = Path(__file__).parent / "data" / "ioh" / "CMA-ES"
TABLE = "algorithm_name,instance,evaluations,raw_y\n{0},1,1,5.0\n{0},1,9,3.0\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "outside").mkdir()
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside" / "secret.csv").write_text(TABLE.format("secret"))
    (tmp_path / "inside" / "runs.csv").write_text(TABLE.format("mine"))
    return tmp_path / "inside"


def test_links_to_hidden_folders_and_files_are_followed(folder):
    (folder / ".store").mkdir()
    (folder / ".store" / "a.csv").write_text(TABLE.format("a"))
    (folder / ".object.csv").write_text(TABLE.format("b"))
    (folder / "linked").symlink_to(".store", target_is_directory=True)
    (folder / "linked.csv").symlink_to(".object.csv")
    imported = read_runs(folder)
    assert set(imported.algorithms) == {"a", "b", "mine"}
    assert imported.skipped == ()


def test_a_file_with_several_names_counts_once(folder):
    (folder / "by name").mkdir()
    (folder / "by name" / "other.csv").symlink_to("../runs.csv")
    (folder / "again").symlink_to("by name", target_is_directory=True)
    imported = read_runs(folder)
    assert imported.about.rows == 2
    assert imported.skipped == ()


def test_loops_end(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "up").symlink_to("..", target_is_directory=True)
    (folder / "sub" / "self").symlink_to("self")
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    (folder / "sub" / "across").symlink_to("../sub", target_is_directory=True)
    assert read_runs(folder).algorithms == {"mine": 1}


@pytest.mark.parametrize("target", ["../outside", "../outside/secret.csv", "{absolute}", "../missing.csv"])
def test_links_out_of_the_folder_are_reported_and_not_read(folder, target):
    link = "link.csv" if target.endswith("csv") else "link"
    (folder / link).symlink_to(target.format(absolute=folder.parent / "outside"))
    imported = read_runs(folder)
    assert imported.algorithms == {"mine": 1}
    assert [(each.where, each.reason) for each in imported.skipped] == [(link, Reason.OUTSIDE_LINK)]


def test_a_link_out_of_the_folder_by_way_of_a_link_within_it_is_not_read(folder):
    (folder / ".hidden").symlink_to("../outside", target_is_directory=True)
    (folder / "link").symlink_to(".hidden", target_is_directory=True)
    imported = read_runs(folder)
    assert imported.algorithms == {"mine": 1}
    assert [each.reason for each in imported.skipped] == [Reason.OUTSIDE_LINK]


def test_data_of_an_index_may_be_linked_within_the_folder_only(folder):
    shutil.copytree(DATA, folder / "exp")
    expected = {run for run in read_runs(folder).runs if run.algorithm == "CMA-ES"}
    data = folder / "exp" / "data_f8_Rosenbrock"
    data.rename(folder / ".f8")
    data.symlink_to("../.f8", target_is_directory=True)
    assert {run for run in read_runs(folder).runs if run.algorithm == "CMA-ES"} == expected
    (folder / ".f8").rename(folder.parent / "outside" / "f8")
    data.unlink()
    data.symlink_to("../../outside/f8", target_is_directory=True)
    imported = read_runs(folder)
    functions = {run.instance.function for run in imported.runs if run.algorithm == "CMA-ES"}
    assert functions == {21}
    assert {each.reason for each in imported.skipped} == {Reason.OUTSIDE_LINK}


def test_the_path_that_the_user_gives_may_be_a_link(folder, tmp_path):
    (tmp_path / "link.csv").symlink_to("inside/runs.csv")
    (tmp_path / "link").symlink_to("inside", target_is_directory=True)
    assert read_runs(tmp_path / "link.csv").algorithms == read_runs(tmp_path / "link").algorithms == {"mine": 1}


def test_an_index_that_is_a_link_does_not_read_beyond_its_folder(folder):
    index = {
        "function_id": 1,
        "algorithm": "x",
        "scenarios": [{"dimension": 2, "path": "d.dat", "runs": [{"instance": 1}]}],
    }
    (folder / "index.json").write_text(json.dumps(index))
    (folder.parent / "outside" / "d.dat").write_text("evaluations raw_y\n1 1.0\n")
    (folder / "d.dat").symlink_to("../outside/d.dat")
    with pytest.raises(ValueError, match="is a link out of the folder"):
        read_runs(folder / "index.json")
