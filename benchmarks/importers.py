"""Speed and memory of reading recorded runs: from a million rows to trajectories, rankings, a posterior.

    python benchmarks/importers.py                 # 1,000,000 rows
    python benchmarks/importers.py --rows 5000000

Each way of writing the same rows is read in a fresh process. The peer is the least that reading a CSV file takes: the csv
module and two numbers a row, of which nothing is kept.
"""

from __future__ import annotations

import argparse
import csv
import json
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

ALGORITHMS, INSTANCES = 5, 20
NAMES = ["algorithm_name", "suite", "function_id", "dimension", "instance", "run_id", "evaluations", "raw_y"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--measure", nargs=2, metavar=("WHAT", "PATH"), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.measure:
        print(json.dumps(measure(*arguments.measure)))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = write(Path(folder), arguments.rows)
        print(f"{arguments.rows:,} rows, {ALGORITHMS} algorithms, {INSTANCES} instances")
        print(f"{'':28}{'file':>10}{'seconds':>10}{'rows/s':>12}{'peak memory':>14}{'of which import':>17}")
        for name, (what, path) in files.items():
            done = subprocess.run(
                [sys.executable, __file__, "--measure", what, str(path)], check=True, capture_output=True, text=True
            )
            found = json.loads(done.stdout)
            print(
                f"{name:28}{path.stat().st_size / 1e6:7.0f} MB{found['seconds']:10.2f}"
                f"{arguments.rows / found['seconds']:12,.0f}{found['peak']:11.0f} MB{found['before']:14.0f} MB"
            )


def write(folder: Path, rows: int) -> dict[str, tuple[str, Path]]:
    """The same rows run by run, evaluation by evaluation, in random order, and as Parquet."""
    rng = np.random.default_rng(0)
    each = rows // (ALGORITHMS * INSTANCES)
    listed: list[tuple[Any, ...]] = []
    for algorithm in range(ALGORITHMS):
        for instance in range(1, INSTANCES + 1):
            values = rng.exponential(size=each) / np.arange(1, each + 1) ** (0.3 + 0.1 * algorithm)
            listed += [
                (f"algorithm {algorithm}", "suite", 1, 10, instance, 1, at, value)
                for at, value in enumerate(values.tolist(), 1)
            ]
    in_order, by_evaluation, shuffled = (folder / f"{name}.csv" for name in ("in_order", "by_evaluation", "shuffled"))
    write_csv(in_order, listed)
    listed.sort(key=lambda row: int(row[6]))
    write_csv(by_evaluation, listed)
    write_csv(shuffled, [listed[k] for k in rng.permutation(len(listed))])
    files = {
        "csv module alone": ("peer", in_order),
        "CSV, run by run": ("read", in_order),
        "CSV, by evaluation": ("read", by_evaluation),
        "CSV, shuffled": ("read", shuffled),
        "CSV, to a posterior": ("analyse", in_order),
    }
    try:
        import pyarrow as pa  # type: ignore[import-untyped]
        from pyarrow import parquet
    except ImportError:
        print("Parquet is left out: it needs pyarrow")
        return files
    columns = dict(zip(NAMES, map(list, zip(*listed, strict=True)), strict=True))
    parquet.write_table(pa.table(columns), folder / "runs.parquet")
    return {**files, "Parquet, by evaluation": ("read", folder / "runs.parquet")}


def write_csv(path: Path, rows: list[tuple[Any, ...]]) -> None:
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(NAMES)
        writer.writerows(rows)


def measure(what: str, path: str) -> dict[str, float]:
    import polarbear as pb
    from polarbear.importers import read_runs

    before = peak()
    start = time.perf_counter()
    if what == "peer":
        with Path(path).open(newline="") as stream:
            reader = csv.reader(stream)
            next(reader)
            for row in reader:
                float(row[6]), float(row[7])
    else:
        imported = read_runs(path)
        assert len(imported.runs) == ALGORITHMS * INSTANCES
        if what == "analyse":
            last = imported.runs[0].until
            choices = pb.Choices.from_trajectories(imported.runs, grid=pb.log_grid(10, last, 50))
            pb.pareto_set(pb.fit(choices, seed=0))
    return {"seconds": time.perf_counter() - start, "peak": peak(), "before": before}


def peak() -> float:
    """The peak memory of this process in MB; getrusage would count what the parent had when it started this one."""
    status = Path("/proc/self/status")
    if status.exists():
        [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    main()
