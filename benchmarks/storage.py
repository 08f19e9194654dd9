"""Speed of the race file: what storing one run costs a race, and what opening a long race costs.

    python benchmarks/storage.py                # 300,000 runs of 200 improvements, about a gigabyte
    python benchmarks/storage.py --runs 10000

The peer is the least that any storage must do: the same bytes written to a plain file, and read back.
"""

from __future__ import annotations

import argparse
import resource
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from polarbear.observe import Trajectory
from polarbear.race.jobs import Job, Run
from polarbear.storage import RaceFile

if TYPE_CHECKING:
    from collections.abc import Callable

ALGORITHMS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300_000)
    parser.add_argument("--improvements", type=int, default=200)
    parser.add_argument("--folder", help="where to write; by default the folder for temporary files")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        measure(Path(folder), arguments.runs, arguments.improvements)


def measure(folder: Path, count: int, improvements: int) -> None:
    times, values = np.arange(1.0, improvements + 1), -np.sort(np.random.default_rng(0).normal(size=improvements))
    found = [Trajectory(f"algorithm {k % ALGORITHMS}", k // ALGORITHMS, times, values) for k in range(count)]
    runs = [Run(trajectory, reached=float(improvements), seconds=1.0) for trajectory in found]
    jobs = [Job(t.algorithm, k // ALGORITHMS, improvements, seed=k, instance_seed=k) for k, t in enumerate(found)]
    file = folder / "benchmark.race"

    def store() -> None:
        with RaceFile.create(file, {"seed": 0}) as race:
            for run, job in zip(runs, jobs, strict=True):
                race.add_run(run, job)

    def load() -> None:
        with RaceFile.open(file, write=False) as race:
            assert len(race.runs()) == count

    def check() -> None:
        RaceFile.open(file, write=False).close()

    plain = folder / "plain"

    def store_plainly() -> None:
        with plain.open("wb") as stream:
            for trajectory in found:
                stream.write(np.concatenate([trajectory.times, trajectory.values]).tobytes())
                stream.flush()

    def load_plainly() -> None:
        plain.read_bytes()

    written, plainly = seconds(store), seconds(store_plainly)
    print(f"{count:,} runs of {improvements} improvements, each a transaction; {file.stat().st_size / 1e6:,.0f} MB")
    print(f"write      {written:8.2f} s {1e6 * written / count:8.1f} µs a run   (plain file {plainly:.2f} s)")
    checked, read, plainly = seconds(check), seconds(load), seconds(load_plainly)
    print(f"check      {checked:8.2f} s {1e6 * checked / count:8.1f} µs a run")
    print(f"open, read {read:8.2f} s {1e6 * read / count:8.1f} µs a run   (plain file {plainly:.2f} s)")
    print(f"peak memory of the process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:,.0f} MB")


def seconds(action: Callable[[], None]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
