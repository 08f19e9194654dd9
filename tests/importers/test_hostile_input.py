"""Whatever a file contains, reading it gives runs and reports or a `ValueError` with a sentence, and writes nothing."""

import io
import json
import zipfile
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from polarbear.importers import read_runs
from tests.importers.untrusted_folders import COCO, IOH, TABLE, ioh, read

quick = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@contextmanager
def empty_folder():
    """Yield a folder and remove it at once; pytest would keep the hundreds that Hypothesis needs."""
    with TemporaryDirectory() as name:
        yield Path(name)


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
        pytest.importorskip("pyarrow", reason="needs polarbear-anytime[parquet], which polarbear-anytime[dev] brings"),
        pytest.importorskip(
            "pyarrow.parquet", reason="needs polarbear-anytime[parquet], which polarbear-anytime[dev] brings"
        ),
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
