"""The table of defaults on docs/how-to/defaults.md agrees with the code."""

import inspect
import re
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import get_type_hints

import pytest

import polarbear as pb
from polarbear.configuration.schema import RaceToml
from tests.documents.pages import DOCS

LINES = [line.strip("|") for line in (DOCS / "how-to" / "defaults.md").read_text().splitlines() if line[:3] == "| `"]
ROWS = [tuple(cell.strip() for cell in line.split("|")) for line in LINES]
ROWS = [(where.strip("`"), re.sub("^`(.*)`$", r"\1", option), shown, reason) for where, option, shown, reason in ROWS]


def default_of(where, option):
    """Return the default of an option, or the value of a constant."""
    if where == "race.toml":
        table, key = option.split(".")
        return getattr(RaceToml.model_fields[table].get_default(), key)
    if where == "pb.Race":
        return {field.name: field.default for field in fields(pb.Settings)}[option]
    if where.startswith("polarbear "):
        name = where.split()[1]
        return parameters_of(getattr(import_module(f"polarbear.cli.{name}"), name))[option]
    module, _, name = where.rpartition(".")
    thing = getattr(pb.plots if module == "pb.plots" else pb if module == "pb" else import_module(module), name)
    return parameters_of(thing)[option] if callable(thing) else thing


def parameters_of(function):
    """Return the defaults of a function, including those of its groups of options."""
    defaults = {name: each.default for name, each in inspect.signature(function).parameters.items()}
    hints = {} if inspect.isclass(function) else get_type_hints(function) if "cli" in function.__module__ else {}
    for kind in hints.values():
        if is_dataclass(kind):
            defaults |= {field.name: field.default for field in fields(kind)}
    return defaults


@pytest.mark.parametrize(("where", "option", "shown", "reason"), ROWS, ids=[f"{row[0]} {row[1]}" for row in ROWS])
def test_a_default_is_the_one_that_the_page_shows(where, option, shown, reason):
    value = default_of(where, option)
    assert shown == (str(value) if isinstance(value, str | bool) else f"{value:g}")


def test_defaults_of_the_same_question_are_equal_or_have_a_reason():
    questions = {}
    for _, option, shown, reason in ROWS:
        questions.setdefault(option.removeprefix("race."), []).append((shown, reason))
    assert len(ROWS) > 30
    for option, found in questions.items():
        assert len({shown for shown, reason in found if not reason}) <= 1, option
