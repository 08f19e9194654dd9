"""Import of recorded runs: folders of IOHprofiler, COCO, ASlib and SMAC, Optuna studies, tables, archives, data frames.

A path or a data frame comes in. `read_runs` detects the formats below a path and returns trajectories, each with its
cluster (the function, or the repeated instance), and a report of what it could not use and why. Files are parsed as data
and never evaluated. Nothing is written but temporary copies of compressed files. Memory holds the improvements of the
runs, not their rows.

- `reading`: `read_runs`, the only entry point. `request`: its options, checked.
- `imported`: the result. `Imported` holds the runs, `About` their origin, `Skipped` what was left out; `Block` is
  (suite, function, dimension, instance, run), the unit on which runs are compared.
- `formats`: the registry of formats.
- `iohprofiler`, `iohprofiler_data`, `coco`, `info_index`: folders of indices and data files.
- `aslib`, `arff`: times to solve. `smac`, `optuna`, `trials`: trials of tools for tuning.
- `csv_table`, `parquet_table`, `frame_table`, `table_runs`, `columns`: tables. `COLUMNS` lists their columns by
  IOHprofiler's names.
- `repetitions`: which rows of a table belong to the same run.
- `presets`: the columns and rules of well-known tools, one row per tool.
- `sources`, `archives`: files in folders and in archives.
- `events`, `ledger`: the improvements of one run; all runs and reports of one import.
- `namesakes`: runs of one algorithm name in several folders.
- `reasons`, `foreign_text`: why data were left out, with the sentences of the reports; text of unknown content.
- `option_text`: the options of `read_runs` in words, for errors and remedies.
- `part`: the part of the runs that the user asks for. `clustering`: the cluster of each run.

To add a format, write a module with its reader, which passes each run to `Ledger.add` (or each table to
`TableRuns.add`) and reports what it cannot use by a `Reason`. Then add its name to `polarbear.literals.FileFormat` and
one row to `formats.FILE_KINDS`. Everything else follows: detection, options, messages, archives.
tests/contracts/test_importers.py fails until it can write the shared example runs in the new format.
"""

from polarbear.importers.columns import COLUMNS
from polarbear.importers.imported import About, Block, Imported, Skipped
from polarbear.importers.part import split_runs
from polarbear.importers.reading import read_runs
from polarbear.importers.reasons import Reason

__all__ = ["COLUMNS", "About", "Block", "Imported", "Reason", "Skipped", "read_runs", "split_runs"]
