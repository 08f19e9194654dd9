"""The registry of formats: `FILE_KINDS` has one row per kind of file, and nothing else in this room lists formats.

To add a format, write a reader module, add its name to `polarbear.literals.FileFormat`, and add a row here. Then write
the shared example runs in the format in tests/contracts/test_importers.py, whose tests check that a format has all of
these.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from polarbear.importers import aslib, coco, iohprofiler, optuna, smac
from polarbear.importers.csv_table import read_csv
from polarbear.importers.info_index import parse_index
from polarbear.importers.parquet_table import read_parquet
from polarbear.importers.reasons import READ_ERRORS, Reason
from polarbear.importers.smac_trajectory import OLD_TRAJECTORY, is_trajectory, read_trajectory
from polarbear.importers.sources import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from polarbear.importers.ledger import Ledger
    from polarbear.importers.request import Request
    from polarbear.importers.sources import Source
    from polarbear.importers.table_runs import TableRuns
    from polarbear.literals import FileFormat

_START = 65_536  # bytes of a file that show whether it lists runs


class FileKind(NamedTuple):
    """A kind of file that an import reads.

    Parameters
    ----------
    suffixes
        The endings of its name, in lower case.
    formats
        The formats that such a file may hold.
    read
        The reader. It takes the source, the path in it, the ledger, and the runs of all tables. It reports problems to
        the ledger and raises none.
    magic
        The first bytes of such files, by which a single file is recognised whatever its name.
    lists_runs
        Whether the beginning of a file shows that it lists runs. In a folder, files of this kind that do not are
        ignored.
    """

    suffixes: tuple[str, ...]
    formats: tuple[FileFormat, ...]
    read: Callable[[Source, str, Ledger, TableRuns], None]
    magic: bytes | None = None
    lists_runs: Callable[[str], bool] | None = None


def _read_info(source: Source, path: str, ledger: Ledger) -> None:
    """Read an `.info` index, which COCO and the older IOHprofiler share; the data show which of the two wrote it."""
    file = source.name(path)
    try:
        with source.open(path) as stream:
            entries = parse_index(read_text(stream, iohprofiler.INDEX))
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)
        return
    for entry in entries:
        if not entry.files:
            ledger.skip(file, Reason.NO_DATA_FILES)
        elif coco.is_coco(source, path, entry):
            if ledger.request.accepts("coco"):
                coco.read_info(source, path, entry, ledger)
        elif ledger.request.accepts("iohprofiler"):
            iohprofiler.read_info(source, path, entry, ledger)


def _read_json(source: Source, path: str, ledger: Ledger) -> None:
    """Read a JSON file: a history or trajectory of SMAC if its beginning looks so, otherwise an index of IOHprofiler."""
    text = _beginning(source, path, ledger)
    if text is None:
        return
    if smac.is_history(text):
        if ledger.request.accepts("smac"):
            smac.read_history(source, path, ledger)
    elif is_trajectory(text):
        if ledger.request.accepts("smac"):
            read_trajectory(source, path, ledger)
    elif ledger.request.accepts("iohprofiler"):
        iohprofiler.read_json(source, path, ledger)


def _read_csv(source: Source, path: str, ledger: Ledger, tables: TableRuns) -> None:
    """Read a CSV file: a trajectory of SMAC if it has its name and looks like one, otherwise a table."""
    if posixpath.basename(path) == OLD_TRAJECTORY and is_trajectory(_beginning(source, path, ledger) or ""):
        if ledger.request.accepts("smac"):
            read_trajectory(source, path, ledger)
    elif ledger.request.accepts("csv"):
        read_csv(source, path, tables)


def _beginning(source: Source, path: str, ledger: Ledger) -> str | None:
    """Return the beginning of a file as text; None, and report it, if it cannot be read."""
    try:
        with source.open(path) as stream:
            return stream.read(_START).decode("utf-8", errors="replace")
    except READ_ERRORS as error:
        ledger.skip_unreadable(source.name(path), error)
        return None


# A single file of unknown kind is read as the last kind that the request accepts.
FILE_KINDS = (
    FileKind(
        (".parquet", ".pq"),
        ("parquet",),
        lambda source, path, _, tables: read_parquet(source, path, tables),
        magic=b"PAR1",
    ),
    FileKind(
        (".json",),
        ("iohprofiler", "smac"),
        lambda source, path, ledger, _: _read_json(source, path, ledger),
        magic=b"{",
        lists_runs=lambda text: iohprofiler.is_index(text) or smac.is_history(text) or is_trajectory(text),
    ),
    FileKind(
        (".info",),
        ("iohprofiler", "coco"),
        lambda source, path, ledger, _: _read_info(source, path, ledger),
    ),
    FileKind(
        (".db", ".sqlite", ".sqlite3"),
        ("optuna",),
        lambda source, path, ledger, _: optuna.read_studies(source, path, ledger),
        magic=b"SQLi",
    ),
    FileKind(
        (".arff",),
        ("aslib",),
        lambda source, path, ledger, _: aslib.read_arff(source, path, ledger),
        lists_runs=aslib.lists_runs,
    ),
    FileKind(
        (".csv", ".tsv"),
        ("csv", "smac"),
        _read_csv,
    ),
)


def kind_by_name(path: str, kinds: Sequence[FileKind] = FILE_KINDS) -> FileKind | None:
    """Return the kind of a file by the ending of its name, or None if it is none of these kinds.

    Examples
    --------
    >>> kind_by_name("exp/runs.PQ").formats
    ('parquet',)
    """
    suffix = posixpath.splitext(path)[1].lower()
    return next((kind for kind in kinds if suffix in kind.suffixes), None)


def kind_of_single_file(path: str, start: bytes, request: Request) -> FileKind:
    """Return the kind of a file that the user named, among those of the requested format.

    Parameters
    ----------
    path
        The path of the file.
    start
        Its first bytes, which decide before the ending of its name does.
    request
        The options of the import.

    Returns
    -------
    FileKind
    """
    kinds = [kind for kind in FILE_KINDS if any(map(request.accepts, kind.formats))]
    by_start = next((kind for kind in kinds if kind.magic and start.lstrip().startswith(kind.magic)), None)
    return by_start or kind_by_name(path, kinds) or kinds[-1]


def lists_runs(kind: FileKind, source: Source, path: str, ledger: Ledger) -> bool:
    """Return whether a file in a folder lists runs; folders hold many other JSON files, which are no error."""
    if kind.lists_runs is None:
        return True
    text = _beginning(source, path, ledger)
    return text is not None and kind.lists_runs(text)
