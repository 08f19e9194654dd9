"""What needs a process of its own: kills, interrupts, locks, standard streams, imports and the entry point."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import pytest

from polarbear.opening import load
from polarbear.storage import RaceFile
from tests.cli.conftest import data_of

POLARBEAR = [sys.executable, "-W", "error", "-m", "polarbear"]
PATIENCE = 120  # seconds for an event that takes about one, on a machine that is slow or stalls


@pytest.fixture
def waiting_race(race_toml):
    """A race in a process of its own, which waits in its first round after two runs, until the file `wait` is removed."""
    (race_toml.parent / "wait").touch()
    process = subprocess.Popen(
        [*POLARBEAR, "race"], cwd=race_toml.parent, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        end = time.monotonic() + PATIENCE
        while _stored_runs(race_toml.parent / "my.race") < 2:
            assert process.poll() is None, process.communicate()[1]
            assert time.monotonic() < end
            time.sleep(0.02)
        yield process
    finally:
        process.kill()
        process.communicate()  # closes its streams
        process.stderr.close()


def _stored_runs(path):
    if not path.exists():
        return 0
    with RaceFile.open(path, write=False) as file:
        return len(file.runs())


def test_a_killed_race_is_resumed_as_if_it_had_not_been_killed(polarbear, race_toml, waiting_race):
    waiting_race.kill()
    waiting_race.wait()
    (race_toml.parent / "wait").unlink()
    file = race_toml.parent / "my.race"
    status = polarbear("show", file, "--json")
    assert (status.code, status.data["race"]["rounds"]) == (0, [])
    resumed = polarbear("race", file, "--max-instances", 4)
    assert "2 stored runs" in resumed.err
    whole = race_toml.parent / "whole.race"
    assert polarbear("race", race_toml, "-o", whole, "--max-instances", 4).out == resumed.out.replace(
        "my.race", "whole.race"
    )
    text = json.dumps(data_of(file)).replace("my.race", "whole.race")
    assert json.loads(text) == data_of(whole)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupts_leave_a_valid_state_and_exit_with_the_number_of_the_signal(waiting_race, number):
    os.kill(waiting_race.pid, number)
    printed, errors = waiting_race.communicate(timeout=PATIENCE)
    assert waiting_race.returncode == 128 + number, errors
    assert printed.startswith("No answer yet.")
    assert printed.rstrip().endswith("polarbear race my.race")
    assert "Traceback" not in errors


def test_only_one_process_may_write_and_all_may_read(polarbear, race_toml, waiting_race):
    file = race_toml.parent / "my.race"
    outcome = polarbear("race", file)
    assert outcome.code == 3
    assert "is being written by process" in outcome.err
    assert polarbear("show", file).code == 0
    (race_toml.parent / "wait").unlink()
    for _ in range(20):
        assert len(load(file).kept) > 1


def test_an_interrupt_during_imports_is_quiet():
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
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


def _modules_imported_by(*arguments):
    """The modules that a command has imported when it ends."""
    code = (
        "import sys, polarbear.cli.commands as commands\n"
        "try: commands.app(sys.argv[1:], prog_name='polarbear')\n"
        "except SystemExit as end: assert not end.code\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_help_imports_no_numerical_library():
    *lines, modules = _modules_imported_by("--help")
    assert {"numpy", "scipy", "sqlite3", "polarbear.configuration"}.isdisjoint(modules.split())
    assert "Usage: polarbear [OPTIONS] COMMAND" in "\n".join(lines)
    assert "Exit codes: 0 done" in "\n".join(lines)


@pytest.mark.parametrize("kind", ["posterior", "saved"])
def test_select_from_a_saved_result_imports_little_beside_numpy(kind, request):
    *lines, modules = _modules_imported_by("select", str(request.getfixturevalue(kind)), "--budget", "20")
    assert "for a budget of 20" in lines[0]
    heavy = {"scipy.special", "scipy.stats", "xarray", "pandas", "jax", "arviz_stats", "rich", "sqlite3"}
    assert heavy.isdisjoint(modules.split())


def test_python_m_polarbear_and_the_entry_point_are_the_same_command():
    from importlib.metadata import entry_points

    (entry,) = entry_points(group="console_scripts", name="polarbear")
    assert entry.value == "polarbear.cli.main:run"
    assert _shell("polarbear --version").stdout.startswith("polarbear ")


def _shell(command, **environment):
    """Run a command line of `polarbear` in a shell."""
    line = command.replace("polarbear", shlex.join(POLARBEAR))
    return subprocess.run(
        ["bash", "-c", line], env={**os.environ, **environment}, capture_output=True, text=True, check=False
    )


def test_a_reader_that_closes_the_pipe_is_no_error(finished):
    done = _shell(f"polarbear export {finished} runs | head -1")
    header = "data_id,algorithm_name,function_name,instance,run_id,maximization,evaluations,raw_y,failed\n"
    assert (done.stdout, done.stderr) == (header, "")
    assert _shell("polarbear --help | true").stderr == ""


@pytest.mark.parametrize(
    ("command", "closed"),
    [
        ("--version", ">&-"),
        ("--version", "2>&-"),
        ("--version", ">/dev/full"),
        ("select {}", ">&- 2>&-"),
        ("select {}", ">/dev/full"),
    ],
)
def test_closed_and_full_streams_cause_no_traceback(saved, closed, command):
    done = _shell(f"polarbear {command.format(saved)} {closed}")
    assert "Traceback" not in done.stderr
    assert done.returncode == (3 if closed == ">/dev/full" else 0)


def test_characters_that_cannot_be_encoded_are_replaced(finished):
    done = _shell(f"polarbear show {finished}", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert "evaluations" in done.stdout
