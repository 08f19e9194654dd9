"""Tables as text (CSV, JSON, LaTeX) and as files (also Parquet)."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polarbear.exports.json_types import to_json_types
from polarbear.formula_cells import escape_formula
from polarbear.latex import latex
from polarbear.table import as_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

FORMATS = ("csv", "json", "tex", "parquet")


def as_text(table: Mapping[str, Any], kind: str, *, caption: str = "") -> str:
    r"""Return a table as CSV, as JSON (a list of rows, null for NaN) or as LaTeX.

    In CSV, text that a spreadsheet would evaluate has an apostrophe in front; see `formula_cells`.

    Examples
    --------
    >>> as_text({"name": ["a, b"], "value": [0.5]}, "csv")
    'name,value\n"a, b",0.5\n'
    """
    if kind == "tex":
        return latex(table, caption=caption) + "\n"
    rows = zip(*(as_list(column) for column in table.values()), strict=True)
    if kind == "json":
        return json.dumps(to_json_types([dict(zip(table, row, strict=True)) for row in rows]), indent=2) + "\n"
    if kind != "csv":
        raise ValueError(f"expected the format csv, json or tex, got {kind!r}")
    return "".join(_csv_lines([table, *rows]))


def _csv_lines(rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """Yield the lines of a CSV file."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")  # the writer quotes only line breaks of its own kind
    for row in rows:
        writer.writerow(map(escape_formula, row))
        yield out.getvalue().removesuffix("\r\n") + "\n"
        out.seek(0)
        out.truncate()


def write_table(table: Mapping[str, Any], path: Path, kind: str, *, caption: str = "") -> None:
    """Write a table to a file as CSV, JSON, LaTeX or Parquet."""
    if kind != "parquet":
        Path(path).write_text(as_text(table, kind, caption=caption), encoding="utf-8")
        return
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install 'polarbear-anytime[parquet]'") from error
    pq.write_table(pa.table({name: as_list(column) for name, column in table.items()}), path)
