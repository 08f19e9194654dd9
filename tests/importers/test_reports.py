"""Reports of what an import left out: reasons as values, counted per file, and findings that collect them."""

import pytest

from polarbear.findings import Code, Finding
from polarbear.importers import Reason, Skipped, read_runs

TABLE = "algorithm_name,evaluations,raw_y\na,1,5.0\na,9,3.0\n"


def test_equal_problems_of_a_file_are_counted_and_keep_their_first_place(tmp_path):
    (tmp_path / "r.csv").write_text(TABLE + "a,x,1\na,y,1\n")
    (tmp_path / "s.csv").write_text(TABLE.replace("a,", "b,") + "b,x,1\n")
    columns = {"budget": "evaluations", "value": "raw_y"}
    assert read_runs(tmp_path).skipped == (
        Skipped("r.csv", Reason.NON_NUMERIC_ROW, columns, "line 4: 'a, x, 1'", 2),
        Skipped("s.csv", Reason.NON_NUMERIC_ROW, columns, "line 4: 'b, x, 1'", 1),
    )


def test_findings_collect_the_reports_of_each_reason(tmp_path):
    (tmp_path / "r.csv").write_text(TABLE + "a,x,1\na,y,1\n")
    (tmp_path / "s.csv").write_text(TABLE + "a,x,1\n")
    skipped, irregular = read_runs(tmp_path).findings
    numbers = {
        "reason": "NON_NUMERIC_ROW",
        "details": {"budget": "evaluations", "value": "raw_y"},
        "files": ["r.csv", "s.csv"],
        "first": "line 4: 'a, x, 1'",
        "count": 3,
    }
    assert skipped == Finding(Code.DATA_SKIPPED, "tentative", numbers=numbers)
    assert (irregular.code, irregular.severity) == (Code.IRREGULAR_DATA, "note")
    assert irregular.numbers["reason"] == "DUPLICATE_ROWS"


def test_the_number_of_distinct_reports_is_limited(tmp_path):
    for number in range(1010):
        (tmp_path / f"{number}.csv").touch()
    (tmp_path / "runs.csv").write_text(TABLE)
    *listed, last = read_runs(tmp_path).skipped
    assert {each.reason for each in listed} == {Reason.EMPTY}
    assert (len(listed), last.reason, last.count) == (1000, Reason.FURTHER, 10)


def test_the_error_of_an_import_without_runs_lists_the_first_reports(tmp_path):
    for number in range(12):
        (tmp_path / f"{number}.csv").touch()
    with pytest.raises(ValueError, match="expected recorded runs in") as refusal:
        read_runs(tmp_path)
    assert str(refusal.value).splitlines()[1:3] == ["- 0.csv: is empty", "- 1.csv: is empty"]
    assert str(refusal.value).endswith("\n- and 2 more")


def test_the_error_for_a_folder_without_known_files_names_the_formats(tmp_path):
    with pytest.raises(
        ValueError, match="with iohprofiler, coco, csv, parquet, aslib, smac, optuna, or archives of these"
    ):
        read_runs(tmp_path)
