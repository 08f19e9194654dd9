"""Make the recording of AntBO's public results: `python -m case_studies.antbo.record FOLDER`.

FOLDER is AntBO/results_data of the repository huawei-noah/HEBO, with one table per method. The recording holds the antigens
that every method ran.
"""

from __future__ import annotations

import argparse
import csv
import math
from pathlib import Path

import numpy as np

from case_studies.antbo.recorded import FILE, METHODS

EVALUATIONS = 200
DECIMALS = 3  # of the energies; some tables hold them in single precision, where equal energies differ in later digits

Runs = dict[tuple[str, int], np.ndarray]


def record(folder: Path, file: Path = FILE) -> tuple[int, ...]:
    """Write the best energies so far on the antigens and seeds that every method ran; return their shape."""
    runs = [runs_of(folder / f"{method}_optim_res.csv") for method in METHODS]
    instances = sorted(set.intersection(*(set(each) for each in runs)))
    if not instances:
        raise ValueError(
            f"expected an antigen and a seed that all of {', '.join(METHODS)} ran in {folder}, got none; check the tables"
        )
    values = np.array([[each[instance] for each in runs] for instance in instances])
    np.savez_compressed(
        file,
        values=np.swapaxes(values, 1, 2),
        evaluations=np.arange(1, EVALUATIONS + 1),
        algorithms=np.array(list(METHODS.values())),
        antigens=np.array([antigen for antigen, _ in instances]),
        seeds=np.array([seed for _, seed in instances]),
    )
    return np.swapaxes(values, 1, 2).shape


def runs_of(table: Path) -> Runs:
    """Return the best energy after each number of evaluations, by antigen and seed.

    It is infinite before the first evaluation in the table, and NaN after the last one.
    """
    runs: Runs = {}
    with table.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream):
            best = runs.setdefault((row["Antigen"], int(row["Seed"])), np.full(EVALUATIONS, math.nan))
            best[int(float(row["Num BB Evals"])) - 1] = round(float(row["Best Binding Energy"]), DECIMALS)
    for instance, best in runs.items():
        known = np.flatnonzero(~np.isnan(best))
        if len(known) != known[-1] - known[0] + 1 or (np.diff(best[known]) > 0).any():
            raise ValueError(
                f"expected a best energy for each evaluation of {instance} in {table}, never rising, got a gap or a rise; "
                "check the table"
            )
        best[: known[0]] = math.inf
    return runs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    shape = record(parser.parse_args().folder)
    print(f"{shape[0]} runs of each of {shape[2]} methods: {FILE}")
