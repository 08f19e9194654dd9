"""Tables as text (CSV, JSON, LaTeX) and as files (also Parquet)."""

from __future__ import annotations

import csv
import io
import json
from typing import TYPE_CHECKING, Any

from polarbear.exports.json_types import to_json_types
from polarbear.formula_cells import escape_formula
from polarbear.latex import latex
from polarbear.output_file import with_mark, write_output
from polarbear.table import as_list

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from os import PathLike

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


def write_table(
    table: Mapping[str, Any], path: str | PathLike[str], kind: str, *, caption: str = "", force: bool = False
) -> None:
    """Write a table to a file as CSV, JSON, LaTeX or Parquet; files of another origin are replaced only by `force`."""
    if kind != "parquet":
        write_output(path, with_mark(as_text(table, kind, caption=caption), kind), force=force)
        return
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        import pyarrow.parquet as pq  # type: ignore[import-untyped]
    except ImportError as error:
        raise ImportError("Parquet needs pyarrow: pip install 'polarbear-anytime[parquet]'") from error
    rows = pa.table({name: as_list(column) for name, column in table.items()})
    buffer = io.BytesIO()
    pq.write_table(rows.replace_schema_metadata({"creator": "PolarBear"}), buffer)
    write_output(path, buffer.getvalue(), force=force)
