"""Zip archives: the same runs as in the folder, and protection against manipulated archives."""

import gzip
import os
import random
import stat
import zipfile
from pathlib import Path

import pytest

from polarbear.importers import Reason, allowance, read_runs

DATA = Path(__file__).parent / "data"
TABLE = "algorithm_name,evaluations,raw_y\na,1,5.0\na,9,3.0\n"


@pytest.fixture
def archive(tmp_path):
    """Return a function that writes an archive of given members."""

    def write(members, name="runs.zip", compression=zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / name, "w", compression) as file:
            for member, content in members:
                file.writestr(member, content)
        return tmp_path / name

    return write


def budgets_of_change(folder):
    return {path: path.lstat().st_mtime_ns for path in Path(folder).rglob("*")}


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_holds_the_same_runs_as_its_folder(archive, tmp_path, compression):
    files = sorted(path for path in DATA.rglob("RandomSearch/**/*") if path.is_file())
    before = budgets_of_change(tmp_path)
    path = archive([(str(path.relative_to(DATA)), path.read_bytes()) for path in files], compression=compression)
    imported = read_runs(path)
    whole = read_runs(DATA)
    assert imported.runs
    assert set(imported.runs) == {run for run in whole.runs if run.algorithm == "RandomSearch"}
    assert imported.skipped == ()
    assert set(imported.about.formats) == {"coco", "iohprofiler"}
    assert set(budgets_of_change(tmp_path)) == {*before, path}  # nothing was unpacked


def test_an_archive_in_a_folder_is_read_and_its_copy_is_not_counted(archive, tmp_path):
    member = DATA / "ioh" / "CMA-ES"
    archive([(str(path.relative_to(DATA)), path.read_bytes()) for path in member.rglob("*") if path.is_file()])
    (tmp_path / "CMA-ES").symlink_to(member)  # links out of the folder are not followed
    assert read_runs(tmp_path).algorithms == {"CMA-ES": 10}
    (tmp_path / "CMA-ES").unlink()
    for path in member.rglob("*"):
        copy = tmp_path / "copy" / path.relative_to(member)
        if path.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"CMA-ES": 10}
    assert all(each.reason is Reason.COPY for each in imported.skipped)


def test_tables_in_archives_are_read(archive, tmp_path):
    pa, parquet = (
        pytest.importorskip("pyarrow", reason="needs polarbear-anytime[parquet], which polarbear-anytime[dev] brings"),
        pytest.importorskip(
            "pyarrow.parquet", reason="needs polarbear-anytime[parquet], which polarbear-anytime[dev] brings"
        ),
    )
    parquet.write_table(pa.table({"algorithm_name": ["b"], "evaluations": [4], "raw_y": [1.0]}), tmp_path / "b.parquet")
    path = archive([("deep/er/a.csv", TABLE), ("b.parquet", (tmp_path / "b.parquet").read_bytes())])
    assert read_runs(path).algorithms == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    "name",
    ["../evil.csv", "/etc/evil.csv", "a/../../evil.csv", "..\\evil.csv", "C:\\evil.csv", "c:evil.csv", "a/../b.csv"],
)
def test_names_that_lead_out_of_the_archive_are_refused(archive, tmp_path, name):
    path = archive([(name, TABLE.replace("a,", "evil,")), ("good.csv", TABLE)])
    before = budgets_of_change(tmp_path.parent)
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1}
    assert imported.skipped[0].reason is Reason.OUTSIDE_NAME
    assert budgets_of_change(tmp_path.parent) == before


def test_links_and_passwords_are_refused(archive):
    link = zipfile.ZipInfo("link.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    path = archive([(link, "/etc/passwd"), ("secret.csv", TABLE), ("good.csv", TABLE)])
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"secret.csv") - 46  # its entry in the central directory
    content[entry + 8] |= 1
    path.write_bytes(content)
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1}
    assert {each.where.split(":")[1]: each.reason for each in imported.skipped} == {
        "link.csv": Reason.SPECIAL_MEMBER,
        "secret.csv": Reason.ENCRYPTED,
    }


def test_archives_that_expand_too_much_are_refused(archive, monkeypatch):
    # Each member is small; it is their sum that counts.
    path = archive([*((f"{number}.csv", TABLE + "a,1,1.0\n" * 2**20) for number in range(9)), ("good.csv", TABLE)])
    with pytest.raises(ValueError, match="the archive expands more than 200-fold"):
        read_runs(path)
    monkeypatch.setattr(allowance, "EXPANDED", 100)
    path = archive([("a.csv", TABLE), ("b.csv", TABLE.replace("a,", "b,")), ("c.csv", TABLE.replace("a,", "c,"))])
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1, "b": 1}
    assert imported.skipped[0].reason is Reason.EXPANDED
    monkeypatch.setattr(allowance, "MEMBERS", 2)
    with pytest.raises(ValueError, match="holds 3 files, more than 2"):
        read_runs(path)


def test_archives_that_take_too_long_are_read_in_part(archive, monkeypatch):
    clock = iter(range(100))  # one second per look at it
    monkeypatch.setattr(allowance, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(allowance, "SECONDS", 3.0)
    imported = read_runs(archive([(f"{name}.csv", TABLE.replace("a,", f"{name},")) for name in "abcd"]))
    assert list(imported.algorithms) in (["a"], ["a", "b"], ["a", "b", "c"])  # those before the limit
    assert {each.reason for each in imported.skipped} == {Reason.SLOW}


def test_no_more_bytes_are_read_than_a_member_declares(archive):
    path = archive([("a.csv", TABLE + "a,10,1.0\n" * 1000)])
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"a.csv") - 46
    content[entry + 24 : entry + 28] = (len(TABLE)).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is damaged"):
        read_runs(path)


def test_damaged_archives_are_reported(archive, tmp_path):
    path = archive([("a.csv", TABLE * 50), ("b.csv", TABLE.replace("a,", "b,"))])
    content = bytearray(path.read_bytes())
    content[45] ^= 0xFF  # in the compressed data of the first member
    path.write_bytes(content)
    imported = read_runs(path)
    assert "b" in imported.algorithms
    assert any(each.reason is Reason.DAMAGED for each in imported.skipped)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="is not a complete zip archive"):
        read_runs(path)


def test_no_value_of_a_damaged_file_is_used(archive, tmp_path):
    """A checksum is compared at the end of a file, when most of a large one has already been read."""
    rng = random.Random(0)
    rows = "".join(f"b,{budget},{rng.random()}\n" for budget in range(1, 10_000))
    content = {"a.csv": TABLE, "b.csv": f"algorithm_name,evaluations,raw_y\n{rows}"}
    path = archive(list(content.items()))
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1}
    assert [(each.where, each.reason) for each in imported.skipped] == [("runs.zip:b.csv", Reason.DAMAGED)]
    (tmp_path / "runs.tgz").write_bytes(gzip.compress(b"x" * 100_000 + rng.randbytes(100_000))[:-8] + b"wrong sum")
    with pytest.raises(ValueError, match=r"runs\.tgz: is not a complete tar archive"):
        read_runs(tmp_path / "runs.tgz")


def test_a_damaged_name_is_reported(archive):
    path = archive([("a.csv", TABLE), ("b.csv", TABLE.replace("a,", "b,"))])
    content = bytearray(path.read_bytes())
    content[content.rindex(b"b.csv") + 4] ^= 1  # b.csw
    path.write_bytes(content)
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1}
    assert imported.skipped[0].reason is Reason.DAMAGED


def test_a_second_member_of_the_same_name_is_refused(archive):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = archive([("a.csv", TABLE), ("a.csv", TABLE.replace("a,", "b,"))])
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1}
    assert imported.skipped[0].reason is Reason.SECOND_MEMBER


def test_a_file_with_the_name_of_an_archive_must_be_one(tmp_path):
    (tmp_path / "runs.zip").write_text(TABLE)
    with pytest.raises(ValueError, match="is not a complete zip archive"):
        read_runs(tmp_path / "runs.zip")
    assert read_runs(tmp_path / "runs.zip", reader="csv").algorithms == {"a": 1}


def test_pipes_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "a.csv").write_text(TABLE)
    imported = read_runs(tmp_path)
    assert imported.skipped[0].reason is Reason.NOT_REGULAR
    with pytest.raises(ValueError, match="is not a regular file"):
        read_runs(tmp_path / "pipe.csv")
