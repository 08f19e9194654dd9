"""Folders of the real loggers: the importers give the values that plain parsing of the same files gives."""

import math
import shutil
from pathlib import Path

import numpy as np
import pytest

from polarbear.importers import Block, Reason, read_runs
from polarbear.observe import Choices, log_grid
from tests.importers.make_samples import write_ioh

DATA = Path(__file__).parent / "data"
BUDGETS = np.arange(1, 1501)


def best_so_far(rows):
    """Return the best-so-far values, found evaluation by evaluation."""
    best, values = math.inf, []
    at = {budget: [value for when, value in rows if when == budget] for budget, _ in rows}
    for budget in BUDGETS:
        best = min([best, *at.get(budget, [])])
        values.append(best)
    return values


def plain_ioh(folder, function):
    """Return the rows of each run, by splitting at the headers."""
    [dat] = folder.glob(f"data_f{function}_*/*.dat")
    _, *runs = dat.read_text().split("evaluations raw_y\n")
    return [[tuple(map(float, line.split())) for line in run.splitlines()] for run in runs]


def plain_coco(folder, name):
    """Return the rows of each run, from both files together."""
    runs = []
    for file in (folder / f"{name}.dat", folder / f"{name}.tdat"):
        rows = []
        for line in file.read_text().splitlines():
            if line.startswith("%"):
                rows.append([])
            else:
                rows[-1].append((float(line.split()[0]), float(line.split()[2])))
        runs.append(rows)
    return [sorted(dat + tdat) for dat, tdat in zip(*runs, strict=True)]


@pytest.mark.parametrize("algorithm", ["CMA-ES", "OnePlusOne", "RandomSearch"])
def test_ioh_folders_give_what_plain_parsing_gives(algorithm):
    imported = read_runs(DATA / "ioh" / algorithm)
    assert imported.skipped == ()
    assert imported.about.formats == ("iohprofiler",)
    assert (imported.about.files, len(imported.runs)) == (2, 10)
    rows = 0
    for function in (8, 21):
        for instance, plain in enumerate(plain_ioh(DATA / "ioh" / algorithm, function), 1):
            [run] = [run for run in imported.runs if run.instance == ("unknown_suite", function, 5, instance, 1)]
            assert run.algorithm == algorithm
            assert run.end == 1500
            assert not run.maximise
            assert run.at(BUDGETS).tolist() == best_so_far(plain)
            rows += len(plain)
    assert imported.about.rows == rows


@pytest.mark.parametrize("algorithm", ["OnePlusOne", "RandomSearch"])
@pytest.mark.parametrize("dimension", [2, 10])
def test_coco_folders_give_what_plain_parsing_gives(algorithm, dimension):
    imported = read_runs(DATA / "coco" / algorithm)
    assert imported.skipped == ()
    assert imported.about.formats == ("coco",)
    runs = [run for run in imported.runs if run.instance.dimension == dimension]
    plain = plain_coco(DATA / "coco" / algorithm / "data_f8", f"bbobexp_f8_DIM{dimension}")
    assert len(runs) == len(plain) == 5
    for instance, (run, rows) in enumerate(zip(runs, plain, strict=True), 1):
        assert run.instance == Block("bbob", 8, dimension, instance, 1)
        assert run.end == 1500
        assert run.at(BUDGETS).tolist() == best_so_far(rows)


def test_values_agree_with_those_read_by_eye():
    runs = {(run.algorithm, run.instance): run for run in read_runs(DATA).runs}
    cma = runs["CMA-ES", ("unknown_suite", 8, 5, 1, 1)]
    assert cma.at([1, 3, 5, 10, 11]).tolist() == [
        120802.6379608723,
        9055.9366551855,
        4847.3928159503,
        4625.5284029501,
        776.5238231927,
    ]
    cma = runs["CMA-ES", ("unknown_suite", 8, 5, 5, 1)]
    assert cma.at([1484, 1485, 1500]).tolist() == [3.9320351704, 3.9318982295, 3.9318982295]  # not the last row's value
    es = runs["OnePlusOne", ("bbob", 8, 2, 1, 1)]
    assert es.at([1, 5, 6, 33, 34, 1500]).tolist() == [
        1334.121159,
        83.51228991,
        1.435368314,
        1.435368314,
        1.203881985,
        0.4429051465,
    ]
    assert math.isnan(es.at([1501])[0])


def test_make_samples_writes_the_stored_data(tmp_path):
    pytest.importorskip("ioh", reason="the logger is in the extra `bbob`, whose wheels are for x86_64 only")
    algorithms = ("OnePlusOne", "RandomSearch")  # CMA-ES depends on the rounding of the installed linear algebra
    write_ioh(tmp_path / "ioh", algorithms)
    for algorithm in algorithms:
        new, stored = (sorted(read_runs(place / "ioh" / algorithm).runs, key=str) for place in (tmp_path, DATA))
        for one, other in zip(new, stored, strict=True):
            assert one.instance == other.instance
            np.testing.assert_allclose(one.at(BUDGETS), other.at(BUDGETS), rtol=1e-6)


def test_imported_runs_give_rankings():
    imported = read_runs(DATA / "ioh")
    assert imported.algorithms == {"CMA-ES": 10, "OnePlusOne": 10, "RandomSearch": 10}
    assert imported.blocks == 10
    choices = Choices.from_trajectories(imported.runs, grid=log_grid(10, 1500, 5))
    assert choices.instances == 10
    assert choices.wins[-1, 0] > choices.wins[-1, 2]  # CMA-ES wins more often than random search


def test_a_single_index_finds_its_data():
    whole = read_runs(DATA / "ioh" / "CMA-ES", cluster="none")  # one function alone makes no clusters
    one = read_runs(DATA / "ioh" / "CMA-ES" / "IOHprofiler_f8_Rosenbrock.json")
    assert one.runs == tuple(run for run in whole.runs if run.instance.function == 8)
    coco = DATA / "coco" / "OnePlusOne"
    assert read_runs(coco / "bbobexp_f8.info").runs == read_runs(coco).runs


def test_only_the_requested_format_is_read():
    assert {run.instance.suite for run in read_runs(DATA, reader="coco").runs} == {"bbob"}
    assert {run.instance.suite for run in read_runs(DATA, reader="iohprofiler").runs} == {"unknown_suite"}
    with pytest.raises(ValueError, match="got none that could be read"):
        read_runs(DATA, reader="parquet")


@pytest.mark.parametrize(
    ("folder", "index", "form"),
    [
        ("coco/OnePlusOne", "bbobexp_f8.info", "coco"),
        ("ioh/CMA-ES", "IOHprofiler_f8_Rosenbrock.json", "iohprofiler"),
    ],
)
def test_a_single_file_is_read_as_the_requested_format_whatever_its_name(tmp_path, folder, index, form):
    shutil.copytree(DATA / folder, tmp_path / "runs")
    renamed = (tmp_path / "runs" / index).rename(tmp_path / "runs" / "index.csv")
    assert read_runs(renamed, reader=form).runs == read_runs(DATA / folder / index).runs


def test_experiments_in_several_folders_are_repetitions_and_copies_are_not(tmp_path):
    shutil.copytree(DATA / "ioh" / "CMA-ES", tmp_path / "exp")
    shutil.copytree(DATA / "ioh" / "CMA-ES", tmp_path / "exp-copy")
    again = tmp_path / "exp-1"
    shutil.copytree(DATA / "ioh" / "OnePlusOne", again)
    for index in again.glob("*.json"):
        index.write_text(index.read_text().replace('"OnePlusOne"', '"CMA-ES"'))
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"CMA-ES": 20}
    assert {run.instance.run for run in imported.runs} == {1, 2}
    assert sum(each.count for each in imported.skipped) == 10
    assert all(each.reason is Reason.COPY for each in imported.skipped)


def test_truncated_data_are_used_up_to_their_end_and_reported(tmp_path):
    shutil.copytree(DATA / "ioh" / "CMA-ES", tmp_path / "ioh")
    dat = tmp_path / "ioh" / "data_f8_Rosenbrock" / "IOHprofiler_f8_DIM5.dat"
    text = dat.read_text()
    dat.write_text(text[: text.index("1431 3.9327851737") + 9])  # in the middle of a number of run 5
    imported = read_runs(tmp_path)
    [run] = [run for run in imported.runs if run.instance == ("unknown_suite", 8, 5, 5, 1)]
    before = plain_ioh(DATA / "ioh" / "CMA-ES", 8)[4][:-5]
    assert run.end == before[-1][0] < 1431
    assert run.values[-1] == min(value for _, value in before)
    assert [each.reason for each in imported.skipped] == [Reason.CUT_LINE, Reason.CUT_RUN]
    dat.write_text("".join(text.partition("1500")[:1]))  # only the first run, without its end
    imported = read_runs(tmp_path)
    assert len(imported.runs) == 6
    assert any(each.reason is Reason.NOT_IN_DATA and each.count == 4 for each in imported.skipped)


def test_coco_data_are_read_if_one_of_the_two_files_is_missing(tmp_path):
    shutil.copytree(DATA / "coco" / "OnePlusOne", tmp_path / "coco")
    for file in (tmp_path / "coco" / "data_f8").glob("*.tdat"):
        file.unlink()
    imported = read_runs(tmp_path)
    assert len(imported.runs) == 10
    assert {each.reason for each in imported.skipped} == {Reason.MISSING}
    whole = read_runs(DATA / "coco" / "OnePlusOne")
    # The targets reached are in .dat alone, so nothing is lost at the times when they were reached.
    for run, reference in zip(imported.runs, whole.runs, strict=True):
        assert run.at(run.budgets).tolist() == reference.at(run.budgets).tolist()
        assert run.end == 1500
