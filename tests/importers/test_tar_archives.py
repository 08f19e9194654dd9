"""Tar archives: the same runs as in the folder, and protection against manipulated archives."""

import io
import tarfile
from pathlib import Path

import numpy as np
import pytest

from polarbear.importers import Reason, allowance, archives, read_runs

DATA = Path(__file__).parent / "data"
TABLE = "algorithm_name,evaluations,raw_y\na,1,5.0\na,9,3.0\n"


def write_tar(path, members, mode):
    """Write a tar archive of members given as text or as `TarInfo` of special files."""
    with tarfile.open(path, mode) as file:
        for name, content in members:
            if isinstance(name, tarfile.TarInfo):
                file.addfile(name)
                continue
            member = tarfile.TarInfo(name)
            member.size = len(content)
            file.addfile(member, io.BytesIO(content.encode()))
    return path


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("runs.tgz", "w:gz"),
        ("runs.tar.gz", "w:gz"),
        ("runs.TAR.XZ", "w:xz"),
        ("runs.tar.bz2", "w:bz2"),
        ("runs.tar", "w"),
    ],
)
def test_an_archive_holds_the_same_runs_as_its_folder(tmp_path, name, mode):
    with tarfile.open(tmp_path / name, mode) as file:
        file.add(DATA, arcname="./published")
    before = set(tmp_path.rglob("*"))
    imported, whole = read_runs(tmp_path / name), read_runs(DATA)
    assert set(imported.runs) == set(whole.runs)
    assert imported.skipped == ()
    assert read_runs(tmp_path).runs == imported.runs  # a folder of archives
    assert set(tmp_path.rglob("*")) == before  # nothing was unpacked


def test_special_members_and_names_that_lead_out_of_the_archive_are_refused(tmp_path):
    link = tarfile.TarInfo("link.csv")
    link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
    members = [
        (link, ""),
        ("../evil.csv", TABLE),
        ("/etc/evil.csv", TABLE),
        (".hidden.csv", TABLE),
        ("good.csv", TABLE),
    ]
    imported = read_runs(write_tar(tmp_path / "runs.tgz", members, "w:gz"))
    assert imported.algorithms == {"a": 1}
    assert {each.where: each.reason for each in imported.skipped} == {
        "runs.tgz:link.csv": Reason.SPECIAL_MEMBER,
        "runs.tgz:../evil.csv": Reason.OUTSIDE_NAME,
        "runs.tgz:/etc/evil.csv": Reason.OUTSIDE_NAME,
    }


def test_archives_that_expand_too_much_are_refused(tmp_path, monkeypatch):
    bomb = write_tar(tmp_path / "bomb.tgz", [("bomb.csv", "0" * 2**27)], "w:gz")
    with pytest.raises(ValueError, match="expands more than 200-fold"):
        read_runs(bomb)
    path = write_tar(tmp_path / "runs.tgz", [(f"{name}.csv", TABLE) for name in "abc"], "w:gz")
    monkeypatch.setattr(allowance, "MEMBERS", 2)
    with pytest.raises(ValueError, match="holds 3 files, more than 2"):
        read_runs(path)
    monkeypatch.setattr(archives, "EXPANDED_TAR", 100)
    with pytest.raises(ValueError, match="the archive expands to more than 0 GB"):
        read_runs(path)


def test_an_incomplete_archive_is_read_up_to_its_end(tmp_path):
    path = write_tar(tmp_path / "runs.tar", [("a.csv", TABLE), ("b.csv", TABLE.replace("a,", "b,") * 1000)], "w")
    path.write_bytes(path.read_bytes()[:6000])
    imported = read_runs(path)
    assert imported.algorithms["a"] == 1
    assert {each.where for each in imported.skipped} == {"runs.tar", "runs.tar:b.csv"}


@pytest.mark.parametrize("kept", [0.5, 0.9])
def test_an_interrupted_download_is_read_up_to_its_end_and_reported(tmp_path, kept):
    rng = np.random.default_rng(0)
    rows = "".join(f"b,{budget},{value}\n" for budget, value in enumerate(rng.random(20_000)))
    members = [("a.csv", TABLE), ("b.csv", "algorithm_name,evaluations,raw_y\n" + rows)]
    path = write_tar(tmp_path / "runs.tgz", members, "w:gz")
    path.write_bytes(path.read_bytes()[: int(kept * path.stat().st_size)])
    imported = read_runs(path)
    assert imported.algorithms["a"] == 1
    assert (imported.skipped[0].where, imported.skipped[0].reason) == ("runs.tgz", Reason.DAMAGED)


@pytest.mark.parametrize("content", [b"", b"algorithm_name,evaluations", b"\x1f\x8bno gzip", b"\xfd7zXZ\x00no xz"])
def test_a_file_with_the_name_of_an_archive_must_be_one(tmp_path, content):
    (tmp_path / "runs.tar.gz").write_bytes(content)
    with pytest.raises(ValueError, match=r"runs\.tar\.gz: is not a complete tar archive"):
        read_runs(tmp_path / "runs.tar.gz")


def test_an_archive_in_an_archive_is_read_and_one_in_that_is_reported(tmp_path):
    tables = [("a.csv", TABLE), ("b.csv", TABLE.replace("a,", "b,")), ("c.csv", TABLE.replace("a,", "c,"))]
    content = ""
    for name, table in zip(("inner.tar", "middle.tar", "outer.tar"), tables, strict=True):
        nested = [(f"nested-{name}", content)] if content else []
        path = write_tar(tmp_path / name, [*nested, table], "w")
        content = path.read_bytes().decode("latin-1")
    imported = read_runs(path)
    assert set(imported.algorithms) == {"b", "c"}
    assert [each.reason for each in imported.skipped] == [Reason.NESTED_ARCHIVE]
