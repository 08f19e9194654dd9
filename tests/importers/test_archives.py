"""Zip archives: the same runs as in the folder, and none of their tricks."""

import os
import stat
import zipfile
from pathlib import Path

import pytest

from polarbear.importers import archives, read_runs

DATA = Path(__file__).parent / "data"
TABLE = "algorithm_name,evaluations,raw_y\na,1,5.0\na,9,3.0\n"


@pytest.fixture
def archive(tmp_path):
    """Write an archive of given members."""

    def write(members, name="runs.zip", compression=zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(tmp_path / name, "w", compression) as file:
            for member, content in members:
                file.writestr(member, content)
        return tmp_path / name

    return write


def files(folder):
    return {path: path.stat().st_mtime_ns for path in Path(folder).rglob("*")}


@pytest.mark.parametrize("compression", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_holds_the_same_runs_as_its_folder(archive, tmp_path, compression):
    members = [(str(path.relative_to(DATA)), path.read_bytes()) for path in sorted(DATA.rglob("*")) if path.is_file()]
    before = files(tmp_path)
    path = archive(members, compression=compression)
    imported = read_runs(path)
    assert set(imported.runs) == set(read_runs(DATA).runs)
    assert imported.skipped == ()
    assert set(imported.about.formats) == {"coco", "iohprofiler"}
    assert set(files(tmp_path)) == {*before, path}  # nothing was unpacked


def test_an_archive_in_a_folder_is_read_and_its_copy_is_not_counted(archive, tmp_path):
    member = DATA / "ioh" / "CMA-ES"
    archive([(str(path.relative_to(DATA)), path.read_bytes()) for path in member.rglob("*") if path.is_file()])
    (tmp_path / "CMA-ES").symlink_to(member)  # links to folders are not followed
    assert read_runs(tmp_path).algorithms == {"CMA-ES": 10}
    (tmp_path / "CMA-ES").unlink()
    for path in member.rglob("*"):
        copy = tmp_path / "copy" / path.relative_to(member)
        if path.is_file():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    imported = read_runs(tmp_path)
    assert imported.algorithms == {"CMA-ES": 10}
    assert all("a copy, not a repetition" in each.reason for each in imported.skipped)


def test_tables_in_archives(archive, tmp_path):
    pa, parquet = (
        pytest.importorskip("pyarrow", reason="needs polarbear[parquet], which polarbear[dev] brings"),
        pytest.importorskip("pyarrow.parquet", reason="needs polarbear[parquet], which polarbear[dev] brings"),
    )
    parquet.write_table(pa.table({"algorithm_name": ["b"], "evaluations": [4], "raw_y": [1.0]}), tmp_path / "b.parquet")
    path = archive([("deep/er/a.csv", TABLE), ("b.parquet", (tmp_path / "b.parquet").read_bytes())])
    assert read_runs(path).algorithms == {"a": 1, "b": 1}


@pytest.mark.parametrize(
    "name",
    ["../evil.csv", "/etc/evil.csv", "a/../../evil.csv", "..\\evil.csv", "C:\\evil.csv", "c:evil.csv", "a/../b.csv"],
)
def test_names_that_lead_out_are_refused(archive, tmp_path, name):
    path = archive([(name, TABLE.replace("a,", "evil,")), ("good.csv", TABLE)])
    before = files(tmp_path.parent)
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1}
    assert imported.skipped[0].reason == "its name leads out of the archive"
    assert files(tmp_path.parent) == before


def test_links_passwords_and_archives_in_archives_are_refused(archive, tmp_path):
    link = zipfile.ZipInfo("link.csv")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    inner = archive([("a.csv", TABLE)], name="inner.zip").read_bytes()
    path = archive(
        [(link, "/etc/passwd"), ("inner.zip", inner), ("secret.csv", TABLE), ("good.csv", TABLE)], name="outer.zip"
    )
    (tmp_path / "inner.zip").unlink()
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"secret.csv") - 46  # its entry in the central directory
    content[entry + 8] |= 1
    path.write_bytes(content)
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1}
    assert {each.where.split(":")[1]: each.reason for each in imported.skipped} == {
        "link.csv": "it is a link or another special file",
        "secret.csv": "it is encrypted",
        "inner.zip": "is an archive in an archive; unpack the outer one",
    }


def test_bombs_are_refused(archive, monkeypatch):
    path = archive([("bomb.csv", b"0" * 2**25), ("good.csv", TABLE)])
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1}
    assert "expands more than 500-fold" in imported.skipped[0].reason
    monkeypatch.setattr(archives, "EXPANDED", 100)
    path = archive([("a.csv", TABLE), ("b.csv", TABLE.replace("a,", "b,")), ("c.csv", TABLE.replace("a,", "c,"))])
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1, "b": 1}
    assert "expands to more than" in imported.skipped[0].reason
    monkeypatch.setattr(archives, "MEMBERS", 2)
    with pytest.raises(ValueError, match="holds 3 files, more than 2"):
        read_runs(path)


def test_a_member_that_lies_about_its_size_gives_no_more(archive):
    path = archive([("a.csv", TABLE + "a,10,1.0\n" * 1000)])
    content = bytearray(path.read_bytes())
    entry = content.rindex(b"a.csv") - 46
    content[entry + 24 : entry + 28] = (len(TABLE)).to_bytes(4, "little")
    path.write_bytes(content)
    with pytest.raises(ValueError, match="is damaged"):  # counted as small, and no more than that is read
        read_runs(path)


def test_damaged_archives_are_reported(archive, tmp_path):
    path = archive([("a.csv", TABLE * 50), ("b.csv", TABLE.replace("a,", "b,"))])
    content = bytearray(path.read_bytes())
    content[45] ^= 0xFF  # in the compressed data of the first member
    path.write_bytes(content)
    imported = read_runs(path)
    assert "b" in imported.algorithms
    assert any("is damaged" in each.reason for each in imported.skipped)
    path.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="is not a whole zip archive"):
        read_runs(path)


def test_a_second_member_of_the_same_name_is_refused(archive):
    with pytest.warns(UserWarning, match="Duplicate name"):
        path = archive([("a.csv", TABLE), ("a.csv", TABLE.replace("a,", "b,"))])
    imported = read_runs(path)
    assert imported.algorithms == {"a": 1}
    assert imported.skipped[0].reason == "a second member of this name"


def test_pipes_are_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    (tmp_path / "a.csv").write_text(TABLE)
    imported = read_runs(tmp_path)
    assert imported.skipped[0].reason == "is not a regular file"
    with pytest.raises(ValueError, match="is not a regular file"):
        read_runs(tmp_path / "pipe.csv")
