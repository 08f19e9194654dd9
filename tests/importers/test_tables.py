"""Tables: reading gives the written runs, whatever the order of rows, the names of columns and the number of files."""

import csv
import itertools
import math
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from polarbear.defaults import is_sentinel
from polarbear.findings import Code, ReadWith
from polarbear.importers import Block, Reason, read_runs
from polarbear.observe import Trajectory
from tests.importers.cluster_tables import assumptions

NAMES = ["algorithm_name", "suite", "function_id", "dimension", "instance", "run_id", "evaluations", "raw_y"]


def write_csv(path, rows, names=NAMES, delimiter=",", encoding="utf-8"):
    with path.open("w", newline="", encoding=encoding) as stream:
        writer = csv.writer(stream, delimiter=delimiter)
        writer.writerow(names)
        writer.writerows(rows)
    return path


def write_parquet(path, rows, names=NAMES):
    columns = zip(*rows, strict=True)
    parquet.write_table(pa.table(dict(zip(names, map(list, columns), strict=True))), path, row_group_size=7)
    return path


WRITERS = {"csv": write_csv, "parquet": write_parquet}


@pytest.fixture(params=WRITERS)
def kind(request):
    return request.param


def rows_of(seed=0, algorithms=("cma", "de"), instances=(1, 2), runs=(1, 2), evaluations=20):
    """Return rows of runs of unequal length, and the trajectories that they describe."""
    rng = np.random.default_rng(seed)
    rows, expected = [], {}
    for algorithm, instance, run in itertools.product(algorithms, instances, runs):
        ran = int(rng.integers(evaluations // 2, evaluations + 1))
        values = rng.normal(size=ran)
        rows += [(algorithm, "mine", 3, 5, instance, run, at, value) for at, value in enumerate(values.tolist(), 1)]
        block = Block("mine", 3, 5, instance, run)
        # One function, several instances with repetitions: the instance is the cluster.
        expected[algorithm, block] = Trajectory(algorithm, block, np.arange(1, ran + 1), values, cluster=block[:4])
    return rows, expected


def by_key(imported):
    found = {(run.algorithm, run.instance): run for run in imported.runs}
    assert len(found) == len(imported.runs)
    return found


def test_a_table_gives_the_written_runs(tmp_path, kind):
    rows, expected = rows_of()
    imported = read_runs(WRITERS[kind](tmp_path / f"runs.{kind}", rows))
    assert by_key(imported) == expected
    assert imported.skipped == ()
    assert imported.about.formats == (kind,)
    assert (imported.about.rows, imported.about.files) == (len(rows), 1)


def test_rows_may_come_in_any_order_and_from_many_files(tmp_path, kind):
    rows, expected = rows_of()
    np.random.default_rng(1).shuffle(rows := [tuple(row) for row in rows])
    rows = [(a, s, int(f), int(d), int(i), int(r), int(e), float(v)) for a, s, f, d, i, r, e, v in rows]
    for part in range(12):
        WRITERS[kind](tmp_path / f"part{part}.{kind}", rows[part::12])
    imported = read_runs(tmp_path)
    assert by_key(imported) == expected
    assert imported.skipped == ()


def test_a_run_may_be_spread_over_csv_and_parquet(tmp_path):
    rows, expected = rows_of()
    write_csv(tmp_path / "first.csv", rows[: len(rows) // 2])
    write_parquet(tmp_path / "rest.parquet", rows[len(rows) // 2 :])
    assert by_key(read_runs(tmp_path)) == expected


@pytest.mark.parametrize("delimiter", [";", "\t", " "])
def test_other_separators_and_a_byte_order_mark_are_recognised(tmp_path, delimiter):
    rows, expected = rows_of()
    path = write_csv(tmp_path / "runs.txt", rows, delimiter=delimiter, encoding="utf-8-sig")
    assert by_key(read_runs(path)) == expected


def test_columns_may_have_other_names(tmp_path, kind):
    rows, expected = rows_of()
    path = WRITERS[kind](tmp_path / f"runs.{kind}", rows, [f"my {name}" for name in NAMES])
    assert by_key(read_runs(path, columns={name: f"my {name}" for name in NAMES})) == expected
    with pytest.raises(
        ValueError,
        match=r"has no column 'evaluations', 'raw_y', 'algorithm_name', only .*; read with "
        r"columns=\{'evaluations': 'my evaluations', 'raw_y': 'my raw_y', 'algorithm_name': 'my algorithm_name'\} "
        r"\(--column 'evaluations=my evaluations' --column 'raw_y=my raw_y' .*\)",
    ):
        read_runs(path)


def test_a_column_that_the_user_named_must_exist(tmp_path):
    path = write_csv(tmp_path / "runs.csv", rows_of()[0])
    with pytest.raises(ValueError, match=r"has no column 'seed', only .*; read with columns=\{'run_id': "):
        read_runs(path, columns={"run_id": "seed"})


def test_the_name_of_a_file_may_be_that_of_the_algorithm(tmp_path):
    for name in ("cma", "de"):
        write_csv(tmp_path / f"{name}.csv", [(1, 10, 5.0), (1, 20, 3.0)], ["instance", "evaluations", "raw_y"])
    assert read_runs(tmp_path, columns={"algorithm_name": None}).algorithms == {"cma": 1, "de": 1}
    with pytest.raises(
        ValueError, match=r"has no column 'algorithm_name'.*the names of files.*\(--column algorithm_name=\)"
    ):
        read_runs(tmp_path)


@pytest.mark.parametrize("stated_by", ["argument", "column"])
def test_higher_values_may_be_better(tmp_path, stated_by):
    rows = [("a", 1, 1.0, "T"), ("a", 2, 3.0, "T"), ("a", 3, 2.0, "T"), ("b", 1, 9.0, "T")]
    if stated_by == "column":
        path = write_csv(tmp_path / "runs.csv", rows, ["algorithm_name", "evaluations", "raw_y", "maximization"])
        imported = read_runs(path)
    else:
        path = write_csv(tmp_path / "runs.csv", [row[:3] for row in rows], ["algorithm_name", "evaluations", "raw_y"])
        imported = read_runs(path, maximise=True)
    run = imported.runs[0]
    assert run.maximise
    assert run.at([1, 2, 3]).tolist() == [1.0, 3.0, 3.0]
    assert not read_runs(path, maximise=False).runs[0].maximise


def test_the_clock_may_be_seconds(tmp_path, kind):
    names = ["algorithm_name", "time", "raw_y", "evaluations", "evals"]
    path = WRITERS[kind](
        tmp_path / f"r.{kind}", [("a", 0.5, 3.0, 10, 99), ("a", 0.5, 2.0, 20, 99), ("a", 7.25, 2.5, 30, 99)], names
    )
    run = read_runs(path, clock="seconds").runs[0]
    assert (run.budgets.tolist(), run.values.tolist(), run.end) == ([0.5], [2.0], 7.25)
    run = read_runs(path).runs[0]
    assert (run.budgets.tolist(), run.values.tolist(), run.end) == ([10, 20], [3.0, 2.0], 99)


def test_a_run_is_unknown_after_its_last_row(tmp_path):
    path = write_csv(tmp_path / "r.csv", [("a", 1, 3.0), ("a", 50, 4.0)], ["algorithm_name", "evaluations", "raw_y"])
    run = read_runs(path).runs[0]
    assert run.at([0, 1, 50]).tolist() == [math.inf, 3.0, 3.0]
    assert math.isnan(run.at([51])[0])


def test_several_runs_under_one_number_are_left_out(tmp_path):
    names = ["algorithm_name", "run_id", "evaluations", "raw_y"]
    two = [("a", 1, 1, 3.0), ("a", 1, 2, 1.0), ("a", 1, 1, 4.0), ("a", 1, 2, 0.5)]
    same_start = [("a", 1, 1, 3.0), ("a", 1, 3, 1.0), ("a", 1, 1, 3.0), ("a", 1, 2, 0.5)]
    for rows in (two, same_start):
        path = write_csv(tmp_path / "r.csv", [*rows, ("b", 1, 1, 1.0)], names)
        imported = read_runs(path)
        assert imported.algorithms == {"b": 1}
        assert [each.reason for each in imported.skipped] == [Reason.NO_USABLE_RUN, Reason.SEVERAL_RUNS]
        assert "distinguish them by a column run_id, first: a on run 1" in str(imported.skipped[1])


def test_duplicate_rows_count_once(tmp_path):
    rows, expected = rows_of()
    write_csv(tmp_path / "runs.csv", rows)
    write_csv(tmp_path / "runs copy.csv", rows)
    imported = read_runs(tmp_path)
    assert by_key(imported) == expected
    assert {each.reason for each in imported.skipped} == {Reason.DUPLICATE_ROWS}


def test_run_numbers_that_are_seeds_can_be_renumbered(tmp_path):
    rows = [("a", 1, 901, 1, 3.0), ("a", 1, 17, 1, 4.0), ("b", 1, 555, 1, 5.0), ("b", 1, 3, 1, 6.0)]
    path = write_csv(tmp_path / "r.csv", rows, ["algorithm_name", "instance", "run_id", "evaluations", "raw_y"])
    imported = read_runs(path)
    assert assumptions(imported)[0] == "NOTHING_IN_COMMON"
    assert imported.about.notes[0].remedy == ReadWith("renumber", value=True)
    renumbered = read_runs(path, renumber=True)
    assert renumbered.blocks == 2
    assert [run.instance.run for run in renumbered.runs] == [1, 2, 1, 2]


def test_rows_that_cannot_be_used_are_counted_and_reported_once(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(
        "algorithm_name,evaluations,raw_y\n"
        "a,1,5\na,2,oops\na,x,3\n\na,3\na,4,,\na,-1,3\na,inf,3\na,5,-inf\na,6,nan\na,7,\n ,8,1\na,9,2\na,1e999,1\n"
    )
    imported = read_runs(path)
    [run] = imported.runs
    assert (run.budgets.tolist(), run.values.tolist(), run.end) == ([1, 9], [5.0, 2.0], 9)
    assert {str(each) for each in imported.skipped} == {
        "r.csv: rows without numbers as evaluations and raw_y, first: line 3: 'a, 2, oops' (2 times)",
        "r.csv: rows without 3 columns, first: line 6: 'a, 3' (2 times)",
        "r.csv: rows whose budget is negative or not finite, first: line 8: 'a, -1, 3' (3 times)",
        "r.csv: rows with an infinitely good value, first: line 10: 'a, 5, -inf'",
        "r.csv: rows without a value, first: line 11: 'a, 6, nan' (2 times)",
        "r.csv: rows that name no algorithm, first: line 13: ', 8, 1'",
    }


def test_runs_are_reported_in_words(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(
        "algorithm_name,function_id,run_id,evaluations,raw_y\nCMA-ES,f1,0,1,nan\nCMA-ES,f1,x,1,nan\nde,f1,0,1,5\n"
    )
    reports = list(map(str, read_runs(path).skipped))
    assert "r.csv: runs without any value, first: CMA-ES on function f1, run 0 (2 times)" in reports
    path.write_text("algorithm_name,evaluations,raw_y\nCMA-ES,1,nan\nde,1,3\n")
    assert "r.csv: runs without any value, first: CMA-ES" in map(str, read_runs(path).skipped)


LEFT_OUT = [
    "algorithm_name,instance,evaluations,raw_y",
    *("cma,1,1,5", "no values,1,1,nan", "=text,1,1,n/a", "algorithm_name,instance,evaluations,raw_y"),
    *("mixed,1,1,n/a", "mixed,2,1,3", "negative,1,-1,3"),
]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ({}, "=text, no values, negative"),
        ({"without": ["mixed"]}, "=text, no values, negative"),
        ({"only": ["cma"]}, ""),
    ],
)
def test_algorithms_without_a_usable_run_are_named(tmp_path, options, names):
    (tmp_path / "r.csv").write_text("\n".join(LEFT_OUT) + "\n")
    imported = read_runs(tmp_path, **options)
    reports = [each for each in imported.skipped if each.reason is Reason.NO_USABLE_RUN]
    sentence = f"r.csv: algorithms without a usable run, left out altogether: {names}"
    assert list(map(str, reports)) == ([sentence] if names else [])
    if names:
        finding = imported.findings[0]
        assert (finding.code, finding.severity) == (Code.DATA_SKIPPED, "tentative")
        assert finding.numbers["details"]["names"] == names.split(", ")


def test_a_table_without_a_last_line_end_is_read_and_noted(tmp_path):
    (tmp_path / "r.csv").write_text("algorithm_name,evaluations,raw_y\na,1,5\na,2,0.0123")
    imported = read_runs(tmp_path)
    assert imported.runs[0].values.tolist() == [5.0, 0.0123]
    [note] = imported.about.notes
    assert note.numbers == {"assumption": "OPEN_END", "files": ["r.csv"]}


def test_runs_in_both_directions_are_noted(tmp_path):
    rows = [("a", 1, 1.0, "T"), ("b", 1, 2.0, "F")]
    write_csv(tmp_path / "r.csv", rows, ["algorithm_name", "evaluations", "raw_y", "maximization"])
    assert assumptions(read_runs(tmp_path)) == ["BOTH_DIRECTIONS"]


def test_missing_cells_of_parquet_are_missing(tmp_path):
    table = pa.table({"algorithm_name": ["a", None, "a"], "evaluations": [1, 2, 3], "raw_y": [2.0, 1.0, None]})
    parquet.write_table(table, tmp_path / "r.parquet")
    imported = read_runs(tmp_path)
    assert imported.runs[0].end == 3
    assert {each.reason for each in imported.skipped} == {Reason.NO_ALGORITHM, Reason.NO_VALUE}


def test_lists_in_parquet_are_refused(tmp_path):
    parquet.write_table(
        pa.table({"algorithm_name": ["a"], "evaluations": [1], "raw_y": [[2.0]]}), tmp_path / "r.parquet"
    )
    with pytest.raises(ValueError, match="has lists or records in the column 'raw_y'"):
        read_runs(tmp_path)


def test_a_duplicate_column_of_parquet_is_refused(tmp_path):
    arrays = [pa.array(each) for each in (["a"], [1], [1.0], [2.0])]
    table = pa.Table.from_arrays(arrays, names=["algorithm_name", "evaluations", "raw_y", "raw_y"])
    parquet.write_table(table, tmp_path / "r.parquet")
    with pytest.raises(ValueError, match="has 2 columns 'raw_y'; rename or remove all but one"):
        read_runs(tmp_path)


@settings(max_examples=50, deadline=None)
@given(
    events=st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.floats(allow_nan=False, allow_infinity=False).filter(lambda value: not is_sentinel(value)),
        ),
        min_size=1,
        max_size=30,
        unique_by=lambda e: e[0],
    ),
    name=st.text(min_size=1, max_size=20, alphabet=st.characters(exclude_categories=["C", "Z"])),
    maximise=st.booleans(),
)
def test_reading_gives_any_run_that_was_written(events, name, maximise):
    rows = [(name, at, value) for at, value in events]
    expected = Trajectory(name, Block(None, None, None, None, 1), *zip(*sorted(events), strict=True), maximise=maximise)
    with TemporaryDirectory() as folder:
        for kind, write in WRITERS.items():
            path = write(Path(folder, f"runs.{kind}"), rows, ["algorithm_name", "evaluations", "raw_y"])
            assert read_runs(path, maximise=maximise, repeated=False).runs == (expected,)


@pytest.mark.parametrize("maximise", [False, True])
@pytest.mark.parametrize("sentinel", [1e20, -1e20, 1e30, -1e100, 1.7976931348623157e308])
def test_what_solvers_report_without_a_solution_improves_on_nothing(tmp_path, maximise, sentinel):
    """Not even if its sign is the better one."""
    rows = [("a", 1, sentinel), ("a", 5, 3.0), ("a", 7, sentinel), ("a", 9, 4.0 if maximise else 2.0)]
    WRITERS["csv"](tmp_path / "runs.csv", rows, ["algorithm_name", "evaluations", "raw_y"])
    (run,) = read_runs(tmp_path, maximise=maximise).runs
    assert run.budgets.tolist() == [5, 9]
    assert run.values.tolist() == [3, rows[-1][2]]
