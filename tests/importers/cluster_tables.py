"""Tables whose rows differ only in their key columns, and clusters in a form that is easy to compare."""

import pyarrow as pa
from pyarrow import parquet

ALGORITHMS = ("cma", "de")


def write_table(path, rows, names):
    """Write a table with one run of each algorithm per row of key columns; every run has one value at one time."""
    header = ["algorithm_name", *names, "evaluations", "raw_y"]
    filled = [(name, *row, 1, 1.0) for row in rows for name in ALGORITHMS]
    if path.suffix == ".parquet":
        parquet.write_table(pa.table(dict(zip(header, map(list, zip(*filled, strict=True)), strict=True))), path)
    else:
        lines = [",".join("" if cell is None else str(cell) for cell in line) for line in (header, *filled)]
        path.write_text("\n".join(lines) + "\n")
    return path


def summary(imported):
    """Return (number, kind, unit) of the clusters, or None."""
    clusters = imported.clusters
    return None if clusters is None else (clusters.number, clusters.kind, clusters.unit)


def assumptions(imported):
    """Return what an import assumed, in order."""
    return [each.numbers["assumption"] for each in imported.about.notes]


def partition(imported):
    """Return the blocks of each cluster, without labels."""
    blocks = {}
    for run in imported.runs:
        blocks.setdefault(run.cluster, set()).add(run.instance)
    return set(map(frozenset, blocks.values()))
