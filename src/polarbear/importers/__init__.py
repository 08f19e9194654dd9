"""Import of recorded runs from IOHprofiler and COCO folders, CSV and Parquet tables, and zip archives of these.

A path comes in. `read_runs` detects the formats below it and returns trajectories, each with its cluster (the function, or
the repeated instance), and a report of what it could not use and why. Files are parsed as data and never evaluated. Nothing
is written. Memory holds the improvements of the runs, not their rows.

- `reading`: `read_runs`, the only entry point.
- `imported`: the result. `Imported` holds the runs, `About` their origin, `Skipped` what was left out; `Block` is
  (suite, function, dimension, instance, run), the unit on which runs are compared.
- `sources`, `archives`: files in folders and in zip archives.
- `iohprofiler`, `coco`, `info_index`, `tables`: the formats. `COLUMNS` lists the columns of a table by IOHprofiler's names.
- `events`, `ledger`: the improvements of one run; all runs and reports of one import.
- `clustering`: the cluster of each run.
"""

from polarbear.importers.imported import About, Block, Imported, Skipped
from polarbear.importers.reading import read_runs
from polarbear.importers.tables import COLUMNS

__all__ = ["COLUMNS", "About", "Block", "Imported", "Skipped", "read_runs"]
