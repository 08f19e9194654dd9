"""The function that writes every output: what it replaces, what it protects, and what failures leave behind."""

import errno
import os
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from polarbear import output_file
from polarbear.output_file import APPLICATION_ID, check_output, with_mark, write_output

PAGE = '<!doctype html>\n<meta name="generator" content="PolarBear">\n'


@pytest.fixture
def race_file(tmp_path):
    path = tmp_path / "my.race"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("CREATE TABLE run (x)")
    return path


def content_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_new_file_has_the_content_and_the_permissions_of_new_files(tmp_path):
    write_output(tmp_path / "a.html", PAGE)
    (tmp_path / "b").touch()
    assert (tmp_path / "a.html").read_text() == PAGE
    assert (tmp_path / "a.html").stat().st_mode == (tmp_path / "b").stat().st_mode
    assert len(content_of(tmp_path)) == 2


@pytest.mark.parametrize("name", ["my.race", "link.race", "hard.race"])
@pytest.mark.parametrize("force", [False, True])
def test_a_race_file_is_never_replaced(race_file, tmp_path, name, force):
    (tmp_path / "link.race").symlink_to(race_file)
    (tmp_path / "hard.race").hardlink_to(race_file)
    before = content_of(tmp_path)
    for act in (lambda path: write_output(path, PAGE, force=force), lambda path: check_output(path, force=force)):
        with pytest.raises(ValueError, match=f"{name} is a race file, which no output replaces; choose another file"):
            act(tmp_path / name)
    assert content_of(tmp_path) == before


def test_a_race_file_whose_log_waits_beside_it_is_never_replaced(tmp_path):
    torn = tmp_path / "torn.race"
    torn.write_bytes(b"SQLite format 3\0" + bytes(200))
    (tmp_path / "torn.race-wal").touch()
    with pytest.raises(ValueError, match="is a race file"):
        write_output(torn, PAGE, force=True)


def test_looking_at_a_race_file_keeps_the_locks_of_its_writer(race_file):
    """Closing any other descriptor of the file would drop all POSIX locks of this process on it."""
    with closing(sqlite3.connect(race_file, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        with pytest.raises(ValueError, match="is a race file"):
            write_output(race_file, PAGE)
        other = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
        done = subprocess.run([sys.executable, "-c", other, race_file], capture_output=True, text=True, check=False)
        assert "database is locked" in done.stderr


@pytest.mark.parametrize("force", [False, True])
def test_an_input_is_never_replaced(tmp_path, monkeypatch, force):
    runs = tmp_path / "runs.csv"
    runs.write_text("a,b\n1,2\n")
    (tmp_path / "link.csv").symlink_to(runs)
    monkeypatch.chdir(tmp_path)
    for target in (runs, tmp_path / "link.csv", Path("runs.csv")):
        with pytest.raises(ValueError, match=r"has another role in this command"):
            write_output(target, "a,b\n3,4\n", inputs=[runs], force=force)
    assert runs.read_text() == "a,b\n1,2\n"


def test_a_file_that_will_be_the_race_file_of_the_command_is_no_output(tmp_path):
    with pytest.raises(ValueError, match=r"new.race has another role in this command"):
        check_output(tmp_path / "new.race", inputs=[tmp_path / "new.race"])


def test_a_file_in_a_folder_of_inputs_is_kept_unless_polarbear_wrote_it(tmp_path):
    (tmp_path / "runs.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match=r"runs.csv has another role in this command"):
        write_output(tmp_path / "runs.csv", "a,b\n3,4\n", inputs=[tmp_path], force=True)
    write_output(tmp_path / "page.html", PAGE, inputs=[tmp_path])
    write_output(tmp_path / "page.html", PAGE + "again", inputs=[tmp_path])
    assert (tmp_path / "page.html").read_text() == PAGE + "again"


@pytest.mark.parametrize("force", [False, True])
def test_a_configuration_is_replaced_by_no_other_output(tmp_path, force):
    path = tmp_path / "race.toml"
    path.write_text("[race]\n")
    with pytest.raises(ValueError, match=r"race.toml is a configuration, which no output replaces"):
        write_output(path, PAGE, force=force)
    assert path.read_text() == "[race]\n"


def test_a_configuration_replaces_another_one_only_by_force(tmp_path):
    path = tmp_path / "race.toml"
    path.write_text("[race]\nseed = 1\n")
    with pytest.raises(ValueError, match="--force"):
        write_output(path, "[race]\nseed = 2\n", configuration=True)
    write_output(path, "[race]\nseed = 2\n", configuration=True, force=True)
    assert path.read_text() == "[race]\nseed = 2\n"


@pytest.mark.parametrize(
    ("name", "foreign", "output"),
    [
        ("page.html", "<!doctype html>\n<title>My own page</title>\n", PAGE),
        ("table.csv", "name,value\nx,1\n", "algorithm,rating\nx,1\n"),
        ("table.csv", "name,value\nx,1\n", PAGE),
        ("notes.json", '{"mine": 1}', '{"theirs": 1}'),
        ("rows.json", '[{"mine": 1}]', '[{"theirs": 1}]'),
        ("broken.json", '{"mine": ', '{"mine": 1}'),
        ("table.tex", "% my own table\n", with_mark("a & b\n", "tex")),
        ("data.csv", b"\x00\x01\x02", "a,b\n"),
        ("latin.csv", "a,é\n".encode("latin-1"), "a,b\n"),
        ("my.py", "import os\n", PAGE),
    ],
)
def test_a_file_of_another_origin_is_replaced_only_by_force(tmp_path, name, foreign, output):
    path, foreign = tmp_path / name, foreign if isinstance(foreign, bytes) else foreign.encode()
    path.write_bytes(foreign)
    with pytest.raises(
        ValueError, match=f"got the existing file .*{name}; choose another file, or replace it with --force"
    ):
        write_output(path, output)
    assert path.read_bytes() == foreign
    write_output(path, output, force=True)
    assert path.read_text() == output


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [
        ("page.html", PAGE, PAGE + "new"),
        ("table.csv", "a,b\n1,2\n", "a,b\n3,4\n"),
        ("data.json", '{"a": 1, "b": [1]}', '{"a": 2, "b": []}'),
        ("rows.json", '[{"a": 1}, {"a": 2}]', '[{"a": 3}]'),
        ("text.md", with_mark("# One\n", "md"), with_mark("# Two\n", "md")),
        ("table.tex", with_mark("one\n", "tex"), with_mark("two\n", "tex")),
        ("empty.csv", "", "a,b\n"),
    ],
)
def test_an_earlier_output_is_replaced(tmp_path, name, first, second):
    path = tmp_path / name
    path.write_text(first)
    path.chmod(0o640)
    write_output(path, second)
    assert path.read_text() == second
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_check_before_the_work_refuses_what_has_no_mark(tmp_path):
    (tmp_path / "mine.html").write_text("<!doctype html>\n")
    (tmp_path / "page.html").write_text(PAGE)
    with pytest.raises(ValueError, match="got the existing file"):
        check_output(tmp_path / "mine.html")
    check_output(tmp_path / "mine.html", force=True)
    check_output(tmp_path / "page.html")


def test_a_link_leads_to_the_file_that_is_written(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "page.html").symlink_to(tmp_path / "there" / "real.html")
    write_output(tmp_path / "page.html", PAGE)
    assert (tmp_path / "page.html").is_symlink()
    assert (tmp_path / "there" / "real.html").read_text() == PAGE
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["real.html"]


def test_a_pipe_is_written_to_directly(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_text()))
    reader.start()
    write_output(pipe, PAGE)
    reader.join()
    assert read == [PAGE]


def test_places_where_nothing_can_be_written_are_named(tmp_path):
    (tmp_path / "file").touch()
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    for name, message in {
        "": "expected a file to write, got the folder",
        "nowhere/x.html": r"there is no folder .*nowhere for x.html; create it first",
        "file/x.html": r"there is no folder .*file for x.html",
        "loop": r"loop is a symbolic link that leads to itself",
        "x" * 300: r"could not write .*xxx: its name is too long",
    }.items():
        for act in (check_output, lambda path: write_output(path, PAGE)):
            with pytest.raises((ValueError, OSError), match=message):
                act(tmp_path / name)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_missing_permission_is_named(tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE)
    path.chmod(0o400)
    with pytest.raises(PermissionError, match=r"no permission to replace .*page.html"):
        write_output(path, PAGE)
    path.chmod(0o600)
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(PermissionError, match=r"could not write .*page.html: this user has no permission"):
            write_output(path, PAGE)
    finally:
        tmp_path.chmod(0o700)


def test_a_full_disk_is_named():
    with pytest.raises(OSError, match=r"^could not write /dev/full: the disk is full; free some space, or choose"):
        write_output("/dev/full", PAGE)


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_failed_write_keeps_the_old_file_and_leaves_nothing_behind(tmp_path, monkeypatch, number):
    path = tmp_path / "page.html"
    path.write_text(PAGE)

    def fail(descriptor):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match=r"^could not write .*page\.html: [^\[\]]*$"):
        write_output(path, PAGE + "new")
    assert content_of(tmp_path) == {"page.html": PAGE.encode()}


def test_an_interrupt_before_the_file_gets_its_name_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "page.html"
    path.write_text(PAGE)

    def interrupt(self, target):
        assert self.read_text() == PAGE + "new"  # it is complete
        assert self.parent == path.parent  # on the same disk, where renaming is atomic
        raise KeyboardInterrupt

    monkeypatch.setattr(output_file.Path, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_output(path, PAGE + "new")
    assert content_of(tmp_path) == {"page.html": PAGE.encode()}
