"""Runs from tables with one row per observation.

Columns have IOHprofiler's names unless a mapping replaces them. Rows may come in any order and from any number of
files: all rows with the same algorithm, problem and run number form one run.
"""

from __future__ import annotations

from collections import Counter
from itertools import chain, islice
from operator import itemgetter
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

from polarbear.formula_cells import unescape_formula
from polarbear.importers.columns import locate_columns
from polarbear.importers.events import Events, take_numbers
from polarbear.importers.foreign_text import amount, flag, identifier, quote, show
from polarbear.importers.imported import describe_block
from polarbear.importers.reasons import Reason
from polarbear.importers.repetitions import ambiguity, may_be_several_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from polarbear.importers.columns import Places
    from polarbear.importers.foreign_text import Identifier
    from polarbear.importers.imported import Problem
    from polarbear.importers.ledger import Cells, Ledger
    from polarbear.literals import FileFormat


class Table(NamedTuple):
    """One table, whose rows are being read."""

    format: FileFormat
    file: str
    names: list[str]  # the columns of the rows
    rows: Iterable[Sequence[Any]]
    unread: Sequence[str] = ()  # further columns, which the rows leave out
    line: Callable[[], int] | None = None  # the line of the latest row, if the file has lines
    escaped: bool = False  # whether text that a spreadsheet would evaluate has an apostrophe in front


class _Key(NamedTuple):
    """The key of the run to which a row belongs."""

    algorithm: str
    problem: Problem
    run: Identifier

    def __str__(self) -> str:
        block = describe_block((*self.problem, self.run))
        return show(self.algorithm) + (f" on {block}" if block else "")


class _Run(NamedTuple):
    events: Events
    end: float | None
    file: str
    # The values of its rows in the kept columns, and in the columns that may number repetitions.
    cells: Cells = frozenset()
    seeds: frozenset[tuple[Identifier, ...]] = frozenset()


_MOST_FEATURES = 20  # columns of a table that are kept as features
_LOOKED_AT = 2000  # rows of a table that show which columns describe runs
_NO_SEEDS: frozenset[tuple[Identifier, ...]] = frozenset({()})  # one object for a million runs


class TableRuns:
    """Collect the runs of all tables of an import; the rows of one run may be spread over many files.

    Parameters
    ----------
    ledger
        Receives the runs and the reports of what could not be read.
    """

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self._kept = ledger.kept  # by name: the columns whose values are kept
        self._shared: dict[Cells, Cells] = {}  # runs on one instance share their cells
        self._runs: dict[_Key, _Run] = {}
        self._repetitions: Counter[tuple[str, Problem]] = Counter()  # of runs that only their order distinguishes
        self._seed_columns: dict[str, None] = {}
        self._formats: dict[str, FileFormat] = {}

    def add(self, table: Table) -> None:
        """Add the rows of one table.

        Raises
        ------
        UnreadableError
            If the table lacks a column that is needed.
        """
        ledger = self.ledger
        if preset := ledger.request.preset:
            names, extend_row = preset.extend(table.names, table.file, ledger.request.columns)
            table = table._replace(names=names, rows=map(extend_row, table.rows))
        file, names = table.file, table.names
        places = locate_columns(names, table.unread, ledger.request)
        further = places.further
        ledger.check_objectives(file, names[places.value], [names[place] for place in further])
        ledger.columns.update(dict.fromkeys([*names, *table.unread]))
        if not ledger.request.preset:
            table, places = _with_features(table, places)
        self._kept.update(dict.fromkeys(places.kept))
        self._seed_columns.update(dict.fromkeys(places.repetitions))
        key_of = _cell_getter([*places.keys.values(), *places.kept.values(), *places.repetitions.values()])
        unnumbered = "run_id" not in places.keys
        repeated = ledger.request.repeated is True and unnumbered
        budget_place, value_place, width = places.budget, places.value, len(names)
        known: dict[object, Events] = {}
        for count, row in enumerate(table.rows, 1):
            ledger.rows += 1
            if len(row) != width:
                if row:
                    ledger.skip(file, Reason.WRONG_WIDTH, _describe_row(table, count, row), columns=width)
                continue
            try:
                cell = row[value_place]
                budget, value = float(row[budget_place]), _number(cell)
                others = [_number(row[place]) for place in further] if further else ()
            except (ValueError, TypeError, OverflowError):
                first = _describe_row(table, count, row)
                ledger.skip(file, Reason.NON_NUMERIC_ROW, first, budget=names[budget_place], value=names[value_place])
                algorithm = _algorithm_of(table, dict(zip(places.keys, key_of(row), strict=False)))
                if algorithm and algorithm not in names:  # a second line of column names names no algorithm
                    ledger.name(file, algorithm)
                continue
            key = key_of(row)
            events = known.get(key)
            if events is None or (repeated and events.goes_back(budget)):
                run = self._run(table, places, key, repeated=repeated)
                if run is None:
                    ledger.skip(file, Reason.NO_ALGORITHM, _describe_row(table, count, row))
                events = known[key] = Events(maximise=False) if run is None else run.events
            if unnumbered:
                events.count_row(budget)
            if reason := take_numbers(events, budget, value, others):
                ledger.skip(file, reason, _describe_row(table, count, row))

    def finish(self) -> None:
        """Pass the runs to the ledger, once all tables are read.

        Raises
        ------
        ValueError
            If the rows of an algorithm on an instance may be several runs, and nothing says whether they are.
        """
        self._check_repetitions()
        for key in list(self._runs):
            events, end, file, cells, _ = self._runs.pop(key)
            self.ledger.add(
                file,
                key,
                format=self._formats[file],
                algorithm=key.algorithm,
                problem=key.problem,
                events=events,
                end=end,
                maximise=bool(events.maximise),
                run=1 if key.run is None else key.run,
                cells=cells,
            )

    def _check_repetitions(self) -> None:
        repeated = self.ledger.request.repeated
        found = [
            _describe_case(key.algorithm, key.problem)
            for key, run in self._runs.items()
            if key.run is None and repeated is None and may_be_several_runs(run.events, run.seeds)
        ]
        if repeated:  # rows in the order of budgets give runs of one row each, and a last one with all the others
            most: dict[tuple[str, Problem], list[int]] = {}
            for key, run in self._runs.items():
                most.setdefault((key.algorithm, key.problem), []).append(run.events.rows)
            found = [_describe_case(*case) for case, rows in most.items() if min(rows) == 1 < max(rows)]
        if found:
            raise ambiguity(found, list(self._seed_columns), repeated=bool(repeated))

    def _run(self, table: Table, places: Places, key_cells: tuple[Any, ...], *, repeated: bool) -> _Run | None:
        """Return the run that the cells of a row identify, or a further one if runs are `repeated`.

        It is None if the row names no algorithm; then its run is not stored.
        """
        cells = dict(zip(places.keys, key_cells, strict=False))
        algorithm = _algorithm_of(table, cells)
        if not algorithm:
            return None
        if table.escaped:
            key_cells = tuple(map(unescape_formula, key_cells))
            cells = dict(zip(places.keys, key_cells, strict=False))
        function = identifier(cells.get("function_id"))
        problem: Problem = (
            identifier(cells.get("suite")),
            identifier(cells.get("function_name")) if function is None else function,
            identifier(cells.get("dimension")),
            identifier(cells.get("instance")),
        )
        number = identifier(cells.get("run_id"))
        if repeated:
            self._repetitions[algorithm, problem] += 1
            number = self._repetitions[algorithm, problem]
        key, request = _Key(algorithm, problem, number), self.ledger.request
        end = None if request.seconds else amount(cells.get("evals"))
        run = self._runs.get(key)
        if run is None:
            maximise = bool(request.direction(flag(cells.get("maximization"))))
            run = _Run(Events(maximise), end, table.file, seeds=frozenset() if places.repetitions else _NO_SEEDS)
            run.events.one_run = number is None and request.repeated is False
            self._formats.setdefault(table.file, table.format)
        elif end is not None:
            run = run._replace(end=max(end, run.end or 0.0))
        if places.kept or places.repetitions or run.seeds is not _NO_SEEDS:
            run = self._note_values(run, places, key_cells)
        self._runs[key] = run
        return run

    def _note_values(self, run: _Run, places: Places, key_cells: tuple[Any, ...]) -> _Run:
        """Return a run with the values of a row in the columns that are kept or may number repetitions."""
        kept_from, seeds_from = len(places.keys), len(places.keys) + len(places.kept)
        if places.kept:
            values = map(identifier, key_cells[kept_from:seeds_from])
            cells = run.cells | {(name, value) for name, value in zip(places.kept, values, strict=True)}
            run = run if cells == run.cells else run._replace(cells=self._shared.setdefault(cells, cells))
        seeds = tuple(map(identifier, key_cells[seeds_from:]))
        return run if seeds in run.seeds else run._replace(seeds=run.seeds | {seeds})


def _with_features(table: Table, places: Places) -> tuple[Table, Places]:
    """Return a table and its places, in which columns that describe runs are kept: features of their instances.

    A column describes runs if its value is the same in all rows of a run, as far as the first rows show.
    """
    used = {places.budget, places.value, *places.further, *places.keys.values(), *places.kept.values()}
    used |= set(places.repetitions.values())
    others = [place for place in range(len(table.names)) if place not in used and table.names[place]][:_MOST_FEATURES]
    if not others:
        return table, places
    rows = iter(table.rows)
    first = list(islice(rows, _LOOKED_AT))
    identify = _cell_getter([*places.keys.values(), *places.repetitions.values()])
    seen: dict[tuple[Any, ...], Sequence[Any]] = {}
    for row in first:
        if len(row) == len(table.names):
            known = seen.setdefault(identify(row), row)
            others = [place for place in others if row[place] == known[place]]
    kept = {table.names[place]: place for place in others if table.names.count(table.names[place]) == 1}
    return table._replace(rows=chain(first, rows)), places._replace(kept={**places.kept, **kept})


def _number(cell: Any) -> float:
    """Return the number in a cell; NaN if it is empty."""
    return float("nan" if cell is None or cell == "" else cell)


def _algorithm_of(table: Table, cells: dict[str, Any]) -> str:
    """Return the algorithm that the cells of a row name, or else the name of the file; empty if the cell is."""
    name = cells.get("algorithm_name") if "algorithm_name" in cells else PurePosixPath(table.file).stem
    algorithm = str(name).strip() if name is not None else ""
    return str(unescape_formula(algorithm)) if table.escaped and algorithm else algorithm


def _describe_case(algorithm: str, problem: Problem) -> str:
    """Return an algorithm and its instance in words."""
    return f"{algorithm} on {', '.join(str(each) for each in problem if each is not None) or 'its instance'}"


def _cell_getter(places: list[int]) -> Callable[[Sequence[Any]], tuple[Any, ...]]:
    """Return a function that picks cells of a row, always as a tuple."""
    if len(places) > 1:
        return itemgetter(*places)
    return lambda row: tuple(row[place] for place in places)


def _describe_row(table: Table, count: int, row: Sequence[Any]) -> str:
    """Return the place and the content of a row, for a report."""
    place = f"line {table.line()}" if table.line else f"row {count}"
    return f"{place}: {quote(row if isinstance(row, str) else ', '.join(map(str, row)))}"
