"""Read forbidden configurations: the section `[forbidden]` of `parameters.txt`, and the scenario's `forbiddenFile`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from polarbear.irace.conditions import find_comparisons, read_condition
from polarbear.irace.parameters import read_sections

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from polarbear.irace.conditions import Condition
    from polarbear.irace.parameters import Parameter


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


def read_forbidden(
    parameters: Sequence[Parameter], parameter_file: Path, forbidden_file: Path | None = None
) -> tuple[Forbidden, ...]:
    """Return the forbidden configurations in a file of parameters, and in a file of their own if there is one.

    Raises
    ------
    ValueError
        A line is not a condition that compares parameters with constants.
    """
    lines = [(parameter_file, *each) for each in read_sections(parameter_file).get("forbidden", [])]
    if forbidden_file is not None:
        lines += [(forbidden_file, *each) for part in read_sections(forbidden_file).values() for each in part]
    names = [each.name for each in parameters]
    return tuple(_read(text, path, number, names) for path, number, text in lines)


def _read(text: str, path: Path, number: int, names: list[str]) -> Forbidden:
    condition, where = read_condition(text, path.name, number), f"{path.name}, line {number}"
    if unknown := [each.name for each in find_comparisons(condition) if each.name not in names]:
        raise ValueError(f"{where}: expected a condition of the parameters {', '.join(names)}, got {unknown[0]!r}")
    return Forbidden(condition, text, where)
