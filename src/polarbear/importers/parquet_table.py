"""Reader of Parquet tables, batch by batch; it needs pyarrow, an extra."""

from __future__ import annotations

import shutil
import tempfile
from typing import TYPE_CHECKING, Any
from zipfile import ZipExtFile

from polarbear.importers.columns import columns_to_read, further_columns
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError, shorten
from polarbear.importers.table_runs import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from polarbear.importers.sources import Source
    from polarbear.importers.table_runs import TableRuns

_BATCH = 65_536  # rows in memory at once


def read_parquet(source: Source, path: str, runs: TableRuns) -> None:
    """Read a Parquet file.

    Parameters
    ----------
    source, path
        The file.
    runs
        Receives the rows.
    """
    file, ledger = source.name(path), runs.ledger
    try:
        import pyarrow  # type: ignore[import-untyped]
        from pyarrow.parquet import ParquetFile  # type: ignore[import-untyped]
    except ImportError:
        ledger.skip(file, Reason.NO_PYARROW)
        return
    try:
        with source.open(path) as stream, tempfile.TemporaryFile() as copy:
            if isinstance(stream, ZipExtFile):  # seeking back would decompress it again and again
                shutil.copyfileobj(stream, copy)
            table = ParquetFile(copy if isinstance(stream, ZipExtFile) else stream)
            schema = table.schema_arrow
            names = [name for name in columns_to_read(schema.names, ledger.request) if name in schema.names]
            plain = [each.name for each in schema if not pyarrow.types.is_nested(each.type)]
            if len(set(plain)) == len(plain):
                names += further_columns(names, plain)
            if ledger.request.preset:  # which may join any columns
                names = [each.name for each in schema if each.name in names or not pyarrow.types.is_nested(each.type)]
            for name in names:
                if (number := schema.names.count(name)) > 1:
                    raise UnreadableError(Reason.SECOND_COLUMN, number=number, column=name)
                if pyarrow.types.is_nested(schema.field(name).type):
                    raise UnreadableError(Reason.NESTED_COLUMN, column=name)

            def rows() -> Iterator[Sequence[Any]]:
                for batch in table.iter_batches(_BATCH, columns=names):
                    yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

            unread = [name for name in schema.names if name not in names]
            runs.add(Table("parquet", file, names, rows(), unread))
    except pyarrow.ArrowException as error:
        ledger.skip(file, Reason.NOT_PARQUET, problem=shorten(error))
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)
