"""What is no race file, or not a whole one, is refused with a sentence and left exactly as it was."""

import errno
import gc
import os
import sqlite3
import subprocess
import sys

import pytest

from polarbear.observe import Trajectory
from polarbear.race.jobs import Job, Run
from polarbear.storage import RaceFile, RaceFileInUse, schema


def run(instance=0, events=2, **more):
    path = Trajectory("cma", instance, range(1, events + 1), [-float(k) for k in range(events)], until=events)
    return Run(path, reached=events, **more), Job("cma", instance, events, 1, 2)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "my.race"
    with RaceFile.create(path, {"seed": 7}) as file:
        for instance in range(50):
            file.add_run(*run(instance, events=100))
    return path


def changed(path, change):
    connection = sqlite3.connect(path)
    connection.executescript(change)
    connection.close()


def damaged(path):
    with path.open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\xa5" * 4096)


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        (lambda path: os.truncate(path, 0), "not a race file but an empty file; remove it"),
        (lambda path: os.truncate(path, 50), "is not a race file"),
        (lambda path: os.truncate(path, 5000), "damaged race file"),
        (lambda path: os.truncate(path, path.stat().st_size - 4096), "damaged race file"),
        (damaged, "damaged race file"),
        (lambda path: path.write_text("time,value\n" * 1000), "is not a race file"),
        (lambda path: changed(path, "PRAGMA application_id = 5"), "another program's SQLite database"),
        (lambda path: changed(path, "PRAGMA user_version = 99"), r"newer PolarBear \(format 99.*upgrade PolarBear"),
        (lambda path: changed(path, "PRAGMA user_version = 0"), "damaged|older"),
        (lambda path: changed(path, "DROP TABLE event"), "table 'event' is missing"),
    ],
)
@pytest.mark.parametrize("write", [True, False])
def test_a_bad_file_is_refused_and_left_alone(path, harm, message, write):
    harm(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        RaceFile.open(path, write=write)
    with pytest.raises(FileExistsError, match="exists already"):
        RaceFile.create(path, {})
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_foreign_log_is_left_alone(path):
    """Another program's database whose log is not yet in the file: SQLite would tidy it up if it were asked."""
    foreign = path.with_name("foreign.db")
    connection = sqlite3.connect(foreign)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x)")
    before = {entry.name: entry.read_bytes() for entry in path.parent.iterdir() if "shm" not in entry.name}
    with pytest.raises(ValueError, match="another program's"):
        RaceFile.open(foreign, write=True)
    assert {entry.name: entry.read_bytes() for entry in path.parent.iterdir() if "shm" not in entry.name} == before
    connection.close()


def test_a_run_with_half_an_event_is_named(path):
    changed(path, "UPDATE run SET events = x'00' WHERE instance = 7")
    with RaceFile.open(path, write=False) as file, pytest.raises(ValueError, match="'cma' on instance 7 has half an"):
        file.runs()


def test_no_file_a_folder_and_no_right_to_read(path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"no race file .*other.race"):
        RaceFile.open(path.with_name("other.race"), write=True)
    with pytest.raises(ValueError, match="a folder"):
        RaceFile.open(path.parent, write=False)
    with pytest.raises(FileExistsError):
        RaceFile.create(path.parent, {})
    with pytest.raises(FileNotFoundError, match=r"no folder .*nowhere"):
        RaceFile.create(path.parent / "nowhere" / "my.race", {})
    monkeypatch.setattr(schema.os, "access", lambda *_: False)  # the tests may run as a user who may read everything
    with pytest.raises(PermissionError, match="may not be read"):
        RaceFile.open(path, write=False)


def test_older_files_are_upgraded_by_the_first_writer(path, monkeypatch):
    steps = ("ALTER TABLE run ADD COLUMN place TEXT", "INSERT INTO about VALUES ('upgraded', '[3]')")
    monkeypatch.setattr(schema, "UPGRADES", steps)
    with pytest.raises(ValueError, match=r"older PolarBear \(format 1, this one has 3\); open it once for writing"):
        RaceFile.open(path, write=False)
    with RaceFile.open(path, write=True) as file:
        assert file.about == {"seed": 7, "upgraded": [3]}
        assert len(file.runs()) == 50
    with RaceFile.open(path, write=False) as file:
        assert file._read("SELECT count(place) FROM run") == [(0,)]
    monkeypatch.undo()
    with pytest.raises(ValueError, match="newer PolarBear"):
        RaceFile.open(path, write=True)


def test_an_upgrade_that_fails_changes_nothing(path, monkeypatch):
    monkeypatch.setattr(schema, "UPGRADES", ("DELETE FROM run; SELECT * FROM nowhere",))
    with pytest.raises(OSError, match="nowhere"):
        RaceFile.open(path, write=True)
    monkeypatch.undo()
    with RaceFile.open(path, write=True) as file:
        assert len(file.runs()) == 50


def test_a_new_file_has_all_upgrades(tmp_path, monkeypatch):
    monkeypatch.setattr(schema, "UPGRADES", ("ALTER TABLE event ADD COLUMN round INTEGER;",))
    RaceFile.create(tmp_path / "new.race", {}).close()
    with RaceFile.open(tmp_path / "new.race", write=False) as file:
        assert file._read("SELECT round FROM event") == []


@pytest.mark.parametrize("room", [0, 3])
def test_a_full_disk_loses_nothing(path, room):
    with RaceFile.open(path, write=True) as file:
        [(pages,)] = file._connection.execute("PRAGMA page_count")
        file._connection.execute(f"PRAGMA max_page_count = {pages + room}")
        with pytest.raises(OSError, match=r"no space left.*what was stored before is safe") as caught:  # noqa: PT012
            for instance in range(50, 100):
                file.add_run(*run(instance, events=300))
        assert caught.value.errno == errno.ENOSPC
        stored = len(file.runs())
        assert 50 <= stored < 60
        file._connection.execute("PRAGMA max_page_count = 1000000")
        file.add_run(*run(200, events=300))
    with RaceFile.open(path, write=False) as file:
        assert len(file.runs()) == stored + 1


def test_there_is_one_writer(path):
    with RaceFile.open(path, write=True) as file:
        words = rf"my.race is being written by process {os.getpid()} on \S+, which is this one; close what has it open"
        with pytest.raises(RaceFileInUse, match=words):
            RaceFile.open(path, write=True)
        link = path.with_name("link.race")
        link.symlink_to(path)
        with pytest.raises(RaceFileInUse):
            RaceFile.open(link, write=True)
        RaceFile.open(path, write=False).close()
        file.append("still", "writing")
    RaceFile.open(link, write=True).close()


@pytest.mark.filterwarnings("ignore:unclosed database")  # of which newer Pythons tell
def test_who_forgets_to_close_a_file_does_not_lock_it_for_ever(path):
    """As in a notebook whose cell is run again."""
    file = RaceFile.open(path, write=True)
    del file
    gc.collect()
    RaceFile.open(path, write=True).close()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_program_that_ends_without_closing_leaves_no_lock(path):
    code = "import sys; from polarbear.storage import RaceFile; file = RaceFile.open(sys.argv[1], write=True)"
    assert b"Traceback" not in _python(code, path)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_the_locks_of_sqlite_survive_a_second_opening(path):
    """POSIX locks of a process go when any descriptor of the file is closed; opening must not close one."""
    with RaceFile.open(path, write=True) as file:
        file._connection.execute("PRAGMA journal_mode = DELETE")
        file._connection.execute("BEGIN IMMEDIATE")
        file.append("half", "a transaction")
        RaceFile.open(path, write=False).close()
        other = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
        assert b"database is locked" in _python(other, path)
        file._connection.execute("COMMIT")
        assert _python(other, path) == b""


def _python(code, *arguments):
    return subprocess.run([sys.executable, "-c", code, *map(str, arguments)], capture_output=True, check=False).stderr


def test_readers_and_closed_files_do_not_write(path):
    with RaceFile.open(path, write=False) as file:
        for write in (lambda: file.append("x", 1), lambda: file.set_about("x", 1), lambda: file.add_run(*run())):
            with pytest.raises(ValueError, match="not open for writing"):
                write()
    file.close()  # a second time
    with pytest.raises(ValueError, match="closed"):
        file.runs()
    with pytest.raises(ValueError, match="not open for writing"):
        file.append("x", 1)


def test_what_is_no_json_is_refused(path, tmp_path):
    with pytest.raises(ValueError, match=r"expected JSON .* as about\['grid'\]: .*set"):
        RaceFile.create(tmp_path / "new.race", {"grid": {1, 2}})
    assert not (tmp_path / "new.race").exists()
    with RaceFile.open(path, write=True) as file, pytest.raises(ValueError, match="data of the event 'round'"):
        file.append("round", {"x": object()})


def test_a_run_must_be_of_its_job_and_honest(path):
    result, job = run(3)
    with RaceFile.open(path, write=True) as file:
        with pytest.raises(ValueError, match=r"'cma' on instance 3 .*got one of 'cma' on 4"):
            file.add_run(run(4)[0], job)
        with pytest.raises(ValueError, match="got status 'crashed' and failed=False"):
            file.add_run(run(3, status="crashed")[0], job)
    assert result.status == "done"


def test_a_name_taken_meanwhile_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "my.race"
    create = schema.create
    monkeypatch.setattr(schema, "create", lambda *arguments: (create(*arguments), path.write_text("mine")))
    with pytest.raises(FileExistsError, match="meanwhile"):
        RaceFile.create(path, {})
    assert path.read_text() == "mine"
    assert [entry.name for entry in tmp_path.iterdir()] == ["my.race"]


def test_a_file_system_without_links_will_do(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr("pathlib.Path.hardlink_to", refuse)
    RaceFile.create(tmp_path / "my.race", {"seed": 7}).close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["my.race"]


def test_no_room_even_for_the_lock(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.pwrite", refuse)
    with pytest.raises(OSError, match=r"my.race cannot be locked for writing: No space left.*make room"):
        RaceFile.create(tmp_path / "my.race", {})
    assert list(tmp_path.iterdir()) == []
