"""Incomplete files, other encodings, wrong options and wrong paths are refused with a message that says what is wrong."""

import pytest

from polarbear.importers import Reason, read_runs
from tests.importers.untrusted_folders import COCO, IOH, TABLE, ioh, read


def test_the_error_for_incomplete_json_suggests_an_open_logger(tmp_path):
    index = (IOH / "IOHprofiler_f8_Rosenbrock.json").read_bytes()
    ioh(tmp_path, index[:-20])
    with pytest.raises(ValueError, match=r"is not complete JSON \(.*\); was its logger closed\?"):
        read_runs(tmp_path)


def test_absurd_nesting_and_lines_are_reported(tmp_path):
    (tmp_path / "deep.json").write_text('{"scenarios": ' + "[" * 100_000)
    (tmp_path / "long.csv").write_text("algorithm_name,evaluations,raw_y\na,1," + "1" * 2_000_000)
    (tmp_path / "good.csv").write_text(TABLE)
    imported = read(tmp_path)
    assert {each.where: each.reason for each in imported.skipped} == {
        "deep.json": Reason.DEEP,
        "long.csv": Reason.LONG_LINE,
    }


def test_tables_in_other_encodings_are_refused(tmp_path):
    (tmp_path / "latin.csv").write_bytes("algorithm_name,evaluations,raw_y\nKünstlich,1,2\n".encode("latin-1"))
    with pytest.raises(ValueError, match="is not UTF-8 text; save it as UTF-8"):
        read_runs(tmp_path)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"reader": "xml"},
            "expected reader='iohprofiler', .*'irace' or None, got 'xml'",
        ),
        ({"clock": "minutes"}, "expected clock='evaluations' or 'seconds', got 'minutes'"),
        ({"maximise": "yes"}, "expected maximise=True, False or None, got 'yes'"),
        ({"columns": ["raw_y"]}, "expected columns as a mapping"),
        ({"columns": {"raw_y": 3}}, "expected the name of the column 'raw_y' as text, got 3"),
        ({"columns": {"raw_y": None}}, "expected the name of the column 'raw_y', got None"),
        ({"columns": {"instances": "i"}}, "did you mean 'instance'"),
    ],
)
def test_wrong_options_are_refused(tmp_path, options, message):
    (tmp_path / "a.csv").write_text(TABLE)
    with pytest.raises(ValueError, match=message):
        read_runs(tmp_path, **options)


def test_wrong_paths_are_refused(tmp_path):
    for path in (tmp_path / "nothing", tmp_path, "a\0b", 3, None, tmp_path / ("x" * 5000)):
        with pytest.raises(ValueError, match="expected "):
            read_runs(path)


def test_coco_data_have_no_seconds_and_are_not_maximised():
    for options, message in (
        ({"clock": "seconds"}, "read with clock='evaluations'"),
        ({"maximise": True}, "read with maximise=False"),
    ):
        with pytest.raises(ValueError, match=message):
            read_runs(COCO, **options)
