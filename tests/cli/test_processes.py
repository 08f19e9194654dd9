"""The command line as a newcomer uses it: real processes, one of them killed."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from polarbear.cli.open_file import open_race
from polarbear.storage import RaceFile

POLARBEAR = [sys.executable, "-W", "error", "-m", "polarbear"]


def polarbear(*arguments, cwd, code=0):
    done = subprocess.run(
        [*POLARBEAR, *map(str, arguments)], cwd=cwd, capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == code, done.stderr
    return done.stdout


def begun(cwd, *arguments, runs):
    """A race in a process of its own, with at least so many runs stored."""
    process = subprocess.Popen([*POLARBEAR, "race", *arguments], cwd=cwd, stderr=subprocess.PIPE, text=True)
    while process.poll() is None:
        if (cwd / "my.race").exists():
            with RaceFile.open(cwd / "my.race", write=False) as file:
                if len(file.runs()) >= runs:
                    return process
        time.sleep(0.02)
    pytest.fail(f"the race ended before it could be stopped: {process.communicate()[1]}")


def test_from_init_to_export_with_a_kill_in_between(tmp_path):
    polarbear("init", cwd=tmp_path)
    assert polarbear("check", cwd=tmp_path).count("fine") == 4
    process = begun(tmp_path, "--max-instances", "9", runs=5)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    told = json.loads(polarbear("status", "my.race", "--json", cwd=tmp_path, code=2))
    assert told["stored_runs"] >= 5
    resumed = json.loads(polarbear("resume", "my.race", "--max-instances", 9, "--json", cwd=tmp_path, code=2))
    whole = json.loads(
        polarbear("race", "-o", "whole.race", "--max-instances", 9, "--json", "-q", cwd=tmp_path, code=2)
    )
    assert {**resumed, "file": ""} == {**whole, "file": ""}
    with (tmp_path / "race.toml").open("a") as file:
        file.write('[algorithms.bold]\nfunction = "optimisers:one_plus_one"\narguments = {step = 2.0}\n')
    added = json.loads(polarbear("add", "my.race", "--max-instances", 9, "--json", cwd=tmp_path, code=2))
    assert "bold" in added["algorithms"]
    assert polarbear("select", "my.race", "--at", 50, cwd=tmp_path).startswith("For a budget of 50")
    polarbear("export", "my.race", "runs", "-o", "runs.csv", cwd=tmp_path)
    head = (tmp_path / "runs.csv").read_text().splitlines()[0]
    assert head == "algorithm_name,instance,evaluations,raw_y,status"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupts_leave_a_valid_state_and_2(tmp_path, number):
    polarbear("init", cwd=tmp_path)
    process = begun(tmp_path, runs=2)
    os.kill(process.pid, number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 2, errors
    assert "go on with: polarbear resume my.race" in errors
    assert "Traceback" not in errors


def test_an_interrupt_while_modules_are_read_is_quiet():
    code = (
        "import os, signal, sys\n"
        "class Interrupter:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'typer': os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Interrupter())\n"
        "from polarbear.cli.main import run\n"
        "run()"
    )
    done = subprocess.run([sys.executable, "-c", code, "--version"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")


def test_only_one_may_write_and_everybody_read(tmp_path):
    polarbear("init", cwd=tmp_path)
    process = begun(tmp_path, runs=1)
    try:
        done = subprocess.run(
            [*POLARBEAR, "resume", "my.race"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 1
        assert "is being written by process" in done.stderr
        for _ in range(30):
            with open_race(tmp_path / "my.race") as race:
                assert len(race.result.pareto_set) > 1
            time.sleep(0.05)
        polarbear("status", "my.race", cwd=tmp_path, code=2)
    finally:
        process.kill()
        process.communicate()


def test_help_imports_nothing_heavy(tmp_path):
    code = (
        "import sys, polarbear.cli.commands as m\n"
        "try: m.app(['--help'], prog_name='polarbear')\n"
        "except SystemExit as end: assert not end.code\n"
        "print({'numpy', 'scipy', 'pydantic', 'sqlite3'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "set()"
    assert "Exit codes: 0 done" in done.stdout


def test_the_entry_point_is_installed():
    from importlib.metadata import entry_points

    (entry,) = entry_points(group="console_scripts", name="polarbear")
    assert entry.value == "polarbear.cli.main:run"


def test_python_m_polarbear_is_the_same_command(tmp_path):
    assert polarbear("--version", cwd=tmp_path).startswith("polarbear ")
    assert "Usage: polarbear [OPTIONS] COMMAND" in polarbear("--help", cwd=tmp_path)


def spoken(command, **environment):
    """What a shell makes of a command line, in which `polarbear` is ours."""
    line = command.replace("polarbear", shlex.join(POLARBEAR))
    return subprocess.run(
        ["bash", "-c", line], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_whoever_stops_reading_is_no_error_to_talk_about(finished):
    said = spoken(f"polarbear export {finished} runs | head -1")
    assert (said.stdout.count("\n"), said.stderr) == (1, "")
    said = spoken("polarbear --help | true")
    assert said.stderr == ""


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", ">/dev/full"])
@pytest.mark.parametrize("command", ["--version", "status {}"])
def test_closed_and_full_streams_end_without_a_traceback(finished, closed, command):
    said = spoken(f"polarbear {command.format(finished)} {closed}")
    assert "Traceback" not in said.stderr
    assert said.returncode == (closed == ">/dev/full")


def test_letters_that_the_output_does_not_have_are_replaced(finished):
    said = spoken(f"polarbear status {finished}", PYTHONIOENCODING="ascii")
    assert (said.returncode, said.stderr) == (0, "")
    assert "evaluations" in said.stdout.splitlines()[-1]
