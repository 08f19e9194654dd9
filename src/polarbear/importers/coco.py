"""Reader of COCO folders: `.info` indices with `.dat` (one row per target) and `.tdat` (one row per budget) files.

Both files hold the runs in the order of the index, and each run begins with a line with "%". The first column counts
evaluations of the objective. The third is the best value so far minus the optimum. The union of both files is the full
record.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import TYPE_CHECKING

from polarbear.importers.events import Events, reached, take
from polarbear.importers.ledger import identifier, quote
from polarbear.importers.sources import FAULTS, describe_error, resolve_reference, text_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from polarbear.importers.info_index import IndexEntry
    from polarbear.importers.ledger import Ledger
    from polarbear.importers.sources import Source


def is_coco(source: Source, path: str, scenario: IndexEntry) -> bool:
    """Return whether an index entry is COCO's: its data begin with "%".

    If the data are missing, a key "Precision" or "coco_version" in the entry decides.
    """
    for reference in scenario.files:
        for data in _both(reference):
            try:
                with source.open(resolve_reference(path, data)) as stream:
                    first = next(text_lines(stream), "").lstrip()
            except FAULTS:
                continue
            if first:
                return first.startswith("%")
    return "Precision" in scenario.about or "coco_version" in scenario.about


def read_info(source: Source, path: str, scenario: IndexEntry, ledger: Ledger) -> None:
    """Read the runs of one entry of a COCO index.

    Parameters
    ----------
    source, path
        The `.info` file.
    scenario
        The entry.
    ledger
        Receives the runs and the reports of what could not be read.
    """
    file, about = source.name(path), scenario.about
    if "funcId" not in about or "DIM" not in about:
        ledger.skip(file, "an entry without funcId and DIM; COCO's suites of two objectives cannot be read")
        return
    if ledger.seconds or ledger.maximise:
        what = "no seconds" if ledger.seconds else "values that are minimised"
        ledger.skip(file, f"COCO's data hold {what}, other than was asked for")
        return
    for reference, runs in scenario.files.items():
        try:
            data, budgets = (resolve_reference(path, each) for each in _both(reference))
        except ValueError as error:
            ledger.skip(file, str(error))
            continue
        name = source.name(data)
        of_both = zip_longest(_blocks(source, data, ledger), _blocks(source, budgets, ledger))
        count, began = 0, set[str]()
        for count, (run, (targets, times)) in enumerate(zip(runs, of_both, strict=False), 1):
            what = f"run {count} of {len(runs)}"
            if targets and times and targets[0] != times[0]:
                ledger.skip(source.name(budgets), f"runs on another instance than in {name}", what)
                times = None
            for each, other, lacking in ((targets, times, name), (times, targets, source.name(budgets))):
                # Both files end with the last evaluation of the run, so each reveals where the other was cut.
                began.update([lacking] if each else [])
                if other and lacking in began and (not each or each[1].last < other[1].last):
                    ledger.skip(lacking, "runs that end before they do in the other file, which is used there", what)
            events = _union(targets and targets[1], times and times[1])
            until = run.evaluations
            if until is not None and events.last < until and not reached(events, run.final, maximise=False):
                ledger.cut(name, what)
                until = None
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
                until=until,
                maximise=False,
            )
        if count < len(runs):
            ledger.skip(name, "runs that the index lists are not in the data", count=len(runs) - count)
        if surplus := sum(1 for _ in of_both):
            ledger.skip(name, "runs in the data that the index does not list", count=surplus)


def _both(reference: str) -> tuple[str, str]:
    stem = re.sub(r"\.[a-z]*dat$", "", reference)
    return f"{stem}.dat", f"{stem}.tdat"


def _union(targets: Events | None, budgets: Events | None) -> Events:
    union = Events(maximise=False)
    rows = sorted(row for each in (targets, budgets) if each for row in zip(each.times, each.values, strict=True))
    for time, value in rows:
        union.add(time, value)
    union.last = max(each.last for each in (targets, budgets, union) if each)
    return union


def _blocks(source: Source, path: str, ledger: Ledger) -> Iterator[tuple[str, Events]]:
    """Yield the runs of one data file, each with its optimum as the file prints it."""
    file = source.name(path)
    block: tuple[str, Events] | None = None
    try:
        with source.open(path) as stream:
            for number, line in enumerate(text_lines(stream), 1):
                parts = line.split(maxsplit=3)
                if not parts:
                    continue
                if not line.endswith(("\n", "\r")):
                    # Half a number still parses, often as a better value.
                    ledger.skip(file, "its last line is cut", f"line {number}")
                    break
                if line.startswith("%"):
                    if block:
                        yield block
                    optimum = re.search(r"Fopt \(([^)]{1,40})\)", line)
                    block = (optimum[1] if optimum else "", Events(maximise=False))
                    continue
                if block is None:
                    raise ValueError("does not begin with a line with %")
                ledger.rows += 1
                reason = take(block[1], parts[0], parts[2]) if len(parts) > 2 else "lines that have not 3 columns"
                if reason:
                    ledger.skip(file, reason, f"line {number}: {quote(line.strip())}")
        if block is None:
            ledger.skip(file, "is empty")
    except FAULTS as error:
        ledger.skip(file, describe_error(error))
    if block:
        yield block
