"""Reader of COCO folders: `.info` indices with `.dat` (one row per target) and `.tdat` (one row per budget) files.

Both files hold the runs in the order of the index, and each run begins with a line with "%". The first column counts
evaluations of the objective. The third is the best value so far minus the optimum. The union of both files is the full
record. COCO ends a run that has reached the target precision: such a run finished, and others were cut off.

Data of bi-objective suites have an indicator of all solutions so far in the second column, and several lines with "%"
before each run, the first of them empty. The indicator is minimised: it is the distance to the region of interest, and
below it the negative hypervolume, minus a reference value.
"""

from __future__ import annotations

import math
import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from polarbear.importers.events import SOLVED, Events, has_reached, take_text
from polarbear.importers.foreign_text import amount, identifier, quote
from polarbear.importers.reasons import READ_ERRORS, Reason, UnreadableError
from polarbear.importers.sources import resolve_reference, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.info_index import IndexEntry
    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source


def is_coco(source: Source, path: str, entry: IndexEntry) -> bool:
    """Return whether an index entry is COCO's: its data begin with "%".

    If the data are missing, a key "Precision", "coco_version" or "indicator" in the entry decides.
    """
    for reference in entry.files:
        for data in _file_pair(reference):
            try:
                with source.open(resolve_reference(path, data)) as stream:
                    first = next(text_lines(stream), "").lstrip()
            except READ_ERRORS:
                continue
            if first:
                return first.startswith("%")
    return not entry.about.keys().isdisjoint(("Precision", "coco_version", "indicator"))


def read_info(source: Source, path: str, entry: IndexEntry, ledger: Ledger) -> None:
    """Read the runs of one entry of a COCO index.

    Parameters
    ----------
    source, path
        The `.info` file.
    entry
        The entry.
    ledger
        Receives the runs and the reports of what could not be read.
    """
    file, about = source.name(path), entry.about
    if "funcId" not in about or "DIM" not in about:
        ledger.skip(file, Reason.NO_FUNCTION)
        return
    if ledger.request.seconds or ledger.request.maximise:
        ledger.skip(file, Reason.NO_SECONDS if ledger.request.seconds else Reason.NOT_MAXIMISED, kind="COCO")
        return
    # The reference value of an indicator is that of the best known set, not an optimum: runs go below it. COCO ends no
    # bi-objective run at a target, so that none counts as finished, however low its indicator.
    indicator = "indicator" in about
    precision = -1.0 if indicator else amount(about.get("Precision")) or SOLVED
    for reference, runs in entry.files.items():
        try:
            data, rows = (resolve_reference(path, each) for each in _file_pair(reference))
        except UnreadableError as error:
            ledger.skip_unreadable(file, error)
            continue
        name, name_of_rows = source.name(data), source.name(rows)
        column = 1 if indicator else 2
        pairs = zip_longest(_read_file(source, data, ledger, column), _read_file(source, rows, ledger, column))
        count, began = 0, set[str]()
        for count, (run, (targets, budgets)) in enumerate(zip(runs, pairs, strict=False), 1):
            what = f"run {count} of {len(runs)}"
            if targets and budgets and targets[0] != budgets[0]:
                ledger.skip(name_of_rows, Reason.OTHER_INSTANCE, what, other=name)
                budgets = None
            for each, other, cut_file in ((targets, budgets, name), (budgets, targets, name_of_rows)):
                # The file of budgets holds the last evaluation of a run, so it was cut if it ends before that of targets.
                # Older loggers end the file of targets at the last target that was reached.
                began.update([cut_file] if each else [])
                if other and cut_file in began and (not each or (each is budgets and each[1].last < other[1].last)):
                    ledger.skip(cut_file, Reason.SHORTER, what)
            events = _merge(targets and targets[1], budgets and budgets[1])
            end = run.evaluations
            whole = end is None or events.last >= end
            if not whole and not has_reached(events, run.final, run.rounding, maximise=False):
                ledger.skip(name, Reason.CUT_RUN, what)
                end = None
            ledger.add(
                name,
                what,
                format="coco",
                algorithm=about.get("algId", "unknown"),
                problem=(
                    identifier(about.get("suite")),
                    identifier(about["funcId"]),
                    identifier(about["DIM"]),
                    identifier(run.instance),
                ),
                events=events,
                end=end,
                maximise=False,
                finished=events.has_solved(precision),
                distances=not indicator,
            )
        if count < len(runs):
            ledger.skip(name, Reason.NOT_IN_DATA, count=len(runs) - count)
        if surplus := sum(1 for _ in pairs):
            ledger.skip(name, Reason.NOT_IN_INDEX, count=surplus)


def _file_pair(reference: str) -> tuple[str, str]:
    """Return the names of the files with one row per target and with one row per budget."""
    stem = re.sub(r"\.[a-z]*dat$", "", reference)
    return f"{stem}.dat", f"{stem}.tdat"


def _merge(targets: Events | None, budgets: Events | None) -> Events:
    """Return the improvements that the two files hold together."""
    union = Events(maximise=False)
    merged, values, best = union.budgets, union.values, math.inf
    rows = [row for each in (targets, budgets) if each for row in zip(each.budgets, each.values, strict=True)]
    for budget, value in sorted(rows):
        if value < best:
            best = value
            merged.append(budget)
            values.append(value)
    union.last = max(each.last for each in (targets, budgets, union) if each)
    return union


def _read_file(source: Source, path: str, ledger: Ledger, column: int) -> Iterator[tuple[str, Events]]:
    """Yield the runs of one data file, each with its optimum or reference value as the file prints it."""
    file = source.name(path)
    block: tuple[str, Events] | None = None
    usual = 0  # rows of the usual kind, which are nearly all
    try:
        with source.open(path) as stream:
            for number, line in enumerate(text_lines(stream), 1):
                parts = line.split(maxsplit=3)
                try:
                    budget, value = float(parts[0]), float(parts[column])
                except (ValueError, IndexError):
                    budget = value = math.nan
                if block and line[-1] == "\n" and 0 <= budget < math.inf and -math.inf < value < math.inf:
                    usual += 1
                    block[1].add(budget, value)
                    continue
                if not parts:
                    continue
                if not line.endswith(("\n", "\r")):
                    # Half a number still parses, often as a better value.
                    ledger.skip(file, Reason.CUT_LINE, f"line {number}")
                    break
                if line.startswith("%"):
                    if column == 1 and line.strip() != "%":
                        reference = re.search(r"instance = .{1,100}", line)
                        block = (reference[0].strip(), block[1]) if reference and block else block
                        continue
                    if block:
                        yield block
                    optimum = re.search(r"Fopt \(([^)]{1,40})\)", line)
                    block = (optimum[1] if optimum else "", Events(maximise=False))
                    continue
                if block is None:
                    raise UnreadableError(Reason.NO_PERCENT)
                ledger.rows += 1
                if len(parts) <= column:
                    reason: Reason | None = Reason.WRONG_WIDTH
                else:
                    reason = take_text(block[1], parts[0], parts[column])
                if reason:
                    ledger.skip(file, reason, f"line {number}: {quote(line.strip())}", columns=column + 1)
        if block is None:
            ledger.skip(file, Reason.EMPTY)
    except READ_ERRORS as error:
        ledger.skip_unreadable(file, error)
    ledger.rows += usual
    if block:
        yield block
