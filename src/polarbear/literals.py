"""The values of options that Python, race.toml and the command line have in common, each defined once.

This module imports nothing, so that the command line knows its options before it loads anything.
"""

from typing import Literal

Axis = Literal["linear", "log"]
Clock = Literal["evaluations", "seconds"]
Ended = Literal["finished", "cut off", "failed"]
Dominance = Literal["joint", "pointwise"]
EndedRule = Literal["auto", "stays", "censored"]
Failure = Literal["last", "missing", "raise"]
FileFormat = Literal["iohprofiler", "coco", "csv", "parquet", "aslib", "smac", "optuna"]
ReaderName = Literal[FileFormat, "benchopt", "nevergrad", "irace"]
FrameLibrary = Literal["pandas", "polars", "pyarrow"]
Generalisation = Literal["clusters", "instances"]
Indicator = Literal["hypervolume"]
KernelName = Literal["matern32", "matern52", "squared-exponential"]
ReferenceMethod = Literal["nuts", "advi", "advi-fullrank", "pathfinder"]
Method = Literal["auto", "nested-laplace", "hmc", "gibbs", "laplace", ReferenceMethod, "stan-pathfinder"]
Until = Literal["set", "pairs", "every-budget"]
Specialists = Literal["keep", "drop"]
Style = Literal["auto", "point", "batch", "pairs"]
View = Literal["auto", "live", "lines", "none"]  # of the progress of a race
