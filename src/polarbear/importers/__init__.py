"""Runs that somebody already has: IOHprofiler and COCO folders, CSV and Parquet tables, zip archives of all of these.

`read_runs` is the one entry: it finds out what a folder or a file holds and returns trajectories, with a report of what it
could not use and why. Files are parsed as data and never evaluated, nothing is written, and memory holds the improvements
of the runs, not their rows. Runs know their cluster: the function, or the instance that was run repeatedly.

- `read_runs`: from a path to `Imported`.
- `Imported`, `About`, `Skipped`: the runs, what they were read from, what was left out and why.
- `Block`: what runs are compared on, (suite, function, dimension, instance, run).
- `COLUMNS`: the columns of a table, as IOHprofiler names them.
"""

from polarbear.importers.imported import About, Block, Imported, Skipped
from polarbear.importers.reading import read_runs
from polarbear.importers.tables import COLUMNS

__all__ = ["COLUMNS", "About", "Block", "Imported", "Skipped", "read_runs"]
