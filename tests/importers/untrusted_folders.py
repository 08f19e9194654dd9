"""Folders of runs whose files can be replaced, and a reader that checks what it returns."""

import math
import os
from pathlib import Path

from polarbear.importers import Imported, Skipped, read_runs

DATA = Path(__file__).parent / "data"
IOH = DATA / "ioh" / "RandomSearch"
COCO = DATA / "coco" / "RandomSearch"
TABLE = "algorithm_name,suite,function_id,dimension,instance,run_id,evaluations,raw_y\n" + "".join(
    f"cma,s,1,2,{instance},1,{at},{1 / (at + instance)}\n" for instance in (1, 2) for at in (1, 5, 9)
)


def read(path, **options):
    """Read, and check that the result is valid."""
    before = {each: os.lstat(each).st_mtime_ns for each in path.rglob("*")}
    imported, refusal = None, None
    try:
        imported = read_runs(path, **options)
    except ValueError as error:
        refusal = error
    if imported is None:
        assert type(refusal) is ValueError
        assert str(refusal).startswith("expected ")
    else:
        assert isinstance(imported, Imported)
        assert imported.runs
        for run in imported.runs:
            assert math.isfinite(run.end)
            assert run.budgets.size
            assert (run.budgets <= run.end).all()
        assert all(isinstance(each, Skipped) and each.count > 0 and str(each) for each in imported.skipped)
        assert len({(run.algorithm, run.instance) for run in imported.runs}) == len(imported.runs)
    assert {each: os.lstat(each).st_mtime_ns for each in path.rglob("*")} == before
    return imported


def ioh(folder, index=None, data=None):
    target = folder / "ioh"
    (target / "data_f8_Rosenbrock").mkdir(parents=True)
    source = IOH / "IOHprofiler_f8_Rosenbrock.json"
    (target / source.name).write_bytes(source.read_bytes() if index is None else index)
    source = IOH / "data_f8_Rosenbrock" / "IOHprofiler_f8_DIM5.dat"
    (target / "data_f8_Rosenbrock" / source.name).write_bytes(source.read_bytes() if data is None else data)
