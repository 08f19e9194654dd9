"""Print to the terminal: results on standard output, everything else on standard error."""

import json
import math
import shlex
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

_WIDE = 160  # width where standard output is not a terminal; longer lines are not wrapped
_WORD = 20  # longest word that a table keeps whole, in letters


def print_result(text: str = "") -> None:
    """Print a result to standard output."""
    print(text, file=sys.stdout, flush=True)


def print_remark(text: str, *, quiet: bool = False) -> None:
    """Print a remark to standard error, unless `quiet`."""
    if not quiet:
        print(text, file=sys.stderr, flush=True)


def shell_path(path: Path) -> str:
    """Return a path as you would type it: relative if it is in the current directory, and quoted where a shell needs it."""
    whole = path.resolve()
    here = Path.cwd()
    return shlex.quote(str(whole.relative_to(here) if whole.is_relative_to(here) else whole))


def with_noun(number: int, noun: str) -> str:
    """Return a count with its noun, which is in the plural unless the count is one.

    Examples
    --------
    >>> with_noun(1, "round"), with_noun(1234, "run")
    ('1 round', '1,234 runs')
    """
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def print_json(data: Any) -> None:
    """Print a result as JSON for programs; numbers that are not finite become null."""
    print_result(json.dumps(to_json_types(data), indent=2, ensure_ascii=False))


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a result as a table, with numbers aligned to the right."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    listed = [list(row) for row in rows]
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for position, head in enumerate(heads):
        column = [row[position] for row in listed]
        numbers = bool(column) and all(isinstance(value, int | float) for value in column)
        longest = max(len(word) for text in (head, *map(_cell, column)) for word in text.split() or [""])
        table.add_column(
            Text(head),
            justify="right" if numbers else "left",
            overflow="fold",
            min_width=min(longest, _WORD),  # keeps words whole where the terminal is wide enough
        )
    for row in listed:
        table.add_row(*(Text(_cell(value)) for value in row))
    width = None if sys.stdout.isatty() else _WIDE
    console = Console(file=sys.stdout, width=width, highlight=False, soft_wrap=width is not None)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print_result(line.rstrip())


def _cell(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.3f}" if abs(value) < 1000 else f"{value:,.0f}"


def to_json_types(data: Any) -> Any:
    """Return data in the types of JSON: without NumPy, and null for numbers that are not finite."""
    if isinstance(data, Mapping):
        return {str(key): to_json_types(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [to_json_types(each) for each in data]
    if hasattr(data, "tolist"):
        return to_json_types(data.tolist())
    if isinstance(data, float) and not math.isfinite(data):
        return None
    return data
