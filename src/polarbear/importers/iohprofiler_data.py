"""Reader of the `.dat` files of IOHprofiler.

Each run begins with a header of column names. The logger writes a row when the value improves and at the last
evaluation, so rows hold current values. By default it rounds values to 1e-10, so smaller differences read as ties.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from polarbear.findings import ReadWith
from polarbear.importers.events import SOLVED, Events, take_text
from polarbear.importers.foreign_text import quote
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError
from polarbear.importers.sources import text_lines

if TYPE_CHECKING:
    from collections.abc import Generator

    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source

# Columns in order of preference. Transformed values serve as well: the transformation of an instance keeps their order.
_EVALUATIONS = ("evaluations", "function evaluation")
_BEST = ("best-so-far f(x)", "raw_y_best", "transformed_y_best", "best af(x)+b", "current_y_best")
_VALUES = ("raw_y", "best-so-far f(x)", "current f(x)", "raw_y_best", "transformed_y", *_BEST, "current_y")
_TRANSFORMED = "best af(x)+b"
_NO_PARAMETERS = "No parameters"  # the older logger ends its header with it if there are none; rows have no such column


class DataFile:
    """Iterate over the runs of one `.dat` file.

    Parameters
    ----------
    source, path
        The file.
    ledger
        Receives the reports of what could not be read.
    maximise
        Whether higher values are better; None keeps the improvements in both directions.
    """

    def __init__(self, source: Source, path: str, ledger: Ledger, maximise: bool | None) -> None:
        self.name = source.name(path)
        self.holds_best = self.holds_raw = False
        self._ledger, self._maximise = ledger, maximise
        columns = ledger.request.columns
        clock = columns.get("time") or "time" if ledger.request.seconds else columns.get("evaluations")
        value = columns.get("raw_y")
        self._clocks = (clock,) if clock else _EVALUATIONS
        self._values = (value,) if value else _VALUES
        self._failed = False
        self.transformed = Events(maximise)  # of the latest run, where the file has transformed values besides raw ones
        self._runs = self._read(source, path)

    def __enter__(self) -> DataFile:
        return self

    def __exit__(self, *_: object) -> None:
        self._runs.close()

    def next_run(self) -> Events | None:
        """Return the next run, or None at the end or after an error, which is reported."""
        try:
            return next(self._runs, None)
        except READ_ERRORS as error:
            self._failed = True
            self._ledger.skip_unreadable(self.name, error)
            return None

    def has_solved(self, suite: object, events: Events) -> bool:
        """Return whether a run is known to have solved its problem."""
        return self.holds_distances(suite) and events.has_solved(SOLVED)

    def holds_distances(self, suite: object) -> bool:
        """Return whether values are distances to the optimum; only raw values of BBOB suites are."""
        return self.holds_raw and "BBOB" in str(suite).upper()

    def report_missing(self, count: int) -> None:
        if not self._failed:
            self._ledger.skip(self.name, Reason.NOT_IN_DATA, count=count)

    def report_surplus(self) -> None:
        while self.next_run() is not None:
            self._ledger.skip(self.name, Reason.NOT_IN_INDEX)

    def _read(self, source: Source, path: str) -> Generator[Events, None, None]:
        ledger = self._ledger
        header, width, clock, column, second = "", 0, -1, -1, -1
        further: list[int] = []
        events: Events | None = None
        transformed = Events(self._maximise)
        with source.open(path) as stream:
            for number, line in enumerate(text_lines(stream), 1):
                parts = line.split()
                if not parts:
                    continue
                if not line.endswith(("\n", "\r")):
                    # Half a number still parses, often as a better value.
                    ledger.skip(self.name, Reason.CUT_LINE, f"line {number}")
                    break
                if line == header or parts[0][0].isalpha() or parts[0][0] == '"':
                    if line != header:
                        names = [quoted or bare for quoted, bare in re.findall(r'"([^"]*)"|(\S+)', line)]
                        if header and not any(name in names for name in self._clocks):
                            ledger.skip(self.name, Reason.NON_NUMERIC_LINE, f"line {number}: {quote(line.strip())}")
                            continue
                        if names[-1] == _NO_PARAMETERS:
                            names.pop()
                        header, width = line, len(names)
                        clock, column = self._find(names, self._clocks), self._find(names, self._values)
                        second = names.index(_TRANSFORMED) if _TRANSFORMED in names else column
                        objectives = ledger.request.objectives.further(names, names[column])
                        further = [self._find(names, (name,)) for name in objectives]
                        ledger.check_objectives(self.name, names[column], objectives)
                        self._examine(names[column])
                    if events is not None:
                        self.transformed = transformed
                        yield events
                    events, transformed = Events(self._maximise), Events(self._maximise)
                    continue
                if events is None:
                    raise UnreadableError(Reason.NO_HEADER)
                ledger.rows += 1
                reason: Reason | None = Reason.WRONG_WIDTH
                if len(parts) == width:
                    others = [parts[place] for place in further] if further else []
                    reason = take_text(events, parts[clock], parts[column], others)
                if second != column and not reason:
                    take_text(transformed, parts[clock], parts[second])
                if reason:
                    ledger.skip(self.name, reason, f"line {number}: {quote(line.strip())}", columns=width)
        if events is not None:
            self.transformed = transformed
            yield events

    def _find(self, names: list[str], preferred: tuple[str, ...]) -> int:
        """Return the position of the first preferred column that the file has."""
        for name in preferred:
            if name in names:
                return names.index(name)
        raise UnreadableError(Reason.NO_COLUMN, ReadWith("columns"), columns=preferred[:1], existing=names)

    def _examine(self, column: str) -> None:
        """Record what the column of values holds."""
        self.holds_best = column in _BEST
        self.holds_raw = column in ("raw_y", "raw_y_best")
        if column not in ("raw_y", "best-so-far f(x)"):
            self._ledger.note("VALUE_COLUMN", file=self.name, column=column)
