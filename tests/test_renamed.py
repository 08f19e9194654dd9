"""docs/data/renamed.csv: everything of the state before this edition has a place that exists today, or a reason."""

import csv
import re
from functools import reduce
from pathlib import Path
from typing import Literal, get_args, get_origin

import pytest
import typer

import polarbear as pb
from polarbear.cli.commands import app
from polarbear.configuration.schema import json_schema
from polarbear.plots.registry import FIGURES

ROOT = Path(__file__).parents[1]
with (ROOT / "docs" / "data" / "renamed.csv").open(encoding="utf-8", newline="") as file:
    ROWS = list(csv.DictReader(file))
COUNTS = {"command": 20, "key": 60, "figure": 14, "make target": 15}  # at least
OUTSIDE = "python -m case_studies"  # what the repository has instead of a command
REASONS = (
    "replaced by the belief for each pair",
    "replaced by the answer and findings",
    "SMAC 1 logs",
    "nested archives",
    "Policy.to_python",
)
TABLES = {
    "race": "RaceTable",
    "grid": "GridTable",
    "algorithms.NAME": "AlgorithmTable",
    "instances": "InstancesTable",
    "limits": "LimitsTable",
    "execution": "ExecutionTable",
    "race.prior": "PriorTable",
    "race.batch": "BatchTable",
}
COMMANDS = typer.main.get_command(app).commands


def places(kind):
    """Return the new places of one kind."""
    return [row["new"] for row in ROWS if row["kind"] == kind and row["new"]]


def words_of(name):
    """Return what may follow a command: its options, the places of its arguments, and the values of both."""
    known = {"uniform", "log-uniform", "final", "mean-rank"}  # values of options that are text
    for each in COMMANDS[name].params:
        is_option = each.param_type_name == "option"
        known |= {*each.opts, *each.secondary_opts} if is_option else {*(each.metavar or each.name.upper()).split()}
    callback = next(each.callback for each in app.registered_commands if each.name == name)
    for hint in callback.__annotations__.values():
        known |= literals_in(get_args(hint)[0])
    return known


def literals_in(hint):
    """Return the values of the literal types in a type."""
    if get_origin(hint) is Literal:
        return set(get_args(hint))
    return set().union(*map(literals_in, get_args(hint)))


def test_every_row_has_a_kind_and_either_a_place_or_an_allowed_reason():
    assert {row["kind"] for row in ROWS} == {"command", "option", "key", "name", "figure", "make target"}
    for row in ROWS:
        reason = row["reason"]
        because = re.fullmatch(r"not needed any more because .+", reason)
        assert row["new"] or reason in REASONS or because, row


def test_the_table_has_all_of_the_former_state():
    olds = [(row["kind"], row["old"]) for row in ROWS]
    assert len(set(olds)) == len(olds)
    of_kind = {kind: sum(row["kind"] == kind for row in ROWS) for kind in COUNTS}
    assert all(of_kind[kind] >= number for kind, number in COUNTS.items()), of_kind
    names = [old for kind, old in olds if kind == "name"]
    assert sum(not name.startswith("plots.") for name in names) == 145
    assert sum(name.startswith("plots.") for name in names) == 55
    options = [old for kind, old in olds if kind == "option" and " --" in old]
    assert len(options) > 300


@pytest.mark.parametrize("place", sorted({*places("command"), *places("option")}))
def test_the_command_and_its_option_exist(place):
    if place.startswith(OUTSIDE):
        text = (ROOT / "case_studies" / "__main__.py").read_text(encoding="utf-8")
        assert all(f'"{word}"' in text for word in place.split() if word.startswith("--"))
        return
    if place.startswith("--"):
        assert place in {"--version", "--install-completion", "--show-completion"}
        return
    name, *rest = place.split()
    assert name in COMMANDS, place
    known = words_of(name)
    assert [word for part in rest for word in part.split("/") if word not in known] == []


def test_an_option_has_a_word_after_its_command():
    assert [row for row in ROWS if row["kind"] == "option" and row["new"] and row["new"] in COMMANDS] == []


@pytest.mark.parametrize("place", places("key"))
def test_the_key_is_in_the_schema(place):
    table, _, key = place.rpartition(".")
    found = json_schema()["$defs"][TABLES[table]]
    whole = next((each for each in found.get("anyOf", ()) if "properties" in each), found)
    assert key in whole["properties"]


@pytest.mark.parametrize("place", places("name"))
def test_the_name_exists(place):
    reduce(getattr, place.split("."), pb)  # raises AttributeError


def test_figures_and_make_targets_exist():
    targets = set(re.findall(r"^([a-z]+):.*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(places("figure")) <= set(FIGURES)
    assert set(places("make target")) <= targets
