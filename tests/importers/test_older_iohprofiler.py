"""The older IOHprofiler format: an `.info` index, and data files with quoted column names."""

import pytest

from polarbear.findings import ReadWith
from polarbear.importers import Block, Reason, read_runs
from tests.importers.cluster_tables import assumptions

HEADER = '"function evaluation" "current f(x)" "best-so-far f(x)" "current af(x)+b" "best af(x)+b" "rate" \n'
RISING = [
    "1 +4.0e+01 +4.0e+01 +4.0e+01 +4.0e+01 0.01",
    "3 +3.0e+01 +4.0e+01 +3.0e+01 +4.0e+01 0.02",
    "9 +9.9e+01 +9.9e+01 +1.0e+00 +1.0e+00 0.01",
]
SECOND = ["1 +5.0e+01 +5.0e+01 +5.0e+01 +5.0e+01 0.01", "7 +1.0e+02 +1.0e+02 +1.0e+02 +1.0e+02 0.01"]


def write(folder, index, *runs, name="IOHprofiler_f1_DIM16_i1.dat"):
    (folder / "data_f1").mkdir(exist_ok=True)
    (folder / "data_f1" / name).write_text("".join(HEADER + "".join(f"{row}\n" for row in run) for run in runs))
    (folder / "IOHprofiler_f1_i1.info").write_text(index)


INDEX = (
    "suite = 'PBO', funcId = 1, DIM = 16,{direction} algId = '(1+1) EA, fast', algInfo = 'x'\n%\n"
    "data_f1/IOHprofiler_f1_DIM16_i1.dat, {runs}"
)


def test_runs_on_one_instance_are_its_repetitions(tmp_path):
    write(
        tmp_path,
        INDEX.format(direction=" maximization = 'T',", runs="1:5000|9.9e+01,\n1:5000|1.00000e+02\n"),
        RISING,
        SECOND,
    )
    imported = read_runs(tmp_path)
    assert imported.skipped == ()
    assert imported.about.formats == ("iohprofiler",)
    [note] = imported.about.notes
    assert note.numbers == {"assumption": "ONE_INSTANCE", "blocks": 2}
    first, second = imported.runs
    assert first.algorithm == "(1+1) EA, fast"
    assert (first.instance, second.instance) == (Block("PBO", 1, 16, 1, 1), Block("PBO", 1, 16, 1, 2))
    assert first.maximise
    assert (first.budgets.tolist(), first.values.tolist(), first.end) == ([1, 9], [40.0, 99.0], 5000)
    assert (second.budgets.tolist(), second.end) == ([1, 7], 5000)


def test_best_so_far_values_show_the_direction(tmp_path):
    write(tmp_path, INDEX.format(direction="", runs="1:9|9.9e+01, 1:7|1.0e+02"), RISING, SECOND)
    imported = read_runs(tmp_path)
    assert all(run.maximise for run in imported.runs)
    note = imported.about.notes[0]
    assert note.numbers == {"assumption": "DIRECTION", "suite": "PBO", "maximise": True, "visible": True}
    assert note.remedy == ReadWith("maximise", value=False)
    falling = [["1 5 5 5 5 0", "4 3 3 3 3 0"], ["1 6 6 6 6 0", "2 2 2 2 2 0"]]
    write(tmp_path, INDEX.format(direction="", runs="1:9|3.0e+00, 2:7|2.0e+00"), *falling)
    imported = read_runs(tmp_path)
    assert [run.maximise for run in imported.runs] == [False, False]
    assert [run.instance.instance for run in imported.runs] == [1, 2]
    assert [run.maximise for run in read_runs(tmp_path, maximise=True).runs] == [True, True]


def test_a_header_without_parameters_has_one_name_more_than_its_rows(tmp_path):
    write(tmp_path, INDEX.format(direction=" maximization = 'T',", runs="1:5000|9.9e+01"), [])
    rows = "".join(f"{row.removesuffix(' 0.01').removesuffix(' 0.02')}\n" for row in RISING)
    data = tmp_path / "data_f1" / "IOHprofiler_f1_DIM16_i1.dat"
    data.write_text(HEADER.replace('"rate"', '"No parameters"') + rows)
    imported = read_runs(tmp_path)
    assert imported.skipped == ()
    assert imported.runs[0].values.tolist() == [40.0, 99.0]


def test_an_index_may_list_final_values_as_the_algorithm_saw_them(tmp_path):
    # The final values are 5 times the raw ones plus 400: 550 is not reached by raw values, and was reached by both runs.
    runs = [["1 10 10 450 450 0", "9 30 30 550 550 0"], ["1 20 20 500 500 0", "5 30 30 550 550 0"]]
    index = INDEX.format(direction=" maximization = 'T',", runs="1:5000|5.50000e+002, 1:5000|5.50000e+002")
    write(tmp_path, index, *runs)
    imported = read_runs(tmp_path)
    assert imported.skipped == ()
    assert [(run.values.tolist(), run.end) for run in imported.runs] == [([10, 30], 5000), ([20, 30], 5000)]
    write(tmp_path, index, runs[0], runs[1][:1])  # the data of the second run were cut
    imported = read_runs(tmp_path)
    assert [run.end for run in imported.runs] == [5000, 1]
    assert [(each.reason, each.first) for each in imported.skipped] == [(Reason.CUT_RUN, "run 2 of 2")]


def test_the_direction_of_many_files_is_noted_once(tmp_path):
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write(tmp_path / folder, INDEX.format(direction="", runs="1:9|9.9e+01").replace("fast", folder), RISING)
    assert assumptions(read_runs(tmp_path)).count("DIRECTION") == 1


def test_missing_data_are_reported(tmp_path):
    write(
        tmp_path,
        INDEX.format(direction=' maximization = "T",', runs="1:5000|1.0e+04, 1, 3:7|1.0e+02, 4:7|1.0e+02"),
        RISING,
        SECOND,
        [],
    )
    imported = read_runs(tmp_path)
    # The data of the first run lack its best value; the logger did not close the second.
    assert [run.end for run in imported.runs] == [9, 7]
    assert [(each.reason, each.first) for each in imported.skipped] == [
        (Reason.NOT_IN_DATA, ""),
        (Reason.CUT_RUN, "run 1 of 4"),
        (Reason.EMPTY_RUN, "run 3 of 4"),
    ]


def test_a_data_file_may_have_two_columns(tmp_path):
    write(tmp_path, INDEX.format(direction=" maximization = 'F',", runs="7:10|2.0e+00"), [])
    (tmp_path / "data_f1" / "IOHprofiler_f1_DIM16_i1.dat").write_text(
        '"function evaluation" "best-so-far f(x)"\n1\t4.0\n\nnot a row\n2\t3.0 9\n10\t2.0\n'
    )
    imported = read_runs(tmp_path)
    assert imported.runs[0].values.tolist() == [4.0, 2.0]
    assert [each.reason for each in imported.skipped] == [Reason.NON_NUMERIC_LINE, Reason.WRONG_WIDTH]
    assert imported.skipped[1].details == {"columns": 2}


@pytest.mark.parametrize("reference", ["../outside.dat", "/etc/hostname.dat", "C:\\x.dat", "data_f1/../../x.dat"])
def test_references_out_of_the_folder_are_refused(tmp_path, reference):
    inside = tmp_path / "inside"
    inside.mkdir()
    (tmp_path / "outside.dat").write_text(HEADER + "1 1 1 1 1 1\n")
    (inside / "a.info").write_text(f"suite = 'PBO', funcId = 1, DIM = 16, algId = 'a'\n%\n{reference}, 1:1|1.0")
    with pytest.raises(ValueError, match="which is not below it"):
        read_runs(inside)
