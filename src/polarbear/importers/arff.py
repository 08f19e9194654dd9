"""Parser of ARFF tables, as far as ASlib uses them: named columns, rows of cells, quotes, comments and missing cells.

Values stay text. Sparse rows, in braces, are not supported.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from polarbear.importers.reasons import Reason, UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|\S+)\s+\S", re.IGNORECASE)
_CELL = re.compile(rf"\s*({_QUOTED}|[^,'\"][^,]*?|)\s*(,|$)")


class ArffRow(NamedTuple):
    """One row: its line in the file, and its cells; None for a missing cell."""

    line: int
    cells: list[str | None]


def attribute_names(text: str) -> list[str]:
    r"""Return the names of the columns in the beginning of an ARFF file, in lower case.

    Examples
    --------
    >>> attribute_names("@RELATION x\n@ATTRIBUTE 'instance id' STRING\n@attribute Algorithm {a, b}\n@DATA\n")
    ['instance id', 'algorithm']
    """
    found = map(_ATTRIBUTE.match, map(str.lstrip, text.splitlines()))
    return [_unquote(match[1]).lower() for match in found if match]


def parse_arff(lines: Iterable[str]) -> tuple[list[str], Iterator[ArffRow]]:
    r"""Return the names of the columns, in lower case, and an iterator over the rows.

    Parameters
    ----------
    lines
        The lines of the file.

    Raises
    ------
    UnreadableError
        If there are no columns, or no line with @data.

    Examples
    --------
    >>> names, rows = parse_arff(["@attribute a string\n", "@attribute b numeric\n", "@data\n", "% x\n", "'x, y',?\n"])
    >>> names, list(rows)
    (['a', 'b'], [ArffRow(line=5, cells=['x, y', None])])
    """
    numbered = iter(enumerate(lines, 1))
    names: list[str] = []
    for _, line in numbered:
        names += attribute_names(line)
        if line.strip().lower().startswith("@data"):
            break
    else:
        raise UnreadableError(Reason.NOT_ARFF)
    if not names:
        raise UnreadableError(Reason.NOT_ARFF)
    return names, (
        ArffRow(number, _split(line.strip())) for number, line in numbered if line.strip() and line.lstrip()[0] != "%"
    )


def _split(line: str) -> list[str | None]:
    """Return the cells of a row; an empty list if it is not a row."""
    if "'" not in line and '"' not in line:
        parts = [part.strip() for part in line.split(",")]
        return [None if part == "?" else part for part in parts]
    cells: list[str | None] = []
    position = 0
    while match := _CELL.match(line, position):
        cells.append(None if match[1] == "?" else _unquote(match[1]))
        position = match.end()
        if not match[2]:
            return cells
    return []


def _unquote(text: str) -> str:
    if len(text) < 2 or text[0] not in "'\"" or text[-1] != text[0]:
        return text
    return re.sub(r"\\(.)", r"\1", text[1:-1])
