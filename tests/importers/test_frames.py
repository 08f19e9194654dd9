"""Data frames: the same runs and the same reports as a CSV file with the same content, in every library."""

import csv
import datetime

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from polarbear.importers import Reason, read_runs

LIBRARIES = {"pandas": pd.DataFrame, "polars": pl.DataFrame, "polars, lazy": pl.LazyFrame, "pyarrow": pa.table}
COLUMNS = {
    "algorithm_name": ["cma", "cma", "cma", "de", "de", "de"],
    "function_id": [1, 1, 2, 1, 1, 2],
    "instance": [7, 7, 7, 7, 7, 7],
    "evaluations": [1, 20, 5, 1, 30, 9],
    "raw_y": [3.0, 1.0, 2.5, 4.0, 0.5, 2.0],
}


@pytest.fixture(params=LIBRARIES)
def make(request):
    return LIBRARIES[request.param]


def with_columns(**columns):
    return {**COLUMNS, **columns}


def write_csv(path, columns):
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(columns)
        writer.writerows(zip(*columns.values(), strict=True))
    return path


@pytest.mark.parametrize(
    "options",
    [{}, {"maximise": True}, {"ended": "stays"}, {"cluster": "none"}, {"columns": {"run_id": "instance"}}],
    ids=str,
)
def test_a_frame_gives_the_runs_of_a_csv_file(make, tmp_path, options):
    file, frame = read_runs(write_csv(tmp_path / "r.csv", COLUMNS), **options), read_runs(make(COLUMNS), **options)
    assert frame.runs == file.runs
    assert frame.about.notes == file.about.notes
    assert (frame.skipped, frame.cluster_kind) == ((), file.cluster_kind)
    assert (frame.about.path, frame.about.formats, frame.about.files, frame.about.rows) == (
        "a table of 6 rows",
        (),
        0,
        6,
    )


def test_columns_may_have_other_names(make):
    renamed = make({f"my {name}": column for name, column in COLUMNS.items()})
    assert read_runs(renamed, columns={name: f"my {name}" for name in COLUMNS}).runs == read_runs(make(COLUMNS)).runs
    with pytest.raises(ValueError, match=r"a table of 6 rows: has no column .*'evaluations': 'my evaluations'"):
        read_runs(renamed)


def test_missing_cells_are_reported_as_in_a_csv_file(make, tmp_path):
    columns = with_columns(
        algorithm_name=["cma", "cma", None, "de", "de", "de"],
        function_id=[1, 1, 2, 1, 1, None],
        evaluations=[1, 20, 5, 1, None, 9],
        raw_y=[3.0, None, 2.5, 4.0, 0.5, 2.0],
    )
    file, frame = read_runs(write_csv(tmp_path / "r.csv", columns)), read_runs(make(columns))
    assert frame.runs == file.runs
    assert [(each.reason, each.details, each.count) for each in frame.skipped] == [
        (each.reason, each.details, each.count) for each in file.skipped
    ]
    assert {each.reason for each in frame.skipped} == {Reason.NO_ALGORITHM, Reason.NO_VALUE, Reason.NON_NUMERIC_ROW}
    assert frame.skipped[0].first.startswith("row 2: ")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS).astype({"algorithm_name": "category", "instance": "category"}),
        pd.DataFrame(COLUMNS).astype({"instance": "Int64", "evaluations": "Int64", "raw_y": "Float64"}),
        pd.DataFrame(COLUMNS).astype(object),
        pd.DataFrame(COLUMNS).astype({"evaluations": str, "raw_y": str}),
        pd.DataFrame(COLUMNS, index=list("abcdef")),
        pd.DataFrame(COLUMNS, index=pd.Index(range(6), name="row")),
        pd.DataFrame(COLUMNS).convert_dtypes(dtype_backend="pyarrow"),
        pl.DataFrame(COLUMNS).cast(
            {"algorithm_name": pl.Categorical, "instance": pl.UInt16, "raw_y": pl.Decimal(9, 3)}
        ),
        pa.table(COLUMNS).set_column(0, "algorithm_name", pa.array(COLUMNS["algorithm_name"]).dictionary_encode()),
    ],
    ids=[
        "category",
        "nullable",
        "object",
        "text",
        "labels",
        "named index",
        "arrow types",
        "polars types",
        "dictionary",
    ],
)
def test_types_do_not_matter(frame):
    assert read_runs(frame).runs == read_runs(pd.DataFrame(COLUMNS)).runs


def test_nullable_types_of_pandas_may_have_missing_cells():
    frame = pd.DataFrame(COLUMNS).astype({"instance": "Int64", "raw_y": "Float64", "algorithm_name": "category"})
    frame.loc[0, "raw_y"] = pd.NA
    frame["instance"] = pd.array([pd.NA] * 6, dtype="Int64")
    imported = read_runs(frame)
    assert {run.instance.instance for run in imported.runs} == {None}
    assert [(each.reason, each.count) for each in imported.skipped] == [(Reason.NO_VALUE, 1)]


def test_frames_of_many_rows_are_read_in_batches():
    rows = 150_000
    frame = pl.DataFrame({"algorithm_name": "a", "evaluations": np.arange(rows), "raw_y": -np.arange(rows) / rows})
    (run,) = read_runs(frame).runs
    assert (run.budgets.size, run.end) == (rows, rows - 1)


def test_columns_in_the_index_of_pandas_are_refused():
    best = pd.DataFrame(COLUMNS).groupby(["algorithm_name", "function_id", "instance"]).min()
    message = "expected 'algorithm_name' and 'function_id' and 'instance' among the columns of the table, found in its"
    with pytest.raises(ValueError, match=f"{message} index; pass table.reset_index"):
        read_runs(best)
    assert len(read_runs(best.reset_index()).runs) == 4
    with pytest.raises(ValueError, match="expected 'solver' among the columns of the table, found in its index"):
        read_runs(best.rename_axis(["solver", "f", "i"]), columns={"algorithm_name": "solver"})
    with pytest.raises(ValueError, match=r"has no column 'algorithm_name', only '.*solver"):
        read_runs(best.rename_axis(["solver", "f", "i"]))


@pytest.mark.parametrize(
    ("cells", "found", "advice"),
    [
        ([datetime.datetime(2026, 1, day) for day in range(1, 7)], "Datetime", "seconds since the start of the run"),
        ([datetime.timedelta(seconds=s) for s in range(1, 7)], "Duration", "seconds since the start of the run"),
        ([True] * 6, "Boolean", "choose another column"),
    ],
)
def test_times_without_numbers_are_refused(make, cells, found, advice):
    with pytest.raises(ValueError, match=rf"expected numbers in the column 'evaluations', got {found}.*{advice}"):
        read_runs(make(with_columns(evaluations=cells)))
    with pytest.raises(ValueError, match=rf"expected numbers in the column 'when', got {found}"):
        read_runs(make(with_columns(when=cells)), columns={"time": "when"}, clock="seconds")
    assert len(read_runs(make(with_columns(budget=cells))).runs) == 4  # not used, so it may be anything


def test_lists_are_refused_where_the_type_shows_them():
    with pytest.raises(ValueError, match="has lists or records in the column 'raw_y'"):
        read_runs(pl.DataFrame(with_columns(raw_y=[[1.0]] * 6)))
    with pytest.raises(ValueError, match="rows without numbers as evaluations and raw_y"):
        read_runs(pd.DataFrame(with_columns(raw_y=[[1.0]] * 6)))
    assert read_runs(pd.DataFrame(with_columns(instance=[[1]] * 6))).runs[0].instance.instance == "[1]"


def test_names_of_columns_must_be_text_and_distinct():
    frame = pd.DataFrame(COLUMNS)
    with pytest.raises(ValueError, match="expected distinct column names, got 'raw_y' 2 times; rename or remove"):
        read_runs(pd.concat([frame, frame["raw_y"]], axis=1))
    with pytest.raises(ValueError, match="expected a table with column names of text, got 0; rename its columns"):
        read_runs(pd.DataFrame(frame.to_numpy()))


def test_options_about_files_are_refused(make):
    with pytest.raises(ValueError, match="expected format=None for a table in memory, got 'csv'; leave it out"):
        read_runs(make(COLUMNS), reader="csv")
    with pytest.raises(ValueError, match=r"takes the names of files, and a table in memory, which has none"):
        read_runs(make(COLUMNS), columns={"algorithm_name": None})


def test_a_table_without_rows_has_no_runs(make):
    with pytest.raises(ValueError, match="expected recorded runs in 'a table of 0 rows', got none"):
        read_runs(make({name: [] for name in COLUMNS}))


@pytest.mark.parametrize("data", [3, None, [1, 2], {"raw_y": [1.0]}, np.zeros((2, 2)), pd.Series([1.0]), b"runs.csv"])
def test_other_objects_are_refused(data):
    with pytest.raises(ValueError, match=r"expected a folder or a file .*, or a table of pandas, polars or Arrow, got"):
        read_runs(data)
