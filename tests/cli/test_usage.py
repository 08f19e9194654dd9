"""Errors in the arguments: one message, exit code 3, and nothing is written."""

import logging

import pytest

from tests.cli.conftest import RACE, write_race


@pytest.mark.parametrize("command", ["race", "show", "select", "report"])
@pytest.mark.parametrize("content", [None, b"", b"hello", b"SQLite format 3\0" + bytes(200)])
def test_files_that_are_no_races_are_errors_in_the_input(polarbear, tmp_path, command, content):
    path = tmp_path / "bad.race"
    if content is not None:
        path.write_bytes(content)
    outcome = polarbear(command, path)
    assert outcome.code == 3
    assert outcome.out == ""
    assert outcome.err.startswith("polarbear: ")
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["race", "nowhere.toml"], "polarbear init"),
        (["check", "nowhere.toml"], "polarbear init"),
        (["race", "--seed", "many"], "--seed"),
        (["race", "--frobnicate"], "--frobnicate"),
        (["rcae"], "race"),
        (["calibrate", "--workers", "0"], "--workers"),
        (["export", "x.race", "everything"], "everything"),
        (["export", "x.race"], "what"),
        (["race", "--until", "crossing"], "--until"),
        (["list", "figurs"], "figures"),
        (["show"], "FILE"),
    ],
)
def test_usage_errors_exit_with_3(polarbear, arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    outcome = polarbear(*arguments)
    assert outcome.code == 3
    assert message.lower() in outcome.err.lower()
    assert outcome.out == ""


@pytest.mark.parametrize("workers", ["0", "many"])
def test_workers_are_a_number_or_an_address(polarbear, race_toml, workers):
    outcome = polarbear("race", race_toml, "--workers", workers)
    assert (outcome.code, outcome.out) == (3, "")
    assert ("execution.workers" if workers == "0" else "the address of a Dask scheduler") in outcome.err
    assert not (race_toml.parent / "my.race").exists()


def test_quiet_silences_the_log_of_the_package(polarbear, tmp_path):
    log = logging.getLogger("polarbear.inference.fitting")
    assert polarbear("race", tmp_path / "race.toml", "--progress", "none").code == 3
    assert not log.isEnabledFor(logging.WARNING)
    assert polarbear("race", tmp_path / "race.toml").code == 3
    assert log.isEnabledFor(logging.WARNING)


def test_too_little_memory_is_one_sentence(polarbear, tmp_path, monkeypatch):
    def allocate(*_, **__):
        raise MemoryError("Unable to allocate 8.00 GiB")

    monkeypatch.setattr("polarbear.configuration.prepare", allocate)
    outcome = polarbear("race", tmp_path / "race.toml")
    assert outcome.code == 3
    assert outcome.err == (
        "polarbear: there is not enough memory: Unable to allocate 8.00 GiB; use fewer budgets, draws or algorithms\n"
    )


@pytest.mark.parametrize("command", ["race", "show", "select", "plot", "report"])
def test_a_file_of_a_similar_name_is_suggested(polarbear, tmp_path, command):
    assert "`polarbear race` creates race files" in polarbear(command, tmp_path / "mine.race").err
    (tmp_path / "my.race").touch()
    assert "did you mean 'my.race'?" in polarbear(command, tmp_path / "mine.race").err


@pytest.mark.parametrize(
    "arguments",
    [
        ["race", "race.toml", "-o", "nowhere/x.race"],
        ["show", "my.race", "--budgets", "..50", "--save", "nowhere/x.npz"],
        ["report", "my.race", "--live", "-o", "nowhere/x.html"],
        ["select", "my.race", "-o", "nowhere/x.csv"],
        ["plot", "my.race", "ratings", "-o", "nowhere/x.pdf"],
        ["report", "my.race", "-o", "nowhere/x.html"],
        ["export", "my.race", "runs", "-o", "nowhere/x.csv"],
        ["show", "my.race", "--save", "nowhere/x.npz"],
    ],
)
def test_nothing_is_run_whose_output_could_not_be_written(polarbear, finished, tmp_path, monkeypatch, arguments):
    write_race(tmp_path, RACE.replace("my.race", "new.race"))
    (tmp_path / "my.race").write_bytes(finished.read_bytes())
    monkeypatch.chdir(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    outcome = polarbear(*arguments)
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.startswith("polarbear: there is no folder nowhere for x.")
    (tmp_path / "nowhere").mkdir()
    outcome = polarbear(*[str(each).partition("/")[0] for each in arguments])
    assert (outcome.code, outcome.out) == (3, "")
    assert "nowhere" in outcome.err
    assert before == {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
