"""Files that are not race files, or damaged ones, are refused with a message and left unchanged."""

import errno
import gc
import os
import re
import socket
import sqlite3
import subprocess
import sys

import filelock
import pytest

import polarbear as pb
from polarbear.findings import RunFailure
from polarbear.observe import Trajectory
from polarbear.race.jobs import Job, Run
from polarbear.storage import RaceFile, RaceFileInUse, find_writer, schema
from polarbear.storage.inspection import inspect_file


def run(instance=0, events=2, **more):
    path = Trajectory("cma", instance, range(1, events + 1), [-float(k) for k in range(events)], end=events)
    return Run(path, reached=events, **more), Job("cma", instance, events, 1, 2)


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "my.race"
    with RaceFile.create(path, {"seed": 7}) as file:
        for instance in range(50):
            file.add_run(*run(instance, events=100))
    return path


def execute(path, script):
    connection = sqlite3.connect(path)
    connection.executescript(script)
    connection.close()


def overwrite_a_page(path):
    with path.open("r+b") as file:
        file.seek(4096 * 2)
        file.write(b"\xa5" * 4096)


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda path: os.truncate(path, 0), "not a race file but an empty file; remove it"),
        (lambda path: os.truncate(path, 50), "is not a race file"),
        (lambda path: os.truncate(path, 5000), "damaged race file"),
        (lambda path: os.truncate(path, path.stat().st_size - 4096), "damaged race file"),
        (overwrite_a_page, "damaged race file"),
        (lambda path: path.write_text("time,value\n" * 1000), "is not a race file"),
        (lambda path: execute(path, "PRAGMA application_id = 5"), "another program's SQLite database"),
        (lambda path: execute(path, "PRAGMA user_version = 99"), r"newer PolarBear \(format 99.*upgrade PolarBear"),
        (lambda path: execute(path, "PRAGMA user_version = 0"), "damaged race file .*format is 0.*polarbear verify"),
        (lambda path: execute(path, "DROP TABLE event"), "table 'event' is missing"),
    ],
)
@pytest.mark.parametrize("write", [True, False])
def test_a_bad_file_is_refused_and_left_unchanged(path, damage, message, write):
    damage(path)
    before = path.read_bytes()
    with pytest.raises(ValueError, match=message):
        RaceFile.open(path, write=write)
    with pytest.raises(FileExistsError, match="exists already"):
        RaceFile.create(path, {})
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_the_log_of_another_program_is_left_unchanged(path):
    """The log of another program's database is not merged yet, and SQLite would merge it when it opens the database."""
    foreign = path.with_name("foreign.db")
    connection = sqlite3.connect(foreign)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("CREATE TABLE t (x)")
    before = {entry.name: entry.read_bytes() for entry in path.parent.iterdir() if "shm" not in entry.name}
    with pytest.raises(ValueError, match="another program's"):
        RaceFile.open(foreign, write=True)
    assert {entry.name: entry.read_bytes() for entry in path.parent.iterdir() if "shm" not in entry.name} == before
    connection.close()


def test_missing_files_folders_and_missing_permissions_are_reported(path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"no race file .*other.race"):
        RaceFile.open(path.with_name("other.race"), write=True)
    with pytest.raises(ValueError, match="a folder"):
        RaceFile.open(path.parent, write=False)
    pipe, loop = path.with_name("pipe.race"), path.with_name("loop.race")
    os.mkfifo(pipe)  # opening it would wait for a writer
    with pytest.raises(ValueError, match="not a race file but a named pipe"):
        RaceFile.open(pipe, write=False)
    loop.symlink_to(loop)
    for use in (lambda: RaceFile.open(loop, write=True), lambda: RaceFile.create(loop, {})):
        with pytest.raises(ValueError, match=r"loop.race is a symbolic link that leads to itself"):
            use()
    with pytest.raises(FileExistsError):
        RaceFile.create(path.parent, {})
    with pytest.raises(FileNotFoundError, match=r"no folder .*nowhere"):
        RaceFile.create(path.parent / "nowhere" / "my.race", {})
    monkeypatch.setattr("os.access", lambda *_: False)  # the tests may run as a user who can read everything
    with pytest.raises(PermissionError, match="no permission to read"):
        RaceFile.open(path, write=False)


@pytest.mark.parametrize(("stored", "edition"), [(1, "0.1"), (2, "0.2")])
def test_a_file_of_an_older_format_is_refused_with_how_its_runs_come_over(tmp_path, monkeypatch, stored, edition):
    path = tmp_path / "my old.race"
    checksum = ", checksum BLOB" if stored == 2 else ""
    execute(
        path,
        f"PRAGMA application_id = {schema.APPLICATION_ID}; PRAGMA user_version = {stored};"
        f"CREATE TABLE about (key TEXT PRIMARY KEY, value TEXT NOT NULL{checksum});"
        f"CREATE TABLE run (algorithm TEXT, instance INTEGER, events BLOB{checksum});"
        f"CREATE TABLE event (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT, data TEXT, time REAL{checksum})",
    )
    before = path.read_bytes()
    monkeypatch.chdir(tmp_path)
    message = (
        f"{path} was written by PolarBear {edition}, whose race files this version does not read; export its runs with "
        "PolarBear 0.2 (polarbear export 'my old.race' runs -o runs.csv) and read the table here (polarbear show "
        "runs.csv, with --clock seconds if that was the clock of the race)"
    )
    for read in (
        lambda: RaceFile.open(path, write=True),
        lambda: RaceFile.open(path, write=False),
        lambda: pb.Race.open(path),
        lambda: pb.Race(["a", "b"], None, [1, 2], path=path),
        lambda: inspect_file(path),
    ):
        with pytest.raises(ValueError, match=re.escape(message) + "$"):
            read()
    for command in ("show", "verify"):
        outcome = subprocess.run(
            [sys.executable, "-m", "polarbear", command, path.name], capture_output=True, check=False, text=True
        )
        assert (outcome.returncode, outcome.stdout) == (3, "")
        assert message in " ".join(outcome.stderr.split())
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == [path.name]


@pytest.mark.parametrize("room", [0, 3])
def test_a_full_disk_loses_nothing(path, room):
    with RaceFile.open(path, write=True) as file:
        [(pages,)] = file._connection.execute("PRAGMA page_count")
        file._connection.execute(f"PRAGMA max_page_count = {pages + room}")
        with pytest.raises(OSError, match=r"no space left.*everything stored before is safe") as caught:  # noqa: PT012
            for instance in range(50, 100):
                file.add_run(*run(instance, events=300))
        assert caught.value.errno == errno.ENOSPC
        stored = len(file.runs())
        assert 50 <= stored < 60
        file._connection.execute("PRAGMA max_page_count = 1000000")
        file.add_run(*run(200, events=300))
    with RaceFile.open(path, write=False) as file:
        assert len(file.runs()) == stored + 1


def test_a_file_has_one_writer_at_a_time(path):
    with RaceFile.open(path, write=True) as file:
        words = rf"is being written by process {os.getpid()} on \S+, which is this one; close the race that has it"
        with pytest.raises(RaceFileInUse, match=words):
            RaceFile.open(path, write=True)
        link = path.with_name("link.race")
        link.symlink_to(path)
        with pytest.raises(RaceFileInUse):
            RaceFile.open(link, write=True)
        RaceFile.open(path, write=False).close()
        file.append("still", "writing")
    RaceFile.open(link, write=True).close()


def test_the_writer_of_a_file_is_known_while_it_has_the_file_open(path):
    assert find_writer(path) is None
    with RaceFile.open(path, write=True):
        assert find_writer(path) == f"process {os.getpid()} on {socket.gethostname()}"
    assert find_writer(path) is None
    path.with_name(path.name + ".lock").write_bytes(b" process 1 on a machine that lost power")
    assert find_writer(path) is None


def test_a_writer_is_not_refused_because_another_process_looks_for_writers(path, monkeypatch):
    attempts, lock = [], filelock.lock_descriptor

    def held_at_first(descriptor, **options):
        attempts.append(descriptor)
        return len(attempts) > 1 and lock(descriptor, **options)

    monkeypatch.setattr(filelock, "lock_descriptor", held_at_first)
    RaceFile.open(path, write=True).close()
    assert len(attempts) == 2


@pytest.mark.filterwarnings("ignore:unclosed database")  # which newer versions of Python report
def test_an_unreferenced_file_releases_its_lock(path):
    """In a notebook, for example, when a cell runs again."""
    file = RaceFile.open(path, write=True)
    del file
    gc.collect()
    RaceFile.open(path, write=True).close()
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_a_program_that_ends_without_closing_leaves_no_lock(path):
    code = "import sys; from polarbear.storage import RaceFile; file = RaceFile.open(sys.argv[1], write=True)"
    assert b"Traceback" not in _python(code, path)
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_opening_a_file_again_keeps_the_locks_of_sqlite(path):
    """A process loses its POSIX locks on a file when it closes any descriptor of it; opening must not close one."""
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
    file.close()  # a second call does nothing
    with pytest.raises(ValueError, match="closed"):
        file.runs()
    with pytest.raises(ValueError, match="not open for writing"):
        file.append("x", 1)


def test_values_without_a_json_form_are_refused(path, tmp_path):
    with pytest.raises(ValueError, match=r"expected JSON .* as about\['grid'\]; .*set"):
        RaceFile.create(tmp_path / "new.race", {"grid": {1, 2}})
    assert not (tmp_path / "new.race").exists()
    with RaceFile.open(path, write=True) as file, pytest.raises(ValueError, match="data of the event 'round'"):
        file.append("round", {"x": object()})


def test_a_run_must_match_its_job_and_its_status(path):
    result, job = run(3)
    with RaceFile.open(path, write=True) as file:
        with pytest.raises(ValueError, match=r"'cma' on instance 3, got one of 'cma' on 4"):
            file.add_run(run(4)[0], job)
        with pytest.raises(ValueError, match="got status 'crashed' and failed=False"):
            file.add_run(run(3, status="crashed", failure=RunFailure("no licence"))[0], job)
    assert result.status == "done"


def test_a_file_created_in_the_meantime_is_not_replaced(tmp_path, monkeypatch):
    path = tmp_path / "my.race"
    fill = schema.fill
    monkeypatch.setattr(schema, "fill", lambda *arguments: (fill(*arguments), path.write_text("mine")))
    with pytest.raises(FileExistsError, match="in the meantime"):
        RaceFile.create(path, {})
    assert path.read_text() == "mine"
    assert [entry.name for entry in tmp_path.iterdir()] == ["my.race"]


def test_a_file_system_without_links_suffices(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, "no links here")

    monkeypatch.setattr("pathlib.Path.hardlink_to", refuse)
    RaceFile.create(tmp_path / "my.race", {"seed": 7}).close()
    assert [entry.name for entry in tmp_path.iterdir()] == ["my.race"]


def test_a_full_disk_refuses_the_lock(tmp_path, monkeypatch):
    def refuse(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.ftruncate", refuse)
    with pytest.raises(OSError, match=r"my.race cannot be locked for writing: No space left.*make room"):
        RaceFile.create(tmp_path / "my.race", {})
    assert list(tmp_path.iterdir()) == []
