"""Speed and memory of reading recorded runs: a million rows to trajectories, rankings and a posterior.

    python benchmarks/importers.py                 # 1,000,000 rows
    python benchmarks/importers.py --rows 5000000

The same rows are written in several orders and formats, and each file is read in a fresh process. The peer is a lower
bound for CSV files: the csv module, with two numbers converted per row and none stored.
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
        print(f"{'':28}{'file':>10}{'seconds':>10}{'rows/s':>12}{'peak memory':>14}{'after imports':>17}")
        for name, (what, path) in files.items():
            process = subprocess.run(
                [sys.executable, __file__, "--measure", what, str(path)], check=True, capture_output=True, text=True
            )
            measured = json.loads(process.stdout)
            print(
                f"{name:28}{path.stat().st_size / 1e6:7.0f} MB{measured['seconds']:10.2f}"
                f"{arguments.rows / measured['seconds']:12,.0f}{measured['peak']:11.0f} MB{measured['before']:14.0f} MB"
            )


def write(folder: Path, rows: int) -> dict[str, tuple[str, Path]]:
    """Write the same rows run by run, by evaluation, in random order, and as Parquet; return the files to measure."""
    rng = np.random.default_rng(0)
    rows_per_run = rows // (ALGORITHMS * INSTANCES)
    table: list[tuple[Any, ...]] = []
    for algorithm in range(ALGORITHMS):
        for instance in range(1, INSTANCES + 1):
            values = rng.exponential(size=rows_per_run) / np.arange(1, rows_per_run + 1) ** (0.3 + 0.1 * algorithm)
            table += [
                (f"algorithm {algorithm}", "suite", 1, 10, instance, 1, evaluation, value)
                for evaluation, value in enumerate(values.tolist(), 1)
            ]
    in_order, by_evaluation, shuffled = (folder / f"{name}.csv" for name in ("in_order", "by_evaluation", "shuffled"))
    write_csv(in_order, table)
    table.sort(key=lambda row: int(row[6]))
    write_csv(by_evaluation, table)
    write_csv(shuffled, [table[k] for k in rng.permutation(len(table))])
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
        print("Parquet is skipped: pyarrow is not installed")
        return files
    columns = dict(zip(NAMES, map(list, zip(*table, strict=True)), strict=True))
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

    before = peak_megabytes()
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
            last = imported.runs[0].end
            choices = pb.Choices.from_trajectories(imported.runs, grid=pb.log_grid(10, last, 50))
            pb.pareto_set(pb.fit(choices, seed=0))
    return {"seconds": time.perf_counter() - start, "peak": peak_megabytes(), "before": before}


def peak_megabytes() -> float:
    """Return the peak memory of this process; getrusage is second choice, since it may include the parent's memory."""
    status = Path("/proc/self/status")
    if status.exists():
        [line] = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
        return int(line.split()[1]) / 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3


if __name__ == "__main__":
    main()
