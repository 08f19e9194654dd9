"""The entry point of the importers: `read_runs` turns a path into runs.

It detects the format of each file, passes the file to the reader of that format, and labels the runs with their clusters.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, get_args

from polarbear.importers import coco, iohprofiler
from polarbear.importers.archives import Archive
from polarbear.importers.clustering import check_cluster, label_clusters
from polarbear.importers.imported import Block, Imported
from polarbear.importers.info_index import parse_index
from polarbear.importers.ledger import Ledger
from polarbear.importers.sources import FAULTS, Folder, describe_error, read_text
from polarbear.importers.tables import Tables, check_columns
from polarbear.literals import Clock, FileFormat
from polarbear.observe import Trajectory

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from polarbear.importers.imported import Identifier
    from polarbear.importers.sources import Source


_KINDS = {
    ".json": "json",
    ".info": "info",
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".zip": "zip",
}
_KINDS_OF: dict[str | None, tuple[str, ...]] = {
    None: ("json", "info", "csv", "parquet"),
    "iohprofiler": ("json", "info"),
    "coco": ("info",),
    "csv": ("csv",),
    "parquet": ("parquet",),
}


def read_runs(
    path: str | os.PathLike[str],
    *,
    format: FileFormat | None = None,  # noqa: A002  (the word users know)
    columns: Mapping[str, str | None] | None = None,
    maximise: bool | None = None,
    clock: Clock = "evaluations",
    renumber: bool = False,
    cluster: str | Iterable[str] | None = "auto",
) -> Imported:
    r"""Read recorded runs from a folder, a file, or a zip archive.

    A folder may hold all known formats at any depth: IOHprofiler and COCO indices with their data, tables, and archives.

    Parameters
    ----------
    path
        The folder or file.
    format
        "iohprofiler", "coco", "csv" or "parquet" restricts the import to this format; by default all formats are read. A
        single file is read as this format whatever its name.
    columns
        Names of table columns that differ from IOHprofiler's, for example {"raw_y": "loss", "instance": "problem"}; the
        keys are those of `COLUMNS`. {"algorithm_name": None} takes the name of the file as that of the algorithm.
    maximise
        Whether higher values are better; by default as the data state, and minimisation where they do not.
    clock
        The time axis: "evaluations", or "seconds" from a column "time".
    renumber
        Whether to number the runs of an algorithm on an instance 1, 2, ... in the order of arrival. Use it for data whose
        run numbers are seeds or unique ids.
    cluster
        Which instances are not independent, and therefore what answers generalise to. "auto" groups the instances of each
        function, over all dimensions; with one known function or none, it groups the repetitions of each instance. The name
        of a field ("suite", "function", "dimension", "instance") or of any table column groups runs with equal values
        there; several names group runs with equal values in all of them. "none" or None treats all instances as
        independent.

    Returns
    -------
    Imported
        The runs, what was skipped and why, and the origin. The last value of a run holds until the run actually ended.

    Raises
    ------
    ValueError
        If no run can be read, with the reasons, or if the requested clusters are impossible.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "runs.csv")
    ...     _ = file.write_text("algorithm_name,instance,evaluations,raw_y\ncma,1,1,5.0\ncma,1,10,3.0\nde,1,1,x\n")
    ...     imported = read_runs(file)
    >>> imported.runs
    (Trajectory('cma' on Block(suite=None, function=None, dimension=None, instance=1, run=1): 2 improvements until 10),)
    >>> print(imported.skipped[0])
    runs.csv: rows without numbers as evaluations and raw_y, first: line 4: ['de', '1', '1', 'x']
    """
    if format is not None and format not in get_args(FileFormat):
        raise ValueError(f"expected format={', '.join(map(repr, get_args(FileFormat)))} or None, got {format!r}")
    if clock not in get_args(Clock):
        raise ValueError(f"expected clock='evaluations' or 'seconds', got {clock!r}")
    if maximise not in (None, True, False):
        raise ValueError(f"expected maximise=True, False or None, got {maximise!r}")
    names, clusters = check_columns(columns), check_cluster(cluster)
    ledger = Ledger(maximise=maximise, seconds=clock == "seconds")
    tables = Tables(ledger, names, clusters or ())
    try:
        place = Path(path)
        if place.is_dir():
            _read(Folder(place), ledger, tables, names, format, None)
        elif place.exists():
            kind = _kind_of_file(place, format)
            _read(Folder(place.parent, only=place.name), ledger, tables, names, format, kind)
        else:
            raise ValueError(f"expected a folder or a file, got {str(path)!r}, which does not exist")
    except (OSError, TypeError) as error:
        raise ValueError(f"expected a folder or a file that can be read, got {path!r}: {error}") from error
    tables.finish()
    imported = ledger.imported(str(path))
    if renumber:
        imported = _renumbered(imported)
    return label_clusters(imported, clusters, ledger.cells, tables.found)


def _read(
    source: Source,
    ledger: Ledger,
    tables: Tables,
    columns: Mapping[str, str | None],
    format: str | None,  # noqa: A002
    kind: str | None,
) -> None:
    """Read every file of a source; `kind` is the detected kind of a single file."""
    for path in source.paths(ledger):
        what = kind or _KINDS.get(PurePosixPath(path).suffix.lower())
        if what == "zip":
            _read_archive(source, path, ledger, tables, columns, format)
        elif what not in _KINDS_OF[format]:
            continue
        elif what == "json":
            if kind or _is_json_index(source, path, ledger):
                iohprofiler.read_json(source, path, ledger, columns)
        elif what == "info":
            _read_info(source, path, ledger, columns, format)
        elif what == "csv":
            tables.read_csv(source, path)
        else:
            tables.read_parquet(source, path)


def _read_archive(
    source: Source,
    path: str,
    ledger: Ledger,
    tables: Tables,
    columns: Mapping[str, str | None],
    format: str | None,  # noqa: A002
) -> None:
    file = source.name(path)
    if isinstance(source, Archive):
        ledger.skip(file, "is an archive in an archive; unpack the outer one")
        return
    try:
        with source.open(path) as stream:
            _read(Archive(stream, file), ledger, tables, columns, format, None)
    except FAULTS as error:
        ledger.skip(file, describe_error(error))


def _read_info(
    source: Source,
    path: str,
    ledger: Ledger,
    columns: Mapping[str, str | None],
    format: str | None,  # noqa: A002
) -> None:
    """Read an `.info` index, which COCO and the older IOHprofiler share; the data show which of the two wrote it."""
    try:
        with source.open(path) as stream:
            entries = parse_index(read_text(stream, iohprofiler.INDEX))
    except FAULTS as error:
        ledger.skip(source.name(path), describe_error(error))
        return
    for scenario in entries:
        if not scenario.files:
            ledger.skip(source.name(path), "an entry without data files")
        elif coco.is_coco(source, path, scenario):
            if format in (None, "coco"):
                coco.read_info(source, path, scenario, ledger)
        elif format in (None, "iohprofiler"):
            iohprofiler.read_info(source, path, scenario, ledger, columns)


def _is_json_index(source: Source, path: str, ledger: Ledger) -> bool:
    """Return whether a JSON file lists runs; folders hold many other JSON files, which are no error."""
    try:
        with source.open(path) as stream:
            return iohprofiler.is_index(stream.read(65_536).decode("utf-8", errors="replace"))
    except FAULTS as error:
        ledger.skip(source.name(path), describe_error(error))
        return False


def _kind_of_file(path: Path, format: str | None) -> str:  # noqa: A002
    """Return the kind of a single file: from its first bytes, then the requested format, then its name."""
    start = b""
    if path.is_file():
        with path.open("rb") as stream:
            start = stream.read(4)
    if start[:2] == b"PK":
        return "zip"
    if start == b"PAR1":
        return "parquet"
    if format in ("csv", "parquet"):
        return format
    named = _KINDS.get(path.suffix.lower())
    if named is None and start.lstrip()[:1] == b"{":
        return "json"
    return named or "csv"


def _renumbered(imported: Imported) -> Imported:
    counts: defaultdict[tuple[str, tuple[Identifier, ...]], int] = defaultdict(int)
    runs = []
    for run in imported.runs:
        assert isinstance(run.instance, Block)
        problem = run.algorithm, run.instance[:4]
        counts[problem] += 1
        block = run.instance._replace(run=counts[problem])
        runs.append(Trajectory(run.algorithm, block, run.times, run.values, run.until, maximise=run.maximise))
    return replace(imported, runs=tuple(runs))
