"""The entry point of the importers: `read_runs` turns a path, or a table in memory, into runs.

It detects the format of each file, passes the file to the reader of that format, and labels the runs with their
clusters.
"""

from __future__ import annotations

import gc
import shutil
import tempfile
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

from polarbear.importers.archives import TarArchive, ZipArchive, is_archive, open_archive
from polarbear.importers.clustering import check_cluster, label_clusters
from polarbear.importers.columns import check_columns
from polarbear.importers.foreign_text import quote
from polarbear.importers.formats import kind_by_name, kind_of_single_file, lists_runs
from polarbear.importers.frame_table import describe_frame, open_frame, read_frame
from polarbear.importers.imported import Block, Imported
from polarbear.importers.ledger import Ledger
from polarbear.importers.objectives import check_objectives, measure_runs
from polarbear.importers.part import check_part, choose_part
from polarbear.importers.presets import PRESETS
from polarbear.importers.reasons import READ_ERRORS, Reason
from polarbear.importers.request import Request
from polarbear.importers.sources import Folder
from polarbear.importers.table_runs import TableRuns
from polarbear.literals import Clock, EndedRule, FileFormat, ReaderName
from polarbear.wording import suggest

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

    from narwhals.typing import IntoFrame

    from polarbear.importers.imported import Problem
    from polarbear.importers.part import Condition
    from polarbear.importers.sources import Source
    from polarbear.literals import Indicator

_ZIP = b"PK"  # the first bytes of a zip archive


def read_runs(
    path: str | os.PathLike[str] | IntoFrame,
    *,
    reader: ReaderName | None = None,
    columns: Mapping[str, str | None] | None = None,
    maximise: bool | None = None,
    objectives: Iterable[str] | None = None,
    indicator: Indicator | None = None,
    reference: Iterable[float] | None = None,
    clock: Clock | None = None,
    renumber: bool = False,
    cluster: str | Iterable[str] | None = "auto",
    ended: EndedRule = "auto",
    repeated: bool | None = None,
    where: Mapping[str, object] | Iterable[Condition] | None = None,
    only: Iterable[str] | None = None,
    without: Iterable[str] | None = None,
    per: str | None = None,
    keep: Iterable[str] = (),
) -> Imported:
    r"""Read recorded runs from a folder, a file, an archive (zip, or tar with gzip, xz or bzip2), or a table in memory.

    A folder may hold all known formats at any depth: IOHprofiler and COCO indices with their data, ASlib scenarios, run
    histories of SMAC, Optuna studies, tables, and archives.

    Parameters
    ----------
    path
        The folder or file; or a table of pandas, polars or Arrow with one row per observation, which is read by the
        rules of a CSV file with the same content.
    reader
        The format of the data, or the tool that wrote them, see `polarbear list formats`; by default all formats are read.
        A single file is read as this format whatever its name. For a tool such as "benchopt", "nevergrad" or "irace",
        `polarbear.importers.presets` sets the options below that are not given.
    columns
        Names of table columns that differ from IOHprofiler's, for example {"raw_y": "loss", "instance": "problem"}; the
        keys are those of `COLUMNS`. {"algorithm_name": None} takes the name of the file as that of the algorithm.
    maximise
        Whether higher values are better; by default as the data state, and minimisation where they do not. It holds for
        all objectives; for objectives with different directions, change the sign of some in the data.
    objectives
        The columns of the objectives, for example ["raw_y", "F2"]; by default the column of the value, and columns with
        names such as F2, F3, ... Data with further objectives are refused, unless an indicator or one objective is named.
    indicator
        "hypervolume" compares runs with several objectives by the hypervolume of all points that they have evaluated so
        far. The `archive` of each run keeps these points.
    reference
        The reference point of the hypervolume on all instances, one number per objective. By default each instance has
        its own, from the data of all algorithms that are read, whatever `where`, `only` and `without` choose: it lies one
        tenth of the range beyond the worst value of each objective. The points that count for this are those that no
        earlier point of their run dominated. Give one if some of them are far off, such as penalties.
    clock
        The unit of budgets: "evaluations", or "seconds" from a column "time"; by default that of the format.
    renumber
        Whether to number the runs of an algorithm on an instance 1, 2, ... in the order of arrival. Use it for data
        whose run numbers are seeds or unique ids, and for repetitions that lie in several folders: by default, folders
        with runs of one algorithm name on the same instances count as different algorithms of this name.
    cluster
        Which instances are not independent, and therefore what answers generalise to. "auto" groups the instances of
        each function, over all dimensions; with one known function or none, it groups the repetitions of each instance.
        The name of a field ("suite", "function", "dimension", "instance") or of any table column groups runs with equal
        values there; several names group runs with equal values in all of them. "none" or None treats all instances as
        independent.
    ended
        What happens to a run after its end. "auto" follows the rules of the format: COCO's runs, and IOHprofiler's on
        BBOB suites, keep their value if they reached the target precision of 1e-8; other runs were cut off, and their
        value is unknown afterwards. "stays" lets all runs keep their last value, as solvers do that stop by themselves.
        "censored" treats all runs as cut off.
    repeated
        For tables without a column run_id: whether they hold several runs of an algorithm on an instance. True: a new
        run begins wherever budgets go back. False: all rows of an algorithm on an instance belong to one run. None refuses
        tables in which it may be either.
    where
        Return only runs with these values of fields, or of any table columns: {"dimension": 5, "function": [1, 2]}. A
        tuple (low, high) is a range with inclusive ends; None leaves an end open.
    only, without
        The names of the algorithms to return, or to leave out.
    per
        Divide budgets by this field or column, for example "dimension": COCO states budgets as multiples of it.
    keep
        Further table columns to keep, so that `split_runs` can split the runs by them. Columns that have one value in all
        rows of a run are kept anyway, up to 20 of a table.

    Returns
    -------
    Imported
        The runs, what was skipped and why, and the origin. `Imported.ended` counts how the runs ended.

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
    >>> print(*imported.skipped, sep="\n")
    runs.csv: algorithms without a usable run, left out altogether: de
    runs.csv: rows without numbers as evaluations and raw_y, first: line 4: 'de, 1, 1, x'
    """
    readers = (*get_args(FileFormat), *(name for name in PRESETS if name not in get_args(FileFormat)))
    if reader is not None and reader not in readers:
        hint = suggest(reader, readers) or "choose one of these"
        raise ValueError(f"expected reader={', '.join(map(repr, readers))} or None, got {reader!r}; {hint}")
    if clock is not None and clock not in get_args(Clock):
        raise ValueError(f"expected clock='evaluations' or 'seconds', got {clock!r}")
    if maximise not in (None, True, False):
        raise ValueError(f"expected maximise=True, False or None, got {maximise!r}")
    if ended not in get_args(EndedRule):
        raise ValueError(f"expected ended='auto', 'stays' or 'censored', got {ended!r}")
    chosen = PRESETS.get(reader) if reader else None
    mapping = check_columns(columns)
    several = check_objectives(objectives, indicator, reference)
    if several.names and several.names[0] != "raw_y":
        mapping["raw_y"] = several.names[0]
    if chosen:
        mapping = chosen.mapping | mapping
        clock, ended = clock or chosen.clock, chosen.ended if ended == "auto" else ended
    request = Request(
        format=chosen.format if chosen else cast("FileFormat | None", reader),
        columns=mapping,
        maximise=maximise,
        seconds=clock == "seconds",
        cluster=check_cluster(cluster),
        part=check_part(where, only, without, per),
        keep=tuple(keep),
        repeated=repeated,
        ended=ended,
        objectives=several,
        preset=chosen,
    )
    ledger = Ledger(request)
    tables = TableRuns(ledger)
    frame = open_frame(path)
    with _without_collector():
        if frame is None:
            _read_path(path, ledger, tables)
        else:
            read_frame(frame, tables)
        ledger.raise_refusal()
        tables.finish()
        imported = ledger.result(str(path) if frame is None else describe_frame(frame), as_repetitions=renumber)
        imported = measure_runs(imported, several)
        if frame is not None:
            imported = replace(imported, about=replace(imported.about, formats=(), files=0))
        imported = choose_part(imported, request.part)
        if renumber:
            imported = _renumber(imported)
        if chosen:
            imported = replace(imported, relative_tolerance=chosen.relative_tolerance)
        return label_clusters(imported)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Pause the garbage collector, which would examine a million new runs again and again and free nothing."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read_path(path: Any, ledger: Ledger, tables: TableRuns) -> None:
    """Read a folder or a file."""
    try:
        place = Path(path)
        if place.is_dir():
            _read_source(Folder(place), ledger, tables)
        elif place.exists():
            _read_file(place, ledger, tables)
        else:
            raise ValueError(f"expected a folder or a file, got {str(path)!r}, which does not exist; check the path")
    except (OSError, TypeError) as error:
        raise ValueError(
            f"expected a folder or a file that can be read, or a table of pandas, polars or Arrow, got {quote(path)}: "
            f"{error}"
        ) from error


def _read_source(source: Source, ledger: Ledger, tables: TableRuns) -> None:
    """Read every file of a folder or an archive that has the name of a known kind."""
    for path in source.paths(ledger):
        kind = kind_by_name(path)
        if is_archive(path):
            _read_archive(source, path, ledger, tables)
        elif kind and any(map(ledger.request.accepts, kind.formats)) and lists_runs(kind, source, path, ledger):
            kind.read(source, path, ledger, tables)


def _read_file(file: Path, ledger: Ledger, tables: TableRuns) -> None:
    """Read a single file, whose kind its first bytes show before its name."""
    folder, start = Folder(file.parent, file.name), b""
    if file.is_file():
        with file.open("rb") as stream:
            start = stream.read(4)
    if start.startswith(_ZIP) or (is_archive(file.name) and ledger.request.format is None):
        _read_archive(folder, file.name, ledger, tables)
    else:
        kind_of_single_file(file.name, start, ledger.request).read(folder, file.name, ledger, tables)


def _read_archive(source: Source, path: str, ledger: Ledger, tables: TableRuns) -> None:
    """Read an archive; one in another archive is copied into a temporary file first, and one in that is left out."""
    file = source.name(path)
    nested = isinstance(source, ZipArchive | TarArchive)
    if nested and file.count(":") > 1:
        ledger.skip(file, Reason.NESTED_ARCHIVE)
        return
    try:
        with source.open(path) as stream, tempfile.TemporaryFile() as copy:
            if nested:
                shutil.copyfileobj(stream, copy)
                copy.seek(0)
            allowance = source.allowance if isinstance(source, ZipArchive | TarArchive) else None
            with open_archive(copy if nested else stream, file, allowance) as archive:
                _read_source(archive, ledger, tables)
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)


def _renumber(imported: Imported) -> Imported:
    """Return the runs with the repetitions of each algorithm on each instance numbered 1, 2, ... in their order."""
    counts: defaultdict[tuple[str, Problem], int] = defaultdict(int)
    runs = []
    for run in imported.runs:
        assert isinstance(run.instance, Block)
        key = run.algorithm, run.instance.problem
        counts[key] += 1
        block = run.instance._replace(run=counts[key])
        runs.append(replace(run, instance=block))
    return replace(imported, runs=tuple(runs))
