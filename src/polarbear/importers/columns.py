"""The columns of tables: what each contains, and where a table has it under the names that the user gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from polarbear.findings import ReadWith
from polarbear.importers.foreign_text import quote, replace_surrogates
from polarbear.importers.reasons import Reason, UnreadableError
from polarbear.importers.repetitions import repetition_columns
from polarbear.wording import closest, suggest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from polarbear.importers.request import Request

# Name and content of each column. A key column has the same value in all rows of a run.
COLUMNS = {
    "algorithm_name": "the algorithm",
    "suite": "the suite of the function",
    "function_id": "the function",
    "function_name": "the function, where there is no function_id",
    "dimension": "its dimension",
    "instance": "its instance",
    "run_id": "which repetition",
    "maximization": "whether higher values are better",
    "evals": "how many evaluations the whole run took; otherwise it ends with its last row",
    "evaluations": "the budgets",
    "time": "the budgets in seconds",
    "raw_y": "the value found then; best-so-far is taken on reading",
}
_KEYS = tuple(COLUMNS)[:9]
_FEW_COLUMNS = 40  # of a table whose columns are all read, since they may be features
_SHOWN = 100  # columns that a report names


class Places(NamedTuple):
    """The positions of columns in the rows of a table: budget, value, and those of the others that the table has."""

    budget: int
    value: int
    further: list[int]  # objectives besides the value
    keys: dict[str, int]
    kept: dict[str, int]
    repetitions: dict[str, int]


def check_columns(columns: Mapping[str, str | None] | None) -> dict[str, str | None]:
    """Check a mapping from IOHprofiler's column names to those of tables.

    Parameters
    ----------
    columns
        The mapping; None keeps all of IOHprofiler's names.

    Returns
    -------
    dict

    Examples
    --------
    >>> check_columns({"raw_y": "loss"})
    {'raw_y': 'loss'}
    >>> check_columns({"row_y": "loss"})
    Traceback (most recent call last):
    ...
    ValueError: expected columns of algorithm_name, suite, ..., got 'row_y'; did you mean 'raw_y'?
    """
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise ValueError(f"expected columns as a mapping such as {{'raw_y': 'loss'}}, got {quote(columns)}")
    for column, name in columns.items():
        if column not in COLUMNS:
            hint = suggest(column, COLUMNS) or "choose one of these"
            raise ValueError(f"expected columns of {', '.join(COLUMNS)}, got {quote(column)}; {hint}")
        if name is None and column != "algorithm_name":
            raise ValueError(f"expected the name of the column {column!r}, got None; leave it out if there is none")
        if name is not None and not isinstance(name, str):
            raise ValueError(f"expected the name of the column {column!r} as text, got {quote(name)}; give its name")
    return dict(columns)


def columns_to_read(existing: Sequence[str], request: Request) -> list[str]:
    """Return the names of all columns that an import uses, whether a table has them or not.

    Parameters
    ----------
    existing
        The columns of the table.
    request
        The options of the import.
    """
    names = [name for column in COLUMNS if (name := request.columns.get(column, column)) is not None]
    further = request.objectives.further(existing, request.columns.get("raw_y") or "raw_y")
    return list(dict.fromkeys([*names, *further, *request.kept, *repetition_columns(existing, request)]))


def further_columns(read: Sequence[str], plain: Sequence[str]) -> list[str]:
    """Return the columns without lists or records that an import reads as well, since they may be features.

    Parameters
    ----------
    read, plain
        The columns that are read anyway, and all columns without lists and records.
    """
    return [name for name in plain if name not in read] if len(plain) <= _FEW_COLUMNS else []


def locate_columns(names: Sequence[str], unread: Sequence[str], request: Request) -> Places:
    """Return where a table has the columns of an import.

    Parameters
    ----------
    names
        The columns of its rows.
    unread
        Columns of the table that its rows leave out.
    request
        The options of the import.

    Returns
    -------
    Places

    Raises
    ------
    UnreadableError
        If a column that is needed, or that the user named, is missing; or if the table has one of the columns twice.
    """
    axis = "time" if request.seconds else "evaluations"
    required = (axis, "raw_y", "algorithm_name")
    wanted = {column: request.columns.get(column, column) for column in dict.fromkeys([*required, *_KEYS])}
    missing = {
        column: name
        for column, name in wanted.items()
        if name is not None and name not in names and (column in required or column in request.columns)
    }
    if missing:
        raise _missing_columns(missing, [*names, *unread])
    further = request.objectives.further(names, wanted["raw_y"] or "raw_y")
    if absent := [name for name in further if name not in names]:
        raise UnreadableError(
            Reason.NO_COLUMN, ReadWith("objectives"), columns=absent[:1], existing=_shown([*names, *unread])
        )
    kept = [name for name in request.kept if name in names]
    repetitions = repetition_columns(names, request)
    for name in (*wanted.values(), *further, *kept, *repetitions):
        if name is not None and names.count(name) > 1:
            raise UnreadableError(Reason.SECOND_COLUMN, number=names.count(name), column=name)
    places = {column: names.index(name) for column, name in wanted.items() if name is not None and name in names}
    return Places(
        places[axis],
        places["raw_y"],
        [names.index(name) for name in further],
        {column: places[column] for column in _KEYS if column in places},
        {name: names.index(name) for name in kept},
        {name: names.index(name) for name in repetitions},
    )


def _missing_columns(missing: Mapping[str, str], existing: Sequence[str]) -> UnreadableError:
    """Return the error for all missing columns at once, with the option that maps similar columns to them."""
    existing = _shown(existing)
    similar = {column: closest(name, existing, cutoff=0.5) for column, name in missing.items()}
    remedy = ReadWith("columns", {column: name or "..." for column, name in similar.items()})
    names = list(missing.values())
    if len(missing) > 1 and not any(similar.values()):
        return UnreadableError(Reason.OTHER_TABLE, remedy, columns=names, existing=existing)
    if "algorithm_name" not in missing:
        return UnreadableError(Reason.NO_COLUMN, remedy, columns=names, existing=existing)
    remedy = replace(remedy, otherwise=ReadWith("columns", {"algorithm_name": None}))
    return UnreadableError(Reason.NO_ALGORITHM_COLUMN, remedy, columns=names, existing=existing)


def _shown(names: Sequence[str]) -> list[str]:
    return list(map(replace_surrogates, names[:_SHOWN]))
