"""The reasons why an import leaves data out, each with the sentence that reports it.

Readers report a `Reason` to the ledger, or raise it as an `UnreadableError`. `explain` turns the errors of the disk and
of parsers into reasons. A sentence about a file continues the file's name ("is empty"). A sentence about a part of it
begins with that part ("rows without 3 columns"). What can be done about it is its remedy.
"""

from __future__ import annotations

import lzma
import struct
import tarfile
import zipfile
import zlib
from enum import Enum
from typing import TYPE_CHECKING

from polarbear.findings import InstallExtra, ReadWith
from polarbear.importers.foreign_text import quote, replace_surrogates, show
from polarbear.importers.option_text import read_with

if TYPE_CHECKING:
    from polarbear.findings import Remedy

# Errors that reading a foreign file may raise: disk, broken compression, wrong encoding, password, excessive nesting.
READ_ERRORS = (
    *(OSError, ValueError, EOFError, RuntimeError, ArithmeticError, LookupError),
    *(struct.error, zlib.error, lzma.LZMAError, zipfile.BadZipFile, tarfile.TarError),
)

_LONGEST = 300  # characters of another library's message
_LISTED = 20  # names that a sentence lists


class _Names(tuple[str, ...]):
    """Names in a sentence: plain by `str`, and each quoted by `repr`."""

    def __str__(self) -> str:
        return self._join([show(each) for each in self[:_LISTED]])

    def __repr__(self) -> str:
        return self._join([quote(each) for each in self[:_LISTED]])

    def _join(self, shown: list[str]) -> str:
        return ", ".join(shown) + (f" and {len(self) - _LISTED} more" if len(self) > _LISTED else "")


class Reason(Enum):
    """Why data were left out or used only in part; the value is the sentence, with fields for the details.

    Examples
    --------
    >>> Reason.WRONG_WIDTH.sentence(columns=3)
    'rows without 3 columns'
    """

    # Any file
    MISSING = "is missing"
    EMPTY = "is empty"
    NOT_REGULAR = "is not a regular file"
    OUTSIDE_LINK = "is a link out of the folder; read the folder to which it leads, or copy the data"
    NOT_UTF8 = "is not UTF-8 text; save it as UTF-8"
    DEEP = "is nested too deeply"
    DAMAGED = "is damaged ({problem}); copy it again"
    UNREADABLE = "cannot be read ({problem})"
    LONG_LINE = "has a line of more than {limit:,} characters, too long for a row of numbers"
    LARGE = "is larger than {megabytes} MB, too large for a file that describes runs"
    CUT_LINE = "its last line is incomplete and left out"

    # Archives
    NOT_AN_ARCHIVE = "is not a complete {kind} archive ({problem}); copy it again"
    NESTED_ARCHIVE = "is an archive in an archive in an archive; unpack the outer one"
    MANY_MEMBERS = "holds {number:,} files, more than {limit:,}; unpack it and read the folder"
    EXPANDED = "the archive expands to more than {gigabytes} GB; unpack it and read the folder"
    OUTSIDE_NAME = "its name leads out of the archive"
    SECOND_MEMBER = "a second member of this name"
    SPECIAL_MEMBER = "it is a link or another special file"
    ENCRYPTED = "it is encrypted; unpack the archive and read the folder"
    BOMB = "the archive expands more than {ratio}-fold, as no log of runs does; unpack it and read the folder"
    REREAD = "the archive names the same data again and again; unpack it and read the folder"
    SLOW = "the archive takes more than {minutes:g} minutes to read; unpack it and read the folder"

    # Indices, and the data to which they refer
    NOT_JSON = "is not complete JSON ({problem}); was its logger closed?"
    NOT_IOHPROFILER = "is not an IOHprofiler file: it has no {key!r}"
    KEY_TWICE = "is not an IOHprofiler file: it has {key!r} twice"
    MANY_SCENARIOS = "is not an IOHprofiler file: it has more than {limit:,} scenarios"
    NOT_AN_INDEX = "does not begin with a line such as: suite = 'bbob', funcId = 1, DIM = 2, algId = 'CMA-ES'"
    OUTSIDE_REFERENCE = "refers to {reference}, which is not below it; keep the data below their index"
    NO_DATA_FILES = "entries without data files"
    NO_FUNCTION = "entries without their function and dimension (funcId and DIM)"
    NO_PATH = "scenarios without the path of their data"
    NO_RUNS = "scenarios without runs"
    NO_INSTANCE = "runs without their instance"
    NO_SECONDS = "holds evaluations and no seconds, as all {kind} data do"
    NO_EVALUATIONS = "holds seconds and no evaluations, as all {kind} data do"
    NOT_MAXIMISED = "holds minimised values, as all {kind} data do"
    NOT_IN_DATA = "runs that the index lists and the data lack"
    NOT_IN_INDEX = "runs in the data that the index does not list"
    OTHER_INSTANCE = "runs on another instance than in {other}, left out"
    SHORTER = "runs that end earlier than in the other data file, which is used from there on"
    CUT_RUN = "runs whose data end before their best value, used up to their last row"

    # ASlib
    NOT_ARFF = "is not an ARFF table: it has no lines with @attribute and @data"
    NO_DESCRIPTION = "has no description.txt beside it, which states the measure and the cutoff time of a scenario"
    NOT_RUNTIME = (
        "is a scenario whose main performance measure, {measure}, is of the type {kind} rather than runtime; only times "
        "to solve can be compared over time"
    )
    NO_RUNTIME = "runs whose runtime is missing"

    # SMAC and Optuna
    NOT_SMAC = "is not a run history of SMAC: it has no list 'data'"
    NOT_SMAC_TRAJECTORY = "is not a trajectory of SMAC: expected one JSON object per line, or a list 'trajectory'"
    NOT_OPTUNA = "is an SQLite database without the tables of Optuna studies, perhaps a race file"
    SEVERAL_OBJECTIVES = "several objectives, of which no single value can be compared; record an indicator instead"
    ONE_OBJECTIVE = "runs with one objective, which have no hypervolume"
    SEVERAL_INSTANCES = "its trials are on several instances, whose costs cannot be compared with one another"

    # Tables and rows
    NO_HEADER = "does not begin with a line of column names"
    NO_PERCENT = "does not begin with a line with %, as COCO data do"
    NO_COLUMN = "has no column {columns!r}, only {existing!r}"
    NO_ALGORITHM_COLUMN = "has no column {columns!r}, only {existing!r}; the names of files may stand for algorithms"
    OTHER_TABLE = "has none of the columns {columns}, only {existing!r}; perhaps it holds no runs"
    SECOND_COLUMN = "has {number} columns {column!r}; rename or remove all but one"
    NESTED_COLUMN = "has lists or records in the column {column!r}; store one number or name per row"
    NO_PYARROW = "is a Parquet file, which needs pyarrow"
    NOT_PARQUET = "cannot be read as Parquet ({problem})"
    WRONG_WIDTH = "rows without {columns} columns"
    NON_NUMERIC_LINE = "non-numeric lines"
    NON_NUMERIC_ROW = "rows without numbers as {budget} and {value}"
    BAD_BUDGET = "rows whose budget is negative or not finite"
    INFINITELY_GOOD = "rows with an infinitely good value"
    NO_VALUE = "rows without a value"
    NO_ALGORITHM = "rows that name no algorithm"
    DUPLICATE_ROWS = "duplicate rows, counted once"

    # Runs
    NO_USABLE_RUN = "algorithms without a usable run, left out altogether: {names}"
    EMPTY_RUN = "runs without any value"
    INVALID_RUN = "runs that are not valid ({problem})"
    SEVERAL_RUNS = (
        "several runs under one name, since budgets go back with other values; distinguish them by a column run_id"
    )
    COPY = "the same runs as in {original}: copies, not repetitions"
    SECOND_RUN = "second runs of an algorithm on a block, left out; the first are in {original}; use a run_id per run"

    FURTHER = "further problems, not listed separately"

    @property
    def loses_data(self) -> bool:
        """Whether data are left out; if not, the sentence only states how they were used."""
        return self not in (Reason.SHORTER, Reason.CUT_RUN, Reason.DUPLICATE_ROWS)

    @property
    def remedy(self) -> Remedy | None:
        """What can be done about it, if it is always the same."""
        match self:
            case Reason.NO_SECONDS:
                return ReadWith("clock", "evaluations")
            case Reason.NO_EVALUATIONS:
                return ReadWith("clock", "seconds")
            case Reason.NOT_MAXIMISED:
                return ReadWith("maximise", value=False)
            case Reason.ONE_OBJECTIVE:
                return ReadWith("objectives")
            case Reason.NO_PYARROW:
                return InstallExtra("parquet")
        return None

    def sentence(self, **details: object) -> str:
        """Return the sentence with its details; lists are names."""
        words = {key: _Names(each) if isinstance(each, list | tuple) else each for key, each in details.items()}
        return str(self.value).format(**words)


class UnreadableError(ValueError):
    """A file, or a part of it, cannot be used.

    Parameters
    ----------
    reason
        Why.
    remedy
        What can be done about it; by default what can always be done about this reason.
    details
        The fields of the reason's sentence.
    """

    def __init__(self, reason: Reason, remedy: Remedy | None = None, **details: object) -> None:
        super().__init__(reason.sentence(**details))
        self.reason, self.remedy, self.details = reason, remedy or reason.remedy, details


def explain(error: BaseException) -> UnreadableError:
    """Return an error with its `Reason`, for any of `READ_ERRORS`.

    Examples
    --------
    >>> explain(PermissionError(13, "Permission denied"))
    UnreadableError('cannot be read (Permission denied)')
    """
    match error:
        case UnreadableError():
            return error
        case FileNotFoundError():
            return UnreadableError(Reason.MISSING)
        case UnicodeDecodeError():
            return UnreadableError(Reason.NOT_UTF8)
        case RecursionError():
            return UnreadableError(Reason.DEEP)
        case zipfile.BadZipFile() | zlib.error() | EOFError() | lzma.LZMAError():
            return UnreadableError(Reason.DAMAGED, problem=shorten(error))
        case OSError():
            return UnreadableError(Reason.UNREADABLE, problem=shorten(error.strerror or error))
        case ValueError() | RuntimeError():
            return UnreadableError(Reason.UNREADABLE, problem=shorten(error))
    return UnreadableError(Reason.UNREADABLE, problem=shorten(f"{type(error).__name__}: {error}"))


def advise(remedy: Remedy | None) -> str:
    """Return a remedy for an error that both Python and the command line print, after a semicolon; empty without one.

    Examples
    --------
    >>> advise(ReadWith("per", "dimension"))
    "; read with per='dimension' (--per dimension)"
    """
    match remedy:
        case ReadWith(option, value, otherwise):
            other = f", or {read_with(otherwise.option, otherwise.value)}" if otherwise else ""
            return f"; {read_with(option, value)}{other}"
        case InstallExtra(extra):
            return f"; pip install 'polarbear-anytime[{extra}]'"
    return ""


def shorten(problem: object) -> str:
    """Return the message of another library, printable and of limited length."""
    return replace_surrogates(str(problem)[:_LONGEST])
