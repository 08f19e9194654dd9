"""A study: many replicates of many cells, on several processes, resumable since each outcome is written at once.

Outcomes are lines of JSON, {"cell": …, "replicate": …, "outcome": …, "polarbear": version}. What is there already is not
computed again; a last line that was cut off by a crash is dropped. Outcomes of several versions do not go together.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from dataclasses import asdict
from itertools import islice
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeVar

from polarbear.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

C = TypeVar("C")

Outcome = dict[str, Any]

_OPENING = '{"cell": '  # of every line

# One thread a process: the matrices are small, and processes would only take the cores from one another.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run_study(
    task: Callable[[C, int], Outcome],
    cells: Sequence[C],
    *,
    replicates: int,
    path: Path | None = None,
    workers: int = 1,
    tell: Callable[[int, int], None] = lambda done, of: None,
) -> dict[str, list[Outcome]]:
    """Outcomes of the replicates 0, 1, … of each cell, by the cell's `key`, in the order of the replicates.

    Parameters
    ----------
    task
        A module's function from a cell (a frozen dataclass) and the number of a replicate to its outcome.
    cells
        The settings.
    replicates
        How many of each.
    path
        Where outcomes are kept; nowhere by default.
    workers
        Processes.
    tell
        Is told how many are done, and of how many, whenever one is.
    """
    known = {} if path is None else _read(path)
    tasks = [(cell, replicate) for replicate in range(replicates) for cell in cells]
    open_tasks = [(cell, replicate) for cell, replicate in tasks if (key(cell), replicate) not in known]
    tell(len(tasks) - len(open_tasks), len(tasks))
    if path is not None:
        path.parent.mkdir(parents=True, exist_ok=True)
        _drop_cut_off_line(path)
    for number, (cell, replicate, outcome) in enumerate(_computed(task, open_tasks, workers), start=1):
        known[key(cell), replicate] = outcome
        if path is not None:
            with path.open("a", encoding="utf-8") as file:
                line = {"cell": key(cell), "replicate": replicate, "outcome": outcome, "polarbear": __version__}
                file.write(json.dumps(line) + "\n")
        tell(len(tasks) - len(open_tasks) + number, len(tasks))
    return _by_cell(known, cells, replicates)


def gathered(cells: Sequence[C], path: Path) -> dict[str, list[Outcome]]:
    """What a file knows about the cells, however many replicates that are."""
    return _by_cell(_read(path), cells, None)


def key(cell: Any) -> str:
    """The cell in JSON, by which its outcomes are found again."""
    return json.dumps(asdict(cell), sort_keys=True)


def _by_cell(
    known: dict[tuple[str, int], Outcome], cells: Iterable[C], replicates: int | None
) -> dict[str, list[Outcome]]:
    outcomes: dict[str, list[Outcome]] = defaultdict(list)
    for cell, replicate in sorted(known):
        if replicates is None or replicate < replicates:
            outcomes[cell].append(known[cell, replicate])
    return {key(cell): outcomes.get(key(cell), []) for cell in cells}


def _computed(
    task: Callable[[C, int], Outcome], tasks: Sequence[tuple[C, int]], workers: int
) -> Iterator[tuple[C, int, Outcome]]:
    if workers == 1:
        for cell, replicate in tasks:
            yield cell, replicate, task(cell, replicate)
        return
    os.environ.update({name: os.environ.get(name, "1") for name in _THREADS})  # read by the processes when they start
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
    """In a process of the pool: end when the study does, also if it was killed and could tell nobody."""
    study = parent_process()
    assert study is not None

    def watch() -> None:
        study.join()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _read(path: Path) -> dict[tuple[str, int], Outcome]:
    """The outcomes of a file. Every line must be one, so that nothing is ever added to a file of another kind."""
    if not path.exists():
        return {}
    known: dict[tuple[str, int], Outcome] = {}
    versions, lines = set[str](), path.read_text(encoding="utf-8", errors="replace").split("\n")
    for number, line in enumerate(lines, start=1):
        if number == len(lines) and _OPENING.startswith(line[: len(_OPENING)]):  # the end, or cut off there
            break
        try:
            told = json.loads(line)
            known[told["cell"], int(told["replicate"])] = told["outcome"]
            versions.add(told["polarbear"])
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(
                f"{path}, line {number}, is no outcome of a study; give the file that a study wrote, or another name"
            ) from error
    if others := versions - {__version__}:
        raise ValueError(
            f"{path} holds outcomes of polarbear {', '.join(sorted(others))}, and this is {__version__}, which may compute "
            "other ones; give another name, or remove the file"
        )
    return known


def _drop_cut_off_line(path: Path) -> None:
    if path.exists() and not (text := path.read_text(encoding="utf-8")).endswith("\n"):
        path.write_text(text[: text.rfind("\n") + 1], encoding="utf-8")
