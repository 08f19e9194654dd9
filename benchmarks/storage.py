"""Speed of the race file: the time to store a run, and the time to open a long race.

    python benchmarks/storage.py                # 300,000 runs of 200 improvements, about a gigabyte
    python benchmarks/storage.py --runs 10000

The peer is a lower bound for any storage: the same bytes written to a plain file, and read back.
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
    from collections.abc import Callable, Iterator

ALGORITHMS = 10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=300_000)
    parser.add_argument("--improvements", type=int, default=200)
    parser.add_argument("--folder", help="where to write; by default the folder for temporary files")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        race, plain = Path(folder) / "benchmark.race", Path(folder) / "plain"
        write(race, plain, arguments.runs, arguments.improvements)
        read(race, plain, arguments.runs)
    print(f"peak memory of the process {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:,.0f} MB")


def write(race: Path, plain: Path, count: int, improvements: int) -> None:
    budgets, values = np.arange(1.0, improvements + 1), -np.sort(np.random.default_rng(0).normal(size=improvements))

    def trajectories() -> Iterator[Trajectory]:
        return (Trajectory(f"algorithm {k % ALGORITHMS}", k // ALGORITHMS, budgets, values) for k in range(count))

    def generate_only() -> None:
        for _ in trajectories():
            pass

    def store() -> None:
        with RaceFile.create(race, {"seed": 0}) as file:
            for k, trajectory in enumerate(trajectories()):
                job = Job(trajectory.algorithm, k // ALGORITHMS, improvements, seed=k, instance_seed=k)
                file.add_run(Run(trajectory, reached=float(improvements), seconds=1.0), job)

    def store_plainly() -> None:
        with plain.open("wb") as stream:
            for trajectory in trajectories():
                stream.write(np.concatenate([trajectory.budgets, trajectory.values]).tobytes())
                stream.flush()

    generating = seconds(generate_only)
    ours, peer = seconds(store) - generating, seconds(store_plainly) - generating
    print(
        f"{count:,} runs of {improvements} improvements, one transaction per run; {race.stat().st_size / 1e6:,.0f} MB"
    )
    print(f"write      {ours:8.2f} s {1e6 * ours / count:8.1f} µs per run   (plain file {peer:.2f} s)")


def read(race: Path, plain: Path, count: int) -> None:
    def check() -> None:
        RaceFile.open(race, write=False).close()

    def load() -> None:
        with RaceFile.open(race, write=False) as file:
            assert len(file.runs()) == count

    def load_plainly() -> None:
        plain.read_bytes()

    checking, ours, peer = seconds(check), seconds(load), seconds(load_plainly)
    print(f"check      {checking:8.2f} s {1e6 * checking / count:8.1f} µs per run")
    print(f"open, read {ours:8.2f} s {1e6 * ours / count:8.1f} µs per run   (plain file {peer:.2f} s)")


def seconds(action: Callable[[], None]) -> float:
    """Return the wall-clock seconds of a call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
