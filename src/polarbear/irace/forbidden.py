"""Forbidden configurations: conditions in a section `[forbidden]` of `parameters.txt`, or in the scenario's `forbiddenFile`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.irace.conditions import find_comparisons, read_condition
from polarbear.irace.parameters import read_sections

if TYPE_CHECKING:
    from pathlib import Path

    from polarbear.irace.conditions import Condition
    from polarbear.irace.scenario import IraceScenario


@dataclass(frozen=True)
class Forbidden:
    """A condition that no configuration may fulfil.

    Attributes
    ----------
    condition, text
        The condition, and how it is written.
    where
        Its file and line.
    """

    condition: Condition
    text: str
    where: str


def read_forbidden(scenario: IraceScenario) -> tuple[Forbidden, ...]:
    """Return the forbidden configurations of a scenario.

    Raises
    ------
    ValueError
        A line is not a condition that compares parameters with constants.
    """
    lines = [
        (scenario.parameter_file, *each) for each in read_sections(scenario.parameter_file).get("forbidden", [])
    ]
    if scenario.forbidden_file is not None:
        lines += [(scenario.forbidden_file, *each) for each in read_sections(scenario.forbidden_file)[""]]
    names = [each.name for each in scenario.parameters]
    return tuple(_read(text, path, number, names) for path, number, text in lines)


def _read(text: str, path: Path, number: int, names: list[str]) -> Forbidden:
    condition, where = read_condition(text, path.name, number), f"{path.name}, line {number}"
    if unknown := [each.name for each in find_comparisons(condition) if each.name not in names]:
        raise ValueError(f"{where}: expected a condition of the parameters {', '.join(names)}, got {unknown[0]!r}")
    return Forbidden(condition, text, where)
