"""Descriptions and limits that a class declares once, and the checks that follow from them."""

import re
from dataclasses import dataclass, fields
from typing import Annotated, Literal

import numpy as np
import pytest
from annotated_types import Ge, Gt, Le, Lt

import polarbear as pb
from polarbear.configuration.schema import RaceTable
from polarbear.declared import check_fields, descriptions
from polarbear.race.settings import Settings


@dataclass
class Options:
    """Options.

    Parameters
    ----------
    share, part
        A share that lies
        between two limits. It is a number.
    number
        A whole number, such as 3. A second sentence.
    """

    share: Annotated[float, Gt(0), Le(1)] = 0.5
    part: Annotated[float, Ge(0), Lt(1)] = 0.5
    number: Annotated[int, Ge(1)] | None = None
    kind: Literal["first", "second"] = "first"
    other: Literal["first", "second"] | None = None
    free: object = None

    def __post_init__(self):
        check_fields(self, {each.name: each.type for each in fields(self)})


@pytest.mark.parametrize(
    "given",
    [
        {"share": 1},
        {"share": np.float32(0.5)},
        {"part": 0},
        {"part": 0.999},
        {"number": None},
        {"number": 1},
        {"number": np.int64(7)},
        {"kind": "second"},
        {"other": None},
        {"other": "second"},
        {"free": -1},
    ],
    ids=str,
)
def test_values_within_the_limits(given):
    assert Options(**given)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"share": 0}, "expected share as a number above 0 and at most 1, got 0"),
        ({"share": 1.01}, "expected share as a number above 0 and at most 1, got 1.01"),
        ({"share": float("nan")}, "expected share as a number above 0 and at most 1, got nan"),
        ({"share": "0.5"}, "expected share as a number above 0 and at most 1, got '0.5'"),
        ({"share": True}, "expected share as a number above 0 and at most 1, got True"),
        ({"share": None}, "expected share as a number above 0 and at most 1, got None"),
        ({"part": -0.1}, "expected part as a number at least 0 and below 1, got -0.1"),
        ({"part": 1}, "expected part as a number at least 0 and below 1, got 1"),
        ({"number": 0}, "expected number as a whole number at least 1, got 0"),
        ({"number": 1.5}, "expected number as a whole number at least 1, got 1.5"),
        ({"number": 2.0}, "expected number as a whole number at least 1, got 2.0"),
        ({"kind": "frist"}, "expected kind to be one of 'first', 'second', got 'frist'; did you mean 'first'?"),
        ({"kind": "x"}, "expected kind to be one of 'first', 'second', got 'x'"),
        ({"kind": None}, "expected kind to be one of 'first', 'second', got None"),
        ({"kind": 3}, "expected kind to be one of 'first', 'second', got 3"),
        ({"other": "secnd"}, "expected other to be one of 'first', 'second', got 'secnd'; did you mean 'second'?"),
    ],
    ids=str,
)
def test_values_outside_the_limits(given, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        Options(**given)


def test_descriptions_are_first_sentences():
    assert descriptions(Options) == {
        "share": "A share that lies between two limits.",
        "part": "A share that lies between two limits.",
        "number": "A whole number, such as 3.",
    }


def test_every_setting_of_a_race_is_described_and_is_a_key_of_the_race_file():
    names = {each.name for each in fields(Settings)}
    assert names == set(descriptions(Settings))
    assert names - {"grid"} <= set(RaceTable.model_fields)


@pytest.mark.parametrize("name", [each.name for each in fields(Settings) if "Annotated" in str(each.type)])
def test_the_limits_of_settings_are_checked(name):
    with pytest.raises(ValueError, match=name):
        Settings(grid=pb.Grid([1, 10]), **{name: -1})
