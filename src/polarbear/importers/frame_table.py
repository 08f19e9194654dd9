"""Reader of data frames: tables of pandas, polars, Arrow and other libraries that narwhals knows."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

from polarbear.importers.columns import columns_to_read, further_columns
from polarbear.importers.foreign_text import quote
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError
from polarbear.importers.table_runs import Table
from polarbear.wording import with_noun

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import narwhals as nw

    from polarbear.importers.request import Request
    from polarbear.importers.table_runs import TableRuns

_BATCH = 65_536  # rows in memory as Python objects at once


def open_frame(data: object) -> nw.DataFrame[Any] | None:
    """Return a data frame behind the interface of narwhals; None for a path and for everything else.

    Lazy frames are collected. narwhals is imported only for objects that are no path, so that reading files does not
    wait for it.

    Raises
    ------
    ValueError
        If the frame has columns without distinct names of text.
    """
    if isinstance(data, str | bytes | PathLike):
        return None
    import narwhals as nw

    try:
        opened = nw.from_native(data, pass_through=True)
        if not isinstance(opened, nw.DataFrame | nw.LazyFrame):
            return None
        frame: nw.DataFrame[Any] = opened.collect() if isinstance(opened, nw.LazyFrame) else opened
        names: list[object] = list(frame.columns)  # pandas allows numbers and tuples
    except nw.exceptions.DuplicateError as error:
        twice = " ".join(str(error).rpartition("got:")[2].replace("- ", "").split())
        raise ValueError(f"expected distinct column names, got {twice}; rename or remove all but one") from error
    if other := [name for name in names if not isinstance(name, str)]:
        raise ValueError(
            f"expected a table with column names of text, got {quote(other[0])}; rename its columns, for example "
            "table.columns = ['algorithm_name', 'instance', 'evaluations', 'raw_y']"
        )
    return frame


def describe_frame(frame: nw.DataFrame[Any]) -> str:
    """Return how reports refer to a data frame, which has no path."""
    return f"a table of {with_noun(len(frame), 'row')}"


def read_frame(frame: nw.DataFrame[Any], runs: TableRuns) -> None:
    """Read a data frame by the rules of tables in files.

    Parameters
    ----------
    frame
        The data frame, as `open_frame` returns it.
    runs
        Receives the rows.

    Raises
    ------
    ValueError
        If columns are in the index of pandas, if the budget or the value is of a type that has no numbers, or if names of
        files are requested as names of algorithms.
    """
    ledger, file = runs.ledger, describe_frame(frame)
    request, schema = ledger.request, frame.schema
    wanted = columns_to_read(list(schema), request)
    names = [name for name in wanted if name in schema]
    names += further_columns(names, [name for name in schema if not schema[name].is_nested()])
    index = _index_names(frame)
    _check_request(request)
    _check_index([name for name in index if name in wanted and name not in schema])
    _check_numbers(schema, request)

    def rows() -> Iterator[Sequence[Any]]:
        for start in range(0, len(frame), _BATCH):
            batch = frame[start : start + _BATCH]
            yield from zip(*(_cells(batch[name]) for name in names), strict=True)

    try:
        for name in names:
            if schema[name].is_nested():
                raise UnreadableError(Reason.NESTED_COLUMN, column=name)
        unread = [name for name in [*schema, *index] if name not in names]
        runs.add(Table("csv", file, names, rows(), unread))  # the rules of CSV; `read_runs` reports no format
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)


def _index_names(frame: nw.DataFrame[Any]) -> list[str]:
    """Return the names of the levels of a pandas index; other libraries have no index."""
    index = getattr(frame.to_native(), "index", None)
    return [name for name in getattr(index, "names", ()) if isinstance(name, str)]


def _check_request(request: Request) -> None:
    if request.format is not None:
        raise ValueError(f"expected format=None for a table in memory, got {request.format!r}; leave it out")
    if request.columns.get("algorithm_name", "") is None:
        raise ValueError(
            "expected a column with the algorithm, got columns={'algorithm_name': None}, which takes the names of files, "
            "and a table in memory, which has none; add a column"
        )


def _check_index(names: Sequence[str]) -> None:
    if names:
        raise ValueError(
            f"expected {' and '.join(map(quote, names))} among the columns of the table, found in its index; pass "
            "table.reset_index()"
        )


def _check_numbers(schema: nw.Schema, request: Request) -> None:
    """Raise a ValueError if the budget or the value has a type without numbers; text may contain numbers."""
    import narwhals as nw

    for column in ("time" if request.seconds else "evaluations", "raw_y"):
        name = request.columns.get(column, column)
        kind = schema.get(name) if name is not None else None
        if kind is not None and (kind.is_temporal() or kind == nw.Boolean):
            advice = (
                "convert it to seconds since the start of the run" if kind.is_temporal() else "choose another column"
            )
            raise ValueError(f"expected numbers in the column {quote(name)}, got {kind}; {advice}")


def _cells(column: nw.Series[Any]) -> list[Any]:
    """Return the cells of a column as plain values, and missing ones (None, NaN, NA, NaT) as None."""
    import narwhals as nw

    cells = column.to_list()
    if column.dtype == nw.Object:  # of pandas: anything, which text represents as a CSV file would
        cells = [cell if isinstance(cell, str | int | float) else str(cell) for cell in cells]
    missing = column.is_null().to_list()
    return [None if absent else cell for cell, absent in zip(cells, missing, strict=True)] if any(missing) else cells
