"""Folders that the real loggers wrote: the same values as plain parsing of the same files gives."""

import math
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from polarbear.importers import Block, read_runs
from polarbear.observe import Choices, log_grid

DATA = Path(__file__).parent / "data"
TIMES = np.arange(1, 1501)


def best_so_far(rows):
    """The slow and obvious way: evaluation by evaluation."""
    best, found = math.inf, []
    at = {time: [value for when, value in rows if when == time] for time, _ in rows}
    for time in TIMES:
        best = min([best, *at.get(time, [])])
        found.append(best)
    return found


def plain_ioh(folder, function):
    """Each run's rows, by splitting at the headers."""
    [dat] = folder.glob(f"data_f{function}_*/*.dat")
    _, *runs = dat.read_text().split("evaluations raw_y\n")
    return [[tuple(map(float, line.split())) for line in run.splitlines()] for run in runs]


def plain_coco(folder, name):
    """Each run's rows, of both files together."""
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
            assert run.until == 1500
            assert not run.maximise
            assert run.at(TIMES).tolist() == best_so_far(plain)
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
        assert run.until == 1500
        assert run.at(TIMES).tolist() == best_so_far(rows)


def test_values_that_were_read_by_eye():
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


def test_the_script_beside_the_data_writes_them(tmp_path):
    pytest.importorskip("ioh", reason="the logger is in the extra `bbob`, whose wheels are for x86_64 only")
    script = Path(__file__).with_name("make_samples.py")
    subprocess.run([sys.executable, script, "ioh", tmp_path / "ioh"], check=True)
    for algorithm in (
        "OnePlusOne",
        "RandomSearch",
    ):  # CMA-ES follows the rounding of the linear algebra that is installed
        made, stored = (sorted(read_runs(place / "ioh" / algorithm).runs, key=str) for place in (tmp_path, DATA))
        for one, other in zip(made, stored, strict=True):
            assert one.instance == other.instance
            np.testing.assert_allclose(one.at(TIMES), other.at(TIMES), rtol=1e-6)


def test_runs_go_on_to_rankings():
    imported = read_runs(DATA / "ioh")
    assert imported.algorithms == {"CMA-ES": 10, "OnePlusOne": 10, "RandomSearch": 10}
    assert imported.blocks == 10
    choices = Choices.from_trajectories(imported.runs, grid=log_grid(10, 1500, 5))
    assert choices.instances == 10
    assert choices.wins[-1, 0] > choices.wins[-1, 2]  # CMA-ES wins more often than random search


def test_an_index_alone_finds_its_data():
    whole = read_runs(DATA / "ioh" / "CMA-ES", cluster="none")  # one function alone makes no clusters
    one = read_runs(DATA / "ioh" / "CMA-ES" / "IOHprofiler_f8_Rosenbrock.json")
    assert one.runs == tuple(run for run in whole.runs if run.instance.function == 8)
    coco = DATA / "coco" / "OnePlusOne"
    assert read_runs(coco / "bbobexp_f8.info").runs == read_runs(coco).runs


def test_a_format_can_be_asked_for():
    assert {run.instance.suite for run in read_runs(DATA, format="coco").runs} == {"bbob"}
    assert {run.instance.suite for run in read_runs(DATA, format="iohprofiler").runs} == {"unknown_suite"}
    with pytest.raises(ValueError, match="got none that could be read"):
        read_runs(DATA, format="parquet")


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
    assert all("a copy, not a repetition" in each.reason for each in imported.skipped)


def test_truncated_data_are_used_up_to_their_end_and_reported(tmp_path):
    shutil.copytree(DATA / "ioh" / "CMA-ES", tmp_path / "ioh")
    dat = tmp_path / "ioh" / "data_f8_Rosenbrock" / "IOHprofiler_f8_DIM5.dat"
    text = dat.read_text()
    dat.write_text(text[: text.index("1431 3.9327851737") + 9])  # in the middle of a number of run 5
    imported = read_runs(tmp_path)
    [run] = [run for run in imported.runs if run.instance == ("unknown_suite", 8, 5, 5, 1)]
    before = plain_ioh(DATA / "ioh" / "CMA-ES", 8)[4][:-5]
    assert run.until == before[-1][0] < 1431
    assert run.values[-1] == min(value for _, value in before)
    assert [each.reason.split(",")[0] for each in imported.skipped] == [
        "its last line is cut",
        "data end before the run did and lack its best value: used up to their end",
    ]
    dat.write_text("".join(text.partition("1500")[:1]))  # only the first run, without its end
    imported = read_runs(tmp_path)
    assert len(imported.runs) == 6
    assert any(
        "runs that the index lists are not in the data" in each.reason and each.count == 4 for each in imported.skipped
    )


def test_data_of_coco_may_lack_one_of_its_files(tmp_path):
    shutil.copytree(DATA / "coco" / "OnePlusOne", tmp_path / "coco")
    for file in (tmp_path / "coco" / "data_f8").glob("*.tdat"):
        file.unlink()
    imported = read_runs(tmp_path)
    assert len(imported.runs) == 10
    assert {each.reason for each in imported.skipped} == {"is missing"}
    whole = read_runs(DATA / "coco" / "OnePlusOne")
    # Targets hit are in .dat alone, so at the times when they were hit nothing is lost.
    for run, reference in zip(imported.runs, whole.runs, strict=True):
        assert run.at(run.times).tolist() == reference.at(run.times).tolist()
        assert run.until == 1500
