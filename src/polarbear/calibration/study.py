"""Run a study, many replicates of many cells, on several processes; it is resumable, since each outcome is written at once.

Outcomes are lines of JSON, {"cell": …, "replicate": …, "outcome": …, "polarbear": version}. Stored outcomes are not computed
again, and a last line that a crash truncated is dropped. A file cannot mix outcomes of different versions.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from polarbear.output_file import naming, write_output
from polarbear.single_thread import THREAD_VARIABLES
from polarbear.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

C = TypeVar("C")

Outcome = dict[str, Any]

_OPENING = '{"cell": '  # the beginning of every line

# One thread per process: the matrices are small, and more threads would only compete for the cores.


def run_study(
    task: Callable[[C, int], Outcome],
    cells: Sequence[C],
    *,
    replicates: int,
    path: Path | None = None,
    workers: int = 1,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[str, list[Outcome]]:
    """Compute the outcomes of replicates 0, 1, … of each cell, and return them by the cell's `key`, in order.

    Parameters
    ----------
    task
        A module-level function that maps a cell (a frozen dataclass) and the number of a replicate to an outcome.
    cells
        The settings.
    replicates
        The number of replicates per cell.
    path
        The file that stores outcomes; None stores nothing.
    workers
        The number of processes.
    progress
        Called as progress(done, total) with numbers of replicates, at the start and after each one.
    """
    known = {} if path is None else _read(path)
    tasks = [(cell, replicate) for replicate in range(replicates) for cell in cells]
    open_tasks = [(cell, replicate) for cell, replicate in tasks if (key(cell), replicate) not in known]
    progress(len(tasks) - len(open_tasks), len(tasks))
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _drop_cut_off_line(path)
    for number, (cell, replicate, outcome) in enumerate(_compute(task, open_tasks, workers), start=1):
        known[key(cell), replicate] = outcome
        if path is not None:
            with naming(path), path.open("a", encoding="utf-8") as file:
                line = {"cell": key(cell), "replicate": replicate, "outcome": outcome, "polarbear": __version__}
                file.write(json.dumps(line) + "\n")
        progress(len(tasks) - len(open_tasks) + number, len(tasks))
    return _by_cell(known, cells, replicates)


def count_open(cells: Sequence[C], *, replicates: int, path: Path | None) -> int:
    """Return how many replicates `run_study` would compute, because the file does not hold their outcomes."""
    known = {} if path is None else _read(path)
    return sum((key(cell), replicate) not in known for cell in cells for replicate in range(replicates))


def seconds_per_replicate(
    task: Callable[[C, int], Outcome], cells: Sequence[C], *, clock: Callable[[], float] = time.monotonic
) -> float:
    """Return the mean time of one replicate, from one replicate of the first, the middle and the last cell.

    One more replicate comes first and is not counted: it imports what the others need.
    """
    task(cells[0], 0)
    timed = [cells[position] for position in sorted({0, len(cells) // 2, len(cells) - 1})]
    began = clock()
    for cell in timed:
        task(cell, 0)
    return (clock() - began) / len(timed)


def read_outcomes(cells: Sequence[C], path: Path) -> dict[str, list[Outcome]]:
    """Return all outcomes of the cells that a file holds, by the cell's `key`."""
    return _by_cell(_read(path), cells, None)


def key(cell: Any) -> str:
    """Return the cell as JSON, the key of its outcomes."""
    return json.dumps(asdict(cell), sort_keys=True)


def _by_cell(
    known: dict[tuple[str, int], Outcome], cells: Iterable[C], replicates: int | None
) -> dict[str, list[Outcome]]:
    outcomes: dict[str, list[Outcome]] = defaultdict(list)
    for cell, replicate in sorted(known):
        if replicates is None or replicate < replicates:
            outcomes[cell].append(known[cell, replicate])
    return {key(cell): outcomes.get(key(cell), []) for cell in cells}


def _compute(
    task: Callable[[C, int], Outcome], tasks: Sequence[tuple[C, int]], workers: int
) -> Iterator[tuple[C, int, Outcome]]:
    if workers == 1:
        for cell, replicate in tasks:
            yield cell, replicate, task(cell, replicate)
        return
    os.environ.update(
        {name: os.environ.get(name, "1") for name in THREAD_VARIABLES}
    )  # the processes read it when they start
    waiting = iter(tasks)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn"), initializer=_end_with_the_study) as pool:
        running = {pool.submit(task, *each): each for each in islice(waiting, 2 * workers)}
        try:
            while running:
                finished, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in finished:
                    yield *running.pop(future), future.result()
                running.update({pool.submit(task, *each): each for each in islice(waiting, len(finished))})
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_the_study() -> None:
    """Make a process of the pool end with the study, even if the study is killed."""
    study = parent_process()
    assert study is not None

    def watch() -> None:
        study.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _read(path: Path) -> dict[tuple[str, int], Outcome]:
    """Return the outcomes in a file; every line must be one, so that the study never appends to an unrelated file."""
    if not path.exists():
        return {}
    known: dict[tuple[str, int], Outcome] = {}
    versions, lines = set[str](), path.read_text(encoding="utf-8", errors="replace").split("\n")
    for number, line in enumerate(lines, start=1):
        if number == len(lines) and _OPENING.startswith(line[: len(_OPENING)]):  # the end, or a truncated line
            break
        try:
            entry = json.loads(line)
            known[entry["cell"], int(entry["replicate"])] = entry["outcome"]
            versions.add(entry["polarbear"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"expected an outcome of a study on line {number} of {path}; give a file that a study wrote, or a new name"
            ) from error
    if others := versions - {__version__}:
        raise ValueError(
            f"expected outcomes of polarbear {__version__} in {path}, got outcomes of {', '.join(sorted(others))}; "
            "give a new name, or remove the file"
        )
    return known


def _drop_cut_off_line(path: Path) -> None:
    if path.exists() and not (text := path.read_text(encoding="utf-8")).endswith("\n"):
        write_output(path, text[: text.rfind("\n") + 1], force=True)
