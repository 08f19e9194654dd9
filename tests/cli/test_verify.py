"""Command `verify`, and files at which commands must not wait or guess."""

import os
import shutil
import sqlite3
from contextlib import closing

import pytest


@pytest.fixture
def damaged(finished, tmp_path):
    """A copy of the finished race with a damaged run in its second round."""
    for name in ("my.race", "race.toml", "cli_optimisers.py"):
        shutil.copy(finished.parent / name, tmp_path)
    with closing(sqlite3.connect(tmp_path / "my.race")) as connection:
        [(data,)] = connection.execute("SELECT data FROM event WHERE number = 2").fetchall()
        first = int(data.split('"instances": [')[1].split(",")[0])
        connection.execute("UPDATE run SET reached = 1 WHERE algorithm = 'climber' AND instance = ?", (first,))
        connection.commit()
    return tmp_path / "my.race", first


def test_an_intact_file_is_confirmed(polarbear, finished):
    outcome = polarbear("verify", finished)
    assert outcome.code == 0
    assert "my.race is intact: " in outcome.out


def test_a_damaged_file_is_saved_and_continued_without_repeating_intact_runs(polarbear, finished, damaged, monkeypatch):
    path, instance = damaged
    monkeypatch.chdir(path.parent)
    assert "polarbear verify my.race" in polarbear("show", "my.race").err
    outcome = polarbear("verify", "my.race")
    assert outcome.code == 1
    assert f"  the run of 'climber' on instance {instance}\nIntact: " in outcome.out
    assert "polarbear verify my.race --save my-saved.race" in outcome.out
    saved = polarbear("verify", "my.race", "--save", "my-saved.race", "--json")
    assert saved.code == 1
    assert saved.data["damage"] == [f"the run of 'climber' on instance {instance}"]
    assert (saved.data["intact_rounds"], saved.data["saved"]) == (1, "my-saved.race")
    assert polarbear("verify", "my-saved.race").code == 0
    assert polarbear("race", "my-saved.race").code == 0
    whole = polarbear("show", finished, "--json").data
    again = polarbear("show", "my-saved.race", "--json").data
    assert again == whole


def test_a_file_without_its_settings_cannot_be_saved(polarbear, damaged):
    path, _ = damaged
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE about SET value = '1' WHERE key = 'settings'")
        connection.commit()
    outcome = polarbear("verify", path, "--save", path.with_name("saved.race"))
    assert outcome.code == 1
    assert "the entry 'settings' of `about`" in outcome.out
    assert "restore the file from a copy" in outcome.out
    assert not path.with_name("saved.race").exists()


def test_pipes_and_links_without_a_target_are_refused(polarbear, tmp_path):
    pipe, loop, dangling = (tmp_path / name for name in ("pipe.race", "loop.race", "dangling.race"))
    os.mkfifo(pipe)
    assert "got a pipe, socket or device" in polarbear("show", pipe).err  # it does not wait
    loop.symlink_to(loop)
    dangling.symlink_to("nowhere.race")
    for path in (loop, dangling):
        outcome = polarbear("show", path)
        assert outcome.code == 3
        assert "is a symbolic link to" in outcome.err
        assert "did you mean" not in outcome.err
