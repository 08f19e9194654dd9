"""Convert several COCO entries into one recording: `python -m case_studies.coco FOLDER`.

FOLDER holds one unpacked entry of the COCO data archive for each algorithm. The recording has the form of
`case_studies/data/ma_bbob_d30.npz`. The archive has no licence that allows copies, so the recording is not in the project.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace
from pathlib import Path

import numpy as np

import polarbear as pb
from polarbear.importers import Block

FILE = Path("build/recorded/coco_d5.npz")
DIMENSION, EVALUATIONS, BUDGETS = 5, 500, 40


def record(entries: Path, file: Path = FILE) -> tuple[int, ...]:
    """Write the best values so far on the instances that every entry ran; return their shape.

    A run that ended keeps its last value, since COCO entries stop once they reach the final target.
    """
    budgets = np.unique(np.geomspace(DIMENSION, EVALUATIONS, BUDGETS).round())
    folders = sorted(each for each in entries.iterdir() if each.is_dir())
    if not folders:
        raise ValueError(
            f"expected a folder with one COCO entry per algorithm, got {entries}, which has no folders; "
            "unpack the entries there"
        )
    runs = [runs_of(folder) for folder in folders]
    instances = [each for each in runs[0] if all(each in others for others in runs)]
    values = np.array([[each[instance].at(budgets) for each in runs] for instance in instances])
    file.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(
        file,
        values=np.swapaxes(values, 1, 2),
        evaluations=budgets.astype(np.int64),
        algorithms=np.array([folder.name for folder in folders]),
    )
    return values.shape


def runs_of(entry: Path) -> dict[Block, pb.Trajectory]:
    """Return the runs of one entry by function and instance; of several repetitions, the first."""
    runs: dict[Block, pb.Trajectory] = {}
    for run in pb.read_runs(entry).runs:
        if isinstance(run.instance, Block) and run.instance.dimension == DIMENSION:
            runs.setdefault(run.instance._replace(suite=None, run=None), replace(run, end=math.inf))
    return runs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("entries", type=Path, metavar="FOLDER")
    shape = record(parser.parse_args().entries)
    print(f"{shape[0]} instances, {shape[1]} algorithms: {FILE}")
