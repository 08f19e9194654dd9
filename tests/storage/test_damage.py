"""Damage is noticed when a file is opened and read, and what is intact can be saved."""

import random
import sqlite3
from contextlib import closing

import pytest

import polarbear as pb
from polarbear.observe import Trajectory
from polarbear.race.jobs import Job, Run
from polarbear.storage import DamagedRaceFile, RaceFile, rows
from polarbear.storage.inspection import inspect_file, write_intact
from polarbear.storage.lock import WriterLock


def store(file, instances):
    for instance in instances:
        trajectory = Trajectory("cma", instance, range(1, 41), [-float(k) for k in range(40)], end=40)
        file.add_run(Run(trajectory, reached=40, output="-0 °C"), Job("cma", instance, 40, 2**70, 2))
        file.append("stored", {"instance": instance, "text": "ä" * 50})


def read(path, *, write=False):
    with RaceFile.open(path, write=write) as file:
        return file.about, file.runs(), file.events()


def change(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(statement)


@pytest.fixture
def path(tmp_path):
    with RaceFile.create(tmp_path / "my.race", {"seed": 7, "grid": [1, 2]}) as file:
        store(file, range(12))
    return tmp_path / "my.race"


def test_no_single_flipped_bit_changes_data_unnoticed(path):
    content, expected = path.read_bytes(), read(path)
    noticed = 0
    for position in random.Random(1).sample(range(8 * len(content)), 250):
        changed = bytearray(content)
        changed[position // 8] ^= 1 << position % 8
        path.write_bytes(changed)
        try:
            found = read(path)
        except (ValueError, OSError) as error:  # never KeyError or AttributeError
            found, message = None, str(error)
        assert path.name in message if found is None else found == expected, position
        noticed += found is None
    assert noticed > 50  # the others are in unused space or in comments


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE run SET reached = 39 WHERE instance = 3", "the run of 'cma' on instance 3"),
        ("UPDATE run SET events = x'00' WHERE instance = 3", "the run of 'cma' on instance 3"),
        ("UPDATE run SET error = CAST(x'ff' AS TEXT) WHERE instance = 3", "the run of 'cma' on instance 3"),
        ("UPDATE about SET value = '8' WHERE key = 'seed'", "the entry 'seed' of `about`"),
        ("UPDATE event SET time = time + 1 WHERE number = 5", "entry 5 of the journal"),
        ("DELETE FROM event WHERE number = 5", "entry 6 of the journal"),
        ("DELETE FROM event WHERE number = 12", "the journal, which ends at entry 11 instead of 12"),
        ("DELETE FROM event", "the journal, which ends at entry 0 instead of 12"),
        ("ALTER TABLE event RENAME COLUMN data TO date", "no such column: data"),
    ],
)
def test_what_is_damaged_is_named(path, statement, what):
    change(path, statement)
    with pytest.raises(DamagedRaceFile, match=rf"my.race is a damaged race file \({what}.*polarbear verify .*my.race$"):
        read(path)


def test_an_inspection_saves_all_intact_runs_and_the_journal_before_its_first_damage(path, tmp_path):
    about, runs, events = read(path)
    assert inspect_file(path).damage == ()
    change(path, "UPDATE run SET known = 1 WHERE instance = 3; UPDATE event SET kind = 'x' WHERE number = 9")
    before = path.read_bytes()
    found = inspect_file(path)
    assert found.damage == ("the run of 'cma' on instance 3", "entry 9 of the journal")
    write_intact(found, tmp_path / "saved.race")
    del runs["cma", 3]
    assert read(tmp_path / "saved.race", write=True) == (about, runs, events[:8])
    assert path.read_bytes() == before


def test_an_inspection_reads_on_after_an_unreadable_page(path, tmp_path):
    content = bytearray(path.read_bytes())
    with closing(sqlite3.connect(path)) as connection:
        sql = "SELECT pageno FROM dbstat WHERE name = 'run' AND pagetype = 'leaf' ORDER BY pageno"
        try:
            page = connection.execute(sql).fetchall()[1][0]
        except sqlite3.OperationalError:
            pytest.skip("this SQLite was compiled without the table of pages")
    content[4096 * (page - 1) : 4096 * page] = b"\xa5" * 4096
    path.write_bytes(content)
    found = inspect_file(path)
    assert any("rows of the table `run` that cannot be read" in each for each in found.damage)
    write_intact(found, tmp_path / "saved.race")
    kept = read(tmp_path / "saved.race")
    assert [instance for _, instance in kept[1]] == [0, 1, 2, 3, 4, 10, 11]
    assert len(kept[2]) == 12


@pytest.mark.parametrize("column", rows.COLUMNS["run"].split(", "))
def test_the_checksum_of_a_run_covers_each_column(path, column):
    change(
        path,
        f"UPDATE run SET {column} = CASE typeof({column}) WHEN 'text' THEN {column} || ' ' "
        f"WHEN 'blob' THEN zeroblob(length({column})) ELSE {column} + 100 END WHERE instance = 3",
    )
    with pytest.raises(DamagedRaceFile, match=r"my\.race is a damaged race file \(the run of "):
        read(path)


def store_value(key, value):
    return lambda file: file.set_about(key, value)


def store_event(kind, data):
    return lambda file: file.append(kind, data)


@pytest.mark.parametrize(
    ("store", "words"),
    [
        (store_value("settings", [1]), ""),
        (store_value("settings", {"is": "Settings"}), "Settings does not have the expected fields"),
        (store_value("algorithms", None), ""),
        (store_value("values", "mean"), "expected 'best' for 'values' in `about`, got 'mean'"),
        (store_value("clock", "tokens"), "expected 'evaluations' for 'clock' in `about`, got 'tokens'"),
        (store_value("clusters", "x"), ""),
        (store_event("round", None), ""),
        (store_event("round", {}), ""),
        (store_event("rerun", [["a", 0, 0]]), ""),
        (store_event("merged", {}), "it contains the event 'merged', which this version does not support"),
        (lambda file: file._connection.execute("DELETE FROM about WHERE key = 'settings'"), "'settings' is missing"),
    ],
)
def test_intact_rows_that_form_no_race_are_reported_with_the_name_of_the_file(tmp_path, store, words):
    """A newer PolarBear may have written them."""
    path = tmp_path / "my.race"
    with pb.Race(["a", "b"], None, [1, 2], path=path):
        pass
    with RaceFile.open(path, write=True) as file:
        store(file)
    with pytest.raises(DamagedRaceFile, match=rf"my.race is a damaged .*, or a newer .*{words}.*polarbear verify"):
        pb.Race.open(path)


def test_leftovers_of_killed_processes_are_removed_when_a_race_starts_unless_they_are_in_use(tmp_path):
    left = ["a.race.01234567.unfinished", "a.race.01234567.unfinished-journal", "b.race.89abcdef.unfinished.lock"]
    kept = ["notes.unfinished", "c.race.0a1b2c3d.unfinished"]
    for name in (*left, *kept):
        (tmp_path / name).touch()
    lock = WriterLock(tmp_path / kept[1])
    RaceFile.create(tmp_path / "my.race", {}).close()
    lock.release()
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted(["my.race", *kept])
