"""The contract of every format: reading gives the shared example runs that were written in it."""

import csv
import json
import shutil
from functools import cache
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polarbear.importers import Block, read_runs
from polarbear.importers.formats import FILE_KINDS
from polarbear.literals import FileFormat
from polarbear.observe import Choices, Trajectory, log_grid

ALGORITHMS, INSTANCES, REPETITIONS = ("cma", "de, new"), (1, 7, 70_000), 2  # 70,000 needs more than 16 bits


@cache
def example_runs():
    """Return runs of unequal lengths as (algorithm, instance, run) -> [(evaluations, value)], to their last row."""
    rng = np.random.default_rng(0)
    runs = {}
    for algorithm in ALGORITHMS:
        for instance in INSTANCES:
            for run in range(1, REPETITIONS + 1):
                length = int(rng.integers(20, 60))
                # Ten decimals, as the loggers write them; current values rise and fall.
                values = np.round(rng.exponential(size=length) * np.linspace(10, 1, length), 10)
                runs[algorithm, instance, run] = [(at, float(value)) for at, value in enumerate(values, 1)]
    return runs


@cache
def expected():
    runs = example_runs()
    blocks = {key: Block("mine", 3, 5, *key[1:]) for key in runs}
    return {
        Trajectory(key[0], blocks[key], *zip(*rows, strict=True), cluster=blocks[key][:4]) for key, rows in runs.items()
    }


def by_algorithm(runs):
    for algorithm in ALGORITHMS:
        yield algorithm, {key[1:]: rows for key, rows in runs.items() if key[0] == algorithm}


def table(runs):
    names = ["algorithm_name", "suite", "function_id", "dimension", "instance", "run_id", "evaluations", "raw_y"]
    return names, [(key[0], "mine", 3, 5, *key[1:], *row) for key, rows in runs.items() for row in rows]


def write_csv(folder, runs):
    names, rows = table(runs)
    with (folder / "runs.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([names, *rows])


def write_parquet(folder, runs):
    pa, parquet = (
        pytest.importorskip("pyarrow", reason="needs polarbear-anytime[parquet], which polarbear-anytime[dev] brings"),
        pytest.importorskip(
            "pyarrow.parquet", reason="needs polarbear-anytime[parquet], which polarbear-anytime[dev] brings"
        ),
    )
    names, rows = table(runs)
    columns = map(list, zip(*rows, strict=True))
    parquet.write_table(pa.table(dict(zip(names, columns, strict=True))), folder / "runs.parquet")


def write_iohprofiler(folder, runs):
    for number, (algorithm, of) in enumerate(by_algorithm(runs)):
        (folder / f"a{number}" / "data_f3").mkdir(parents=True)
        declared = []
        for (instance, _), rows in of.items():
            at, best = min(rows, key=lambda row: row[1])
            declared.append({"instance": instance, "evals": rows[-1][0], "best": {"evals": at, "y": best, "x": [0.0]}})
        scenario = {"dimension": 5, "path": "data_f3/f3_DIM5.dat", "runs": declared}
        index = {"version": "0.3.22", "suite": "mine", "function_id": 3, "function_name": "f", "maximization": False}
        index |= {"algorithm": {"name": algorithm, "info": ""}, "attributes": [], "scenarios": [scenario]}
        (folder / f"a{number}" / "IOHprofiler_f3_f.json").write_text(json.dumps(index))
        text = "".join("evaluations raw_y\n" + "".join(f"{t} {v:.10f}\n" for t, v in rows) for rows in of.values())
        (folder / f"a{number}" / "data_f3" / "f3_DIM5.dat").write_text(text)


def write_info(folder, runs, header, row, tdat=False):
    for number, (algorithm, of) in enumerate(by_algorithm(runs)):
        (folder / f"a{number}" / "data_f3").mkdir(parents=True)
        declared = ", ".join(f"{i}:{rows[-1][0]}|{min(v for _, v in rows):.1e}" for (i, _), rows in of.items())
        about = f"suite = 'mine', funcId = 3, DIM = 5, Precision = 1.000e-08, algId = '{algorithm}'"
        (folder / f"a{number}" / "f3.info").write_text(f"{about}\n%\ndata_f3/f3_DIM5.dat, {declared}\n")
        for suffix, kept in ((".dat", (0, 2) if tdat else (0, 1)), (".tdat", (1, 2))):
            if suffix == ".tdat" and not tdat:
                continue
            text = ""
            for rows in of.values():
                text += header
                for count, (budget, value) in enumerate(rows):
                    # Rows are in the two files in turn; the last row is in both.
                    if kept[1] == 1 or count % 2 == kept[0] or count == len(rows) - 1:
                        text += row(budget, value, min(v for t, v in rows if t <= budget))
            (folder / f"a{number}" / "data_f3" / f"f3_DIM5{suffix}").write_text(text)


def write_older_iohprofiler(folder, runs):
    header = '"function evaluation" "current f(x)" "best-so-far f(x)" "current af(x)+b" "best af(x)+b"\n'
    write_info(folder, runs, header, lambda t, v, best: f"{t} {v:.10f} {best:.10f} {v + 7:.10f} {best + 7:.10f}\n")


def write_coco(folder, runs):
    header = (
        "% f evaluations | g evaluations | best noise-free fitness - Fopt (7.0e+00) + sum g_i+ | measured | best | x1\n"
    )
    write_info(folder, runs, header, lambda t, v, b: f"{t} 0 {b:+.10f} {v + 7:+.9e} {b + 7:+.9e} +1.0e+00\n", tdat=True)


WRITERS = {
    "csv": write_csv,
    "parquet": write_parquet,
    "iohprofiler": write_iohprofiler,
    "older iohprofiler": write_older_iohprofiler,
    "coco": write_coco,
}


# These formats cannot express the shared example runs, which have a suite, a function, a dimension and any values.
OWN_TESTS = {"aslib": "test_aslib.py", "smac": "test_smac.py", "optuna": "test_optuna.py"}


@pytest.fixture(params=WRITERS)
def form(request):
    return request.param


@pytest.fixture
def folder(form, tmp_path):
    (tmp_path / "runs").mkdir()
    WRITERS[form](tmp_path / "runs", example_runs())
    return tmp_path / "runs"


def test_every_format_is_in_the_registry_and_has_example_runs():
    assert {name for kind in FILE_KINDS for name in kind.formats} == set(get_args(FileFormat))
    assert {form.removeprefix("older ") for form in WRITERS} | set(OWN_TESTS) == set(get_args(FileFormat))
    assert all((Path(__file__).parents[1] / "importers" / name).exists() for name in OWN_TESTS.values())


def test_every_format_gives_the_same_runs(form, folder):
    imported = read_runs(folder)
    assert set(imported.runs) == expected()
    assert len(imported.runs) == len(ALGORITHMS) * len(INSTANCES) * REPETITIONS
    assert imported.skipped == ()
    assert imported.about.formats == (form.removeprefix("older "),)
    assert imported.algorithms == dict.fromkeys(ALGORITHMS, len(INSTANCES) * REPETITIONS)


def test_an_archive_gives_the_runs_of_its_folder(folder, tmp_path):
    shutil.make_archive(str(tmp_path / "packed"), "zip", folder)
    assert set(read_runs(tmp_path / "packed.zip").runs) == expected()


def test_copies_are_not_counted(folder, tmp_path):
    shutil.make_archive(str(folder / "packed"), "zip", folder)
    imported = read_runs(tmp_path)
    assert set(imported.runs) == expected()
    assert imported.skipped


def test_reading_twice_gives_the_same_in_the_same_order(folder):
    assert read_runs(folder) == read_runs(folder)


def test_imported_runs_give_rankings(folder):
    choices = Choices.from_trajectories(read_runs(folder).runs, grid=log_grid(2, 40, 5))
    assert choices.instances == len(INSTANCES) * REPETITIONS


# A CSV file may end without a line break, so one that was cut within a number cannot be distinguished from a whole one.
@pytest.mark.parametrize("form", [form for form in WRITERS if form != "csv"], indirect=True)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_that_was_cut_never_improves_a_run(form, folder, data):
    whole_runs = {(run.algorithm, run.instance): run for run in expected()}
    files = sorted(path for path in folder.rglob("*dat") if path.is_file()) or [folder / "runs.parquet"]
    file = data.draw(st.sampled_from(files))
    content = file.read_bytes()
    file.write_bytes(content[: data.draw(st.integers(0, len(content) - 1))])
    runs, skipped = (), ()
    try:
        imported = read_runs(folder)
        runs, skipped = imported.runs, imported.skipped
    except ValueError as refusal:
        skipped = (refusal,)
    finally:
        file.write_bytes(content)
    for run in runs:
        whole = whole_runs[run.algorithm, run.instance]
        assert run.end <= whole.end
        budgets = np.arange(run.end + 1)
        assert (run.at(budgets) >= whole.at(budgets)).all()
        if form != "coco":  # the other file of the pair may report the run, but later
            assert (run.at(budgets) == whole.at(budgets)).all()
    if form == "coco":  # the other file of the pair has the end of the run
        assert skipped or ends_of(runs) == ends_of(expected())
    else:
        assert skipped or set(runs) == expected()


def ends_of(runs):
    return {(run.algorithm, run.instance): run.end for run in runs}
