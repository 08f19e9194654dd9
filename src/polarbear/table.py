"""Tables of results, and their two forms for notebooks: data frames and HTML.

A table is a dictionary from names to columns of equal length. Each result defines its tables once, in its `to_table`;
files, data frames and notebooks all show these.
"""

from __future__ import annotations

import re
from html import escape
from typing import TYPE_CHECKING, Any, get_args

from polarbear.literals import FrameLibrary

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Table = dict[str, Any]  # a list or an array per column

_SHOWN = 20  # rows of an HTML table; notebooks show the rest through `to_frame`


def as_list(column: Any) -> list[Any]:
    """Return a column as a list of plain Python values."""
    return column.tolist() if hasattr(column, "tolist") else list(column)


def as_frame(table: Mapping[str, Any], backend: FrameLibrary = "pandas") -> Any:
    """Return a table as a data frame.

    Parameters
    ----------
    table
        The columns.
    backend
        The library of the data frame: "pandas", "polars" or "pyarrow".

    Examples
    --------
    >>> as_frame({"name": ["a", "b"], "value": [0.5, 1.0]})
      name  value
    0    a    0.5
    1    b    1.0
    """
    if backend not in get_args(FrameLibrary):
        raise ValueError(f"expected backend='pandas', 'polars' or 'pyarrow', got {backend!r}")
    import narwhals as nw

    try:
        return nw.from_dict(dict(table), backend=backend).to_native()
    except ModuleNotFoundError as error:
        raise ImportError(
            f"to_frame(backend={backend!r}) needs {backend}: pip install {backend}, or choose another backend of "
            f"{', '.join(get_args(FrameLibrary))}"
        ) from error


_QUANTITY = re.compile(r"(?:less than |more than |below |over |about )?-?[\d.,]+(?:e[+-]?\d+)?(?: %| points?| ranks)?")


def is_quantity(text: str) -> bool:
    """Return whether a text is a number, perhaps with a unit, so that a table aligns it to the right.

    Examples
    --------
    >>> [text for text in ("12 %", "over 99 %", "1,200", "2 x de", "26 to 41 %", "") if is_quantity(text)]
    ['12 %', 'over 99 %', '1,200']
    """
    return _QUANTITY.fullmatch(text) is not None


def as_lines(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """Return a table as lines of text, with numbers aligned to the right.

    Examples
    --------
    >>> as_lines(["name", "share"], [["a", "5 %"], ["b", "12 %"]])
    ['name  share', 'a       5 %', 'b      12 %']
    """
    columns = list(zip(heads, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    right = [all(map(is_quantity, column[1:])) for column in columns]
    return [
        "  ".join(
            text.rjust(width) if moved else text.ljust(width)
            for text, width, moved in zip(row, widths, right, strict=True)
        ).rstrip()
        for row in (heads, *rows)
    ]


def as_html(table: Mapping[str, Any], *, title: str, notes: tuple[str, ...] = ()) -> str:
    """Return a table as HTML for notebooks, with a title above and notes below.

    Examples
    --------
    >>> as_html({"name": ["a<b"], "value": [0.12345]}, title="Two")
    '<p>Two</p><table><tr><th>name</th><th>value</th></tr><tr><td>a&lt;b</td><td>0.123</td></tr></table>'
    """
    rows = list(zip(*map(as_list, table.values()), strict=True))
    if len(rows) > _SHOWN:
        notes = (f"... and {len(rows) - _SHOWN:,} more rows", *notes)
    lines = [("th", [name.replace("_", " ") for name in table]), *(("td", row) for row in rows[:_SHOWN])]
    body = "".join(f"<tr>{''.join(f'<{kind}>{_cell(cell)}</{kind}>' for cell in row)}</tr>" for kind, row in lines)
    return f"<p>{escape(title)}</p><table>{body}</table>" + "".join(f"<p>{escape(note)}</p>" for note in notes)


def _cell(value: Any) -> str:
    """Return a cell as HTML; numbers have three significant digits."""
    return f"{value:.3g}" if isinstance(value, float) else escape(str(value))
