"""Whatever a file contains, reading it gives runs and reports or a `ValueError` with a sentence, and writes nothing."""

import io
import json
import math
import os
import zipfile
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polarbear.importers import Imported, Reason, Skipped, read_runs

DATA = Path(__file__).parent / "data"
IOH = DATA / "ioh" / "RandomSearch"
COCO = DATA / "coco" / "RandomSearch"
TABLE = "algorithm_name,suite,function_id,dimension,instance,run_id,evaluations,raw_y\n" + "".join(
    f"cma,s,1,2,{instance},1,{at},{1 / (at + instance)}\n" for instance in (1, 2) for at in (1, 5, 9)
)

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@contextmanager
def empty_folder():
    """Yield a folder and remove it at once; pytest would keep the hundreds that Hypothesis needs."""
    with TemporaryDirectory() as name:
        yield Path(name)


def read(path, **options):
    """Read, and check that the result is valid."""
    before = {each: os.lstat(each).st_mtime_ns for each in path.rglob("*")}
    imported, refusal = None, None
    try:
        imported = read_runs(path, **options)
    except ValueError as error:
        refusal = error
    if imported is None:
        assert type(refusal) is ValueError
        assert str(refusal).startswith("expected ")
    else:
        assert isinstance(imported, Imported)
        assert imported.runs
        for run in imported.runs:
            assert math.isfinite(run.until)
            assert run.times.size
            assert (run.times <= run.until).all()
        assert all(isinstance(each, Skipped) and each.count > 0 and str(each) for each in imported.skipped)
        assert len({(run.algorithm, run.instance) for run in imported.runs}) == len(imported.runs)
    assert {each: os.lstat(each).st_mtime_ns for each in path.rglob("*")} == before
    return imported


def ioh(folder, index=None, data=None):
    target = folder / "ioh"
    (target / "data_f8_Rosenbrock").mkdir(parents=True)
    source = IOH / "IOHprofiler_f8_Rosenbrock.json"
    (target / source.name).write_bytes(source.read_bytes() if index is None else index)
    source = IOH / "data_f8_Rosenbrock" / "IOHprofiler_f8_DIM5.dat"
    (target / "data_f8_Rosenbrock" / source.name).write_bytes(source.read_bytes() if data is None else data)


def coco(folder, index=None, data=None):
    target = folder / "coco"
    (target / "data_f8").mkdir(parents=True)
    (target / "bbobexp_f8.info").write_bytes((COCO / "bbobexp_f8.info").read_bytes() if index is None else index)
    for source in (COCO / "data_f8").glob("*DIM2.*"):
        (target / "data_f8" / source.name).write_bytes(
            data if data is not None and source.suffix == ".dat" else source.read_bytes()
        )


def mutations(content):
    """Return a strategy for content that was cut, or into which foreign bytes were written."""
    places = st.integers(0, len(content))
    strange = st.one_of(
        st.binary(max_size=20),
        st.sampled_from(
            [
                b"nan",
                b"-inf",
                b"1e999",
                b"9" * 400,
                b"-1",
                b"\0",
                b"\xff\xfe",
                b'"',
                b"'",
                b"%",
                b"\n",
                b",",
                b"{",
                b"[" * 99,
                b"null",
                b"0x1",
            ]
        ),
    )

    def splice(place, length, put):
        return content[:place] + put + content[place + length :]

    return st.one_of(places.map(lambda end: content[:end]), st.builds(splice, places, st.integers(0, 200), strange))


@quick
@given(
    content=st.one_of(st.binary(max_size=300), st.text(max_size=300).map(lambda text: text.encode("utf-8", "ignore"))),
    name=st.sampled_from(["a.csv", "a.json", "a.info", "a.parquet", "a.zip", "a", "a.dat"]),
)
def test_any_content_is_read_or_refused(content, name):
    with empty_folder() as folder:
        (folder / name).write_bytes(content)
        read(folder)
        read(folder / name)


@quick
@given(content=mutations(TABLE.encode()))
def test_broken_csv_is_read_or_refused(content):
    with empty_folder() as folder:
        (folder / "runs.csv").write_bytes(content)
        read(folder)


@quick
@given(data=st.data())
def test_broken_ioh_folders_are_read_or_refused(data):
    index = (IOH / "IOHprofiler_f8_Rosenbrock.json").read_bytes()
    dat = (IOH / "data_f8_Rosenbrock" / "IOHprofiler_f8_DIM5.dat").read_bytes()
    with empty_folder() as folder:
        ioh(
            folder,
            data.draw(st.one_of(st.just(index), mutations(index))),
            data.draw(st.one_of(st.just(dat), mutations(dat))),
        )
        read(folder)


@quick
@given(data=st.data())
def test_broken_coco_folders_are_read_or_refused(data):
    index = (COCO / "bbobexp_f8.info").read_bytes()
    dat = (COCO / "data_f8" / "bbobexp_f8_DIM2.dat").read_bytes()
    with empty_folder() as folder:
        coco(
            folder,
            data.draw(st.one_of(st.just(index), mutations(index))),
            data.draw(st.one_of(st.just(dat), mutations(dat))),
        )
        read(folder)


def archive_of(names=("a.csv", "b/c.csv")):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name in names:
            file.writestr(name, TABLE)
    return buffer.getvalue()


@quick
@given(content=mutations(archive_of()))
def test_broken_archives_are_read_or_refused(content):
    with empty_folder() as folder:
        (folder / "runs.zip").write_bytes(content)
        read(folder)


@quick
@given(name=st.text(min_size=1, max_size=30, alphabet=st.sampled_from("./\\:~ab\0 é$%c")))
def test_strange_names_in_archives_do_no_harm(name):
    with empty_folder() as folder:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as file:
            file.writestr(zipfile.ZipInfo(name + ".csv"), TABLE)
            file.writestr("good.csv", TABLE)
        (folder / "runs.zip").write_bytes(buffer.getvalue())
        assert read(folder) is not None


@quick
@given(content=st.data())
def test_broken_parquet_is_read_or_refused(content):
    pa, parquet = (
        pytest.importorskip("pyarrow", reason="needs polarbear[parquet], which polarbear[dev] brings"),
        pytest.importorskip("pyarrow.parquet", reason="needs polarbear[parquet], which polarbear[dev] brings"),
    )
    with empty_folder() as folder:
        table = pa.table(
            {"algorithm_name": ["a"] * 5, "evaluations": [1, 2, 3, 4, 5], "raw_y": [5.0, 4.0, 3.0, 2.0, 1.0]}
        )
        buffer = io.BytesIO()
        parquet.write_table(table, buffer)
        (folder / "runs.parquet").write_bytes(content.draw(mutations(buffer.getvalue())))
        read(folder)


KEYS = ["function_id", "algorithm", "scenarios", "suite", "maximization", "dimension", "path", "runs", "instance"]
KEYS += ["evals", "best", "run"]

values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**400), 10**400), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=5,
)


@quick
@given(path=st.sampled_from(KEYS), value=values)
def test_json_with_wrong_types_is_read_or_refused(path, value):
    index = json.loads((IOH / "IOHprofiler_f8_Rosenbrock.json").read_text())
    for holder in (index, index["scenarios"][0], index["scenarios"][0]["runs"][0]):
        if path in holder:
            holder[path] = value
    if path == "run":
        index["scenarios"][0]["runs"][1] = value
    with empty_folder() as folder:
        ioh(folder, json.dumps(index).encode())
        read(folder)


@pytest.mark.parametrize(
    "reference", ["../secret.dat", "/etc/passwd", "..\\secret.dat", "data_f8_Rosenbrock/../../secret.dat"]
)
def test_json_cannot_point_out_of_its_folder(tmp_path, reference):
    (tmp_path / "secret.dat").write_text("evaluations raw_y\n1 5.0\n")
    index = json.loads((IOH / "IOHprofiler_f8_Rosenbrock.json").read_text())
    index["scenarios"][0]["path"] = reference
    ioh(tmp_path, json.dumps(index).encode())
    with pytest.raises(ValueError, match="which is not below it"):
        read_runs(tmp_path / "ioh")


def test_text_is_never_evaluated(tmp_path):
    index = (IOH / "IOHprofiler_f8_Rosenbrock.json").read_text()
    trap = f"__import__('pathlib').Path({str(tmp_path / 'trap')!r}).touch()"
    ioh(tmp_path, index.replace('"sample"', json.dumps(trap)).replace('"unknown_suite"', json.dumps(trap)).encode())
    assert read_runs(tmp_path).runs[0].instance.suite == trap
    assert not (tmp_path / "trap").exists()


def test_infinite_values_of_the_c_logger_are_read(tmp_path):
    index = (IOH / "IOHprofiler_f8_Rosenbrock.json").read_text()
    start = index.index('"y": ') + 5
    ioh(tmp_path, (index[:start] + "inf" + index[index.index(",", start) :]).encode())
    assert len(read_runs(tmp_path).runs) == 5


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
        ({"format": "xml"}, "expected format='iohprofiler', 'coco', 'csv', 'parquet' or None, got 'xml'"),
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
        ({"clock": "seconds"}, "use clock='evaluations'"),
        ({"maximise": True}, "leave out maximise"),
    ):
        with pytest.raises(ValueError, match=message):
            read_runs(COCO, **options)
