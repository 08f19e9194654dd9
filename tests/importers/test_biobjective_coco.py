"""Bi-objective suites of COCO: data files on the lines of their functions, and an indicator in the second column."""

import pytest

from polarbear.importers import Block, Reason, read_runs

FOLDER = "1-separable_1-separable"
DATA = "bbob-biobj_f11_d02_hyp"


def run_header(instance, last_column=""):
    return (
        f"%\n% index = 0, name = bbob_f001_i02_d02__bbob_f001_i04_d02\n% instance = {instance}, "
        f"reference value = 8.33e-01\n% function evaluation | indicator value{last_column}\n"
    )


def write(folder, runs, suite="suite = 'bbob-biobj', ", algorithm="MOTPE"):
    """Write the folder of an algorithm, in which each run is a list of (evaluations, indicator)."""
    (folder / algorithm / FOLDER).mkdir(parents=True)
    listed = ", ".join(f"{number}:{run[-1][0]}|{run[-1][1]:.1e}" for number, run in enumerate(runs, 1))
    (folder / algorithm / f"{FOLDER}_hyp.info").write_text(
        f"{suite}algorithm = '{algorithm}', indicator = 'hyp', folder = '{FOLDER}', coco_version = '2.4.1'\n"
        f"% a comment\nfunction = 11, dim =  2, {DATA}.dat, {listed}\n"
    )
    rows = {"dat": lambda t, v: f"{t}\t{v:.15e}\t{2 * v:.15e}\n", "tdat": lambda t, v: f"{t}\t{v:.15e}\n"}
    for suffix, row in rows.items():
        header = [run_header(number, " | target hit" if suffix == "dat" else "") for number in range(1, len(runs) + 1)]
        text = "".join(head + "".join(row(*each) for each in run) for head, run in zip(header, runs, strict=True))
        (folder / algorithm / FOLDER / f"{DATA}.{suffix}").write_text(text)


RUNS = [[(1, 3.5), (20, 0.25), (40, 1e-3)], [(1, 2.0), (30, 1e-9), (35, -2e-4)]]


def test_the_indicator_is_minimised_and_may_fall_below_its_reference(tmp_path):
    write(tmp_path, RUNS)
    imported = read_runs(tmp_path)
    assert imported.skipped == ()
    assert imported.about.formats == ("coco",)
    first, second = imported.runs
    assert (first.algorithm, first.instance) == ("MOTPE", Block("bbob-biobj", 11, 2, 1, 1))
    assert (first.budgets.tolist(), first.values.tolist(), first.end) == ([1, 20, 40], [3.5, 0.25, 1e-3], 40)
    assert second.instance == Block("bbob-biobj", 11, 2, 2, 1)
    assert (second.values.tolist(), second.maximise) == ([2.0, 1e-9, -2e-4], False)


def test_no_run_finished_since_the_reference_is_no_optimum(tmp_path):
    write(tmp_path, RUNS)
    assert read_runs(tmp_path).ended == {"cut off": 2}
    assert read_runs(tmp_path, ended="stays").ended == {"finished": 2}


def test_a_suite_that_the_index_does_not_state_is_in_the_names_of_the_data_files(tmp_path):
    write(tmp_path, RUNS)
    write(tmp_path, RUNS, suite="", algorithm="older")
    assert read_runs(tmp_path).blocks == 2


def test_two_files_of_one_run_must_agree_on_instance_and_reference(tmp_path):
    write(tmp_path, RUNS)
    file = tmp_path / "MOTPE" / FOLDER / f"{DATA}.tdat"
    file.write_text(
        file.read_text().replace("instance = 2, reference value = 8.33e-01", "instance = 2, reference value = 1")
    )
    report = read_runs(tmp_path).skipped[0]
    assert (report.reason, report.first) == (Reason.OTHER_INSTANCE, "run 2 of 2")


def test_rows_and_files_that_are_missing_are_reported(tmp_path):
    write(tmp_path, RUNS)
    for suffix in ("dat", "tdat"):
        file = tmp_path / "MOTPE" / FOLDER / f"{DATA}.{suffix}"
        file.write_text(
            file.read_text()[: -len("35\t-2.000000000000000e-04\n") * (1 if suffix == "tdat" else 2)] + "7\n"
        )
    reasons = {each.reason for each in read_runs(tmp_path).skipped}
    assert {Reason.WRONG_WIDTH, Reason.CUT_RUN} <= reasons
    (tmp_path / "MOTPE" / f"{FOLDER}_hyp.info").write_text("algorithm = 'a', indicator = 'hyp', folder = 'x'\n%\n")
    with pytest.raises(ValueError, match="entries without data files"):
        read_runs(tmp_path)


def test_a_folder_outside_of_the_index_is_refused(tmp_path):
    write(tmp_path, RUNS)
    index = tmp_path / "MOTPE" / f"{FOLDER}_hyp.info"
    index.write_text(index.read_text().replace(f"folder = '{FOLDER}'", "folder = '../..'"))
    with pytest.raises(ValueError, match="which is not below it"):
        read_runs(tmp_path)
