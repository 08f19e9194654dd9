"""Run the campaign: `python -m torture [--only NAME ...] [--output FILE]`; two promises at a time, each in a process."""

from __future__ import annotations

import argparse
import inspect
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from torture import bombs, clusters, damage, hostile, kills
from torture.counts import Counts
from torture.processes import ROOT, environment, marked_processes

if TYPE_CHECKING:
    from collections.abc import Callable

# The longest first, so that the two processes end together.
PROMISES: tuple[Callable[[Path], Counts], ...] = (
    kills.killed_at_commit_points,
    hostile.runs_do_not_disturb_each_other,
    bombs.bombs_are_refused,
    clusters.dask_workers_may_die,
    clusters.dask_schedulers_may_die,
    kills.killed_with_workers,
    damage.damaged_race_files,
    damage.damaged_posterior_files,
    damage.damaged_archives,
    damage.damaged_recordings,
    hostile.nothing_survives,
)
OUTPUT = ROOT / "docs" / "data" / "torture.json"
_LONGEST = 900  # seconds for one promise; a slow machine takes three times as long as a fast one
_PARALLEL = 2


def main() -> None:
    """Put the promises to the test, print the counts, store them, and exit with 1 if a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=main.__doc__)
    names = [each.__name__ for each in PROMISES]
    parser.add_argument("--only", action="append", choices=names, help="a promise; by default all of them")
    parser.add_argument(
        "--output", type=Path, help="where to store the counts; by default the data of the documentation"
    )
    parser.add_argument("--in-process", metavar="FILE", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    chosen = [each for each in PROMISES if options.only is None or each.__name__ in options.only]
    if options.in_process:
        _test_here(chosen[0], options.in_process)
        return
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, _stop)
    with ThreadPoolExecutor(_PARALLEL) as pool:
        results = list(pool.map(_test, chosen))
    if options.output or options.only is None:
        output = options.output or OUTPUT
        output.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    broken = [f"- {result['name']}: {each}" for result in results for each in result["broken"]]
    print(
        f"\n{len(broken)} of {sum(result['trials'] for result in results):,} trials broke a promise.", *broken, sep="\n"
    )
    sys.exit(bool(broken))


def _test(promise: Callable[[Path], Counts]) -> dict[str, Any]:
    """Put one promise to the test in a process of its own, which may die, and return its counts with its sentences."""
    name, started = promise.__name__, time.monotonic()
    sentence, _, method = inspect.cleandoc(promise.__doc__ or "").partition("\n\n")
    mark = _mark(promise)
    with tempfile.TemporaryDirectory() as folder:
        answer = Path(folder, "answer.json")
        command = [sys.executable, "-m", "torture", "--only", name, "--in-process", str(answer)]
        with Path(folder, "log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=ROOT, env=environment(mark), stdout=log, stderr=log, start_new_session=True
            )
            try:
                status = str(process.wait(_LONGEST))
            except subprocess.TimeoutExpired:
                status = f"no end within {_LONGEST} seconds"
        _end(mark)
        process.wait()
        if answer.exists():
            counts = Counts(**json.loads(answer.read_text(encoding="utf-8")))
        else:
            end = Path(folder, "log").read_text(errors="replace")[-150:]
            counts = Counts(1, broken=[f"the campaign itself ended ({status}): {' '.join(end.split())}"])
    seconds = time.monotonic() - started
    print(f"{name:32} {counts.trials:6,} trials {len(counts.broken):4} broken {seconds:5.0f} s", flush=True)
    return {
        "name": name,
        "promise": " ".join(sentence.split()),
        "method": " ".join(method.split()),
        **asdict(counts),
        "seconds": round(seconds),
    }


def _mark(promise: Callable[[Path], Counts]) -> str:
    """Return the mark of the processes that test a promise."""
    return f"{promise.__name__}-{os.getpid()}"


def _end(mark: str) -> None:
    """Kill all processes with a mark."""
    for left in marked_processes(mark):
        with suppress(ProcessLookupError):
            os.kill(left, signal.SIGKILL)


def _stop(number: int, _: object) -> None:
    """End the campaign with everything that it has started, hostile algorithms included."""
    for promise in PROMISES:
        _end(_mark(promise))
    os._exit(128 + number)


def _test_here(promise: Callable[[Path], Counts], answer: Path) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        counts = promise(Path(folder))
    unfinished = answer.with_suffix(".unfinished")
    unfinished.write_text(json.dumps(asdict(counts)), encoding="utf-8")
    unfinished.rename(answer)


if __name__ == "__main__":
    main()
