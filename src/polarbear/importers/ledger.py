"""The ledger of an import: it collects runs from the readers of all formats and reports what they could not use.

The module also holds the conversions that the readers share: `identifier`, `flag` and `amount` parse cells, and `quote`
quotes foreign text for messages.
"""

from __future__ import annotations

import math
from hashlib import blake2b
from typing import TYPE_CHECKING

from polarbear.importers.imported import About, Block, Imported, Skipped
from polarbear.importers.sources import replace_surrogates
from polarbear.observe import Trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.events import Events
    from polarbear.importers.imported import Identifier

Problem = tuple["Identifier", "Identifier", "Identifier", "Identifier"]
Cells = frozenset[tuple["Identifier", ...]]

_SHOWN = 60  # characters of foreign text that a message quotes
_REASONS = 1000  # distinct (file, reason) pairs; further ones share one entry
_NOTES = 20


class Ledger:
    """Collect the runs and reports that the readers of the formats deliver.

    Parameters
    ----------
    maximise
        The direction that the user set; None takes it from the data.
    seconds
        Whether the time axis is wall-clock seconds rather than evaluations.
    """

    def __init__(self, *, maximise: bool | None = None, seconds: bool = False) -> None:
        self.maximise = maximise
        self.seconds = seconds
        self.rows = 0
        self.runs: list[Trajectory] = []
        self.cells: list[Cells] = []  # per run: the values of its rows in the columns that define clusters
        self._skipped: dict[tuple[str, str], tuple[str, int]] = {}
        self._formats: dict[str, None] = {}
        self._files: set[str] = set()
        self._notes: dict[str, None] = {}
        self._numbered: dict[tuple[str, Problem], int] = {}
        self._contents: dict[tuple[str, Problem, bytes], str] = {}
        self._taken: dict[tuple[str, Block], str] = {}

    def skip(self, where: str, reason: str, first: str = "", count: int = 1) -> None:
        """Report something that is not used; `first` is the place of its first occurrence."""
        key = where, reason
        if key not in self._skipped and len(self._skipped) >= _REASONS:
            key, first = ("other files", "more faults than are told apart here"), ""
        told, before = self._skipped.get(key, (first, 0))
        self._skipped[key] = told, before + count

    def cut(self, where: str, first: str) -> None:
        """Report a run whose data end before the run did."""
        self.skip(where, "data end before the run did and lack its best value: used up to their end", first)

    def note(self, sentence: str) -> None:
        """Record an assumption that replaces missing information in the data."""
        self._notes[sentence] = None

    def add(
        self,
        file: str,
        what: str,
        *,
        format: str,  # noqa: A002  (the public word for it)
        algorithm: str,
        problem: Problem,
        events: Events,
        until: float | None,
        maximise: bool,
        run: Identifier = None,
        cells: Cells = frozenset(),
    ) -> None:
        """Add one run, or report why it cannot be used.

        Parameters
        ----------
        file, what
            The file, and the place of the run in it.
        format
            The name of the format.
        algorithm, problem
            The algorithm, and (suite, function, dimension, instance).
        events
            The improvements of the run.
        until
            The time at which the run ended, if an index states it.
        maximise
            Whether higher values are better.
        run
            The repetition, if the data state it. Otherwise repetitions are numbered in the order of arrival, and a copy
            of a run in another file is not a repetition.
        cells
            The values of its rows in the columns that define clusters.
        """
        algorithm = replace_surrogates(algorithm)
        numbered = run is None
        if run is None:
            # An unusable run keeps its number, so that later repetitions still meet their counterparts of other algorithms.
            run = self._numbered[algorithm, problem] = self._numbered.get((algorithm, problem), 0) + 1
        if not events.times:
            self.skip(file, "a run without a single value", what)
            return
        try:
            times, values, twice = events.in_order()
            found = Trajectory(algorithm, problem, times, values, max(until or 0.0, events.last), maximise=maximise)
        except ValueError as error:
            self.skip(file, str(error), what)
            return
        if twice:
            self.skip(file, "rows that came twice, counted once", what, twice)
        if numbered:
            content = blake2b(found.times.tobytes() + found.values.tobytes() + str(found.until).encode())
            of = self._contents.setdefault((algorithm, problem, content.digest()), file)
            if of != file:
                self.skip(file, f"the same run as in {of}: a copy, not a repetition", what)
                self._numbered[algorithm, problem] -= 1
                return
        block = Block(*problem, run)
        if (algorithm, block) in self._taken:
            of = self._taken[algorithm, block]
            self.skip(file, f"a second run of the same algorithm on the same block, the first is in {of}", what)
            return
        self._taken[algorithm, block] = file
        self.runs.append(Trajectory(algorithm, block, found.times, found.values, found.until, maximise=maximise))
        self.cells.append(cells)
        self._formats[format] = None
        self._files.add(file)

    def imported(self, path: str) -> Imported:
        """Return the collected runs and reports.

        Raises
        ------
        ValueError
            If the ledger holds no run.
        """
        skipped = tuple(
            Skipped(where, f"{reason}, first: {first}" if first else reason, count)
            for (where, reason), (first, count) in self._skipped.items()
        )
        if not self.runs:
            reasons = "".join(f"\n- {each}" for each in skipped[:10])
            more = f"\n- and {len(skipped) - 10} more" if len(skipped) > 10 else ""
            raise ValueError(
                f"expected recorded runs in {path!r}, got none that could be read"
                + (f":{reasons}{more}" if skipped else "; IOHprofiler, COCO, CSV, Parquet and zip files are known")
            )
        notes = [*self._what_cannot_be_compared(), *self._notes]
        if len(notes) > _NOTES:
            notes = [*notes[:_NOTES], f"and {len(notes) - _NOTES} more notes of this kind"]
        about = About(path, tuple(self._formats), len(self._files), self.rows, tuple(notes))
        return Imported(tuple(self.runs), skipped, about)

    def _what_cannot_be_compared(self) -> Iterator[str]:
        of_block: dict[object, set[str]] = {}
        for run in self.runs:
            of_block.setdefault(run.instance, set()).add(run.algorithm)
        if len({run.algorithm for run in self.runs}) > 1 and all(len(names) == 1 for names in of_block.values()):
            yield (
                "no two algorithms have a run on the same block (suite, function, dimension, instance, run), so that "
                "nothing can be compared; if only their run numbers differ, read with renumber=True"
            )
        if len({run.maximise for run in self.runs}) > 1:
            yield "some runs minimise and others maximise; compare them apart"


def quote(text: object) -> str:
    r"""Return foreign text for a message, quoted and shortened.

    Examples
    --------
    >>> quote("a\tb"), quote("x" * 100)[-5:]
    ("'a\\tb'", "x'...")
    """
    if isinstance(text, str):
        return ascii(text[:_SHOWN]) + ("..." if len(text) > _SHOWN else "")
    written = ascii(text) if not isinstance(text, int) or -(2**64) < text < 2**64 else "a huge number"
    return written[:_SHOWN] + ("..." if len(written) > _SHOWN else "")


def identifier(value: object) -> Identifier:
    """Return an id in one form for all formats: whole numbers as `int`, other text as `str`, empty values as None.

    Examples
    --------
    >>> identifier(" 7 "), identifier("7.0"), identifier(7.0), identifier("f7"), identifier("")
    (7, 7, 7, 'f7', None)
    """
    if value is None or isinstance(value, int):
        return None if value is None else int(value)
    text = replace_surrogates(str(value).strip())
    if not text or text.lower() in ("nan", "none", "null"):
        return None
    if len(text) <= 20 and "_" not in text:  # others are names, even if float() accepts them
        try:
            number = float(text)
        except ValueError:
            return text
        if math.isfinite(number) and number.is_integer():
            return int(number) if "." in text or "e" in text.lower() else int(text)
    return text


def flag(value: object) -> bool | None:
    """Parse a yes-or-no value; return None if it is neither.

    Examples
    --------
    >>> flag("T"), flag("False"), flag(1), flag("")
    (True, False, True, None)
    """
    text = str(value).strip().lower()
    if text in ("t", "true", "1", "yes", "1.0"):
        return True
    return False if text in ("f", "false", "0", "no", "0.0") else None


def amount(value: object) -> float | None:
    """Parse a number of evaluations or seconds; return None unless it is a finite number of at least 0.

    Examples
    --------
    >>> amount("1500"), amount(-1), amount([]), amount(10**400)
    (1500.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) and number >= 0 else None
