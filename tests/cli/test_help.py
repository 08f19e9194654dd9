"""The help of commands: short enough for a screen, complete with --help-all; `list`, and old names of commands."""

import inspect
import re

import pytest
import typer

from polarbear.cli.commands import _NEW_NAMES, app
from polarbear.importers.presets import PRESETS
from polarbear.models import PRIORS
from polarbear.plots.registry import FIGURES

COMMANDS = typer.main.get_command(app).commands
READING = (
    "reader column clock maximise objective indicator reference renumber cluster ended repeated where include per "
    "without budgets"
)
BUILT_IN = {"--help", "-h"}


def names_of(parameter):
    return [*parameter.opts, *parameter.secondary_opts]


def options_of(command):
    """The options of a command, without those that every command has."""
    found = [each for each in COMMANDS[command].params if each.param_type_name == "option"]
    return [each for each in found if not BUILT_IN.intersection(names_of(each))]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_of_a_command_fits_a_screen(polarbear, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "120")
    outcome = polarbear(command, "--help")
    lines = outcome.out.splitlines()
    assert (outcome.code, outcome.err) == (0, "")
    assert lines[0].startswith("Usage: ")
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    assert polarbear(command, "-h").out == outcome.out


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_in_the_whole_help_and_described(polarbear, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "120")
    whole, short = (polarbear(command, option).out for option in ("--help-all", "--help"))
    assert max(map(len, whole.splitlines())) <= 100
    blocks = dict(re.findall(r"^  (-\S.*?)(?:  +|\n +)(\S.*)$", whole, flags=re.MULTILINE))
    flags = {flag: text for names, text in blocks.items() for flag in re.findall(r"(?<![\w-])--?[a-z][\w-]*", names)}
    for option in options_of(command):
        for name in names_of(option):
            assert flags.get(name), (command, name)
    left_out = len(blocks) - len(re.findall(r"^  -\S", short, flags=re.MULTILINE))
    assert (f"{left_out} more options: polarbear {command} --help-all" in short.replace("root", "polarbear")) == (
        left_out > 0
    )


def test_there_are_few_options():
    assert sum(len(options_of(command)) for command in COMMANDS) <= 150


def test_only_show_reads_recorded_runs_with_options():
    names = {f"--{name}" for name in READING.split()}
    assert names <= {name for each in options_of("show") for name in names_of(each)}
    allowed = {"init": {"--budgets"}, "calibrate": {"--budgets"}}
    for command in set(COMMANDS) - {"show"}:
        own = {name for each in options_of(command) for name in names_of(each)}
        assert own & names <= allowed.get(command, set()), command


def test_a_narrow_terminal_gets_narrow_help(polarbear, monkeypatch):
    monkeypatch.setenv("COLUMNS", "70")
    assert max(map(len, polarbear("select", "--help").out.splitlines())) <= 70


def test_figures_are_listed(polarbear):
    rows = polarbear("list", "figures", "--json").data
    assert [(row["figure"], row["pair"]) for row in rows] == [(name, entry.pair) for name, entry in FIGURES.items()]
    text = polarbear("list", "figures").out
    assert all(name in text for name in FIGURES)


def test_formats_are_listed(polarbear):
    rows = polarbear("list", "formats", "--json").data
    assert {"csv", "parquet", "coco", "iohprofiler"} <= {row["format"] for row in rows}
    assert {row["read with"] for row in rows} - {""} == {f"--reader {name}" for name in PRESETS}
    assert all(row["content"] for row in rows)


def test_priors_are_listed(polarbear):
    rows = polarbear("list", "priors", "--json").data
    assert [row["prior"] for row in rows] == list(PRIORS)
    assert [row["what it is"] for row in rows] == [inspect.getdoc(kind).split("\n")[0] for kind in PRIORS.values()]


@pytest.mark.parametrize("old", _NEW_NAMES)
def test_the_old_name_of_a_command_prints_the_new_one(polarbear, old):
    outcome = polarbear(old, "my.race", "--json")
    assert (outcome.code, outcome.out) == (3, "")
    assert outcome.err.count("\n") == 1
    assert f"`polarbear {old}" in outcome.err
    new = _NEW_NAMES[old]
    if new:
        assert f"is now `polarbear {new}`" in outcome.err
        assert new.split()[0] in COMMANDS
    assert old not in COMMANDS
