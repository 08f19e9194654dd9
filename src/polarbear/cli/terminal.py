"""Print to the terminal: results on standard output, everything else on standard error."""

import json
import math
import shlex
import shutil
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from polarbear.table import is_quantity
from polarbear.wording import round_off, shorten_names

_WIDE = 160  # width where standard output is not a terminal; longer lines are not wrapped
_GAP = "  "  # between two columns of a table
_WORD = 20  # longest word that a table keeps whole, in letters


_short_names: ContextVar[dict[str, str]] = ContextVar("short_names", default={})  # noqa: B039  (never changed)


def print_result(text: str = "") -> None:
    """Print a result to standard output."""
    print(_with_short_names(text), file=sys.stdout, flush=True)


@contextmanager
def short_names(names: Iterable[str]) -> Iterator[None]:
    """Shorten long names of algorithms in everything that is printed, to what distinguishes them."""
    token = _short_names.set(shorten_names(names))
    try:
        yield
    finally:
        _short_names.reset(token)


def _with_short_names(text: str) -> str:
    for name, short in sorted(_short_names.get().items(), key=lambda pair: -len(pair[0])):
        text = text.replace(name, short)
    return text


def print_note(text: str, *, quiet: bool = False) -> None:
    """Print a note to standard error, unless `quiet`."""
    if not quiet:
        print(text, file=sys.stderr, flush=True)


def shell_path(path: Path) -> str:
    """Return a path as you would type it: relative if it is in the current directory, and quoted where a shell needs it."""
    whole = path.resolve()
    here = Path.cwd()
    return shlex.quote(str(whole.relative_to(here) if whole.is_relative_to(here) else whole))


def as_json(data: Any) -> str:
    """Return data as JSON for programs; numbers that are not finite become null."""
    from polarbear.exports.json_types import to_json_types

    return json.dumps(to_json_types(data), indent=2, ensure_ascii=False) + "\n"


def print_json(data: Any) -> None:
    """Print a result as JSON for programs."""
    print_result(as_json(data).rstrip("\n"))


def print_table(heads: Sequence[str], rows: Iterable[Sequence[object]], *, most: int | None = None) -> None:
    """Print a result as a table, with numbers aligned to the right; rows after the first `most` are only counted."""
    values = [list(row) for row in rows]
    if most is not None and len(values) > most:
        print_table(heads, values[:most])
        print_result(f"... and {len(values) - most:,} more; print them with --details")
        return
    columns = [[row[position] for row in values] for position in range(len(heads))]
    numeric = [bool(column) and all(map(_is_number, column)) for column in columns]
    texts = [[head, *map(_cell, column)] for head, column in zip(heads, columns, strict=True)]
    widths = [max(map(len, column)) for column in texts]
    available = shutil.get_terminal_size().columns if sys.stdout.isatty() else _WIDE
    simple = all(text.isascii() and text.isprintable() for column in texts for text in column)
    if not simple or sum(widths) + len(_GAP) * (len(widths) - 1) > available:
        _print_wrapped(texts, numeric)
        return
    for row in zip(*texts, strict=True):
        cells = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(row, widths, numeric, strict=True)
        ]
        print_result(_GAP.join(cells).rstrip())


def print_lines(lines: Sequence[str], *, most: int | None = None) -> None:
    """Print lines of a result; those after the first `most` are only counted."""
    for line in lines[:most]:
        print_result(line)
    if most is not None and len(lines) > most:
        print_result(f"... and {len(lines) - most:,} more; print them with --details")


def _print_wrapped(texts: Sequence[Sequence[str]], numeric: Sequence[bool]) -> None:
    """Print columns of text, wrapped to the width of the terminal, and with wide and combining characters aligned."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, len(_GAP), 0, 0), pad_edge=False)
    for (head, *cells), right in zip(texts, numeric, strict=True):
        longest = max(len(word) for text in (head, *cells) for word in text.split() or [""])
        table.add_column(
            Text(head),
            justify="right" if right else "left",
            overflow="fold",
            min_width=min(longest, _WORD),  # keeps words whole where the terminal is wide enough
        )
    for row in list(zip(*texts, strict=True))[1:]:
        table.add_row(*map(Text, row))
    width = None if sys.stdout.isatty() else _WIDE
    console = Console(file=sys.stdout, width=width, highlight=False, soft_wrap=width is not None)
    with console.capture() as captured:
        console.print(table)
    for line in captured.get().splitlines():
        print_result(line.rstrip())


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) or (isinstance(value, str) and (value == "-" or is_quantity(value)))


def _cell(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _with_short_names(str(value))
    if isinstance(value, float) and math.isnan(value):
        return "-"
    return f"{value:,}" if isinstance(value, int) else round_off(value)
