"""Reader of CSV tables, row by row."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from polarbear.importers.columns import columns_to_read
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError
from polarbear.importers.sources import text_lines
from polarbear.importers.table_runs import Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source
    from polarbear.importers.table_runs import TableRuns

_SEPARATORS = ",;\t"


def read_csv(source: Source, path: str, runs: TableRuns) -> None:
    """Read a CSV file; the header determines the separator (comma, semicolon, tab or space).

    Parameters
    ----------
    source, path
        The file.
    runs
        Receives the rows.
    """
    file, ledger = source.name(path), runs.ledger
    try:
        with source.open(path) as stream:
            lines = _note_open_end(file, text_lines(stream, errors="strict"), ledger)
            header = next(lines, "")
            if not header.strip():
                raise UnreadableError(Reason.EMPTY)
            # A space is the separator only if the header has no other one, since names of columns may contain spaces.
            separators = [each for each in _SEPARATORS if each in header] or [" "]
            headers = {each: _split_header(header, each) for each in separators}
            known = set(columns_to_read([], ledger.request))
            separator = max(headers, key=lambda each: len(known.intersection(headers[each])))
            rows = csv.reader(lines, delimiter=separator, skipinitialspace=True)
            runs.add(Table("csv", file, headers[separator], rows, line=lambda: rows.line_num + 1, escaped=True))
    except (*READ_ERRORS, csv.Error) as error:
        ledger.skip_unreadable(file, error)


def _note_open_end(file: str, lines: Iterable[str], ledger: Ledger) -> Iterator[str]:
    """Yield the lines, and note if the last one has no line break.

    Many programs omit it. But if the file was cut, half a number still parses, often as a better value.
    """
    line = "\n"
    for line in lines:
        yield line
    if not line.endswith(("\n", "\r")):
        ledger.note("OPEN_END", file=file)


def _split_header(line: str, separator: str) -> list[str]:
    return [name.strip() for name in next(csv.reader([line], delimiter=separator, skipinitialspace=True), [])]
